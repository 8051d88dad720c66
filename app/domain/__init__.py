"""The field's nouns as frozen values. No I/O, no imports from the rest of the program."""
