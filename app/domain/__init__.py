"""The field's nouns as frozen values. The package does no I/O and imports nothing from the rest of the program."""
