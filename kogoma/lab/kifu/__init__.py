"""Game records (kifu): what a record holds, and the formats in which it is read and written. docs/game-records.md."""
