"""Records of JSON lists and of JSON Lines."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from app.corpora.corpus import SkippedRow
from app.corpora.decoding import Encoded
from app.corpora.rows import MOST_CELLS, Read, counted, too_many_cells
from app.errors import FileFormatError

_LIST_WANTED = "A JSON file must hold a list of objects, one object per text."
CUT_OFF = "The file seems to be cut off: download or copy it again in full."
_INCOMPLETE = "The line is not complete JSON."
_LINES_TO_LOOK_AT = 20
_DEEPEST = 100


def load_json(text: str) -> Any:
    """Parse as json.loads. Raises RecursionError also for nesting too deep for other code."""
    value = json.loads(text)
    if text.count("[") + text.count("{") > _DEEPEST:
        level = [value] if isinstance(value, dict | list) else []
        for _ in range(_DEEPEST):
            inner = (each.values() if isinstance(each, dict) else each for each in level)
            level = [each for values in inner for each in values if isinstance(each, dict | list)]
            if not level:
                break
        else:
            raise RecursionError
    return value


def looks_like_json_lines(file: Encoded) -> bool:
    """Return whether the file has one object a line. A single object counts, unless it wraps a list of objects."""
    first = list(islice((line for line in file.lines("\n") if line.strip()), _LINES_TO_LOOK_AT))
    objects = [isinstance(_parsed(line), dict) for line in first]
    if objects and objects[0] and len(first) > 1:
        return True
    if not first or not first[0].lstrip().startswith(("{", "[")):  # not read whole in vain
        return any(objects)
    try:
        whole = load_json(file.text())
    except (ValueError, RecursionError):
        return any(objects)
    alone = isinstance(whole, dict) and _wrapped_list(whole) is None and not _is_by_document(whole)
    return alone and len(first) == 1


def parse_json(text: str, name: str) -> Read:
    """Return the objects of a JSON list as (number from 1, object); other entries are skipped.

    An object around exactly one list of objects is unwrapped. Raises FileFormatError for anything else.
    """
    if text.count("[") + text.count("{") > MOST_CELLS:
        raise too_many_cells(name)
    try:
        whole = load_json(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
            raise FileFormatError(f"{name} ends in the middle of its JSON.", CUT_OFF) from None
        raise FileFormatError(
            f"{name} is not complete JSON: it breaks at line {error.lineno}, column {error.colno}.",
            "Save it again, or choose jsonl if each line is an object of its own.",
        ) from None
    except (ValueError, RecursionError):
        raise FileFormatError(
            f"{name} holds JSON that is nested too deeply (more than {_DEEPEST} levels) or has numbers too long.",
            "Take out what is nested so deeply, or give each trace a line of its own: such a line alone is left out.",
        ) from None
    entries = _entries(whole)
    if not isinstance(entries, list):
        found = "one object" if isinstance(whole, dict) else "a single value"
        raise FileFormatError(f"{name} holds {found}, not a list.", _LIST_WANTED)
    if not entries:
        raise FileFormatError(f"{name} holds an empty list.", "Choose a file that holds data.")
    sorted_out = list(_sorted_out(enumerate(entries, start=1)))
    return counted(lambda: sorted_out, name)


def parse_json_lines(lines: Callable[[], Iterable[str]], name: str) -> Read:
    """Return objects as (line from 1, object), of lines that end at a line feed alone: texts may hold other separators.

    The objects aren't kept in memory: each iteration reads them again from `lines`. Broken lines are skipped and
    reported, blank ones ignored. Raises FileFormatError if no line holds an object.
    """
    last = 0  # the last line that isn't blank

    def parsed() -> Iterator[tuple[int, Any]]:
        nonlocal last
        for number, line in enumerate(lines(), start=1):
            if line.strip():
                last = number
                yield number, _parsed(line)

    good, skipped = counted(lambda: _sorted_out(parsed()), name)
    if not good:
        raise FileFormatError(
            f"{name} is not JSON Lines: none of its {len(skipped)} lines is a JSON object.",
            "Each line must be one object; choose json if the file is one list.",
        )
    if skipped and skipped[-1] == SkippedRow(last, _INCOMPLETE):
        skipped[-1] = SkippedRow(last, f"The last line is not complete JSON. {CUT_OFF}")
    return good, skipped


_ONE_RECORD = ({"messages"}, {"trace", "observations"}, {"id", "input", "output", "observations"})
"""Fields of an object that is one conversation or trace, though it holds lists."""


_BY_DOCUMENT = frozenset({"sys_summs", "system_summaries"})
"""Fields of the records in an object whose keys are the documents' names."""


def _is_by_document(whole: dict[str, Any]) -> bool:
    return bool(whole) and all(isinstance(each, dict) and not _BY_DOCUMENT.isdisjoint(each) for each in whole.values())


def _entries(whole: Any) -> Any:
    if not isinstance(whole, dict):
        return whole
    if _is_by_document(whole):
        return [{"doc_id": name, **each} for name, each in whole.items()]
    return [whole] if any(fields <= whole.keys() for fields in _ONE_RECORD) else _wrapped_list(whole)


class _UnreadableLine:
    """The reason why a line can't be read, in place of its value; None is JSON's null."""

    def __init__(self, why: str) -> None:
        self.why = why


_BROKEN = _UnreadableLine(_INCOMPLETE)
_TOO_DEEP = _UnreadableLine(f"It is nested more than {_DEEPEST} levels deep, or has a number too long.")


def _parsed(line: str) -> Any:
    try:
        return load_json(line)
    except json.JSONDecodeError:
        return _BROKEN
    except (ValueError, RecursionError):
        return _TOO_DEEP


def _sorted_out(entries: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, dict[str, Any]] | SkippedRow]:
    for number, entry in entries:
        if isinstance(entry, dict):
            yield number, entry
        else:
            yield SkippedRow(
                number, entry.why if isinstance(entry, _UnreadableLine) else "It is not an object with named fields."
            )


def _wrapped_list(whole: dict[str, Any]) -> list[Any] | None:
    """Return the list in an object such as {"version": 1, "data": [{...}, ...]}; None unless there is plainly one."""
    lists = [
        value
        for value in whole.values()
        if isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
    ]
    others = [value for value in whole.values() if isinstance(value, list | dict) and value not in lists]
    return lists[0] if len(lists) == 1 and not others and not _is_one_text(whole) else None


def _is_one_text(whole: dict[str, Any]) -> bool:
    return any(isinstance(whole.get(name), str) for name in ("text", "decoded", "system_output", "full_text"))
