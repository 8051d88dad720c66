"""Checklist: read, edited, tried and published."""
