"""Conditions: studies of whose attributes make the better checklist."""
