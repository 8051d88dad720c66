"""Judges beside people: what a judge's share of yes or mean is worth, and whether it may stand in for somebody."""
