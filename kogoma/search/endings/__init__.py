"""The endings of Onitama: how positions with few men are numbered, and how their values are looked up."""
