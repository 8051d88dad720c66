"""Building: from attributes to a draft checklist, stage by stage."""
