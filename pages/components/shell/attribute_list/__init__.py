"""A list of attributes in full, with selection and changes of many at once."""
