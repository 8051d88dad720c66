import hashlib

import pytest

from app.errors import PromptError
from app.prompting import PromptTemplate

PROMPT = """---
name: greeting
version: 2
description: Greets.
variables: [person, notes]
output: {type: object, additionalProperties: false, properties: {hello: {type: string}}, required: [hello]}
---
# System
You greet {{ person.name }}.
# User
{% for note in notes %}
- {{ note | one_line }}
{% endfor %}
"""


def edited(old: str, new: str) -> str:
    assert old in PROMPT
    return PROMPT.replace(old, new)


def test_a_prompt_renders_its_two_sections_and_says_where_it_comes_from() -> None:
    template = PromptTemplate.parse(PROMPT)
    prompt = template.render(person={"name": "Ada"}, notes=["a\n b", "c"])
    assert prompt.system == "You greet Ada."
    assert prompt.user == "- a b\n- c"
    assert prompt.label == "greeting@2"
    assert prompt.digest == hashlib.sha256(PROMPT.encode()).hexdigest()
    assert prompt.variables == {"person": {"name": "Ada"}, "notes": ["a\n b", "c"]}
    assert template.output_schema is not None
    assert template.output_schema["required"] == ["hello"]


def test_line_endings_do_not_change_the_digest() -> None:
    assert PromptTemplate.parse(PROMPT.replace("\n", "\r\n")) == PromptTemplate.parse(PROMPT)


def test_template_syntax_and_headings_in_variables_stay_text() -> None:
    prompt = PromptTemplate.parse(PROMPT).render(person={"name": "{{ notes }}"}, notes=["# User", "{% if %}"])
    assert prompt.system == "You greet {{ notes }}."
    assert prompt.user == "- # User\n- {% if %}"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("no front matter", "no front matter"),
        (edited("version: 2", "version: [2"), "isn't YAML"),
        (edited("version: 2", "version: 0"), "version"),
        (edited("version: 2", "version: 2\nmodel: x"), "model"),
        (edited("description: Greets.\n", ""), "description"),
        (edited("name: greeting", "name: ../greeting"), "name"),
        (edited("[person, notes]", "[person, notes, mood]"), "never uses mood"),
        (edited("[person, notes]", "[person]"), "uses “notes”"),
        (edited("[person, notes]", "[person, notes, notes]"), "declared twice"),
        (edited("{type: object, ", "{type: thing, "), "JSON Schema"),
        (edited("# System", "# Introduction"), "# System"),
        (edited("# User", "# User\n# User"), "one section '# User'"),
        (edited("{% endfor %}", ""), "User, line"),
        (edited("| one_line", "| shout"), "shout"),
        (edited("{{ person.name }}", "{{ person.name }}{% include 'other.md' %}"), "includes another file"),
        (edited("{{ person.name }}", "{{ person.name }}{{ range(9) }}"), "uses “range”"),
    ],
)
def test_a_faulty_prompt_is_refused_with_the_reason(text: str, says: str) -> None:
    with pytest.raises(PromptError, match=r".") as caught:
        PromptTemplate.parse(text)
    assert says in caught.value.message


def test_dynamic_output_must_say_why() -> None:
    schema = PROMPT.splitlines()[5]
    with pytest.raises(PromptError, match="why_dynamic"):
        PromptTemplate.parse(PROMPT.replace(schema, "output: dynamic"))
    dynamic = PromptTemplate.parse(PROMPT.replace(schema, "output: dynamic\nwhy_dynamic: It depends."))
    assert dynamic.output_schema is None


def test_missing_and_surplus_variables_are_refused() -> None:
    template = PromptTemplate.parse(PROMPT)
    with pytest.raises(PromptError, match="missing notes; not declared mood"):
        template.render(person={"name": "Ada"}, mood="good")


def test_an_unknown_field_is_an_error_not_an_empty_string() -> None:
    with pytest.raises(PromptError, match="name"):
        PromptTemplate.parse(PROMPT).render(person={"nickname": "A"}, notes=[])


@pytest.mark.parametrize(
    "attack",
    [
        "{{ person.name.__class__.__mro__ }}",
        "{{ ''.join.__globals__ }}",
        "{{ 'a'.ljust(1000000000) }}",
        "{{ 'a' * 1000000000 }}",
        "{{ 9 ** 999999999 }}",
        "{{ '%1000000000d' % 1 }}",
    ],
)
def test_a_prompt_cannot_reach_python_or_fill_the_memory(attack: str) -> None:
    with pytest.raises(PromptError):
        template = PromptTemplate.parse(edited("{{ person.name }}", "{{ person.name }}" + attack))
        template.render(person={"name": "Ada"}, notes=[])
