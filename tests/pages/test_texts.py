"""Texts: bring texts in, look at them, say what they are judged on."""

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from app.domain.project import Dimension, Task, Text
from app.errors import ConflictError
from app.services.data.imports import import_key
from app.services.data.projects import (
    add_dimension,
    create_project,
    delete_unused_dimension,
    dimensions_named,
    get_project,
    overview,
)
from app.services.data.texts import text_page
from app.services.data.workflow_steps import next_step
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.samples import ensure_samples
from tests.support.background import ended

Open = Callable[..., AppTest]

TABLE = """doc,system,source,summary,coherence_1,coherence_2
d1,a,One two three.,One two.,4,5
d1,b,One two three.,Three.,2,bad
d2,a,Four five six.,"**Four** <script>alert(1)</script>",3,3
d2,b,Four five six.,,1,1
"""


def upload(app: AppTest, name: str, content: str) -> AppTest:
    app.file_uploader(key="import_file").set_value((name, content.encode(), "text/csv"))
    return app.run()


def name_field(app: AppTest) -> TextInput:
    return next(field for field in app.text_input if field.label == "Name of the new project")


def scale_fields(app: AppTest) -> list[TextInput]:
    return [field for field in app.text_input if str(field.key).startswith("map_scale_")]


def section(app: AppTest, workbench: Workbench, project: str, name: str) -> AppTest:
    return app.button_group(key=f"data_section_{get_project(workbench, project).id}").set_value(name).run()


def test_pairs_come_in_below_the_texts(workbench: Workbench, open_screen: Open) -> None:
    create_project(workbench, "Mine", Task(), (Dimension("clarity"),))
    app = section(open_screen("texts"), workbench, "Mine", "Import")
    pairs = "prompt,chosen,rejected,annotator,reason\nWhat is rain?,Water.,Dunno.,Ana,It answers.\n,One.,,Ana,\n"
    app.file_uploader(key="pairs_file").set_value(("pairs.csv", pairs.encode(), "text/csv"))
    app.button(key="pairs_submit").click().run()
    assert not app.exception
    (dimension,) = dimensions_named(workbench, "Mine", "all")
    with workbench.database.read() as work:
        (kept,) = work.preferences.of(dimension.id)
    assert (kept.rater, kept.winner.value, kept.reason) == ("Ana", "a", "It answers.")
    assert kept.attribute is not None
    assert len(app.success) == 1


def test_the_first_file_makes_a_project_and_bad_rows_are_listed(workbench: Workbench, open_screen: Open):
    app = upload(open_screen("texts"), "../../etc/texts.csv", TABLE)
    assert name_field(app).value == "texts"
    name_field(app).input("").run()
    assert app.button(key="start_import").disabled
    assert any("needs a name" in caption.value for caption in app.caption)
    name_field(app).input("Mine").run()
    app.button(key="start_import").click().run()
    app = ended(app, import_key("Mine"))
    assert not app.exception
    assert app.session_state["project"] == "Mine"
    assert "3 texts and 5 ratings came in** from ../../etc/texts.csv" in " ".join(m.value for m in app.markdown)
    skipped = next(frame.value for frame in app.dataframe if "Reason" in frame.value)
    assert list(skipped["Row"]) == [2, 4]
    assert "not a number" in skipped["Reason"][0]
    found = overview(workbench, get_project(workbench, "Mine").id)
    assert (found.texts, found.systems) == (3, 2)
    assert [(d.dimension.name, d.ratings, d.raters) for d in found.dimensions] == [("coherence", 5, 2)]


def test_the_mapping_is_guessed_and_can_be_changed(workbench: Workbench, open_screen: Open):
    app = upload(open_screen("texts"), "texts.csv", TABLE)
    guess = {s.label: s.value for s in app.selectbox}
    assert guess["Which column holds the summary?"] == "summary"
    assert guess["Which says who wrote it?"] == "system"
    assert guess["Which says what belongs together?"] == "doc"
    assert any("Guessed: it holds 2 names for 4 rows" in caption.value for caption in app.caption)
    ticked = next(group for group in app.button_group if group.label == "Columns with ratings")
    assert ticked.value == ["coherence_1", "coherence_2"]
    next(s for s in app.selectbox if s.label == "Which holds the news article?").set_value("no column")
    ticked.set_value(["coherence_1"]).run()
    next(t for t in app.text_input if t.label == "Dimension that coherence\\_1 rates").input("order")
    name_field(app).input("Mapped").run()
    app.button(key="start_import").click().run()
    ended(app, import_key("Mapped"))
    project = get_project(workbench, "Mapped")
    assert [d.name for d in dimensions_named(workbench, "Mapped", "all")] == ["order"]
    assert {text.doc_id for text in text_page(workbench, project.id).texts} == {"d1", "d2"}


