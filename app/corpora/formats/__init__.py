"""Dataset formats, one file each: how to recognise a format and how to read its records."""
