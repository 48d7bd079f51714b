"""The engine for JavaScript: `game_data` is what it needs of a game, engine/*.js steers the WebAssembly module."""
