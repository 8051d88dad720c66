"""GPTScore from given token log-probabilities: the mean over the text's tokens (section 3 of the paper)."""

import asyncio
import math
from collections.abc import Sequence
from typing import Any

import pytest

from app.domain.attribute import Sample
from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Task, Text
from app.errors import InputError, NotReadyError, UnsupportedError
from app.evaluators.method import EvaluatorContext, RequestCounts
from app.evaluators.neural.gptscore import METHOD, GptScore
from app.providers.base import ChatReply, TokenLogprob
from tests.support.scripted_model import ScriptedModel

ITEM = Text("d", "The ferry sails.", source="A timetable.", references=("It sails.", "A ferry leaves."))
OTHERS = (Dimension("Fluency", "Reads well."), Dimension("relevance", "What matters."))
SAMPLES = tuple(
    Sample(n, Text(f"s{n}", f"Text {n}.", source=f"Source {n}.", references=(f"Reference {n}.",)), score)
    for n, score in enumerate((1.0, 5.0, 2.5, 4.0))
)


def reply(*logprobs: float) -> ChatReply:
    return ChatReply("", "m", logprobs=tuple(TokenLogprob(f"t{n}", value) for n, value in enumerate(logprobs)))


def scored(
    replies: Sequence[ChatReply], samples: tuple[Sample, ...] = SAMPLES, item: Text = ITEM, **given: Any
) -> tuple[Evaluation, ScriptedModel]:
    model = ScriptedModel(replies)
    dimension = Dimension("coherence", "Parts fit.")
    setting = EvaluatorContext(
        model, Task("summary", "article"), dimension, METHOD.read_options(given), others=OTHERS, samples=samples
    )
    return asyncio.run(GptScore(setting).score(item)), model


def test_the_mean_of_the_log_probabilities_by_hand() -> None:
    found, model = scored([reply(-1.0, -0.5, -3.0)])
    assert found.value == pytest.approx(-1.5)
    assert found.details == {"rated": [{"way": "src-hypo", "tokens": 3, "logprob": pytest.approx(-1.5)}]}
    (request,) = model.requests
    assert (request.given, request.schema) == (ITEM.text, None)
    assert request.before.endswith("article:\nA timetable.\n\nsummary:\n")
    assert "- coherence: Parts fit." in request.before


def test_vanilla_has_the_source_and_no_instruction() -> None:
    _, model = scored([reply(-1.0)], setting="val")
    assert model.requests[0].before == "article:\nA timetable.\n\nsummary:\n"


def test_demonstrations_are_the_best_samples_and_the_best_comes_last() -> None:
    _, model = scored([reply(-1.0)], setting="idm", demonstrations="2")
    before = model.requests[0].before
    assert before.index("Source 3.") < before.index("Text 3.") < before.index("Source 1.") < before.index("Text 1.")
    assert before.endswith("Text 1.\n\narticle:\nA timetable.\n\nsummary:\n")
    assert not any(f"Text {n}." in before for n in (0, 2))
    assert "- coherence: Parts fit." in before
    with pytest.raises(NotReadyError, match="samples"):
        scored([], samples=(), setting="idm")


def test_directions_and_their_mean() -> None:
    found, model = scored([reply(-1.0), reply(-2.0)], direction="ref-hypo")
    assert found.value == pytest.approx(-1.5)  # two references
    assert [(r.before.splitlines()[-3], r.given) for r in model.requests] == [
        ("It sails.", ITEM.text),
        ("A ferry leaves.", ITEM.text),
    ]
    found, model = scored([reply(-1.0), reply(-4.0, -4.0)], direction="hypo-ref")
    assert found.value == pytest.approx(-2.5)
    assert [(r.before.splitlines()[-3], r.given) for r in model.requests] == [
        (ITEM.text, "It sails."),
        (ITEM.text, "A ferry leaves."),
    ]
    found, _ = scored([reply(-1.0), reply(-2.0), reply(-3.0), reply(-4.0)], direction="mean")
    assert found.value == pytest.approx(((-1.0 - 2.0) / 2 + (-3.0 - 4.0) / 2) / 2)
    _, model = scored([reply(-1.0)] * 2, direction="hypo-ref", setting="idm", demonstrations="1")
    assert "Text 1.\n\nsummary:\nReference 1." in model.requests[0].before


