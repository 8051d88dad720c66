"""Navigation: entries on the left, project and dimension at the top, one button for the next step."""
