"""Checklists and results as files for other programs."""
