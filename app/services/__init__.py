"""The use cases: what pages and commands call. The only layer that joins db with the pure code.

One package for each stage of the method: runtime (what every use case needs), data, think_aloud, people, attributes,
building, checklists, scoring, results, conditions. Each imports only from those before it. `demo` runs the whole method
on the bundled demo data.
"""