def test_a_file_of_another_kind_is_one_sentence(workbench: Workbench, open_screen: Open):
    app = upload(open_screen("texts"), "texts.parquet", "PAR1 and nothing more")
    assert not app.exception
    assert "texts.parquet" in app.error[0].value
    assert "Parquet" in app.error[0].value
    assert "start_import" not in [button.key for button in app.button]


def test_half_a_character_in_a_file_is_shown_as_it_will_be_kept(workbench: Workbench, open_screen: Open):
    app = upload(open_screen("texts"), "texts.json", '[{"te\\ud83dxt": "half \\ud83d of one", "score": 1}]')
    assert not app.exception
    assert list(app.dataframe[0].value["te xt"]) == ["half \ufffd of one"]


def test_where_an_import_goes_is_chosen_and_kept_while_elsewhere(demo: Workbench, open_screen: Open):
    app = upload(section(open_screen("texts"), demo, "Demo", "Import"), "texts.csv", TABLE)
    assert app.radio[0].value is None
    assert app.button(key="start_import").disabled
    assert any("Say where they go" in caption.value for caption in app.caption)
    app.radio[0].set_value("add").run()
    assert app.button(key="start_import").label == "Import into Demo"
    assert not scale_fields(app), "the dimension has its scale"
    assert not app.button(key="start_import").disabled
    app.radio[0].set_value("a new project").run()
    assert len(scale_fields(app)) == 1, "of two raters on one dimension"
    name_field(app).input("Demo").run()
    assert "already a project" in app.error[0].value
    assert app.button(key="start_import").disabled

    name_field(app).input("Later")
    next(s for s in app.selectbox if s.label == "Which says who wrote it?").set_value("doc").run()
    app.switch_page("../pages/overview.py").run()
    app.switch_page("../pages/texts.py").run()
    app = section(app, demo, "Demo", "Import")
    assert any("texts.csv" in m.value and "still chosen" in m.value for m in app.markdown)
    assert app.radio[0].value == "a new project"
    assert name_field(app).value == "Later"
    assert next(s for s in app.selectbox if s.label == "Which says who wrote it?").value == "doc"
    app.button(key="forget_upload").click().run()
    assert not app.radio


def test_a_project_without_texts_is_where_they_go(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Fresh", Task())
    app = upload(open_screen("texts"), "texts.csv", TABLE)
    assert app.radio[0].value == "add"


def test_what_can_be_done_with_the_texts_is_said_before_they_come_in(workbench: Workbench, open_screen: Open):
    app = upload(open_screen("texts"), "essays.csv", "essay,clarity\n" + "".join(f"E{n},{n % 5}\n" for n in range(30)))
    said = " ".join(m.value for m in app.markdown)
    assert "26 of 30 essays stay for scoring" in said
    assert "too few on that level too: bring in texts of about 4 more" in said


def test_a_sheet_of_a_workbook_is_chosen(workbench: Workbench, open_screen: Open):
    file = BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["notes"])
    book.create_sheet("Ratings").append(["essay", "clarity"])
    book["Ratings"].append(["An essay.", 3])
    book.save(file)
    app = open_screen("texts")
    app.file_uploader(key="import_file").set_value(("class.xlsx", file.getvalue(), "")).run()
    assert "class.xlsx has a header row but no data" in app.error[0].value
    next(s for s in app.selectbox if s.label == "Sheet").set_value("Ratings").run()
    assert not app.error
    assert list(app.dataframe[0].value["essay"]) == ["An essay."]


def names(app: AppTest) -> list[str]:
    """Of the texts in the list, from the first to the last."""
    return [button.label for button in app.button if (button.key or "").startswith("read_text_")]


def test_the_first_text_is_open_and_search_stays_in_the_address(read_demo: Workbench, open_screen: Open):
    texts = text_page(read_demo, get_project(read_demo, "Demo").id).texts
    app = open_screen("texts")
    assert len(names(app)) == 20
    assert texts[0].doc_id in names(app)[0]
    assert texts[0].text in [element.value for element in app.text]
    app.pagination[0].set_value(3)
    app.session_state["mean_ratings"] = True
    app.run()
    assert len(names(app)) == 56 - 40
    assert app.query_params["text_page"] == "3"
    table = app.dataframe[-1].value
    assert len(table) == 16
    assert table["coherence"].between(1, 5).all()

    field = app.text_input(key="text_search")
    field.input("ferry").run()
    assert 0 < len(names(app)) < 20
    assert any("ferry" in name for name in names(app))
    assert app.query_params["text_search"] == "ferry"
    field.input("no such words at all").run()
    assert "No text fits" in " ".join(m.value for m in app.markdown)
    field.input("100% of_it " * 9_091).run()
    assert not app.exception
    assert "The search has 100,000 characters; 1,000 are the most." in app.error[0].value
    field.input("fer\0ry").run()
    assert not app.exception and not app.error


