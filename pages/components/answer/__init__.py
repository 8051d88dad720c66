"""Answer: experts answer a published checklist, blind to the judge and to each other."""
