"""Batches: many requests submitted to a provider at once, answered within a day at half the price."""
