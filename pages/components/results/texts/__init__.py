"""Results, Texts: single texts with everything that was said about them."""
