"""Answers of a run: how many there are of each kind, and the evidence that the judge gave with them."""
