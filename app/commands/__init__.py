"""The commands of the command line, one file a subject; app.cli puts them together."""
