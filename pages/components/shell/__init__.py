"""Shell: the frame around every screen, and widgets and words shared by several screens."""
