"""Words that are no topics, by language."""

import pytest

from app.attribute_analysis.pool import pool_attributes
from app.attribute_analysis.tokens import language_of, left_out
from app.attribute_analysis.topics.stability import canonical_texts
from app.attribute_analysis.topics.topic_models import analyse_topics

ENGLISH = ["Check that the opening names its subject", "Ensure the ending fits the opening", "Is it the what"]
GERMAN = [
    "Prüfe, ob die Einleitung das Thema nennt",
    "Der Schluss passt zu der Einleitung",
    "Die Sprache ist klar und das Thema eng",
]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH[0], "English"),
        (GERMAN[0], "German"),
        ("Le résumé est clair et il ne répète pas les mots", "French"),
        ("El resumen es claro y no repite las palabras", "Spanish"),
        ("Il riassunto è chiaro e non ripete le parole", "Italian"),
        ("De samenvatting is helder en het verhaal heeft een slot", "Dutch"),
        ("O resumo é claro e não repete as palavras", "Portuguese"),
        ("clarity", ""),
    ],
)
def test_language_of_a_sentence_is_found(text: str, language: str) -> None:
    assert language_of(text) == language


def test_left_out_of_one_language_says_nothing_about_languages() -> None:
    assert left_out(GERMAN).languages == {"German": 3}
    assert left_out(GERMAN).note == ""
    assert {"die", "prüfe", "ob"} <= left_out(GERMAN).words


def test_left_out_of_mixed_languages_names_them() -> None:
    found = left_out([*GERMAN, *ENGLISH])
    assert found.languages == {"German": 3, "English": 3}
    assert found.note in canonical_texts(pool_attributes({"a": [*GERMAN, *ENGLISH]}), 2).notes
    assert {"die", "the", "ensure", "prüfe"} <= found.words


def test_topics_hold_no_instructions_names_or_articles() -> None:
    verbs = ("Check", "Assess", "Ensure", "Verify")
    said = [
        f"{verb} that the {noun} of the summary is clear" for verb in verbs for noun in ("opening", "ending", "plot")
    ]
    for names in ((), ("clear", "summary")):
        found = analyse_topics(pool_attributes({"a": said}, names=names), 2, 3)
        words = {word for grouping in (found.lda, found.nmf) for topic in grouping.topics for word in topic.words}
        assert words == {"opening", "ending", "plot"} | (set() if names else {"clear"})


def test_topics_of_german_attributes_hold_no_articles() -> None:
    found = analyse_topics(pool_attributes({"a": [*GERMAN, "Das Thema der Einleitung ist eng"]}), 2, 3)
    words = {word for topic in found.leading.topics for word in topic.words}
    assert words and not words & {"die", "der", "das", "und", "ist", "zu", "ob", "prüfe"}


def test_topics_count_an_attribute_of_stop_words_alone_as_without() -> None:
    pool = pool_attributes({"a": ["Check that it is the what", "opening words", "ending fits", "plot holds"]})
    texts = canonical_texts(pool, 2)
    assert 0 not in texts.positions
    assert len(texts.notes) == 1
