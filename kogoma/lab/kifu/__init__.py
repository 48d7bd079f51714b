"""Game records (kifu): their content, and the formats in which they are read and written. See docs/game-records.md."""
