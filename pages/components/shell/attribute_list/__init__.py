"""Attributes as a list to read in full, to select many of and to change in one go."""
