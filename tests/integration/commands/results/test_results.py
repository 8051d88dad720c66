"""`results` takes what the Results screen takes, and shows each method and judge by its newest run."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, RunDimension, RunStatus
from app.domain.text_filter import SystemChoice
from app.services.checklists.checklists import new_draft, publish, versions_of
from app.services.results.method_grid import cell, grid_notes, method_and_judge, method_grid
from app.services.results.raters import scores_on_rating_scale
from app.services.results.result_files import verdicts_of
from app.services.results.results import Choices, results_of
from app.services.results.run_comparison import compare_runs, sets_named
from app.services.runtime.workbench import open_workbench
from tests.support.projects import ready_to_score
from tests.support.small_project import document

Run = Callable[..., tuple[int, str, str]]
HERE = ("results", "--project", "Ready", "--json")


def scored(evaluator: str, judge: str, params: dict[str, Any] | None = None) -> int:
    """A run over all texts: its scores turn around with its number; every fifth text is partial, texts 1 to 4 equal."""
    workbench = open_workbench()
    with workbench.database.write() as work:
        texts = tuple(text.id for text in work.texts.page(1, 0, 99))
        run = work.runs.create(1, evaluator, judge, params or {}, [RunDimension(1, None, (), texts)])
        work.runs.save(
            [
                Outcome(
                    planned,
                    Evaluation(
                        1.0 if place < 4 else 1 + (place * 7 + run) % 9 / 2,
                        0.5 if place % 5 == 4 else 1.0,
                        soft=1 + (place * 5) % 7 / 2 if params and params.get("soft") else None,
                        details={"aspects": [{"name": n, "score": 1 + (place * s) % 5} for n, s in ASPECTS]},
                    ),
                )
                for place, planned in enumerate(work.runs.open_scores(run))
            ]
        )
        work.runs.finish(run, RunStatus.DONE)
    return run


ASPECTS = (("Order", 2), ("Links", 3))


@pytest.fixture
def project() -> None:
    ready_to_score(open_workbench(), texts=24)


def test_each_method_and_judge_is_shown_by_its_newest_run(run: Run, project: None) -> None:
    scored("checklist", "llama:x")
    newest = [scored("llm-score", "llama:y"), scored("checklist", "llama:y"), scored("checklist", "llama:x")]
    shown = document(run(*HERE)[1])
    assert [each["run"] for each in shown] == newest[::-1]
    assert [each["run"] for each in document(run(*HERE, "--run", 1, "--run", 3)[1])] == [1, 3]


TAKEN = (
    (("--constant", "zero"), Choices(constant="zero")),
    (("--level", "dataset", "--duplicates", "keep"), Choices("dataset", duplicates="keep")),
    (("--partial",), Choices(include_partial=True)),
    (("--soft",), Choices(soft=True)),
    (("--resample", "both", "--resamples", "50", "--seed", "7"), Choices(resampling="both", resamples=50, seed=7)),
    (("--level", "system", "--resamples", "0"), Choices("system", resamples=0)),
)


def test_what_the_screen_takes_is_taken(run: Run, project: None, subtests: pytest.Subtests) -> None:
    number = scored("checklist", "llama:x", {"soft": True})
    (usual,) = document(run(*HERE)[1])
    for words, choices in TAKEN:
        with subtests.test(words=words):
            (shown,) = document(run(*HERE, *words)[1])
            (expected,) = results_of(open_workbench(), number, choices)
            [verdict] = verdicts_of(open_workbench(), [expected])
            verdict_json = verdict.to_json(expected.dimension.name)
            named = {"method": method_and_judge(expected.run), "verdict": verdict_json}
            assert shown == json.loads(json.dumps(expected.to_json() | named))
            assert shown != usual


def test_results_with_a_trial_of_a_newer_version_names_that_trial(run: Run, project: None) -> None:
    workbench = open_workbench()
    first = versions_of(workbench, 1)[0].id
    second = publish(workbench, new_draft(workbench, first).id).id
    with workbench.database.write() as work:
        texts = tuple(text.id for text in work.texts.page(1, 0, 99))
        runs = [
            work.runs.create(1, "checklist", "llama:x", params, [RunDimension(1, checklist, (), texts)])
            for checklist, params in ((first, {}), (second, {"draw": {"documents": 2, "systems": 2}}))
        ]
        for number in runs:
            work.runs.save([Outcome(planned, Evaluation(2.0, 1.0)) for planned in work.runs.open_scores(number)])
            work.runs.finish(number, RunStatus.DONE)
    _, out, err = run(*HERE)
    assert [each["run"] for each in document(out)] == runs[:1]
    assert f"run {runs[1]}" in err
    assert f"run {runs[1]}" not in run(*HERE, "--run", runs[1])[2]


def test_results_prints_methods_by_dimensions_for_each_coefficient(run: Run, project: None) -> None:
    runs = scored("checklist", "llama:x"), scored("llm-score", "llama:y")
    said = run("results", "--project", "Ready", "--level", "dataset")[1].splitlines()
    found = {number: results_of(open_workbench(), number, Choices("dataset"))[0] for number in runs}
    for name, heading in (("spearman", "Spearman"), ("kendall", "Kendall tau-b"), ("pearson", "Pearson")):
        rows = said[said.index(heading) + 2 : said.index(heading) + 4]
        shown = [(each.run, cell(each.meta.figures[name])) for each in found.values()]
        expected = [[method_and_judge(made), str(made.id), figure] for made, figure in shown]
        assert sorted(re.split(r"  +", row) for row in rows) == sorted(expected)


def test_results_print_the_error_of_raw_and_mapped_scores(run: Run) -> None:
    ready_to_score(open_workbench(), texts=64)
    made = scored("checklist", "llama:x")
    scale = scores_on_rating_scale(open_workbench(), results_of(open_workbench(), made, Choices())[0])
    assert scale is not None
    assert scale.sentence in run("results", "--project", "Ready")[1]


def test_soft_scores_where_no_judge_gave_any_are_refused(run: Run, project: None) -> None:
    scored("checklist", "llama:x")
    status, out, err = run(*HERE, "--soft")
    assert (status, out) == (2, "")
    assert "None of these runs asked its judge for probabilities" in err
    scored("checklist", "llama:y", {"soft": True})
    status, out, err = run(*HERE, "--soft")
    assert (status, [each["score_from"] for each in document(out)]) == (0, ["probabilities", "answers"])
    assert "still from the answers: run 1" in err


NOT_CHOSEN = (("--constant", "drop"), ("--level", "text"), ("--resample", "texts"))


def test_what_can_not_be_chosen_is_a_sentence(run: Run, project: None, subtests: pytest.Subtests) -> None:
    scored("checklist", "llama:x")
    for words in NOT_CHOSEN:
        with subtests.test(words=words):
            status, out, err = run(*HERE, *words)
            assert (status, out) == (2, "")
            assert "Traceback" not in err


def test_aspects_stand_beside_the_figures_of_coascore(run: Run, project: None, tmp_path: Path) -> None:
    scored("coascore", "llama:x", {"variant": "full", "aspects": 2})
    (shown,) = document(run(*HERE, "--level", "dataset")[1])
    assert [aspect["name"] for aspect in shown["aspects"]] == ["Order", "Links"]
    assert set(shown["aspects"][0]) == {"name", "texts", "spearman", "kendall", "pearson", "with_score"}
    assert [(pair["a"], pair["b"]) for pair in shown["aspect_pairs"]] == [("Order", "Links")]
    said = run("results", "--project", "Ready", "--level", "dataset")[1]
    assert "Aspects of coherence, run 1, dataset: agreement with people" in said
    assert "Aspects with each other:" in said


def _scored_as(scores: Sequence[float]) -> int:
    """A run over as many texts, the first ones, with these scores."""
    workbench = open_workbench()
    with workbench.database.write() as work:
        texts = tuple(text.id for text in work.texts.page(1, 0, len(scores)))
        run = work.runs.create(1, "checklist", "llama:x", {}, [RunDimension(1, None, (), texts)])
        planned = work.runs.open_scores(run)
        work.runs.save([Outcome(each, Evaluation(score, 1.0)) for each, score in zip(planned, scores, strict=True)])
        work.runs.finish(run, RunStatus.DONE)
    return run


def test_a_verdict_says_how_many_rated_sources_can_be_scored(run: Run, project: None) -> None:
    """Three of six sources are scored, then all."""
    varied = [1.0 + place * 7 % 9 / 2 for place in range(24)]
    few = _scored_as(varied[:12])
    workbench = open_workbench()
    verdicts = verdicts_of(workbench, results_of(workbench, few, Choices()))
    assert [(each.kind, each.unit, each.unscored) for each in verdicts] == [("too few", "sources", 3)]
    every = _scored_as(varied)
    (verdict,) = verdicts_of(workbench, results_of(workbench, every, Choices()))
    assert (verdict.kind, verdict.unscored) == ("too few", 0)


@pytest.mark.parametrize(
    ("scores", "helps"),
    [([3.0] * 24, False), ([1.0 + place // 4 for place in range(24)], True)],
    ids=["the same everywhere", "the same inside each source"],
)
def test_the_dataset_level_is_advised_only_where_it_has_a_figure(
    run: Run, project: None, scores: list[float], helps: bool
) -> None:
    shown = run("results", "--project", "Ready", "--run", _scored_as(scores))[1]
    assert "No coefficient" in shown
    assert ("--level dataset" in shown) is helps


def test_texts_of_a_system_left_out_are_not_compared(run: Run, project: None) -> None:
    scored("checklist", "llama:x")
    (whole,) = document(run(*HERE)[1])
    (part,) = document(run(*HERE, "--without-system", "s1")[1])
    assert (whole["scored"], part["scored"]) == (24, 18)
    assert part["without_systems"] == ["s1"]
    assert part["spearman"]["signature"] != whole["spearman"]["signature"]
    assert run(*HERE, "--without-system", "nobody")[0] == 2


def test_a_system_left_out_is_left_out_of_differences_and_named(run: Run, project: None) -> None:
    runs = [scored("own: a", "none"), scored("own: b", "none")]
    workbench, systems = open_workbench(), SystemChoice(without=("s1",))
    base, other = sets_named(workbench, 1, 1, runs)
    whole, part = (
        compare_runs(workbench, 1, base, [other], choices)[0]
        for choices in (Choices(resamples=50), Choices(resamples=50, systems=systems))
    )
    assert (whole.shared, part.shared) == (20, 15)  # every fifth is partial
    assert whole.comparison
    assert part.comparison
    assert whole.comparison.signature != part.comparison.signature
    found = [result for each in runs for result in results_of(workbench, each, Choices(systems=systems))]
    assert any("s1" in note for note in grid_notes(method_grid(found), ("spearman",)))


def test_score_takes_the_texts_of_the_systems_asked_for(run: Run, project: None) -> None:
    for words, texts in ((["--without-system", "s1"], 18), (["--system", "s1", "--system", "s2"], 12)):
        code, out, _ = run("score", "--project", "Ready", "--judge", "rules", "--json", *words)
        assert (code, document(out)["dimensions"]["coherence"]["scored"]) == (0, texts)
    labels = {
        entry["method"]
        for entry in document(run("results", "--project", "Ready", "--run", "1", "--run", "2", "--json")[1])
    }
    assert len(labels) == 2
    for words in (["--system", "nobody"], [w for n in range(4) for w in ("--without-system", f"s{n}")]):
        assert run("score", "--project", "Ready", "--judge", "rules", *words)[0] == 2
