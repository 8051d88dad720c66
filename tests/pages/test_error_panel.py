"""The panel in place of an error that no screen handled."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app.errors import NotFoundError
from pages.components.shell.error_panel import error_panel


def failing() -> None:
    try:
        {"secret text": 1}[st.session_state["wanted"]]
    except KeyError as error:
        assert error_panel(error)
        assert error_panel(error)  # a second time on the same screen
    try:
        raise NotFoundError("There is no run 9.", "Choose another.")
    except NotFoundError as error:
        assert error_panel(error)


def opened(wanted: str) -> AppTest:
    app = AppTest.from_string("from tests.pages.test_error_panel import failing; failing()")
    app.session_state["wanted"] = wanted
    return app.run()


def test_error_panel_shows_a_logged_number_and_not_the_message(caplog: pytest.LogCaptureFixture) -> None:
    app = opened("a text of somebody's")
    assert not app.exception
    number = app.button[0].key.removeprefix("try_again_")
    assert number in app.error[0].value
    assert "somebody" not in app.error[0].value
    logged = [record.getMessage() for record in caplog.records if "error_panel" in record.name]
    assert all(number in line and "somebody" not in line for line in logged) and logged
    assert opened("another text").button[0].key == app.button[0].key, "the same place in the code"


def test_error_panel_of_our_own_error_shows_its_hint() -> None:
    app = opened("a text")
    assert "Choose another" in app.error[-1].value
    assert app.button[-1].key == "try_again_NotFoundError"
