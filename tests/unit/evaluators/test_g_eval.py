"""G-Eval followed step by step: steps once, a form with a score, the sum of p(s) * s (section 2 of the paper)."""

import asyncio
import json
import math
from typing import Any

import pytest

from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Task, Text
from app.errors import NoLogprobsError, RefusedError, UnreadableScoreError, UnsupportedError
from app.evaluators.g_eval import METHOD, GEval
from app.evaluators.method import EvaluatorContext, RequestCounts
from app.providers.base import ChatReply, ChatRequest, TokenLogprob
from tests.support.scripted_model import Scripted, ScriptedModel

STEPS = json.dumps({"steps": ["Read both.", "Compare their order.", "Choose a number."]})
ITEM = Text("d", "The ferry sails.", source="A timetable.")


FOUR = TokenLogprob(
    "4",
    math.log(0.5),
    {t: math.log(p) for t, p in {"4": 0.5, "3": 0.2, " 4": 0.1, "5": 0.1, "The": 0.06, "6": 0.04}.items()},
)


def scored(*replies: Scripted, logprobs: bool = True, **given: Any) -> tuple[Evaluation, ScriptedModel]:
    model = ScriptedModel(replies)
    dimension = Dimension("coherence", "Parts fit.")
    task = Task("summary", "article", "News of a harbour.")
    setting = EvaluatorContext(model, task, dimension, METHOD.read_options(given), logprobs=logprobs)
    return asyncio.run(GEval(setting).score(ITEM)), model


def test_the_weighted_sum_by_hand() -> None:
    found, model = scored(STEPS, ChatReply("4", "m", logprobs=(FOUR,)))
    # On scores: 4 with 0.5 + 0.1, 3 with 0.2, 5 with 0.1, together 0.9; "The" and 6 are outside, with 0.1.
    assert found.value == pytest.approx((4 * 0.6 + 3 * 0.2 + 5 * 0.1) / 0.9)
    assert found.details["outside"] == pytest.approx(0.1)
    assert found.details["probabilities"] == pytest.approx({"3": 2 / 9, "4": 6 / 9, "5": 1 / 9})
    first, second = model.requests
    assert first.prompt.name == "g-eval-steps"
    assert "Parts fit." in first.prompt.system
    assert (second.top_logprobs, second.temperature, second.schema) == (20, 0.0, None)
    assert "2. Compare their order." in second.prompt.system
    assert ITEM.text in second.prompt.user
    assert ITEM.source in second.prompt.user
    assert second.prompt.user.endswith("Evaluation form (score only):\n- coherence:")


def test_the_score_is_found_behind_other_tokens() -> None:
    tokens = (TokenLogprob("Score", -0.1, {}), TokenLogprob(": ", -0.1, {"5": -0.1}), FOUR)
    found, _ = scored(STEPS, ChatReply("Score: 4", "m", logprobs=tokens))
    assert found.value == pytest.approx(3.5 / 0.9)


def test_twenty_samples_at_temperature_1_where_there_are_no_probabilities() -> None:
    drawn = ["4"] * 12 + ["3"] * 4 + ["5"] * 2 + ["unsure"] * 2
    found, model = scored(STEPS, *drawn, logprobs=False)
    assert found.value == pytest.approx((4 * 12 + 3 * 4 + 5 * 2) / 18)
    assert found.details["outside"] == pytest.approx(2 / 20)
    samples = model.requests[1:]
    assert {request.temperature for request in samples} == {1.0}
    assert sorted(request.sample for request in samples) == list(range(20))
    with pytest.raises(UnreadableScoreError):
        scored(STEPS, *["unsure"] * 3, probabilities="samples", samples="3")


def test_without_probabilities_the_score_is_taken_as_it_is() -> None:
    found, model = scored(STEPS, "4", probabilities="none")
    assert (found.value, model.requests[1].top_logprobs) == (4, 0)


def test_without_steps_and_without_description() -> None:
    found, model = scored("4", probabilities="none", steps="no", description="no")
    assert found.value == 4
    (request,) = model.requests
    for left_out in ("Parts fit.", "News of a harbour.", "Evaluation steps"):
        assert left_out not in request.prompt.system


def of(*replies: Scripted, logprobs: bool = True, high: float = 5, **given: Any) -> tuple[GEval, ScriptedModel]:
    model = ScriptedModel(replies)
    dimension = Dimension("coherence", "Parts fit.", 1, high)
    setting = EvaluatorContext(model, Task("summary"), dimension, METHOD.read_options(given), logprobs=logprobs)
    return GEval(setting), model


