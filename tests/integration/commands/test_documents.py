"""The reference shows the JSON documents as the commands print them."""

from pathlib import Path

import pytest

from tests.support.guide.documents_page import PAGE, documents_page
from tests.support.guide.json_walk import JSON_COMMANDS


@pytest.mark.long
def test_the_reference_shows_what_commands_print(tmp_path: Path) -> None:
    """Where it doesn't any more: make documents."""
    assert documents_page(tmp_path) == PAGE.read_text(encoding="utf-8")


def test_every_command_that_prints_json_has_its_document() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [words for words in JSON_COMMANDS if f"\n## {words}\n" not in page] == []
