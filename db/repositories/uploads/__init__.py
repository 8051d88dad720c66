"""Repositories of what people upload."""
