"""What the browser sends about attributes is checked before anything is done."""

from typing import Any

import pytest

from app.domain.attribute import LONGEST_WORDS
from app.domain.storable_text import storable
from app.errors import InputError
from app.services.attributes.attribute_changes import (
    MOST_ACTS,
    MOST_ATTRIBUTES,
    ActKind,
    ActMessage,
    AttributeAct,
    read_acts,
)


def message(*acts: Any, page: Any = "p") -> dict[str, Any]:
    return {"page": page, "attempt": 1, "acts": list(acts)}


ONE: dict[str, Any] = {"number": 1, "kind": "exclude", "ids": [4, 5], "text": "too vague"}


def test_a_message_is_read() -> None:
    sent = [
        ONE,
        {"number": 2, "kind": "move", "ids": [4], "target": 2, "text": "not asked for"},
        {"number": 3, "kind": "merge", "ids": [4, 5], "target": 6},
        {"number": 4, "kind": "restore", "ids": [4], "target": 9},
        {"number": 5, "kind": "reword", "ids": [4], "text": "odd\x00 \ud83d"},
        {"number": 6, "kind": "undo", "ids": "whatever"},
    ]
    assert read_acts(message(*sent)) == ActMessage(
        "p",
        (
            AttributeAct(1, ActKind.EXCLUDE, (4, 5), text="too vague"),
            AttributeAct(2, ActKind.MOVE, (4,), target=2),
            AttributeAct(3, ActKind.MERGE, (4, 5), target=6),
            AttributeAct(4, ActKind.RESTORE, (4,)),
            AttributeAct(5, ActKind.REWORD, (4,), text=storable("odd\x00 \ud83d")),
            AttributeAct(6, ActKind.UNDO),
        ),
    )


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "exclude",
        {"page": "p"},
        message(page=""),
        message(page=3),
        message(page="p" * 101),
        {"page": "p", "acts": {"0": ONE}},
        message(*[ONE] * (MOST_ACTS + 1)),
        message("exclude"),
        *(
            message({**ONE, **odd})
            for odd in (
                {"number": 0},
                {"number": True},
                {"number": "1"},
                {"kind": "delete"},
                {"kind": ["exclude"]},
                {"kind": None},
                {"ids": []},
                {"ids": 4},
                {"ids": [4, "5"]},
                {"ids": [1.5]},
                {"ids": [2**31]},
                {"ids": [1] * (MOST_ATTRIBUTES + 1)},
                {"text": 4},
                {"text": "x" * (LONGEST_WORDS + 1)},
                {"kind": "reword"},  # of two at once
                {"kind": "move"},  # nowhere
                {"kind": "merge", "target": -1},
            )
        ),
    ],
)
def test_anything_else_is_refused(raw: object) -> None:
    with pytest.raises(InputError):
        read_acts(raw)
