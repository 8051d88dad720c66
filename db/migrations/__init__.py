"""Alembic migrations, one file a change of the tables."""
