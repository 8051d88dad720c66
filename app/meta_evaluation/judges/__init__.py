"""Judges compared with people: how far a judge's share of yes or mean is off, and whether it may replace a person."""
