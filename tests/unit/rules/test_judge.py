"""The judge's answers, reasons and bounds."""

from collections.abc import Callable
from time import process_time

import pytest

from app.providers.base import ChatReply
from app.rules.catalogue import RULES, GoodDirection, Unit
from app.rules.judge import RuleJudge, deciding_passage, plan
from app.rules.rule_input import Context, Reading, of

SOURCE = (
    "The library of Aden has opened a reading room for children. The room was paid for by the bakers of the town. "
    "It holds 900 books and a small stage. Every Friday, an actor reads a story there. "
    "The librarian hopes that more families will visit the library. Last year, only 40 families had a card."
)
GOOD = (
    "The library of Aden has opened a reading room for children, paid for by the bakers of the town. "
    "It holds 900 books, and every Friday an actor reads a story there. "
    "The librarian hopes that more families will visit the library."
)
DEGRADED = {
    "Does the summary contain only information that the article supports?": (
        "The library of Aden has opened a swimming pool for pensioners. A millionaire from Oslo gave 5 million crowns."
    ),
    "Are the facts in order?": (
        "The librarian hopes that more families will visit. It holds 900 books. The library opened a reading room."
    ),
    "Does the summary avoid repetition?": f"{GOOD} {GOOD}",
    "Are all sentences of the summary complete?": "The library of. Room for children paid. Reads a story in the",
    "Does the summary cover the main points of the article?": "A small stage was there last year.",
}


def questions(*asked: str) -> list[dict[str, str]]:
    return [{"key": f"q{number}", "question": question} for number, question in enumerate(asked, start=1)]


@pytest.mark.parametrize(("question", "text"), DEGRADED.items())
def test_a_degraded_text_fails_where_the_good_one_passes(ask, question: str, text: str) -> None:
    answers = [
        ask("judge-checklist", questions=questions(question), item={"source": SOURCE, "text": candidate})["q1"]
        for candidate in (GOOD, text)
    ]
    assert answers == ["yes", "no"]


def test_every_question_gets_an_answer_and_a_reason(reply: Callable[..., ChatReply]) -> None:
    given = reply("judge-checklist", questions=questions(*DEGRADED), item={"source": SOURCE, "text": GOOD})
    keys = {f"q{number}" for number in range(1, len(DEGRADED) + 1)}
    assert set(given.rationales) == keys
    assert "of the article's" in given.rationales["q5"]
    assert "is asked for" in given.rationales["q5"]


def test_questions_about_one_rule_are_asked_ever_more_strictly() -> None:
    asked = plan(
        [("q1", "Is there no repetition?"), ("q2", "Does it avoid repetition?"), ("q3", "Is repetition avoided?")],
        Context("summary", "article", "", ""),
    )
    assert [entry.rule.id for entry in asked] == ["repetition"] * 3
    limits = [entry.limit for entry in asked]
    assert limits == sorted(limits, reverse=True)
    assert len(set(limits)) == 3
    assert limits[1] == pytest.approx(asked[0].rule.limits[2])


def test_an_unknown_question_is_answered_by_the_dimension_s_rubric() -> None:
    context = Context("summary", "article", "quux", "Is punctuation used well?")
    assert plan([("q1", "Quux blorp?")], context)[0].rule.id == "punctuation"


def test_asked_for_evidence_it_quotes_the_sentence_that_decides_and_nothing_where_none_does(
    ask: Callable[..., dict[str, dict[str, str]]],
) -> None:
    added, covers = next(iter(DEGRADED)), list(DEGRADED)[-1]
    wrong = "A millionaire from Oslo gave 5 million crowns."
    mixed = f"The library of Aden has opened. {wrong}"
    for text, question, answer, quote in (
        (mixed, added, "no", wrong),
        (GOOD, added, "yes", ""),  # that nothing was added stands in no one place
        (GOOD, covers, "yes", GOOD.partition(" It holds")[0]),
        (" ", covers, "no", ""),
    ):
        for reasons in (False, True):
            given = ask(
                "judge-checklist-evidence",
                questions=questions(question),
                item={"source": SOURCE, "text": text},
                reasons=reasons,
                cannot_tell=False,
            )["q1"]
            assert list(given) == (["quote", "reason", "answer"] if reasons else ["quote", "answer"])
            assert (given["answer"], given["quote"]) == (answer, quote)


def test_an_empty_text_gets_no_yes(reply: Callable[..., ChatReply]) -> None:
    given = reply("judge-checklist", questions=questions(*DEGRADED), item={"source": SOURCE, "text": " "})
    assert '"yes"' not in given.text
    assert set(given.rationales.values()) == {"The text is empty."}


@pytest.mark.parametrize(("text", "answer"), [(GOOD, "no"), (f"{GOOD} {GOOD}", "yes"), (" ", "no")])
def test_a_question_that_asks_for_a_fault_gets_a_yes_where_it_is(ask, text: str, answer: str) -> None:
    asked = questions("Does the summary contain repetitions?")
    assert ask("judge-checklist", questions=asked, item={"source": SOURCE, "text": text}) == {"q1": answer}


def test_texts_and_sources_are_cut_up_once_within_bounds() -> None:
    judge = RuleJudge()
    first = judge.profile(GOOD, SOURCE)
    assert judge.profile(GOOD, SOURCE).text is first.text
    assert judge.profile("Another text.", SOURCE).source is first.source


def test_a_share_that_falls_short_is_told_apart_from_its_limit() -> None:
    rule = next(rule for rule in RULES if rule.unit is Unit.SHARE and rule.better is GoodDirection.MORE)
    short = Reading(2 / 3, of(2, 3, "sentences"))
    assert rule.reason(short, 0.67).startswith("2 of 3 sentences (66.7 %); ")
    assert rule.reason(short, 0.5).startswith("2 of 3 sentences (67 %); ")
    assert rule.reason(Reading(0.5, of(1, 2, "sentences")), 0.5).startswith("1 of 2 sentences (50 %); ")


EIGHTH, WHOLE = 12_500, 100_000
LONG_TEXTS = {
    "prose": "The quick brown fox jumps over lazy dogs and runs home. ",
    "spaces": " ",
    "titles": "Mr. ",
    "initials": "A. ",
    "apostrophes": "'",
    "names": "x A-",
    "figures": "1 2,3 ",
    "short-sentences": "漢。",
    "breaks": "' \n",
}


def seconds(piece: str, length: int) -> float:
    """The lesser of two tries, for one text beside itself, with everything that a judgment needs."""
    text = f"It began on 3 May.{(piece * (length // len(piece) + 1))[:length]}x"
    found = []
    for _ in range(2):
        begun = process_time()
        profile = RuleJudge().profile(text, text)
        for rule in RULES:
            rule.measure(profile)
            deciding_passage(rule.id, profile, False)
        found.append(process_time() - begun)
    return min(found)


@pytest.mark.long
@pytest.mark.parametrize("piece", LONG_TEXTS.values(), ids=LONG_TEXTS)
def test_judge_long_text_takes_time_in_proportion(piece: str) -> None:
    """Eight times the length takes eight times as long; quadratic, it would take 64 times. A busy machine adds some."""
    assert seconds(piece, WHOLE) < 24 * seconds(piece, EIGHTH) + 0.1
