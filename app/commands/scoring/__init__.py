"""Scoring: runs and what belongs to them."""
