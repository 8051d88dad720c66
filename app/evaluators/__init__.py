"""One file a method that turns a text into a score."""
