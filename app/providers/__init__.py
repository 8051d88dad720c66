"""Models behind one Protocol: vendors' LLMs, the built-in rules, recorded calls."""
