"""A checklist as a file that another evaluation tool runs unchanged."""
