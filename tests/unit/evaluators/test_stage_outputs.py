"""Steps, aspects and seeds as lines: what is read is what was written."""

import json

import pytest

from app.errors import InputError
from app.evaluators.registry import STAGE_OUTPUTS, as_lines, from_lines

SEEDS = {
    "sub_aspects": [
        {"name": "Order", "questions": ["In order?", "No jumps?"]},
        {"name": "Links", "questions": ["Linked?"]},
    ]
}


@pytest.mark.parametrize(
    ("stage", "value", "lines"),
    [
        ("g-eval-steps", {"steps": ["Read both.", "Choose."]}, "Read both.\nChoose."),
        (
            "coascore-aspects",
            {"aspects": [{"name": "Order", "description": "What comes first: and why."}]},
            "Order: What comes first: and why.",
        ),
        ("check-eval-seeds", SEEDS, "Order\n- In order?\n- No jumps?\nLinks\n- Linked?"),
        ("check-eval-own-seeds", SEEDS, "Order\n- In order?\n- No jumps?\nLinks\n- Linked?"),
    ],
)
def test_there_and_back(stage: str, value: dict[str, object], lines: str) -> None:
    assert as_lines(stage, json.dumps(value)) == lines
    assert json.loads(from_lines(stage, f"\n{lines}  \n\n")) == value


@pytest.mark.parametrize(
    ("stage", "lines", "said"),
    [
        ("g-eval-steps", " \n ", "nothing to keep"),
        ("coascore-aspects", "Order", "“Order” is no aspect"),
        ("coascore-aspects", "Order: a\norder: b", "the same name"),
        ("check-eval-own-seeds", "- A question?", "stands before any sub-aspect"),
        ("check-eval-own-seeds", "Order\nLinks\n- Linked?", "“Order” has no question"),
    ],
)
def test_what_can_not_be_read_names_the_line(stage: str, lines: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        from_lines(stage, lines)


def test_every_writing_says_how_it_is_written() -> None:
    assert all(output.how.endswith(".") for output in STAGE_OUTPUTS.values())
