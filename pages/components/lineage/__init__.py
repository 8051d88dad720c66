"""Lineage: from contributors to questions and back."""
