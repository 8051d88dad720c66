"""Methods that turn a text into a score, one file each."""
