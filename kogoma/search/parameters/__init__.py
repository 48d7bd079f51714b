"""The search parameters: numbers by which the search prunes, reduces and extends."""
