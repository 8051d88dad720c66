"""Ways through the app: doors on the left, project and dimension at the top, one button to go on."""
