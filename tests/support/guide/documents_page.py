"""The page of the reference about JSON documents: `make documents` writes it anew from what the commands print.

It is committed, since walking through all commands takes longer than anybody who starts the app should wait.
"""

import tempfile
from functools import reduce
from pathlib import Path
from typing import Any

from tests.support.guide.json_walk import NOT_WALKED, walked
from tests.support.guide.shapes import Shape, shape_of, written
from tests.support.guide.site import SOURCES
from tests.support.repository import name_of

PAGE = SOURCES / "reference" / "documents.md"
# Names of the walk's people, systems, judges, methods and files.
_NAMES = """Ana Ben Ada gpt claude ada ben cleo rules none checklist coherence fluency consistency relevance careful
hasty inventive ideas other mira tom"""
DATA = frozenset(_NAMES.split())
_ABOUT = """# JSON documents

With `--json` a command prints one document on stdout, and all that it says besides goes to stderr. This is what stands
in each of them. It was written down from what the commands printed about the demo and a small project, and a test holds
it against what they print now.

- `text`, `number`, `whole number`, `true or false` and `time` (ISO 8601) are what a value may be; `null` is one that
  there isn't, such as a figure that can't be worked out. Where only `null` stands, no value was met.
- `[...]` is a list of entries of that shape, `[]` one that was empty; `<name>: ...` stands for as many names as there
  are, of dimensions, people or models for example; a name with `?` isn't in every entry.
- Numbers are unrounded. Programs should ignore names that they do not expect: later versions add
  some.

A `figure`, wherever one stands, is a number with what it rests on:

```text
{
  value: number or null        the figure; null where it can't be worked out, and reason says why
  low: number or null          the interval's ends, 95 %
  high: number or null
  n: whole number              texts that count
  n_undefined: whole number    resamples in which it can't be worked out
  method: text                 how the interval was made
  seed: whole number           of its draws
  signature: text              every choice behind it, in a line
  reason: text                 why there is none
}
```

"""


def documents_page(folder: Path) -> str:
    """folder: an empty one to work in."""
    parts = {words: f"```text\n{_shown(found)}\n```" for words, found in walked(folder).items()} | NOT_WALKED
    return _ABOUT + "\n".join(f"## {words}\n\n{part}\n" for words, part in sorted(parts.items()))


def _shown(documents: list[Any]) -> str:
    """As one shape, what a command printed each time."""
    return written(reduce(Shape.beside, (shape_of(each, DATA) for each in documents)))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        PAGE.write_text(documents_page(Path(made)), encoding="utf-8")
    print(f"Written: {name_of(PAGE)}")
