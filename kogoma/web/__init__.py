"""The web page and its engine: `game_data` describes games for JavaScript; engine/*.js calls the WebAssembly module."""
