"""Disagreements: one at a time with all sides of it, the list of them, and what was decided."""
