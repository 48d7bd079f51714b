"""CodeAbbey's Game of Generals: its commands, and its notation."""
