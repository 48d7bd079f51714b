"""Records of single games (kifu): what one holds, and the formats in which it is read and written. docs/game-records.md."""
