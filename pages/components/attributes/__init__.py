"""Attributes: looked at, corrected, merged and added, one dimension at a time."""
