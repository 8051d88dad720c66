"""A provider's limit and a run's budget, kept by one process and lent to those that work with it."""
