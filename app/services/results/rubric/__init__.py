"""Rubric X-ray of a run's dimension: what its answers show against the checklist's questions."""
