"""Building step by step: outdated units, people's edits, and merging a stage's answer into a build."""
