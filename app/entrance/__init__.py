"""Entrance: what stands before the app where people have to say who they are, and the pages it shows at the door."""
