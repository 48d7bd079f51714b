"""What tests know of native objects: their files, and the processes that compile."""
