"""What people and models say about the questions of a checklist."""
