"""A cluster of Dask: work that is cut into parts, done by workers on this and other machines."""
