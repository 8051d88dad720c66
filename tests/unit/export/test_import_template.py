"""A template comes back in as it was meant, without a mapping."""

from pathlib import Path

import openpyxl
import pytest

from app.corpora.presets import PRESETS, load_preset
from app.errors import FileFormatError
from app.services.data.imports import TEMPLATE_FORMATS, preset_template
from tests.support.corpora import read_corpus


@pytest.mark.parametrize(
    ("preset", "format_name"), [*((preset, "csv") for preset in PRESETS), *(("", name) for name in TEMPLATE_FORMATS)]
)
def test_its_columns_are_guessed_as_they_are_meant(tmp_path: Path, preset: str, format_name: str) -> None:
    path = tmp_path / f"template.{format_name}"
    path.write_bytes(preset_template(preset, format_name))
    corpus = read_corpus(path, format_name)
    roles = [(use.role, use.dimension) for use in corpus.columns]
    dimensions = [d.name for d in load_preset(preset).dimensions] if preset else ["overall"]
    assert [role for role, _ in roles if role != "rating"] == ["text", "source", "system_id"]
    assert [dimension.casefold() for role, dimension in roles if role == "rating"] == [d.casefold() for d in dimensions]
    assert len(corpus.texts) == 1
    assert not corpus.skipped


def test_the_workbook_keeps_its_header_in_sight(tmp_path: Path) -> None:
    path = tmp_path / "template.xlsx"
    path.write_bytes(preset_template("learner essays", "xlsx"))
    sheet = openpyxl.load_workbook(path).active
    assert sheet.freeze_panes == "A2"
    assert sheet["A1"].value == "essay"


def test_another_format_is_refused() -> None:
    with pytest.raises(FileFormatError, match="no format for a template"):
        preset_template("", "docx")
