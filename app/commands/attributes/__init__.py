"""Attributes: thinking aloud, single attributes, sets compared."""
