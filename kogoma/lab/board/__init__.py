"""`./engine.sh board`: the page, served on this machine, with engines as processes and a match's games."""
