"""Ways through the app: doors on the left, project, dimension and steps at the top, one button to go on."""
