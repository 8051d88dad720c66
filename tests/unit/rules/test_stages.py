"""Components, clusters, questions and validation, from attributes to a checklist."""

from typing import Any

import pytest

from app.corpora.presets import load_preset
from app.rules.phrasing import is_sound

ATTRIBUTES = [
    "Check whether the content comes in a logical order.",
    "The summary should not jump back and forth.",
    "Ensure that the events are told in the order in which they happened.",
    "Are there any grammatical errors?",
    "Look for correct grammar in all sentences",
    "Check whether subject and verb agree.",
    "Facts that the article does not mention should not be added.",
    "Check if the summary contains only statements that the article supports.",
    "Watch for invented facts.",
    "Does the summary cover the main points?",
    "Check whether any key points are left out.",
    "The most important information should come through.",
    "Does the summary avoid repetition?",
    "Check whether the content comes in logical order",
]


def numbered(texts: list[str]) -> list[dict[str, Any]]:
    return [{"id": number, "text": text} for number, text in enumerate(texts, start=1)]


def built(ask, texts: list[str], most: int = 5, **variables: Any) -> dict[str, Any]:
    """Every stage in turn, each fed with the one before."""
    attributes = numbered(texts)
    found = ask("components", attributes=attributes, max_components=most, **variables)["components"]
    parts = [{"id": number, **part} for number, part in enumerate(found, start=1)]
    clusters = ask("clusters", attributes=attributes, components=parts, **variables)
    members = {c["component"]: [attributes[i - 1] for i in c["attributes"]] for c in clusters["clusters"]}
    filled = [{**part, "attributes": members[part["id"]]} for part in parts]
    keys = ask("key-questions", components=filled, **variables)["questions"]
    asked = [
        {"id": part["id"], "name": part["name"], "key_question": key["question"], "attributes": part["attributes"]}
        for part, key in zip(filled, keys, strict=True)
    ]
    subs = ask("sub-questions", components=asked, **variables)["questions"]
    names = {part["id"]: part["name"] for part in parts}
    listed = [
        {"id": number, "component": names[sub["component"]], "question": sub["question"]}
        for number, sub in enumerate(subs, start=1)
    ]
    checked = ask("validation", questions=listed, **variables)
    return {"parts": parts, "clusters": clusters, "keys": keys, "subs": subs, "validation": checked}


def test_components_are_named_after_their_themes(ask) -> None:
    names = {part["name"] for part in built(ask, ATTRIBUTES)["parts"]}
    assert {"Logical order", "Correct grammar", "Support in the source", "Coverage of key points"} <= names
    assert len(names) == 5


def test_every_attribute_is_clustered_once_or_dropped_with_a_reason(ask) -> None:
    clusters = built(ask, ATTRIBUTES)["clusters"]
    kept = [i for cluster in clusters["clusters"] for i in cluster["attributes"]]
    dropped = [entry["attribute"] for entry in clusters["dropped"]]
    assert sorted(kept + dropped) == list(range(1, len(ATTRIBUTES) + 1))
    assert dropped == [14]
    assert "attribute 1" in clusters["dropped"][0]["reason"]


def test_questions_are_sound_and_trace_back(ask) -> None:
    result = built(ask, ATTRIBUTES)
    assert [key["component"] for key in result["keys"]] == [part["id"] for part in result["parts"]]
    for question in [*result["keys"], *result["subs"]]:
        assert is_sound(question["question"]), question
    served = {i for sub in result["subs"] for i in sub["attributes"]}
    assert served == set(range(1, 14))


def test_enough_questions_survive_and_all_are_accounted_for(ask) -> None:
    result = built(ask, ATTRIBUTES)
    checked = result["validation"]
    assert len(checked["questions"]) >= 5
    sources = [i for entry in checked["questions"] for i in entry["sources"]]
    sources += [entry["question"] for entry in checked["dropped"]]
    assert sorted(sources) == list(range(1, len(result["subs"]) + 1))


def test_the_same_attributes_give_the_same_checklist(ask) -> None:
    assert built(ask, ATTRIBUTES) == built(ask, ATTRIBUTES)


@pytest.mark.parametrize("texts", [["Check if the summary is clear."], ["asdf"], ["..."], ["a", "a", "a"]])
def test_tiny_and_odd_sets_give_something(ask, texts: list[str]) -> None:
    result = built(ask, texts)
    assert len(result["parts"]) >= 1
    assert all(sub["question"].endswith("?") for sub in result["subs"])


def test_unknown_themes_are_named_after_their_words(ask) -> None:
    texts = [
        "Ingredients are listed with amounts.",
        "All ingredients can be bought nearby.",
        "The oven temperature is given.",
        "The oven setting fits every oven.",
    ]
    task = {"text_name": "recipe", "source_name": "request", "description": "", "language": "English"}
    result = built(ask, texts, task=task)
    assert [part["name"].split()[0] for part in result["parts"]] == ["Ingredients", "Oven"]
    assert "Are ingredients listed with amounts?" in {sub["question"] for sub in result["subs"]}


def test_other_scripts_keep_their_questions(ask) -> None:
    result = built(ask, ["摘要是否有逻辑顺序？", "句子之间是否连贯？", "避免重复"])
    assert "摘要是否有逻辑顺序？" in {sub["question"] for sub in result["subs"]}
    assert result["clusters"]["dropped"] == []


