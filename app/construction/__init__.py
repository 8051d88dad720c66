"""From attributes to a checklist, stage by stage; every question keeps the attributes it came from."""
