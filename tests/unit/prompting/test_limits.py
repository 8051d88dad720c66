"""Wordings that would keep the program busy, fill its memory or end it are refused before they are filled in."""

import pytest

from app.errors import PromptError
from app.prompting import PromptTemplate
from app.prompting.limits import MAX_CHARACTERS


def worded(user: str) -> PromptTemplate:
    return PromptTemplate.parse(
        "---\nname: p\nversion: 1\ndescription: Tests.\nvariables: [text, parts]\noutput: dynamic\n"
        f"why_dynamic: It depends.\n---\n# System\n{{{{ text }}}} {{{{ parts }}}}\n# User\n{user}\n"
    )


@pytest.mark.parametrize(
    ("user", "says"),
    [
        ("{% set a = text ~ text %}" + "{% set a = a ~ a %}" * 40 + "{{ a }}", "isn't for, if or filter"),
        ("{% macro twice(a) %}{{ a }}{{ a }}{% endmacro %}", "isn't for, if or filter"),
        ("{% for a in text %}{% for b in text %}{{ text }}{% endfor %}{% endfor %}", "a loop in a loop"),
        ("{% for a in parts %}{% if a %}{% for b in [a, a] %}{% endfor %}{% endif %}{% endfor %}", "a loop in a loop"),
        ("x" * (MAX_CHARACTERS + 1), "longer than"),
        ("{{ " + "(" * 3000 + "text" + ")" * 3000 + " }}", "nested too deeply"),
        ("{{ " + "not " * 3000 + "text }}", "nested too deeply"),
    ],
)
def test_what_grows_without_bound_is_refused(user: str, says: str) -> None:
    with pytest.raises(PromptError, match=says):
        worded(user)


def test_a_loop_may_go_through_a_part_of_each_entry() -> None:
    template = worded("{% for part in parts %}{% for name in part.names %}{{ name }};{% endfor %}{% endfor %}")
    assert template.render(text="", parts=[{"names": ["a", "b"]}, {"names": ["c"]}]).user == "a;b;c;"


def test_python_s_own_limit_of_nesting_is_a_faulty_prompt() -> None:
    deep = "{% if text %}" * 120 + "x" + "{% endif %}" * 120
    with pytest.raises(PromptError, match="can't be filled in"):
        worded(deep).render(text="t", parts=[])
