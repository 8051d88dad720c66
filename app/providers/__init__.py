"""Models behind one Protocol: vendors' LLMs, local models, the built-in rules, recorded calls."""
