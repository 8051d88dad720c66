"""What people and models wrote reaches the terminal as text: no control character gives it orders."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from app.commands.shared import print_json, shown_safely
from app.domain.attribute import ContributorKind
from app.services.runtime.workbench import open_workbench
from tests.support.projects import ready_to_score
from tests.support.repository import ROOT, python_files

Run = Callable[..., tuple[int, str, str]]
EVIL = "\x1b]0;owned\x07\x1b[31mred\x9b2J\x7f"
CONTROLS = ("\x1b", "\x07", "\x9b", "\x7f")


def test_only_one_module_writes_to_the_terminal() -> None:
    writing = {
        path.relative_to(ROOT).as_posix()
        for path in python_files("app")
        if "typer.echo(" in (text := path.read_text(encoding="utf-8")) or "typer.secho(" in text
    }
    assert writing <= {"app/commands/shared.py", "app/cli.py"}  # cli prints the version


def test_controls_are_shown_and_line_feeds_tabs_and_letters_are_kept() -> None:
    assert shown_safely("a\tb\nnaïve 漢字 🎈") == "a\tb\nnaïve 漢字 🎈"
    assert shown_safely("\x1b[31m\x9b \ud83d\0") == "\\x1b[31m\\x9b \ufffd\ufffd"


def test_documents_read_back_as_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": f"{EVIL}\ud83d"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"text": f"{EVIL}\ud83d"}
    assert not any(control in out for control in CONTROLS)


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize(
    "command", [["attributes", "list", "--project", "Ready"], ["project", "show", "Ready"], ["project", "show", EVIL]]
)
def test_texts_with_terminal_commands_are_printed_as_text(run: Run, command: list[str], options: list[str]) -> None:
    workbench = open_workbench()
    dimension = ready_to_score(workbench)
    with workbench.database.write() as work:  # as an older version stored it
        row = work.think_aloud.contributor(1, "Ada", ContributorKind.HUMAN)
        work.think_aloud.add_attributes(dimension.id, row.id, [f"Order {EVIL} counts."])
    _, out, err = run(*command, *options)
    assert out + err
    assert not any(control in out + err for control in CONTROLS)


@pytest.mark.parametrize("word", ["News\udcff", "a\0b"])
def test_a_damaged_argument_is_a_sentence(run: Run, word: str) -> None:
    status, out, err = run("project", "create", word)
    assert (status, out) == (2, "")
    assert "Argument 3 holds a damaged character" in err


@pytest.mark.parametrize("words", [("project", "create"), ("project", "show"), ("import",)])
def test_a_name_of_100_000_characters_is_a_short_sentence(run: Run, words: tuple[str, ...]) -> None:
    more = ("--project", "New") if words == ("import",) else ()
    status, out, err = run(*words, "x" * 100_000, *more)
    assert (status, out) == (2, "")
    assert len(err) < 300


def test_a_file_whose_name_is_no_utf_8_can_be_imported(run: Run, tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path / "data") + b"\xff.csv")
    Path(path).write_text("text,c\nOne.,1\nTwo.,2\n")
    assert run("import", path, "--project", "New")[0] == 0
