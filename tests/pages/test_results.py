"""Results: figures with what they rest on, the texts behind them, and the address that leads there."""

import csv
import io
import pickle
import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from app.corpora.own_score_tables import ScoreColumns
from app.domain.checklist_score import Evaluation
from app.domain.condition import Family
from app.domain.project import Dimension, Task
from app.domain.run import Outcome
from app.domain.text_filter import SystemChoice
from app.meta_evaluation.judges.alternative_annotator_test import alt_test_verdict
from app.services.attributes.preference_import import import_preferences
from app.services.conditions.study import StudyOptions
from app.services.conditions.study_worker import run_study
from app.services.data.projects import create_project, dimensions_named, get_project
from app.services.results import report
from app.services.results.method_grid import ceilings_of, cell, dimension_means, method_grid
from app.services.results.preferences import accuracy_on_pairs
from app.services.results.question_analysis import questions_of, weights_of
from app.services.results.raters import human_side_of, stand_in_for_rater
from app.services.results.report import report_html, report_made_apart
from app.services.results.result_files import result_figures_csv, scores_csv, verdicts_of
from app.services.results.result_texts import report_evidence
from app.services.results.results import Choices, cached_results, results_of
from app.services.results.rubric_xray import rubric_xray
from app.services.results.writer_bias import writers
from app.services.runtime.workbench import Workbench
from app.services.scoring.own_scores import import_scores
from app.services.scoring.runs import RunOptions, list_runs, start_run, work_on
from pages.components.results.details import SECTIONS
from pages.components.results.verdicts import AXES, CEILING, INTERVAL, forest_chart
from pages.components.shell.runs.run_words import interval
from pages.components.shell.tables import Chart, picture_file
from tests.support.result_screen import change, grid, shown, table

Open = Callable[[str], AppTest]
RUN = 1
RULES = "checklist · rules, not an LLM"
ROOT = Path(__file__).resolve().parents[2]


def study_of(workbench: Workbench, families: tuple[Family, ...]) -> None:
    """A study of the demo's first dimension, on a tenth of its texts, done."""
    dimensions = tuple(dimensions_named(workbench, "Demo", "all")[:1])
    options = StudyOptions(dimensions, "rules", "rules", families, share=0.1)
    assert run_study(workbench, get_project(workbench, "Demo"), options).missing == 0


def own_metric(workbench: Workbench, folder: Path, dimension: str) -> int:
    """The mean ratings themselves as scores of a metric on one dimension."""
    result = next(each for each in results_of(workbench, RUN) if each.dimension.name == dimension)
    path = folder / "own.csv"
    rows = [f"{row.doc_id},{row.system_id},{row.human}" for row in result.rows]
    path.write_text("\n".join(["doc_id,system_id,metric", *rows]), encoding="utf-8")
    project = get_project(workbench, "Demo")
    return import_scores(workbench, project.id, (result.dimension,), path, ScoreColumns("metric")).run


def _words(chart: Chart) -> set[str]:
    root = ElementTree.fromstring(picture_file(chart, "Forest plot", "svg", own_width=True))
    return {text for text in root.itertext() if text.strip()}


def _layers(chart: Chart) -> list[dict[str, Any]]:
    return list(chart.to_dict()["spec"]["layer"])


def coherence_only(workbench: Workbench) -> int:
    """A run over the first dimension, newer than the demo's."""
    options = RunOptions(tuple(dimensions_named(workbench, "Demo", "coherence")), "rules")
    run = start_run(workbench, get_project(workbench, "Demo").id, options)
    work_on(workbench, run)
    return run


def test_forest_plot_has_panels_an_axis_that_fits_and_the_ceiling(read_demo: Workbench) -> None:
    found = cached_results(read_demo, [RUN], Choices("dataset"))
    shown = method_grid(found)
    ceilings = ceilings_of(read_demo, get_project(read_demo, "Demo").id, shown, "spearman")
    assert set(ceilings) == {(RULES, result.dimension.name) for result in found}
    figures = [result.meta.figures["spearman"] for result in found]
    drawn = [end for figure in figures for end in (figure.low, figure.high) if end is not None]
    drawn += [ceiling.value for ceiling in ceilings.values() if ceiling.value is not None]
    for on_paper in (False, True):
        chart = forest_chart(shown, "spearman", ceilings, on_paper)
        assert chart is not None
        words = _words(chart)
        assert {result.dimension.name for result in found} | {RULES, INTERVAL, CEILING, AXES["spearman"]} <= words
        low, high = next(
            layer["encoding"]["x"]["scale"]["domain"] for layer in _layers(chart) if "x2" in layer["encoding"]
        )
        assert min(drawn) - 0.1 < low < min(drawn)
        assert max(drawn) < high < max(drawn) + 0.1
    without = forest_chart(shown, "mae", {})
    assert without is not None
    assert INTERVAL in _words(without)
    assert CEILING not in _words(without)


