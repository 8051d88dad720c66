"""Entrance: sign-in, start link, HTTP API, and the checks of every request before it reaches the app."""
