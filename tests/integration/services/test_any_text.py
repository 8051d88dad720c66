"""Whatever people write is kept to the letter, whichever way it comes in, and nothing blank becomes an attribute."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import build
from app.domain.attribute import ContributorKind
from app.errors import InputError
from app.services.attributes.attribute_changes import edit_attribute
from app.services.attributes.attributes import attributes_of, import_attributes
from app.services.attributes.near_duplicates import near_duplicates
from app.services.data.projects import get_project, one_dimension
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.think_aloud.independence import add_own_attribute
from app.services.think_aloud.transcripts import accept, propose_attributes, save_transcript
from app.settings import settings
from tests.support.projects import ready_to_score

TEXTS = {
    "long": "word " * 999 + "and 🎈",
    "right-to-left": "يقرأ النص من اليمين إلى اليسار (שלום)",
    "emoji": "👩‍👩‍👧‍👦 families 🇵🇱 stay together 🎈",
    "html": "<b>bold</b> <script>alert('x')</script> &amp; <img src=x onerror=alert(1)>",
    "markdown": "**stars** :red[red] $x$ [link](javascript:alert(1)) `code`",
    "formula": "=SUM(A1:A9) + {{ task }}",
    "separators": "one\u2028line\u0085still the\x0bsame",
    "quotes": "She said \"no, 'never'\"; DROP TABLE attribute; -- 100 % \\n",
}


def _screen(workbench: Workbench, text: str, _: Path) -> None:
    add_own_attribute(workbench, 1, "Ada", text)


def _paste(workbench: Workbench, text: str, _: Path) -> None:
    import_attributes(workbench, 1, "Ada", ContributorKind.HUMAN, text)


def _file(workbench: Workbench, text: str, _: Path) -> None:
    import_attributes(workbench, 1, "Ada", ContributorKind.HUMAN, text.encode())


def _json_file(workbench: Workbench, text: str, _: Path) -> None:
    import_attributes(workbench, 1, "Ada", ContributorKind.HUMAN, json.dumps({"1": text}).encode())


def _command(workbench: Workbench, text: str, folder: Path) -> None:
    file = folder / "said.txt"
    file.write_bytes(text.encode())
    words = ["attributes", "add", str(file), "--project", "Ready", "--dimension", "coherence"]
    result = CliRunner().invoke(build(), [*words, "--contributor", "Ada", "--kind", "human"])
    if result.exception:
        raise result.exception


def _transcript(workbench: Workbench, text: str, _: Path) -> None:
    number = save_transcript(workbench, 1, "Ada", text)
    project, dimension = get_project(workbench, "Ready"), one_dimension(workbench, "Ready", "coherence")
    (proposal,) = propose_attributes(workbench, project, dimension, number)
    accept(workbench, proposal.id)


def _edit(workbench: Workbench, text: str, _: Path) -> None:
    before = f"before {len(attributes_of(workbench, 1))}"
    edit_attribute(workbench, add_own_attribute(workbench, 1, "Ada", before), text)


WAYS = (_screen, _paste, _file, _json_file, _command, _transcript, _edit)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))
    settings.cache_clear()
    workbench = open_workbench()
    ready_to_score(workbench)
    yield workbench
    settings.cache_clear()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_every_text_is_kept_to_the_letter(
    bench: Workbench, tmp_path: Path, way: Callable[[Workbench, str, Path], None]
) -> None:
    for text in TEXTS.values():
        way(bench, text, tmp_path)
    assert [a.text for a in attributes_of(bench, 1)] == list(TEXTS.values())


def test_blank_input_is_refused_with_what_to_do(bench: Workbench, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for way, blank in itertools.product(WAYS, ("", "  \n\t ", "\u2003\u3000")):
        with subtests.test(f"{way.__name__} {blank!r}"):
            with pytest.raises(InputError) as refused:
                way(bench, blank, tmp_path)
            assert refused.value.hint


@pytest.mark.long
def test_two_thousand_attributes_come_in_and_are_compared(bench: Workbench) -> None:
    many = "\n".join(f"Point {number}: {text}" for number, text in enumerate(list(TEXTS.values())[1:5] * 500))
    assert len(import_attributes(bench, 1, "Ada", ContributorKind.HUMAN, many)) == 2000
    found = attributes_of(bench, 1)
    assert "\n".join(a.text for a in found) == many
    assert near_duplicates(found)