def test_an_opened_text_stands_in_full_with_its_source_and_ratings(read_demo: Workbench, open_screen: Open):
    texts = text_page(read_demo, get_project(read_demo, "Demo").id).texts
    app = open_screen("texts")
    app.button(key=f"read_text_{texts[19].id}").click().run()
    shown = [element.value for element in app.text]
    assert {texts[19].text, texts[19].source} <= set(shown)
    assert app.query_params["open_text"] == str(texts[19].id)
    ratings = app.dataframe[0].value
    assert list(ratings["Dimension"]) == ["coherence", "fluency", "consistency", "relevance"]
    assert len(ratings.columns) == 2 + 3  # dimension, mean, three raters
    app.button(key="next_text").click().run()  # on the next page
    after = text_page(read_demo, get_project(read_demo, "Demo").id, 2).texts[0]
    assert after.text in [element.value for element in app.text]
    app.button(key="previous_text").click().run()
    assert texts[19].text in [element.value for element in app.text]


def test_a_text_of_another_project_is_not_shown(demo: Workbench, open_screen: Open):
    create_project(demo, "Other", Task())
    app = open_screen("texts")
    app.session_state["project"] = "Other"
    app.session_state["open_text"] = text_page(demo, get_project(demo, "Demo").id).texts[0].id
    app.run()
    assert not app.exception
    assert not app.text


def test_a_dimension_is_edited_and_stays_current_but_not_so_that_it_harms(demo: Workbench, open_screen: Open):
    dimension = dimensions_named(demo, "Demo", "all")[0]
    app = section(open_screen("texts"), demo, "Demo", "Dimensions and wording")
    for name, high, said in (
        (dimension.name, 3.0, "go from 1 to 5"),
        ("fluency", dimension.high, "already a dimension"),
        (" ", dimension.high, "no name"),
    ):
        app.text_input(key=f"dimension_name_{dimension.id}").input(name)
        app.number_input(key=f"dimension_high_{dimension.id}").set_value(high)
        app.button(key=f"save_dimension_{dimension.id}").click().run()
        assert said in app.error[0].value
        assert dimensions_named(demo, "Demo", "all")[0] == dimension
    app.text_input(key=f"dimension_name_{dimension.id}").input("flow")
    app.text_area(key=f"dimension_rubric_{dimension.id}").input("How one thing leads to the next.")
    app.button(key=f"save_dimension_{dimension.id}").click().run()
    saved = dimensions_named(demo, "Demo", "all")[0]
    assert (saved.name, saved.rubric, saved.low, saved.high) == ("flow", "How one thing leads to the next.", 1, 5)
    assert app.session_state["dimension"] == "flow"
    assert app.success[0].value == "Saved."


def test_only_a_dimension_that_nobody_worked_on_can_be_deleted(demo: Workbench, open_screen: Open) -> None:
    project = get_project(demo, "Demo")
    used = dimensions_named(demo, "Demo", "all")
    spare = add_dimension(demo, project.id, Dimension("spare", "Nobody rates it."))
    assert ensure_samples(demo, spare.id), "drawn by opening Think aloud, which is no use"
    app = section(open_screen("texts"), demo, "Demo", "Dimensions and wording")
    offered = [button.key for button in app.button if str(button.key).startswith("delete_dimension_")]
    assert offered == [f"delete_dimension_{spare.id}"]
    app.button(key=f"delete_dimension_{spare.id}").click().run()
    assert dimensions_named(demo, "Demo", "all") == used
    with pytest.raises(ConflictError):
        delete_unused_dimension(demo, used[0].id)


