"""CoAScore's aspects beside people's ratings, against SciPy."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, RunDimension, RunStatus
from app.services.results.contribution import aspects_of
from app.services.results.results import Choices, DimensionResult, results_of
from app.services.runtime.workbench import Workbench
from tests.support.projects import ready_to_score

NAMES = ("Order", "Links", "Focus")


def coascore_run(workbench: Workbench, params: dict[str, object], named: bool = True) -> dict[int, list[float]]:
    """A run over 24 texts; text -> its aspects' scores. One text lacks the last aspect."""
    dimension = ready_to_score(workbench, texts=24)
    rng = np.random.default_rng(5)
    given: dict[int, list[float]] = {}
    with workbench.database.write() as work:
        texts = tuple(text.id for text in work.texts.page(1, 0, 24))
        run = work.runs.create(1, "coascore", "llama:x", params, [RunDimension(dimension.id, None, (), texts)])
        outcomes = []
        for number, planned in enumerate(work.runs.open_scores(run)):
            values = [float(v) for v in rng.integers(1, 6, size=3)]
            given[planned.text] = values
            scores = values if named else [None] * 3
            aspects = [{"name": name, "score": score} for name, score in zip(NAMES, scores, strict=True)]
            details = {"aspects": aspects[:2] if number == 7 else aspects}
            outcomes.append(Outcome(planned, Evaluation(float(np.mean(values)), details=details)))
        work.runs.save(outcomes)
        work.runs.finish(run, RunStatus.DONE)
    return given


def the_result(workbench: Workbench) -> DimensionResult:
    return results_of(workbench, 1, Choices("dataset", resamples=50))[0]


def test_aspects_agree_with_people_with_the_score_and_with_each_other_as_scipy_says(workbench: Workbench) -> None:
    given = coascore_run(workbench, {"variant": "full"})
    result = the_result(workbench)
    found = aspects_of(workbench, result)
    assert found is not None
    assert [(a.name, a.texts) for a in found.aspects] == [("Order", 24), ("Links", 24), ("Focus", 23)]
    human = {row.text: row.human for row in result.rows}
    whole = [text for number, text in enumerate(given) if number != 7]
    for place, aspect in enumerate(found.aspects):
        texts = whole if place == 2 else list(given)
        scores, people = [given[t][place] for t in texts], [human[t] for t in texts]
        final = [float(np.mean(given[t])) for t in texts]
        assert aspect.figures["spearman"].value == pytest.approx(stats.spearmanr(scores, people).statistic)
        assert aspect.figures["kendall"].value == pytest.approx(stats.kendalltau(scores, people).statistic)
        assert aspect.figures["pearson"].value == pytest.approx(stats.pearsonr(scores, people).statistic)
        assert aspect.figures["spearman"].low is not None
        assert aspect.with_score == pytest.approx(stats.spearmanr(scores, final).statistic)
    for pair, (a, b) in zip(found.pairs, combinations(range(3), 2), strict=True):
        texts = whole if b == 2 else list(given)
        expected = stats.spearmanr([given[t][a] for t in texts], [given[t][b] for t in texts]).statistic
        assert (pair.a, pair.b, pair.spearman) == (NAMES[a], NAMES[b], pytest.approx(expected))


@pytest.mark.parametrize(("params", "named"), [({"variant": "random"}, True), ({"variant": "without-scores"}, False)])
def test_where_the_judge_scored_no_aspect_there_is_nothing_to_show(
    workbench: Workbench, params: dict[str, object], named: bool
) -> None:
    coascore_run(workbench, params, named)
    assert aspects_of(workbench, the_result(workbench)) is None
