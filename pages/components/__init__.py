"""Widgets of the screens: one package for each, and `shell` for what several show."""
