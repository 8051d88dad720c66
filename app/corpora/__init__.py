"""Reads datasets of texts with human ratings, from known formats and from any table, and draws samples from them."""
