"""What can be measured of a text: one function a measure, each from a profile to a reading."""
