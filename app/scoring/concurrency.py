"""Concurrency: how many texts are scored, or models asked, at a time where nobody chose another number."""

CONCURRENCY = 32
