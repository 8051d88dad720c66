"""Building step by step: what is stale, what people change, what a stage's answer makes of what is there."""
