"""Alembic migrations, one file for each change of the tables."""
