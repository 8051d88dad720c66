"""Reproduction of papers' tables from recipes."""
