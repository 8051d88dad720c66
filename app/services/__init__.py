"""The use cases, one file a subject: what pages and commands call. The only layer that joins db with the pure code."""
