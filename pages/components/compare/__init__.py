"""Compare: what people see and LLMs don't, by meaning, by topic and by use in the checklist."""
