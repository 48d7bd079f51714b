"""Where native objects are kept: the folders, who may have written what lies there, and who is at work in them."""