def test_sentences_come_first_and_every_figure_says_what_it_rests_on(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    app = open_results(level="galaxy", view="nowhere", run="99,x", text="-1", open="preferences,nothing")
    assert not app.exception, "nonsense in the address is ignored"
    assert app.query_params["run"] == "1"
    expected = cached_results(read_demo, [RUN])
    for result in expected:
        assert verdicts_of(read_demo, [result])[0].sentence in shown(app)
        assert all(caution in shown(app) for caution in result.meta.cautions)
    assert not app.dataframe, "figures unfold, and nobody said which text is better"

    app.session_state["unfolded_figures"] = app.session_state["unfolded_signature"] = True
    app.run()
    assert not app.exception
    (mean,) = dimension_means(expected)
    assert table(app, "Spearman") == [
        f"{f.value:.3f} [{f.low:.3f}, {f.high:.3f}]"
        for f in (*(r.meta.figures["spearman"] for r in expected), mean.figures["spearman"])
    ]
    assert table(app, "Dimension")[-1] == "Mean of 4 dimensions"
    assert all(re.fullmatch(r"\d+ of 10", used) for used in table(app, "Sources used")[:-1])
    for result in expected:
        assert result.meta.caption in shown(app)
        assert all(caution in shown(app) for caution in result.meta.cautions)
    assert str(expected[0].meta.signature) in [text.value for text in app.text]
    assert "rules, not an LLM" in shown(app)
    assert "nan" not in shown(app).split()
    assert len(app.get("vega_lite_chart")) == 1

    app.button(key=f"worst_{RUN}_{expected[1].dimension.id}").click().run()
    assert not app.exception
    assert (app.query_params["view"], app.query_params["dimension"]) == ("texts", expected[1].dimension.name)
    assert table(app, "Difference")


def test_choices_of_a_calculation_are_in_the_address_and_the_figures(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    def spearman(choices: Choices) -> str:
        figure = cached_results(read_demo, [RUN], choices)[0].meta.figures["spearman"]
        return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"

    (one, other, *_), _ = writers(read_demo, 1)
    address = {"level": "dataset", "constant": "zero", "seed": "7", "resampling": "texts", "resamples": "150"}
    app = open_results(**address, without=one, open="figures,signature")
    assert not app.exception
    chosen = Choices("dataset", "zero", resampling="texts", resamples=150, seed=7, systems=SystemChoice(without=(one,)))
    assert table(app, "Spearman")[0] == spearman(chosen)
    assert "|150 texts|7|" in shown(app)
    assert f"without={one}" in shown(app)
    assert {name: app.query_params[name] for name in address} == address
    app.button_group(key="level").set_value("per-source")
    app.button_group(key="resampling").set_value("both")
    app.number_input(key="resamples").set_value(100)
    app.multiselect(key="without").set_value([other]).run()
    assert not app.exception
    chosen = Choices("per-source", "zero", resampling="both", resamples=100, seed=7)
    assert table(app, "Spearman")[0] == spearman(replace(chosen, systems=SystemChoice(without=(other,))))
    assert "100 resamples of sources and systems" in shown(app)
    assert "level" not in app.query_params
    assert [app.query_params[name] for name in ("constant", "without", "resampling")] == ["zero", other, "both"]
    app.button_group(key="view").set_value("texts").run()
    assert not app.exception
    assert table(app, "Difference")
    assert not app.get("vega_lite_chart")
    assert (app.query_params["view"], app.query_params["seed"]) == ("texts", "7")


def test_weights_have_a_verdict_and_a_question_opens_with_all_known_of_it(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    result = cached_results(read_demo, [RUN])[0]
    questions = questions_of(read_demo, result)
    question, item = questions.questions[3], questions.analysis.items[3]
    app = open_results(view="questions", weights="learned", asked=str(question.id))
    assert not app.exception
    found = weights_of(read_demo, result)
    assert found.verdict in shown(app)
    assert table(app, "Weights") == ["Equal", "Learned", "Learned − equal"]
    assert len(table(app, "Least")) == len(found.weights)
    assert "No expert has answered" in shown(app)
    assert table(app, "Effect")[3] == f"{item.effect:.3f} [{item.low:.3f}, {item.high:.3f}]"
    assert question.text in shown(app)
    assert all(flag in shown(app) for flag in item.flags)


def test_raters_and_judge_stand_side_by_side_below_pictures(
    read_demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    app = open_results(view="details", open="people,pictures", level="dataset")
    assert not app.exception
    assert len(app.get("vega_lite_chart")) == 4 + 2, "of scores and ratings, and of the raters"
    result = cached_results(read_demo, [RUN], Choices("dataset"))[0]
    found = human_side_of(read_demo, result)
    spearman = found.ceiling["spearman"]
    assert table(app, "One rater")[0] == f"{spearman.value:.3f} [{spearman.low:.3f}, {spearman.high:.3f}]"
    assert table(app, "Judge")[0] == f"{spearman.judge.value:.3f}"
    assert spearman.judge.verdict in shown(app)
    test = stand_in_for_rater(read_demo, result)
    assert test is not None
    assert alt_test_verdict(test) in shown(app)
    assert table(app, "Left out") == [person.name for person in test.annotators]
    assert table(app, "Rater") == [rater.name for rater in found.raters]
    assert len(table(app, "Texts where")) == len(found.strata)


def _pickled(_: float, function: Callable[..., bytes], *arguments: object) -> bytes:
    """As in a process of its own, which test_computed_apart.py starts."""
    function, arguments = pickle.loads(pickle.dumps((function, arguments)))
    return function(*arguments)


def test_files_hold_every_score_and_every_figure(read_demo: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "computed_apart", _pickled)
    project = get_project(read_demo, "Demo")
    results = cached_results(read_demo, [list_runs(read_demo, project.id)[0].id])
    scores = list(csv.DictReader(io.StringIO(scores_csv(results).decode("utf-8-sig"))))
    assert len(scores) == 160
    assert float(scores[0]["score"]) == results[0].rows[0].score
    figures = list(csv.DictReader(io.StringIO(result_figures_csv(results).decode("utf-8-sig"))))
    assert len(figures) == 16
    assert figures[0]["signature"] == str(results[0].meta.figures["spearman"].signature)
    results = results[:2]
    verdicts = verdicts_of(read_demo, results)
    xrays = [rubric_xray(read_demo, result) for result in results]
    evidence = [report_evidence(read_demo, result) for result in results]
    page = report_made_apart(project, results, verdicts, xrays, evidence).decode()
    assert page == report_html(project, results, verdicts, xrays, evidence).decode()
    assert "not an LLM" in page
    assert all(verdict.sentence in page for verdict in verdicts)
    assert all(result.dimension.name in page for result in results)
    assert str(results[0].meta.signature) in page


def test_without_scores_the_way_to_score_is_shown(workbench: Workbench, open_screen: Open) -> None:
    create_project(workbench, "Empty", Task(), (Dimension("clarity"),))
    app = open_screen("results")
    assert not app.exception
    assert "No text of this project has been scored yet" in shown(app)
    assert [button.label for button in app.main.button] == ["Go to Scores"]


def test_results_open_on_every_method_with_differences_and_preferences(
    demo: Workbench, open_results: Callable[..., AppTest], tmp_path: Path
) -> None:
    metric = own_metric(demo, tmp_path, "fluency")
    (own,), checklist = results_of(demo, metric), results_of(demo, RUN)
    rows = [row for row in checklist[0].rows if row.score is not None]
    pairs = [f"{a.text},{b.text},a,Ana" for a, b in combinations(rows, 2) if a.doc_id == b.doc_id]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(["id_a,id_b,winner,rater", *pairs]), encoding="utf-8")
    import_preferences(demo, path, "Demo", {}, checklist[0].dimension.name)
    preferred = accuracy_on_pairs(demo, checklist[0])
    assert preferred is not None and preferred.n == len(pairs)

    app = open_results(open="preferences", reference="own: metric")
    assert not app.exception
    assert grid(app, "Method") == [RULES, "own: metric"]
    (mean,) = dimension_means(checklist)
    apart, reference = grid(app, "fluency")
    value, difference = apart.splitlines()
    assert value.rstrip() == cell(checklist[1].meta.figures["spearman"])
    assert re.fullmatch(r"-0\.\d{3}[†‡]?", difference)
    assert reference == cell(own.meta.figures["spearman"])
    assert grid(app, "coherence") == [cell(checklist[0].meta.figures["spearman"]), "–"]
    assert grid(app, "Average") == [cell(mean.figures["spearman"]), "–"]
    assert len(app.get("vega_lite_chart")) == 1
    assert table(app, "Pairwise accuracy") == [interval(preferred.value, preferred.low, preferred.high)]
    assert table(app, "Pairs") == [str(preferred.n)]
    app.button_group(key="coefficient").set_value("mae")
    app.selectbox(key="reference").set_value("").run()
    assert not app.exception
    assert grid(app, "fluency") == [cell(checklist[1].meta.mae), cell(own.meta.mae)]
    assert app.query_params["coefficient"] == "mae"
    assert "reference" not in app.query_params
    app = open_results(run=str(metric), view="questions", dimension="fluency")
    assert not app.exception
    assert not app.dataframe, "a metric asks nothing"


def test_duplicates_and_texts_with_unanswered_questions_count_as_asked_for(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    change(home, "UPDATE text SET system_id = 'one', item_id = id")
    change(home, "UPDATE score SET coverage = 0.5 WHERE run_id = 1 AND dimension_id = 1 AND id % 2 = 0")
    app = open_results(level="dataset", duplicates="keep", open="figures", resamples="50")
    assert "30 duplicates kept" in shown(app)
    assert table(app, "Texts")[:2] == ["20 of 40", "40 of 40"]
    app.button_group(key="duplicates").set_value("once")
    app.button_group(key="partial").set_value("yes").run()
    assert "30 duplicates counted once" in shown(app)
    assert len(set(table(app, "Texts")[:4])) == 1, "as many as of dimensions whose questions are all answered"


def test_one_rater_is_a_sentence(demo: Workbench, home: Path, open_results: Callable[..., AppTest]) -> None:
    change(home, "DELETE FROM rating WHERE rater <> 'simulated rater 1'")
    app = open_results(view="details", open="people")
    assert not app.exception
    assert "Only one rater" in shown(app)
    assert "nan" not in shown(app).lower().split()
    change(home, "DELETE FROM rating")
    for view in ("verdict", "questions", "texts", "details"):
        app = open_results(view=view, resamples="50", open="figures,signature,people,download,pictures,against")
        assert not app.exception, view
        assert "nan" not in shown(app).lower().split()


def test_raters_on_different_scales_are_named_wherever_their_mean_counts(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    change(home, "UPDATE rating SET value = value * 20 WHERE rater = 'simulated rater 1'")
    for view in ("verdict", "details"):
        app = open_results(view=view, open="people", resamples="50")
        assert not app.exception, view
        assert "Raters seem to use different scales" in shown(app)
    project = get_project(demo, "Demo")
    results = cached_results(demo, [RUN])[:1]
    assert b"Raters seem to use different scales" in report_html(project, results, verdicts_of(demo, results))


def test_a_method_on_a_scale_of_its_own_has_an_order_but_no_distance(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    change(home, "UPDATE scoring_run SET evaluator = 'rouge-l', judge = 'none'")
    change(home, "UPDATE score SET value = 1.2 - value / 10")
    app = open_results(level="dataset", open="figures", resamples="50")
    assert not app.exception
    assert table(app, "MAE") == ["none"] * 5
    words = shown(app)
    assert "not on the scale of the ratings" in words
    assert "Spearman is negative" in words
    assert len(app.get("vega_lite_chart")) == 1
    assert len(open_results(level="dataset", view="details", open="pictures").get("vega_lite_chart")) == 2
    app = open_results(view="texts")
    assert not app.exception
    assert all(-1 <= float(cell) <= 1 for cell in table(app, "Difference"))
    assert "scale of their own" in shown(app)


def test_a_level_that_is_impossible_offers_the_dataset(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    change(home, "UPDATE text SET doc_id = 'own ' || id, system_id = ''")
    app = open_results(level="system", resamples="50")
    assert not app.exception
    assert "are not possible here" in shown(app)
    app = open_results(open="figures", resamples="50")
    assert not app.exception
    assert "there is no coefficient: No source has two or more texts" in shown(app)
    assert "nan" not in shown(app).split()
    app.button(key="show_dataset").click().run()
    assert app.query_params["level"] == "dataset"
    assert table(app, "Spearman")[0] != "none"


def test_runs_stand_side_by_side_and_one_is_picked_for_details(
    demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    second = coherence_only(demo)
    app = open_results(run=f"{second},1", open="figures,signature", resamples="50")
    assert not app.exception
    assert table(app, "Dimension")[:2] == [f"coherence · {RULES} · run {run}" for run in (second, 1)]
    assert table(app, "Dimension")[-1] == f"Mean of 4 dimensions · {RULES} · run 1"
    assert len(table(app, "Dimension")) == 6
    app = open_results(run=f"{second},1", view="texts")
    assert not app.exception
    assert [radio.value for radio in app.radio] == [second]
    app = open_results(run=f"{second},1", view="details", open="pictures,people")
    app.radio(key="detail_run_people").set_value(1).run()
    assert not app.exception
    assert [radio.value for radio in app.radio] == [1, 1]
    assert app.query_params["detail_run"] == "1"
    app.radio(key="detail_run_pictures").set_value(second).run()
    assert [radio.value for radio in app.radio] == [second, second]


@pytest.mark.long
def test_details_with_any_sections_and_runs_shows_no_error(
    demo: Workbench, open_results: Callable[..., AppTest]
) -> None:
    runs = (1, coherence_only(demo), coherence_only(demo))
    for chosen in ([1], [runs[1], 1], [*reversed(runs)]):
        app = open_results(run=",".join(map(str, chosen)), view="details")
        for size in range(len(SECTIONS) + 1):
            for open_ in combinations(SECTIONS, size):
                for name in SECTIONS:
                    app.session_state[f"unfolded_{name}"] = name in open_
                app.run()
                assert not app.exception, (chosen, open_)
                picks = {"pictures", "people"} & set(open_) if len(chosen) > 1 else set()
                assert {radio.key for radio in app.radio} == {f"detail_run_{name}" for name in picks}


def test_figures_are_computed_again_only_when_something_changed(demo: Workbench, home: Path) -> None:
    first = cached_results(demo, [RUN])
    assert cached_results(demo, [RUN])[0] is first[0]
    change(home, "UPDATE rating SET value = 6 - value WHERE id IN (1, 2, 4)")
    again = cached_results(demo, [RUN])
    assert again[0] is not first[0]
    assert again[0].meta.to_json() == results_of(demo, RUN)[0].meta.to_json()


def test_a_run_that_is_not_whole_says_so(demo: Workbench, open_results: Callable[..., AppTest]) -> None:
    options = RunOptions(tuple(dimensions_named(demo, "Demo", "coherence")), "rules")
    run = start_run(demo, get_project(demo, "Demo").id, options)
    with demo.database.write() as work:
        work.runs.claim(run, "somebody")
        scores = work.runs.open_scores(run)
        work.runs.save([Outcome(score, Evaluation(float(1 + n % 5))) for n, score in enumerate(scores[:10])])
    app = open_results(open="figures", run=str(run))
    assert "scoring, 10 of 40 scored so far" in shown(app)
    assert "30 rows without a score" in shown(app)


def test_an_answer_taken_over_names_the_run_that_asked_first(
    demo: Workbench, home: Path, open_results: Callable[..., AppTest]
) -> None:
    row = results_of(demo, RUN)[0].rows[0]
    new = ":small[:gray[new]]"
    assert new not in shown(open_results(view="texts", text=str(row.text)))
    with sqlite3.connect(home / "workbench.db") as connection:
        connection.execute("UPDATE judgment SET origin_run_id = 1 WHERE id % 2 = 0")
    said = shown(open_results(view="texts", text=str(row.text)))
    assert "from run 1" in said
    assert new in said


def test_runs_of_a_study_have_the_name_of_its_condition_and_none_is_chosen(
    demo: Workbench, open_results: Callable[..., AppTest], home: Path
) -> None:
    study_of(demo, (Family.WITHOUT,))
    app = open_results(view="details")
    assert not app.exception
    assert app.multiselect(key="run").value == [RUN]
    assert "everybody but simulated expert Ada" in " ".join(app.multiselect(key="run").options)
    change(home, f"DELETE FROM scoring_run WHERE id = {RUN}")
    app = open_results()
    assert not app.exception
    assert app.multiselect(key="run").value == []
    assert "Only studies of conditions have scored texts" in shown(app)
    study_run = list_runs(demo, get_project(demo, "Demo").id)[0]
    asked = open_results(run=str(study_run.id), open="figures")
    assert asked.multiselect(key="run").value == [study_run.id]
    assert table(asked, "Spearman")
