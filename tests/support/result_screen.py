"""What stands on the Results screen, and a database that no service would leave behind."""

import sqlite3
from pathlib import Path

from streamlit.testing.v1 import AppTest


def shown(app: AppTest) -> str:
    """Every word on the screen, without the marks that keep Markdown from reading names as markup."""
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.info, *app.text, *app.code, *app.metric]
    return "\n".join(str(element.value) for element in elements).replace("\\", "")


def change(home: Path, statement: str) -> None:
    """Something in the database that no service would do."""
    with sqlite3.connect(home / "workbench.db") as connection:
        connection.execute(statement)
    connection.close()


def table(app: AppTest, column: str) -> list[str]:
    return [str(cell) for frame in app.dataframe if column in frame.value for cell in frame.value[column]]
