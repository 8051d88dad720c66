"""The use cases: what pages and commands call. The only layer that joins db with the pure code.

A package a stage, in the order of the flow, and each knows only those before it: runtime (what every use case needs),
data, think_aloud, people, attributes, building, checklists, scoring, results, conditions. `flow` is the whole method on
one project, `demo` the same on the bundled demo data.
"""
