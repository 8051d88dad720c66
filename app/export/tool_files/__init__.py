"""A checklist as a file that another evaluation tool runs as it is."""
