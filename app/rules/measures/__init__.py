"""Measures of a text: one function each, from a profile to a reading."""
