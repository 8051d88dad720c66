"""Wordings that would keep the program busy, fill its memory or end it are refused before they are filled in."""

import tracemalloc

import pytest

from app.errors import PromptError
from app.prompting import PromptTemplate
from app.prompting.template import MAX_CHARACTERS


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
        ("{{ 9 ** 5000 }}", "calculates with"),
        ("{{ text * 9999999999 }}", "calculates with"),
        ("{{ 1 // 0 }}", "calculates with"),
        ("{% if 2 ** 3 ** 9 %}{{ text }}{% endif %}", "calculates with"),
        ("{{ " + "9" * 5000 + " }}", "thousands of digits"),
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


TEXT = "w" * 96_000
LONG_LIST = "[" + "text, " * 1_500 + "]"


@pytest.mark.slow
@pytest.mark.parametrize(
    "user",
    [
        pytest.param("{{ text }}" * 4_900, marks=pytest.mark.long),
        "{% for a in text %}" + "x" * 48_000 + "{% endfor %}",
        "{% for a in parts %}{{ text }}{% endfor %}",
        pytest.param("{% for a in parts %}" + "{{ a }}" * 6_000 + "{% endfor %}", marks=pytest.mark.long),
        '{% filter enclose("all") %}{% for a in text %}' + "x" * 48_000 + "{% endfor %}{% endfilter %}",
        pytest.param('{% filter enclose("all") %}' + "{{ text }}" * 4_800 + "{% endfilter %}", marks=pytest.mark.long),
        "{{ " + LONG_LIST + " }}",
    ],
    ids=["repeated", "letters", "loop", "many in a loop", "filtered", "filtered texts", "list"],
)
def test_a_wording_that_multiplies_texts_ends_in_a_sentence_and_not_in_the_memory(user: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PromptError, match="longer than 5,000,000 characters"):
            worded(user).render(text=TEXT, parts=["part"] * 12_000)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("user", ["{{ text" + " ~ text" * 101 + " }}", "{{ text" + " + text" * 101 + " }}"])
def test_joining_many_texts_in_one_place_is_refused(user: str) -> None:
    with pytest.raises(PromptError, match="joins more than 100 pieces"):
        worded(user)


def test_the_longest_text_that_models_read_is_filled_in_whole() -> None:
    text = "word " * 400_000
    assert (
        worded("{{ text }}{% for part in parts %}\n- {{ part }}{% endfor %}").render(text=text, parts=["a"] * 5000).user
    )
