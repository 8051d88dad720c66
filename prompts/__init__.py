"""The wording of every question put to a model: one folder a stage, one Markdown file a version.

A file starts with YAML front matter (name, version, description, variables, output) and has two sections,
`# System` for what stays the same from text to text and `# User` for the rest. A published version is never edited:
changed wording is a new file, because every stored answer names the version and the hash it was asked with.
"""