def test_many_attributes(ask) -> None:
    texts = [f"Check if the summary mentions topic{n % 40} and point{n % 170}." for n in range(600)]
    result = built(ask, texts, most=9)
    assert 1 <= len(result["parts"]) <= 9
    assert len({part["name"] for part in result["parts"]}) == len(result["parts"])


def test_a_component_named_by_a_person_gets_its_own_key_question(ask) -> None:
    parts = [{"id": 1, "name": "Narrative pull", "description": "", "attributes": []}]
    question = ask("key-questions", components=parts)["questions"][0]["question"]
    assert question == "Does the summary succeed in terms of narrative pull?"


def validated(ask, *questions: str) -> dict[str, Any]:
    listed = [{"id": n, "component": "Logical order", "question": q} for n, q in enumerate(questions, start=1)]
    return ask("validation", questions=listed)


def test_validation_merges_mends_and_drops(ask) -> None:
    result = validated(
        ask,
        "Is the summary logically ordered?",
        "Is the summary ordered logically?",
        "Are there any errors?",
        "Does the summary cover the main points",
        "Why is it good?",
        "",
    )
    assert [entry["sources"] for entry in result["questions"]] == [[1, 2], [3], [4]]
    assert result["questions"][1]["question"] == "Does the summary avoid errors?"
    assert result["questions"][2]["question"] == "Does the summary cover the main points?"
    assert [entry["question"] for entry in result["dropped"]] == [5, 6]
    assert all(entry["reason"] for entry in [*result["questions"], *result["dropped"]])


def test_a_stray_question_is_dropped_from_a_field_the_rules_know(ask) -> None:
    known = (
        "Is the order logical?",
        "Is the grammar correct?",
        "Are transitions smooth?",
        "Is repetition avoided?",
        "Is the tone neutral?",
    )
    result = validated(ask, *known, "Is the weather nice in Paris?")
    assert [entry["question"] for entry in result["dropped"]] == [6]


def rubric_of(preset: str, name: str) -> dict[str, Any]:
    found = load_preset(preset)
    dimension = next(d for d in found.dimensions if d.name == name)
    return {"name": name, "rubric": dimension.rubric, "low": dimension.low, "high": dimension.high}


AT_HOME = {
    ("learner essays", "Grammar"): (
        "Are verbs in the right tense?",
        "Is the grammar of each sentence correct?",
        "Are articles and prepositions used as grammar asks?",
        "Are nouns in the right grammatical form?",
        "Are sentences complete?",
        "Do verb and subject agree?",
    ),
    ("news summaries", "coherence"): (
        "Are the sentences in a logical order?",
        "Is each sentence connected to the one before it?",
        "Are transitions smooth?",
        "Is it clear what every pronoun refers to?",
        "Is there a beginning and an end?",
        "Do all sentences stay with one topic?",
    ),
}


@pytest.mark.parametrize(
    ("field", "again", "of", "foreign"),
    [
        (
            ("learner essays", "Grammar"),
            "Does the subject agree with its verb?",
            6,
            "Is everything said supported by the source?",
        ),
        (("learner essays", "Grammar"), "Do all verbs stand in the right tense?", 1, "Are trivia left out?"),
        (("news summaries", "coherence"), "Is every sentence connected with the one before?", 2, "Is spelling right?"),
        (("news summaries", "coherence"), "Are sentences ordered logically?", 1, "Is the tone neutral and polite?"),
    ],
)
def test_a_point_made_twice_is_merged_and_one_about_another_quality_dropped(
    ask, field: tuple[str, str], again: str, of: int, foreign: str
) -> None:
    asked = [*AT_HOME[field], again, foreign]
    listed = [{"id": n, "component": "Part", "question": question} for n, question in enumerate(asked, start=1)]
    result = ask("validation", questions=listed, dimension=rubric_of(*field))
    assert [entry["sources"] for entry in result["questions"] if len(entry["sources"]) > 1] == [[of, 7]]
    ((dropped, reason),) = [(entry["question"], entry["reason"]) for entry in result["dropped"]]
    assert dropped == 8
    assert f"of which the definition of {field[1]} does not speak" in reason
    assert {s for e in result["questions"] for s in e["sources"]} == set(range(1, 8))


def test_where_few_questions_are_about_the_dimension_none_is_called_astray(ask) -> None:
    asked = ("Is spelling right?", "Is punctuation correct?", "Do names begin with a capital letter?")
    listed = [{"id": n, "component": "Part", "question": question} for n, question in enumerate(asked, start=1)]
    result = ask("validation", questions=listed, dimension=rubric_of("news summaries", "coherence"))
    assert (len(result["questions"]), result["dropped"]) == (3, [])


def test_a_reason_leaves_what_was_done_to_the_screen(ask) -> None:
    """Which puts the verb before it, and would otherwise say "Merge: Merged: ..."."""
    result = validated(ask, "Is the summary logically ordered?", "Is the summary ordered logically?")
    (merged,) = result["questions"]
    assert merged["reason"].startswith("These questions ask about the same thing")
