"""Widgets and words that all screens share."""
