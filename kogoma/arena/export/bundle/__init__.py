"""Bundle modules of the project into one source text."""
