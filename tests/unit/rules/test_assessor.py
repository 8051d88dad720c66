"""Considerations from rubric and samples."""

import pytest

RUBRICS = {
    "coherence": "The sentences build on each other in a logical order and form a whole.",
    "consistency": "Everything stated is supported by the article; no facts are invented or distorted.",
    "fluency": "Grammar, spelling, punctuation and sentence structure are sound.",
    "relevance": "The main points are included, minor details and repetition are left out.",
}
SAMPLES = [
    {
        "number": 1,
        "source": "A zebra escaped. Police caught the zebra in a garden.",
        "text": "zebra zebra the",
        "score": 1,
    },
    {
        "number": 2,
        "source": "A zebra escaped. Police caught the zebra in a garden.",
        "text": "A zebra escaped.",
        "score": 3,
    },
    {
        "number": 3,
        "source": "A zebra escaped. Police caught the zebra in a garden.",
        "text": "A zebra escaped. Police caught it in a garden.",
        "score": 5,
    },
]


def attributes(ask, name: str, samples=SAMPLES) -> list[str]:
    answer = ask("think-aloud", dimension={"name": name, "rubric": RUBRICS[name], "low": 1, "high": 5}, samples=samples)
    assert [entry["index"] for entry in answer["considerations"]] == list(range(1, len(answer["considerations"]) + 1))
    return [entry["consideration"] for entry in answer["considerations"]]


@pytest.mark.parametrize("name", RUBRICS)
def test_eight_to_fourteen_general_attributes(ask, name: str) -> None:
    found = attributes(ask, name)
    assert 8 <= len(found) <= 14
    assert len(set(found)) == len(found)
    assert not any("zebra" in entry.lower() or "{" in entry for entry in found)


def test_dimensions_differ(ask) -> None:
    sets = [set(attributes(ask, name)) for name in RUBRICS]
    for index, one in enumerate(sets):
        for other in sets[index + 1 :]:
            assert len(one & other) / len(one | other) < 0.5


def test_samples_matter(ask) -> None:
    turned = [sample | {"score": 6 - sample["score"]} for sample in SAMPLES]
    assert attributes(ask, "coherence") != attributes(ask, "coherence", turned)


def test_without_samples_the_rubric_speaks(ask) -> None:
    assert len(attributes(ask, "fluency", [])) >= 8


def test_nothing_is_said_about_a_source_where_there_is_none(ask) -> None:
    bare = [sample | {"source": ""} for sample in SAMPLES]
    assert not any("article" in entry for entry in attributes(ask, "fluency", bare))


def test_a_dimension_keeps_to_its_own_side_of_quality(ask) -> None:
    said = " ".join(attributes(ask, "consistency"))
    assert "main points" not in said
    assert "length" not in said