NO_LOGPROBS = NoLogprobsError("openai:gpt-6-sol gives no log-probabilities.")


@pytest.mark.parametrize("refusal", [NO_LOGPROBS, "4"], ids=["refused", "silently-none"])
def test_a_refusal_of_log_probabilities_turns_the_whole_run_to_samples(refusal: Scripted) -> None:
    evaluator, model = of(refusal, *["4", "5"] * 4, steps="no", samples="4")

    async def both() -> list[Evaluation]:
        return [await evaluator.score(ITEM), await evaluator.score(ITEM)]

    assert [found.value for found in asyncio.run(both())] == [4.5, 4.5]
    # The refusal is met once, not once a text; samples take the whole distribution.
    assert [request.top_logprobs for request in model.requests] == [20] + [0] * 8
    assert {(r.temperature, r.top_p, r.repeated) for r in model.requests[1:]} == {(1.0, 1.0, True)}


def test_texts_under_way_together_meet_the_refusal_once() -> None:
    evaluator, model = of(NO_LOGPROBS, *["4"] * 12, steps="no", samples="3")

    async def together() -> list[Evaluation]:
        return await asyncio.gather(*(evaluator.score(ITEM) for _ in range(4)))

    assert [found.value for found in asyncio.run(together())] == [4] * 4
    assert sum(request.top_logprobs > 0 for request in model.requests) == 1


def test_where_they_are_demanded_missing_log_probabilities_are_an_error() -> None:
    with pytest.raises(UnsupportedError, match="auto"):
        asyncio.run(of("4", steps="no", probabilities="logprobs")[0].score(ITEM))


NINE_OR_SOMETHING_ELSE = TokenLogprob("9", math.log(0.5), {"9": math.log(0.5), "1": math.log(0.5)})  # 1, or 10


def test_a_text_whose_scores_can_t_be_told_from_their_first_digit_is_sampled() -> None:
    whole = ChatReply("9", "m", logprobs=(NINE_OR_SOMETHING_ELSE,))
    evaluator, _ = of(whole, "9", "10", steps="no", samples="2", high=10)
    found = asyncio.run(evaluator.score(ITEM))
    assert (found.value, found.details["samples"]) == (9.5, 2)
    with pytest.raises(UnreadableScoreError, match="don't tell"):
        asyncio.run(of(whole, steps="no", high=10, probabilities="logprobs")[0].score(ITEM))


def test_a_refusal_among_the_samples_costs_that_sample_alone() -> None:
    refused = ChatReply("", "m", finish="refused")
    evaluator, _ = of(refused, "4", "5", refused, "no idea", logprobs=False, steps="no", samples="5")
    found = asyncio.run(evaluator.score(ITEM))
    assert found.value == 4.5
    assert (found.details["samples"], found.details["asked"]) == (2, 5)
    assert found.details["outside"] == pytest.approx(3 / 5)


def test_a_text_of_which_every_sample_is_refused_fails_with_that_reason() -> None:
    refused = ChatReply("", "m", finish="refused")
    with pytest.raises(RefusedError, match="None of 3 samples"):
        asyncio.run(of(refused, refused, "?", logprobs=False, steps="no", samples="3")[0].score(ITEM))


def test_the_first_sample_goes_ahead_so_that_the_others_find_its_prompt_in_the_cache() -> None:
    under_way: list[int] = []

    class Watching(ScriptedModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            under_way.append(request.sample)
            if request.sample == 0:
                for _ in range(20):
                    await asyncio.sleep(0)
                assert under_way == [0]
            return await super().complete(request)

    options = METHOD.read_options({"steps": "no", "samples": "4"})
    setting = EvaluatorContext(Watching(["4"] * 4), Task("summary"), Dimension("coherence"), options)
    assert asyncio.run(GEval(setting).score(ITEM)).value == 4


def test_what_it_asks_is_known_before() -> None:
    def calls(logprobs: bool, **given: str) -> RequestCounts:
        return METHOD.calls(METHOD.read_options(given), logprobs)

    assert calls(True) == RequestCounts(1, 1)
    assert calls(False) == RequestCounts(20, 1)
    assert calls(False, probabilities="none", steps="no") == RequestCounts(1, 0)
