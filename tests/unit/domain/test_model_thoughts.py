"""What a model thought is told from what it answered, in all the ways in which models and servers write that down."""

import time

import pytest

from app.domain.model_thoughts import answer_among_thoughts, answer_part

THOUGHTS = "My score would be 2 for the flow."
FORMS = [
    "<think>\n{thoughts}\n</think>\n\n{answer}",
    "<Thinking>{thoughts}</Thinking>{answer}",
    "{thoughts}\n</think>\n\n{answer}",
    "<think>{thoughts}<think>{thoughts}</think>{answer}",
    "<think>{thoughts}</think>{thoughts}</think>{answer}",
    "[THINK]{thoughts}[/THINK]{answer}",
    "◁think▷{thoughts}◁/think▷{answer}",
    "<|START_THINKING|>{thoughts}<|END_THINKING|><|START_RESPONSE|>{answer}<|END_RESPONSE|>",
    "<|channel>thought\n{thoughts}<channel|>{answer}",
    "<seed:think>{thoughts}</seed:think>{answer}",
    "<|channel|>analysis<|message|>{thoughts}<|end|><|start|>assistant<|channel|>final<|message|>{answer}",
    "<|channel|>analysis<|message|>{thoughts}<|end|><|start|>assistant<|channel|>final"
    "<|constrain|>json<|message|>{answer}<|return|>",
    "analysis<|message|>{thoughts}<|end|><|start|>assistant<|channel|>final<|message|>{answer}",
    "<|channel|>analysis<|message|>{thoughts}<|end|><|start|>assistant<|channel|>commentary to=functions.answer"
    "<|message|>{answer}<|call|>",
    "analysisWe need a score. {thoughts}assistantfinal{answer}",
    "{thoughts}\n<answer>{answer}</answer>",
    "<think>{thoughts}</think>{thoughts} <final_answer>{answer}</final_answer>",
    "{thoughts}[BEGIN FINAL RESPONSE]{answer}[END FINAL RESPONSE]",
    "{answer}",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("answer", ["4", "Score: 4", '{"q1": "yes"}'])
def test_only_the_answer_is_left_and_at_its_place(form: str, answer: str) -> None:
    text = form.format(thoughts=THOUGHTS, answer=answer)
    kept = answer_part(text)
    assert kept.strip() == answer
    assert text[kept.index(answer) :].startswith(answer)
    assert len(kept) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{THOUGHTS}",
        f"{THOUGHTS}</think>",
        f"<|channel|>analysis<|message|>{THOUGHTS}<|end|>",
        f"<|channel|>analysis<|message|>{THOUGHTS}",
        "",
    ],
)
def test_a_thought_without_an_answer_holds_none(text: str) -> None:
    assert answer_part(text).strip() == ""


@pytest.mark.parametrize(
    "text", ["Analysis of the flow: 3 of 5.", "analysis is due. Score: 3", "I think 3 < 4 > 2", "<b>"]
)
def test_prose_that_looks_like_a_mark_is_left_alone(text: str) -> None:
    assert answer_part(text) == text


@pytest.mark.parametrize(
    ("thoughts", "answer"),
    [
        ("4", "4"),
        ("**4/5**", "**4/5**"),
        ("It flows well, with 2 flaws.\nFinal score: 4", "Final score: 4"),
        ('{"q1": "yes"}', '{"q1": "yes"}'),
        ('It flows.\n```json\n{"q1": "yes"}\n```', '{"q1": "yes"}'),
        (f"{THOUGHTS}\n</think>\n4", "4"),
        (THOUGHTS, ""),
        ('Perhaps {"q1": "no"}, but the end is weak.', ""),
        ("I would say 4", ""),
        ("", ""),
    ],
)
def test_a_reply_filed_as_a_thought_gives_only_what_plainly_is_an_answer(thoughts: str, answer: str) -> None:
    found = answer_among_thoughts(thoughts)
    assert answer in found
    assert bool(found) == bool(answer)


@pytest.mark.long
def test_a_hostile_reply_costs_no_time() -> None:
    parts = (
        "<think>",
        "</think>",
        "<answer>",
        "<|message|>",
        "<|channel|>",
        "<think ",
        "analysis",
        " ",
        "}",
        "`",
        "4*",
    )
    started = time.process_time()
    for part in parts:
        answer_part(part * 50_000)
        answer_among_thoughts(part * 50_000)
    assert time.process_time() - started < 60  # reading that grows with the square would take hours
