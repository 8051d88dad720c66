"""Half a character or a NUL in what people bring is refused by name or stands there as U+FFFD; nothing breaks."""

import json
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.errors import FileFormatError, InputError
from app.services.attributes.attributes import attributes_of, import_attribute_table, import_attributes
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.answer_files import import_answers
from app.services.checklists.checklist_files import import_checklist_file
from app.services.data.imports import import_file
from app.services.data.projects import get_project
from app.services.runtime.prompts import save_wording
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, own_attributes_of
from app.services.think_aloud.transcripts import save_transcript, transcripts_of

HALF, NUL = "half \ud83d here", "NUL \0 here"


@pytest.mark.parametrize("damaged", [HALF, NUL])
@pytest.mark.parametrize("name", ["list.json", "list.yaml"])
def test_a_damaged_question_is_named_and_no_checklist_comes_in(bench: Workbench, name: str, damaged: str) -> None:
    document = json.dumps({"questions": ["Is it in order?", damaged]})
    with pytest.raises(FileFormatError, match=r"Question 2 holds a damaged|can't be read as YAML"):
        import_checklist_file(bench, 1, document.encode(), name)


@pytest.mark.parametrize("name", ["list.csv", "list.md"])
def test_a_nul_in_a_table_or_list_of_questions_is_named(bench: Workbench, name: str) -> None:
    with pytest.raises(FileFormatError, match="damaged"):
        import_checklist_file(bench, 1, f"text\nIs it {NUL}?\n".encode(), name)


def test_damaged_rows_of_a_table_of_attributes_are_left_out(bench: Workbench) -> None:
    rows = [{"text": text, "contributor": "Ada", "kind": "human"} for text in (HALF, "Sound.", NUL)]
    report = import_attribute_table(bench, get_project(bench, "Ready"), json.dumps(rows).encode(), "coherence")
    assert report.added == 1
    assert [(row.row, row.reason.partition(" (")[0]) for row in report.skipped] == [
        (1, "Its text holds a damaged character"),
        (3, "Its text holds a damaged character"),
    ]


def test_damaged_answers_are_left_out(bench: Workbench) -> None:
    draw_texts(bench, 1, 2, 0)
    row = {"expert": "Ada", "doc_id": HALF, "answer": "yes"}
    found = import_answers(bench, 1, json.dumps([row]).encode(), "answers.json")
    assert (found.kept, [row for row, _ in found.skipped]) == (0, [1])
    assert "damaged" in found.skipped[0][1]


def test_a_list_of_attributes_and_a_transcript_keep_all_that_can_be_kept(bench: Workbench) -> None:
    import_attributes(bench, 1, "Ada", ContributorKind.HUMAN, json.dumps([HALF, NUL]))
    assert [a.text for a in attributes_of(bench, 1)] == ["half \ufffd here", "NUL \ufffd here"]
    save_transcript(bench, 1, "Ada", NUL)
    assert transcripts_of(bench, 1, "Ada")[0].text == "NUL \ufffd here"


def test_what_is_typed_on_a_screen_is_kept(bench: Workbench) -> None:
    add_own_attribute(bench, 1, "Ada", NUL)
    assert [a.text for a in own_attributes_of(bench, 1, 1, "Ada")] == ["NUL \ufffd here"]


def test_a_damaged_wording_of_a_prompt_is_refused(bench: Workbench) -> None:
    with pytest.raises(InputError, match="The wording holds a damaged character"):
        save_wording(bench, 1, "components", HALF, "{{ task }}")


def test_damaged_texts_and_ids_of_a_data_file_are_left_out_by_row(bench: Workbench, tmp_path: Path) -> None:
    rows = [{"text": HALF, "c": 1}, {"text": "Sound.", "c": 2, "note": NUL}, {"text": "b", "doc_id": NUL, "c": 3}]
    path = tmp_path / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    report = import_file(bench, path, "New")
    assert (report.texts, [row.row for row in report.skipped]) == (1, [1, 3])
