"""CodeAbbey's Game of Generals: the `codeabbey` command and the notation of the problem."""
