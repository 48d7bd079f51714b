"""Make and edit opening books: `./engine.sh book`."""
