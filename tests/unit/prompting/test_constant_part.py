"""The system part, which is the same for all texts of a run, is filled in once."""

import pytest

from app.prompting import PromptTemplate, template

PROMPT = """---
name: scale
version: 1
description: Shows a scale, and a text.
variables: [low, points, text]
output: {type: object}
---
# System
From {{ low }}{% for point in points %}, {{ point }}{% endfor %}.
# User
{{ text }}
"""


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sections that were filled in."""
    found: list[str] = []
    fill = PromptTemplate._fill

    def noted(self: PromptTemplate, section: str, variables: dict[str, object]) -> str:
        found.append("system" if section == self.system else "user")
        return fill(self, section, variables)

    monkeypatch.setattr(template, "_SYSTEMS", {})
    monkeypatch.setattr(PromptTemplate, "_fill", noted)
    return found


def test_it_is_filled_in_once_for_many_texts(filled: list[str]) -> None:
    prompt = PromptTemplate.parse(PROMPT)
    shown = [prompt.render(low=1, points=[2, 3], text=f"text {n}") for n in range(3)]
    assert {each.system for each in shown} == {"From 1, 2, 3."}
    assert [each.user for each in shown] == ["text 0", "text 1", "text 2"]
    assert filled == ["system", "user", "user", "user"]


def test_what_it_shows_is_never_older_than_what_it_is_given(filled: list[str]) -> None:
    prompt = PromptTemplate.parse(PROMPT)
    points = [2]
    assert prompt.render(low=1, points=points, text="").system == "From 1, 2."
    points.append(3)
    assert prompt.render(low=1, points=points, text="").system == "From 1, 2, 3."
    assert prompt.render(low=1.0, points=points, text="").system == "From 1.0, 2, 3."
    assert prompt.render(low=True, points=points, text="").system == "From True, 2, 3."
    assert filled.count("system") == 4
