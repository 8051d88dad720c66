"""Tables that several screens show."""
