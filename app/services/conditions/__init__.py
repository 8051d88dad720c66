"""Conditions: the same judge with checklists from different contributors' attributes."""
