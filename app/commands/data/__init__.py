"""Data: projects, dimensions, imports, held-out splits, backups."""
