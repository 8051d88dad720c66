"""Wording of people and models, read closely."""
