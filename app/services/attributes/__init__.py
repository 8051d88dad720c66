"""Use cases on attributes: storing, editing, merging, comparing, and reading and writing files."""
