"""Answers from a file on the Answer screen: a sheet that was filled in elsewhere, columns of people and judges."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.answer_files import answers_csv
from app.services.checklists.checklists import view_checklist
from app.services.checklists.expert_answers import expert_answers
from app.services.data.projects import one_dimension
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs

Open = Callable[[str], AppTest]
FILE = "answers_file"


@pytest.fixture
def checklist(demo: Workbench) -> int:
    made = view_checklist(demo, one_dimension(demo, "Demo", "coherence").id).checklist.id
    draw_texts(demo, made, 2, seed=1)
    return made


def sheet(demo: Workbench, checklist: int) -> list[dict[str, str]]:
    exported = answers_csv(demo, checklist, "Ana").decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(exported)))


def written(rows: list[dict[str, str]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def said(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(str(part.value) for part in (*app.markdown, *app.caption))


def named(fields: Sequence[Any], beginning: str) -> Any:
    (found,) = [field for field in fields if str(getattr(field, "key", "")).startswith(beginning)]
    return found


def test_a_sheet_that_was_filled_in_comes_in_and_asks_whose_it_is(
    demo: Workbench, checklist: int, open_screen: Open
) -> None:
    rows = [row | {"answer": "yes"} for row in sheet(demo, checklist)]
    app = open_screen("answer")
    app.file_uploader(key=FILE).upload("ana.csv", written([*rows, rows[0] | {"doc_id": "nowhere"}])).run()
    assert "“expert” says whose they are" in said(app)
    app.button(key="bring_answers_in").click().run()
    assert f"**{len(rows)} answers** of experts came in" in said(app)
    (left,) = [table.value for table in app.dataframe if "Reason" in table.value]
    assert left["Reason"].tolist()[0].startswith("nowhere")
    assert len(expert_answers(demo, checklist).answers) == len(rows)
    app.button(key="close_answers_report").click().run()
    assert "came in" not in said(app)

    app = open_screen("answer")
    app.file_uploader(key=FILE).upload("x.csv", b"answer,expert\nyes,Ana\n").run()
    app.button(key="bring_answers_in").click().run()
    assert not app.exception
    assert "has no column" in str(app.error[0].value), "a file of something else"
    nobodys = [{name: cell for name, cell in row.items() if name != "expert"} | {"answer": "no"} for row in rows]
    app.file_uploader(key=FILE).upload("x.csv", written(nobodys)).run()
    assert app.button(key="bring_answers_in").disabled
    named(app.text_input, "answers_name_").set_value("Ben").run()
    app.button(key="bring_answers_in").click().run()
    assert expert_answers(demo, checklist).experts == ("Ana", "Ben")


def test_columns_of_experts_and_judges_come_in_at_once(demo: Workbench, checklist: int, open_screen: Open) -> None:
    about = ("doc_id", "system_id", "item_id", "number")
    rows = [{name: row[name] for name in about} | {"Ana": "yes", "gpt-4o": "no"} for row in sheet(demo, checklist)]
    app = open_screen("answer")
    app.file_uploader(key=FILE).upload("all.csv", written(rows)).run()
    assert app.button(key="bring_answers_in").disabled
    people, judges = (named(app.multiselect, f"answers_{who}_") for who in ("experts", "judges"))
    assert people.options == ["Ana", "gpt-4o"]
    people.set_value(["Ana"])
    judges.set_value(["gpt-4o"])
    app.run()
    app.button(key="bring_answers_in").click().run()
    assert f"{len(rows)} answers on 2 texts" in said(app)
    assert expert_answers(demo, checklist).experts == ("Ana",)
    assert list_runs(demo, 1)[0].judge == "file:gpt-4o"
    for screen in ("results", "scores", "disagreements", "methods"):
        assert not open_screen(screen).exception
