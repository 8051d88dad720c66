"""Shell: the frame around every screen, and the widgets and words that two or more screens share."""
