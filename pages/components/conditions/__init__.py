"""Conditions: a study of whose attributes make the better checklist."""
