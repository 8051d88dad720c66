"""The screens, one script each; nothing imports them. What they share is in pages.components."""
