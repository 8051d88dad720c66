"""Blocks: parts of a run that any process with the same database can score, and the processes that do."""
