"""Locked test: the agreement on texts that nothing was tuned on."""
