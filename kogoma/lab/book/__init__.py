"""Opening books made and edited: `./engine.sh book`."""
