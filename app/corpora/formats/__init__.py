"""One file a dataset format: how to recognise it and how to read its records."""
