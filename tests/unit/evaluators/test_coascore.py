"""CoAScore followed through its three stages (section 3 of the paper), and its ablations."""

import asyncio
import json
from typing import Any

import pytest

from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Task, Text
from app.domain.run import StageRun
from app.errors import InputError, NotReadyError
from app.evaluators.coascore import METHOD, CoAScore
from app.evaluators.method import EvaluatorContext
from tests.support.scripted_model import Scripted, ScriptedModel

NAMES = ("Order", "Links", "Focus", "Flow", "Closure")
ASPECTS = json.dumps({"aspects": [{"name": name, "description": f"About {name.lower()}."} for name in NAMES]})
SCORES = json.dumps({"a1": 5, "a2": 4, "a3": 4, "a4": 3, "a5": 2})
ITEMS = [Text("d", "The ferry sails.", source="A timetable.", id=1), Text("d", "Noon is when.", id=2)]
OTHERS = (Dimension("fluency", "Reads well.", id=2), Dimension("relevance", "What matters.", id=3))


class Kept:
    def __init__(self) -> None:
        self.stages: list[StageRun] = []

    async def find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        return next((s.output for s in self.stages if (s.stage, s.inputs_digest) == (stage, inputs_digest)), None)

    async def keep(self, dimension: int, stage: StageRun) -> None:
        self.stages.append(stage)


def scored(
    *replies: Scripted, stages: Kept | None = None, texts: int = 1, others: tuple[Dimension, ...] = OTHERS, **given: Any
) -> tuple[list[Evaluation], ScriptedModel]:
    model = ScriptedModel(replies)
    options = METHOD.read_options({"aspects": "5", **given})
    dimension = Dimension("coherence", "Parts fit.", id=1)
    evaluator = CoAScore(
        EvaluatorContext(model, Task("summary", "article"), dimension, options, None, others, stages or Kept(), seed=1)
    )

    async def all_of_them() -> list[Evaluation]:
        return [await evaluator.score(text) for text in ITEMS[:texts]]

    return asyncio.run(all_of_them()), model


def test_three_stages_each_with_what_the_one_before_made() -> None:
    stages = Kept()
    (found,), model = scored(ASPECTS, SCORES, "Score: 4", stages=stages)
    assert found.value == 4
    first, second, third = model.requests
    assert {request.temperature for request in model.requests} == {0.0}
    assert (first.prompt.name, first.prompt.variables["count"]) == ("coascore-aspects", 5)
    assert ITEMS[0].text not in first.prompt.system + first.prompt.user
    assert (second.schema or {})["required"] == ["a1", "a2", "a3", "a4", "a5"]
    assert "a3: Focus. About focus." in second.prompt.system
    assert ITEMS[0].text in second.prompt.user
    assert ITEMS[0].source in third.prompt.user
    for line in ("- Order: About order. Score: 5", "- Closure: About closure. Score: 2"):
        assert line in third.prompt.user
    (stage,) = stages.stages
    assert (stage.stage, json.loads(stage.output)) == ("coascore-aspects", json.loads(ASPECTS))
    assert found.details["aspects"][0] == {"name": "Order", "score": 5.0}


def test_stage_1_is_asked_once_for_all_texts_and_found_again() -> None:
    stages = Kept()
    found, model = scored(ASPECTS, SCORES, "4", SCORES, "3", stages=stages, texts=2)
    assert [one.value for one in found] == [4, 3]
    assert len(model.requests) == 5
    _, later = scored(SCORES, "4", stages=stages)
    assert [request.prompt.name for request in later.requests] == ["coascore-scores", "coascore-target"]


def test_average_has_no_stage_3() -> None:
    (found,), model = scored(ASPECTS, SCORES, variant="average")
    assert found.value == pytest.approx((5 + 4 + 4 + 3 + 2) / 5)
    assert len(model.requests) == 2


def test_without_scores_stage_3_sees_definitions_only() -> None:
    (found,), model = scored(ASPECTS, "3", variant="without-scores")
    assert found.value == 3
    assert "- Order: About order.\n" in model.requests[1].prompt.user
    assert "Score:" not in model.requests[1].prompt.user


def test_random_scores_are_on_the_scale_and_the_same_again() -> None:
    first, model = scored(ASPECTS, "3", variant="random")
    again, _ = scored(ASPECTS, "3", variant="random")
    drawn = [aspect["score"] for aspect in first[0].details["aspects"]]
    assert drawn == [aspect["score"] for aspect in again[0].details["aspects"]]
    assert set(drawn) <= {1, 2, 3, 4, 5}
    assert f"- Order: About order. Score: {drawn[0]:g}" in model.requests[1].prompt.user


def test_inter_takes_the_other_dimensions_as_aspects() -> None:
    (found,), model = scored('{"a1": 5, "a2": 1}', "2", variant="inter")
    assert found.value == 2
    assert "- fluency: Reads well. Score: 5" in model.requests[1].prompt.user
    with pytest.raises(NotReadyError, match="no other dimension"):
        scored(variant="inter", others=())


def test_too_few_aspects_or_a_score_off_the_scale_is_asked_again() -> None:
    few = json.dumps({"aspects": [{"name": "Order", "description": ""}]})
    off = json.dumps({"a1": 6, "a2": 4, "a3": 4, "a4": 3, "a5": 2})
    (found,), model = scored(few, ASPECTS, off, SCORES, "4")
    assert found.value == 4
    assert "5 different aspects" in model.requests[1].turns[0].correction
    assert "a1 must be from 1 to 5" in model.requests[3].turns[0].correction


@pytest.mark.parametrize("count", [1, 3, 12, 40])
def test_any_number_of_aspects_is_named_and_scored(count: int) -> None:
    named = json.dumps({"aspects": [{"name": f"Aspect {n}", "description": "It."} for n in range(count)]})
    scores = json.dumps({f"a{n}": 3 for n in range(1, count + 1)})
    (found,), model = scored(named, scores, "4", aspects=str(count))
    assert found.value == 4
    assert [a["score"] for a in found.details["aspects"]] == [3.0] * count
    assert f"Name {count} such aspects" in model.requests[0].prompt.system


def test_the_paper_s_choice_is_where_it_starts() -> None:
    assert METHOD.read_options({}).aspects == 10
    with pytest.raises(InputError, match="at least 1"):
        METHOD.read_options({"aspects": "0"})
    with pytest.raises(InputError, match="without-scores"):
        METHOD.read_options({"variant": "mean"})
