"""Examples in the reference can be copied: each a command on one line, and nothing else."""

import pytest

from tests.support.guide.commands_page import all_commands, examples_of

EXAMPLES = {words: examples_of(command.help or "") for words, command in all_commands()}


def test_an_example_is_one_command(subtests: pytest.Subtests) -> None:
    for words, (said, examples) in EXAMPLES.items():
        with subtests.test(words):
            assert "Example:" not in said
            assert [
                line for _, line in examples if not line.startswith("interacteval ") or line.count("interacteval ") > 1
            ] == []


def test_a_second_example_says_of_what() -> None:
    assert [of for of, _ in EXAMPLES["estimate"][1]] == ["For example", "Two systems"]
    assert "\\" not in "".join(line for _, line in EXAMPLES["answers import"][1])
