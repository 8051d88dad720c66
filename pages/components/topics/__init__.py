"""Topics: what the attributes behind the checklist are about, in short."""
