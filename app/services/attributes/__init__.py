"""Attributes: kept, edited, merged, compared, and read from and written to files."""
