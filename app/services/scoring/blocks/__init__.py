"""Blocks: parts of a run that Dask workers score as ordinary tasks."""
