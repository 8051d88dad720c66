"""What is wrong in a document's code is found, and what is right is left alone."""

import pytest

from tests.support.command_lines import unknown_commands


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`interacteval scores`, and `interacteval scor a.csv`", ["scor"]),
        ("```sh\ninteracteval score --project A \\\n  --jugde rules\n```", ["score --jugde"]),
        ("`checklist exports --output x`", ["checklist exports"]),
        ("`attributes edit|excludes|move`", ["attributes excludes"]),
        ("`--constante zero`", ["--constante"]),
        ("`--constant nil`", ["--constant nil"]),
        ("`interacteval results --level per-sourc`", ["results --level per-sourc"]),
        ("`interacteval score --evaluator rouge-9`", ["score --evaluator rouge-9"]),
        ("`interacteval bench everything`", ["bench name everything"]),
    ],
)
def test_what_there_is_not_is_found(text: str, found: list[str]) -> None:
    assert [one.strip() for one in unknown_commands(text)] == found


def test_what_there_is_and_what_is_no_command_is_left_alone() -> None:
    assert (
        unknown_commands("`attributes edit|move`, `--constant zero`, `score = low + yes`, `import json`, `NAME`") == []
    )
    assert unknown_commands("`interacteval score --evaluator NAME --set aspects=20`") == []
