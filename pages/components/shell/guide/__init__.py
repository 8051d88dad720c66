"""Ways from the screens into the guide: of screens, of figures and steps, of errors. A test follows each."""
