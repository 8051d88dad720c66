"""Construction of a checklist from attributes, stage by stage; every question keeps the attributes it came from."""