def test_dimensions_are_added_and_the_wording_is_kept_and_needs_names(workbench: Workbench, open_screen: Open):
    project = create_project(workbench, "Blank", Task())
    app = section(open_screen("texts"), workbench, "Blank", "Dimensions and wording")
    app.text_input(key="dimension_name_new").input("helpful")
    app.button(key="save_new_dimension").click().run()
    assert [d.binary for d in dimensions_named(workbench, "Blank", "all")] == [True], "good or not, without ratings"
    app.text_input(key="dimension_name_new").input("warmth")
    app.number_input(key="dimension_low_new").set_value(1.0)
    app.number_input(key="dimension_high_new").set_value(3.0)
    app.button(key="save_new_dimension").click().run()
    assert not app.exception
    assert [(d.name, d.low, d.high) for d in dimensions_named(workbench, "Blank", "all")][1:] == [("warmth", 1, 3)]

    app.text_input(key=f"task_text_name_{project.id}").input("letter")
    app.button(key="save_task").click().run()
    assert get_project(workbench, "Blank").task.text_name == "letter"
    app.text_input(key=f"task_text_name_{project.id}").input(" ")
    app.button(key="save_task").click().run()
    assert "need a name" in app.error[0].value


def test_uploaded_bytes_leave_no_file_behind(
    workbench: Workbench, open_screen: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    upload(open_screen("texts"), "texts.csv", TABLE)
    assert list(folder.iterdir()) == []


UNRATED = "\n".join(
    ["ticket,question,agent,reply"]
    + [f"T{n // 3},Where is my order {n // 3}?,Agent {n % 3},We have sent number {n} on Monday." for n in range(30)]
)


def test_an_unrated_import_leads_to_the_next_step(workbench: Workbench, open_screen: Open):
    app = upload(open_screen("texts"), "replies.csv", UNRATED)
    writer = next(field for field in app.text_input if field.label == "What is the writer called?")
    assert writer.value == "agent"
    writer.input("colleague").run()
    said = " ".join(m.value for m in app.markdown)
    assert "4 samples come from 4 tickets; all 12 " in said
    assert "is rated" in said
    name_field(app).input("Replies").run()
    app.button(key="start_import").click().run()
    app = ended(app, import_key("Replies"))
    assert not app.exception
    project = get_project(workbench, "Replies")
    assert (project.task.source_name, project.task.writer_name) == ("ticket", "colleague")
    app.button(key="report_next").click().run()
    assert app.session_state[f"data_section_{project.id}"] == "Dimensions and wording"
    assert next(one for one in app.expander if one.label == "Add a dimension").proto.expanded
    add_dimension(workbench, project.id, Dimension("warmth"))
    assert next_step(overview(workbench, project.id)).screen == "think_aloud"


def test_an_import_leads_to_the_dimension_that_it_rated(workbench: Workbench, open_screen: Open):
    create_project(workbench, "Essays", Task(), (Dimension("overall"), Dimension("cohesion")))
    rows = "".join(f"T{n // 4},Topic {n // 4}.,Text {n}.,{n % 5 + 1}\n" for n in range(20))
    app = upload(open_screen("texts"), "essays.csv", f"doc_id,source,text,cohesion\n{rows}")
    app.button(key="start_import").click().run()
    app = ended(app, import_key("Essays"))
    assert app.session_state["dimension"] == "overall"
    app.button(key="report_next").click().run()
    assert not app.exception
    assert app.session_state["dimension"] == "cohesion"


def test_the_list_calls_texts_by_their_words(workbench: Workbench, open_screen: Open):
    upload(open_screen("texts"), "replies.csv", UNRATED)
    project = create_project(workbench, "Replies", Task("reply", "ticket"), (Dimension("warmth"),))
    with workbench.database.write() as work:
        work.texts.add_many(project.id, [Text("source-6068", "We sent it.", "Ada", source="Where is it?")])
    app = open_screen("texts")
    labels = [button.label for button in app.button if str(button.key).startswith("read_text_")]
    assert labels == ["Where is it? · Ada · We sent it."]


TALKS = "\n".join(
    json.dumps({"id": f"c{n}", "model": "m", "messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Where is **it**?"},
        {"role": "assistant", "content": f"Wait, {n}."},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": f"Here it is, {n}."},
    ]}) for n in range(3)
)  # fmt: skip


def test_conversations_come_in_by_reply_and_are_shown_as_turns(workbench: Workbench, open_screen: Open):
    app = upload(open_screen("texts"), "talks.jsonl", TALKS)
    next(choice for choice in app.selectbox if choice.label == "What is judged").set_value("each").run()
    app.button(key="start_import").click().run()
    app = ended(app, import_key("talks"))
    assert overview(workbench, get_project(workbench, "talks").id).texts == 6
    app = section(open_screen("texts"), workbench, "talks", "Texts")
    assert not app.exception
    assert "System prompt" in [folded.label for folded in app.expander]
    said = [text.value for text in app.text]
    assert "Where is **it**?" in said
    assert "Wait, 0." in said
