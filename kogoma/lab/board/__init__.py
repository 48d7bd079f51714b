"""`./engine.sh board`: the local server of the page, with engines as processes and the games of matches."""
