"""A project's tables to take along, and the archive they are in."""
