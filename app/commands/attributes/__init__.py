"""Attributes: thinking aloud, single attributes, comparisons of sets."""
