"""What commands say beside their results."""

import pytest

from app.commands.shared import say_where_of


def test_failures_on_record_are_explained_once_a_kind(capsys: pytest.CaptureFixture[str]) -> None:
    say_where_of(["timeout", "no-key", "timeout"])
    page = "See: guide, Reference, When a model doesn't answer"
    assert capsys.readouterr() == ("", f"{page}, timeout\n{page}, no-key\n")
