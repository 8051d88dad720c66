"""Each method's agreement beside what it cost, and the checklist's lead over it."""

from pathlib import Path

import pytest

from app.domain.checklist_score import Evaluation
from app.domain.model_call import RecordedCall
from app.domain.project import Dimension
from app.domain.run import Outcome, RunDimension, RunStatus
from app.errors import InputError, NotReadyError
from app.services.attributes.preference_import import import_preferences
from app.services.results.quality_cost import cost_of, quality_and_cost
from app.services.results.results import Choices
from app.services.results.writer_bias import bias_of, mark_people, writers
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import get_run
from tests.support.projects import ready_to_score

POOLED = Choices("dataset", resamples=100)


def scored(
    workbench: Workbench,
    dimension: Dimension,
    evaluator: str = "checklist",
    judge: str = "openai:gpt-4o",
    factor: float = 1.0,
    coverage: float = 1.0,
    calls: int = 0,
    cost: float | None = 0.0,
    **params: object,
) -> int:
    """A finished run whose scores are the ratings of ready_to_score times `factor`, with the calls it paid for."""
    with workbench.database.write() as work:
        texts = work.texts.all(1)
        plan = RunDimension(dimension.id, None, (), tuple(text.id for text in texts))
        run = work.runs.create(1, evaluator, judge, params, [plan])
        ratings = work.texts.mean_scores(dimension.id)
        work.runs.save([Outcome(p, Evaluation(factor * ratings[p.text], coverage)) for p in work.runs.open_scores(run)])
        work.runs.finish(run, RunStatus.DONE)
        work.calls.add([RecordedCall(f"{run}-{n}", judge, "p@1", "d", cost_usd=cost, run=run) for n in range(calls)])
    return run


def test_methods_stand_in_order_with_cost_and_comparison(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    old = scored(workbench, dimension, "g-eval", calls=12, cost=0.5, probabilities="none")
    checklist = scored(workbench, dimension, calls=12, cost=0.01)
    reverse = scored(workbench, dimension, "g-eval", factor=-1.0, calls=12, cost=0.02, probabilities="none")
    rouge = scored(workbench, dimension, "rouge-l", judge="none")
    found = quality_and_cost(workbench, 1, dimension.id, choices=POOLED)
    assert [each.run.id for each in found] == [rouge, checklist, reverse]
    assert old not in {each.run.id for each in found}  # an older run of the same method, variant and judge
    costs = {each.run.id: each.cost.per_1000 for each in found}
    assert costs == {rouge: 0.0, checklist: pytest.approx(10), reverse: pytest.approx(20)}
    by_run = {each.run.id: each for each in found}
    assert by_run[checklist].against is None
    comparison = by_run[reverse].against
    assert comparison is not None
    assert comparison.comparison is not None
    assert comparison.comparison.differences["spearman"].figure.difference == pytest.approx(-2)


def test_a_cost_says_what_it_rests_on(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)

    def cost(**of: object) -> tuple[float | None, str]:
        found = cost_of(workbench, get_run(workbench, scored(workbench, dimension, **of)))  # type: ignore[arg-type]
        return found.per_1000, found.reason

    assert cost(judge="rules") == (0.0, "no model is paid")
    assert cost(evaluator="own: x", judge="none", file_digest="d1ge57") == (None, "computed elsewhere")
    assert cost(judge="file:x", file_digest="d1ge57") == (None, "computed elsewhere")
    assert cost(evaluator="gptscore", judge="local:gpt2") == (0.0, "computed on this computer")
    assert cost(judge="llama:x", calls=12, cost=None) == (None, "the judge's price is unknown")
    assert cost(calls=0) == (None, "all its calls were answered before")
    # Half of the twelve calls were answered before: the run paid 6 cents, anew it would cost 12.
    per_1000, reason = cost(calls=6, cost=0.01)
    assert per_1000 == pytest.approx(10)
    assert reason.startswith("50% of its calls were answered before")


def test_who_is_a_person_is_kept_and_needed(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    run = scored(workbench, dimension)
    assert writers(workbench, 1) == (["s0", "s1", "s2", "s3"], ())
    with pytest.raises(NotReadyError, match="which systems are people"):
        bias_of(workbench, run, dimension.id)
    with pytest.raises(InputError, match="No text is by “s9”"):
        mark_people(workbench, 1, ["s0", "s9"])
    mark_people(workbench, 1, ["s1", "s0"])
    assert writers(workbench, 1)[1] == ("s0", "s1")
    study = bias_of(workbench, run, dimension.id, Choices(resamples=50))
    assert study.pairs == 3 * 2 * 2  # three sources with two texts of each kind
    # Scores are the ratings, so whoever was preferred has the higher mean.
    person, _, llm = study.groups
    assert person.difference is not None
    assert llm.difference is not None
    assert person.difference.value > 0 > llm.difference.value
    mark_people(workbench, 1, ["s0", "s1", "s2", "s3"])
    with pytest.raises(NotReadyError, match="No source has rated texts of both"):
        bias_of(workbench, run, dimension.id)


def test_partial_texts_count_where_the_results_count_them(workbench: Workbench) -> None:
    dimension = ready_to_score(workbench)
    run = scored(workbench, dimension, coverage=0.5)
    mark_people(workbench, 1, ["s1", "s0"])
    with pytest.raises(NotReadyError, match="No source has rated texts of both"):
        bias_of(workbench, run, dimension.id)
    assert bias_of(workbench, run, dimension.id, Choices(include_partial=True, resamples=50)).pairs == 12


def test_writers_are_compared_by_preferences_where_people_gave_pairs(workbench: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(workbench)
    run = scored(workbench, dimension)
    mark_people(workbench, 1, ["s0"])
    rows = [("d0", "s0", "s1", "s0"), ("d1", "s1", "s0", "tie"), ("d2", "s2", "s0", "s2"), ("d0", "s1", "s2", "s1")]
    lines = [",".join(row) for row in (("doc_id", "system_a", "system_b", "winner"), *rows)]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert import_preferences(workbench, path, "Ready", {}, "").pairs == 4
    study = bias_of(workbench, run, dimension.id, Choices(resamples=0), "preferences")
    assert (study.by, [group.pairs for group in study.groups], study.unpaired) == ("preferences", [1, 1, 1], 0)
    with workbench.database.read() as work:
        ids = work.texts.ids_by_key(1)
        means = work.texts.mean_scores(dimension.id)
    for group, (doc, other) in zip(study.groups, (("d0", "s1"), ("d1", "s1"), ("d2", "s2")), strict=True):
        assert group.person is not None and group.llm is not None
        assert group.person.value == means[ids[doc, "s0", ""]]
        assert group.llm.value == means[ids[doc, other, ""]]
    assert bias_of(workbench, run, dimension.id, Choices(resamples=0)).by == "ratings"
