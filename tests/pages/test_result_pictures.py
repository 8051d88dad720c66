"""Pictures of Results: charts are kept for as long as they are true."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from streamlit.testing.v1 import AppTest

from app.services.runtime.workbench import Workbench

Open = Callable[..., AppTest]


def drawn(app: AppTest) -> list[bytes]:
    return [data.data.data for chart in app.get("vega_lite_chart") for data in chart.proto.datasets]


def test_charts_change_with_a_rating_and_not_with_the_level(demo: Workbench, home: Path, open_screen: Open) -> None:
    app = open_screen("results", view="details", open="pictures")
    first = drawn(app)
    app.button_group(key="level").set_value("dataset").run()
    assert drawn(app) == first != []
    with closing(sqlite3.connect(home / "workbench.db")) as connection, connection:
        connection.execute("UPDATE rating SET value = 6 - value WHERE id IN (1, 2, 4)")
    app.run()
    assert not app.exception
    assert drawn(app) != first
