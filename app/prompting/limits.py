"""What a prompt may be made of, so that no wording keeps the program busy for long or fills its memory.

A prompt shows its variables and repeats something for each entry of a list. Names for what it has made (`set`, macros)
could double a text with every line, and loops inside loops multiply: neither is needed.
"""

from jinja2 import nodes

MAX_CHARACTERS = 50_000
_BLOCKS = (nodes.Output, nodes.If, nodes.For, nodes.FilterBlock)


def refusal(section: str, tree: nodes.Template) -> str:
    """Why this section can't be part of a prompt, to follow its name in a sentence; "" where it can."""
    if len(section) > MAX_CHARACTERS:
        return f"is longer than {MAX_CHARACTERS:,} characters"
    for block in tree.find_all(nodes.Stmt):
        if not isinstance(block, _BLOCKS):
            return f"has a block that isn't for, if or filter (line {block.lineno} of its section)"
    for outer in tree.find_all(nodes.For):
        for inner in outer.find_all(nodes.For):
            if not _goes_through_a_part(inner, outer):
                return f"has a loop in a loop that isn't over a part of its entry (line {inner.lineno} of its section)"
    return ""


def _goes_through_a_part(inner: nodes.For, outer: nodes.For) -> bool:
    whole = inner.iter.node if isinstance(inner.iter, nodes.Getattr) else None
    return isinstance(whole, nodes.Name) and isinstance(outer.target, nodes.Name) and whole.name == outer.target.name
