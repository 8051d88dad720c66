"""Scores from a file on the Score screen: they become a run, and what did not fit is listed."""

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from app.services.data.projects import get_project
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs

Open = Callable[[str], AppTest]


def metric_csv(workbench: Workbench) -> bytes:
    """The length of every text as a metric, in the usual columns, and a row of a text that isn't there."""
    with workbench.database.read() as work:
        texts = work.texts.all(get_project(workbench, "Demo").id)
    rows = [f"{text.doc_id},{text.system_id},{text.item_id},{len(text.text)}" for text in texts]
    return "\n".join(["doc_id,system_id,item_id,length", *rows, "nowhere,x,,3"]).encode()


def test_a_file_without_names_is_refused_and_another_becomes_a_run(demo: Workbench, open_screen: Open) -> None:
    app = open_screen("scores")
    app.file_uploader(key="own_scores_file").upload("metric.csv", b"colour,size\nred,3\n").run()
    app.button(key="import_own_scores").click().run()
    assert not app.exception
    assert any("no column that names the texts" in str(error.value) for error in app.error)

    app.file_uploader(key="own_scores_file").set_value(("metric.csv", metric_csv(demo), "text/csv")).run()
    assert not app.exception
    (scores,) = [box for box in app.selectbox if box.key and box.key.startswith("own_score_column_")]
    assert scores.value == "length"
    (name,) = [field for field in app.text_input if field.key and field.key.startswith("own_name_")]
    name.set_value("Length *of* texts").run()
    app.button(key="import_own_scores").click().run()
    assert not app.exception
    run = list_runs(demo, get_project(demo, "Demo").id)[0]
    assert (run.evaluator, run.done, run.all) == ("own: Length *of* texts", 160, 160)
    said = "\n".join(str(m.value) for m in app.markdown)
    assert "own: Length \\*of\\* texts" in said
    (left_out,) = [table.value for table in app.dataframe if "Reason" in table.value]
    assert "no text “nowhere” / “x”" in left_out["Reason"].tolist()[-1]
    app.button(key="close_own_scores").click().run()
    assert not [m for m in app.markdown if "See them on Results" in str(m.value)]
