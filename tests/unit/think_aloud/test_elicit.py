import asyncio
import json
from typing import Any

import pytest

from app.domain.attribute import Sample
from app.domain.project import Dimension, Task, Text
from app.errors import NotReadyError, WrongSchemaError
from app.prompting import load_prompt
from app.providers.base import Usage
from app.think_aloud.elicitation import Elicitation, think_aloud, think_aloud_request
from tests.support.scripted_model import ScriptedModel

SAMPLES = [
    Sample(0, Text("a", "A weak text.", source="The source."), 1.0),
    Sample(1, Text("b", "A fine text."), 4.6667),
]


def said(*attributes: tuple[int, str]) -> str:
    return json.dumps({"considerations": [{"index": i, "consideration": text} for i, text in attributes]})


def run(*replies: str, **options: Any) -> tuple[Elicitation, ScriptedModel]:
    model = ScriptedModel(replies)
    elicitation = asyncio.run(
        think_aloud(model, Task("essay", "prompt"), Dimension("cohesion", "Parts hang together."), SAMPLES, **options)
    )
    return elicitation, model


def test_attributes_come_in_order_without_blanks() -> None:
    elicitation, _ = run(said((3, "Third."), (1, "First."), (2, "  "), (4, " First. ")))
    assert elicitation.attributes == ("First.", "Third.", "First.")
    assert elicitation.model == "scripted:model"
    assert elicitation.request.prompt.label == "think-aloud@3"


def test_attributes_are_kept_to_the_letter() -> None:
    long = "x" * 5000
    elicitation, _ = run(said((1, "<b>مرحبا</b> 🙂\nnext line"), (2, long)))
    assert elicitation.attributes == ("<b>مرحبا</b> 🙂\nnext line", long)


def test_the_model_sees_the_material_the_experts_see() -> None:
    _, model = run(said((1, "A.")))
    prompt = model.requests[0].prompt
    for words in ("The source.", "A weak text.", "A fine text.", "cohesion: 1", "cohesion: 4.67"):
        assert words in prompt.user
    assert "Parts hang together." in prompt.system
    assert [sample["number"] for sample in prompt.variables["samples"]] == [1, 2]


def test_another_round_is_another_request() -> None:
    _, first = run(said((1, "A.")))
    _, second = run(said((1, "A.")), round_number=2)
    assert first.requests[0].digest("m") != second.requests[0].digest("m")


def test_only_the_first_round_is_asked_at_temperature_0() -> None:
    asked = [run(said((1, "A.")), round_number=number)[1].requests[0].temperature for number in (1, 2, 3)]
    assert asked == [0.0, 1.0, 1.0]


def test_an_answer_without_attributes_is_asked_again() -> None:
    elicitation, model = run(said(), said((1, " ")), said((1, "A.")))
    assert len(model.requests) == 3
    assert elicitation.reply.usage == Usage(30, 0, 15)
    assert "no consideration" in model.requests[1].turns[0].correction
    with pytest.raises(WrongSchemaError):
        run(*[said()] * 3)


def test_without_samples_nothing_is_asked() -> None:
    model = ScriptedModel([])
    with pytest.raises(NotReadyError, match="samples"):
        asyncio.run(think_aloud(model, Task(), Dimension("cohesion"), []))


UNRATED = [Sample(n, Text(f"u{n}", f"Text {n}."), None) for n in range(2)]


def asked(samples: list[Sample], version: int | None = None) -> tuple[str, str]:
    task, dimension = Task("essay", "prompt"), Dimension("cohesion", "Parts hang together.")
    prompt = think_aloud_request(load_prompt("think-aloud", version), task, dimension, samples).prompt
    return prompt.system, prompt.user


def test_unrated_samples_are_shown_without_any_score() -> None:
    system, user = asked(UNRATED)
    assert "samples that nobody has rated" in system
    assert "scored" not in system
    assert "score" not in user
    assert user.count("Nobody has rated it.") == 2


def test_partly_rated_samples_claim_a_score_only_where_there_is_one() -> None:
    system, user = asked([*SAMPLES, UNRATED[0]])
    assert "only some have been rated" in system
    assert (user.count("Its score for cohesion"), user.count("Nobody has rated it.")) == (2, 1)


def test_rated_samples_are_shown_as_the_first_version_did() -> None:
    assert asked(SAMPLES, 2) == asked(SAMPLES, 1)


def quoted(*quotes: str | None) -> str:
    entries = [{"index": n, "consideration": f"Point {n}.", "quote": q} for n, q in enumerate(quotes, start=1)]
    return json.dumps({"considerations": [{k: v for k, v in e.items() if v is not None} for e in entries]})


def test_quotes_are_looked_up_in_the_samples() -> None:
    elicitation, model = run(quoted("weak text", "A fine", "the source.", "nowhere at all", " ", "A weak  text"))
    assert len(model.requests) == 1
    found = [p and (p.quote, p.part.value, p.start) for p in elicitation.passages]
    assert found == [
        ("weak text", "text", 2),
        ("A fine", "text", 0),
        ("The source.", "source", 0),
        None,
        None,
        ("A weak text", "text", 0),
    ]
    assert elicitation.absent == 1


def test_an_answer_without_quotes_is_not_asked_again() -> None:
    elicitation, model = run(quoted(None, "A fine"))
    assert len(model.requests) == 1
    assert [p and p.quote for p in elicitation.passages] == [None, "A fine"]


@pytest.mark.parametrize("odd", [3, None, ["A fine"]])
def test_a_quote_that_is_no_text_is_none(odd: object) -> None:
    answer = json.dumps({"considerations": [{"index": 1, "consideration": "Point.", "quote": odd}]})
    elicitation, model = run(answer)
    assert (len(model.requests), elicitation.passages, elicitation.absent) == (1, (None,), 0)


def test_older_wordings_ask_for_no_quote() -> None:
    assert all("uote" not in part for version in (1, 2) for part in asked(SAMPLES, version))
    assert "Quote with each consideration" in asked(SAMPLES)[0]


def test_an_older_wording_says_that_a_sample_is_not_rated() -> None:
    assert "Its score for cohesion: not rated" in asked(UNRATED, 1)[1]