def test_definitions_of_correlated_dimensions_are_added() -> None:
    _, model = scored([reply(-1.0)], combined="relevance, fluency")
    before = model.requests[0].before
    assert before.index("coherence: Parts fit.") < before.index("relevance: What matters.")
    assert before.index("relevance: What matters.") < before.index("Fluency: Reads well.")
    with pytest.raises(InputError, match="no other dimension “charm”"):
        scored([], combined="charm")


def test_the_boolean_form_is_the_probability_of_yes() -> None:
    found, model = scored([reply(math.log(0.5), math.log(0.6))], form="boolean")  # "Yes" in two tokens
    assert found.value == pytest.approx(0.3)
    assert found.details == {"p_yes": pytest.approx(0.3)}
    (request,) = model.requests
    assert request.given == "Yes"
    assert request.before.endswith("coherence: Parts fit.\n(a) Yes\n(b) No\nAnswer:\n")
    assert ITEM.text in request.before
    with pytest.raises(InputError, match="no demonstrations"):
        scored([], form="boolean", setting="idm")


def test_what_is_missing_is_said() -> None:
    with pytest.raises(UnsupportedError, match="no source"):
        scored([], item=Text("d", "x", references=("y",)))
    with pytest.raises(UnsupportedError, match="no reference"):
        scored([], item=Text("d", "x", source="s"), direction="mean")
    with pytest.raises(UnsupportedError, match="empty"):
        scored([reply()])


def test_what_it_asks_is_known_before() -> None:
    def calls(**given: str) -> RequestCounts:
        return METHOD.calls(METHOD.read_options(given), False)

    assert calls().of([ITEM]) == calls(form="boolean", direction="mean").of([ITEM]) == 1
    assert calls(direction="ref-hypo").of([ITEM, ITEM]) == 4
    assert calls(direction="mean").of([ITEM]) == 4
    assert METHOD.references(METHOD.read_options({"direction": "mean"}))
    assert not METHOD.references(METHOD.read_options({"direction": "mean", "form": "boolean"}))


def test_a_summary_follows_its_source_and_tldr() -> None:
    _, model = scored([reply(-1.0)], template="summary")
    before = model.requests[0].before
    assert before.endswith("A timetable.\n\nTl;dr\n")
    assert "- coherence: Parts fit." in before
    _, model = scored([reply(-1.0)], template="summary", setting="val")
    assert model.requests[0].before == "A timetable.\n\nTl;dr\n"


@pytest.mark.parametrize(("template", "ending"), [("data-to-text", "In words:\n"), ("translation", "Translation:\n")])
def test_a_template_of_a_task_ends_where_the_text_begins(template: str, ending: str) -> None:
    _, model = scored([reply(-1.0)], template=template, setting="idm", demonstrations="2")
    before = model.requests[0].before
    assert before.endswith(f"A timetable.\n{ending}")
    assert before.index("Source 3.") < before.index("Text 3.") < before.index("Source 1.")


def test_a_dialogue_is_asked_the_dimensions_own_question() -> None:
    model = ScriptedModel([reply(math.log(0.25))])
    dimension = Dimension("interest", "Is it interesting?")
    options = METHOD.read_options({"form": "boolean", "template": "dialogue", "combined": "fluency"})
    setting = EvaluatorContext(model, Task("reply", "dialogue"), dimension, options, others=OTHERS)
    assert asyncio.run(GptScore(setting).score(ITEM)).value == pytest.approx(0.25)
    before = model.requests[0].before
    assert "Question: Is it interesting?" in before
    assert "Fluency (Reads well.)" in before


@pytest.mark.parametrize(
    "given",
    [
        {"template": "dialogue"},
        {"template": "summary", "form": "boolean"},
        {"template": "summary", "direction": "ref-hypo"},
    ],
)
def test_a_template_that_does_not_fit_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(InputError):
        scored([reply(-1.0)], **given)


def test_too_many_demonstrations_are_refused_and_balanced_ones_spread() -> None:
    with pytest.raises(NotReadyError, match="not 6"):
        scored([reply(-1.0)], setting="idm", demonstrations="6")
    more = tuple(Sample(n, Text(f"s{n}", f"Text {n}.", source=f"Source {n}."), float(n)) for n in range(1, 9))
    _, model = scored([reply(-1.0)], samples=more, setting="idm", demonstrations="8")
    assert [n for n in range(1, 9) if f"Source {n}." in model.requests[0].before] == list(range(1, 9))
    _, model = scored([reply(-1.0)], samples=more, setting="idm", demonstrations="3", demonstrated="balanced")
    assert [n for n in range(1, 9) if f"Source {n}." in model.requests[0].before] == [1, 5, 8]
