"""The numbers by which the search prunes, reduces and extends: constants, but in a tuning build read from a record."""
