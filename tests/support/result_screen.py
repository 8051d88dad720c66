"""What stands on the Results screen, and a database that no service would leave behind."""

import sqlite3
from pathlib import Path

from streamlit.testing.v1 import AppTest


def shown(app: AppTest) -> str:
    """Every word on the screen, without the marks that keep Markdown from reading names as markup."""
    elements = [*app.markdown, *app.caption, *app.error, *app.warning, *app.info, *app.text, *app.code, *app.metric]
    words = [*(str(element.value) for element in elements), *(section.label for section in app.expander)]
    return "\n".join(words).replace("\\", "")


def change(home: Path, statement: str) -> None:
    """Something in the database that no service would do."""
    with sqlite3.connect(home / "workbench.db") as connection:
        connection.execute(statement)
    connection.close()


def grid(app: AppTest, column: str) -> list[str]:
    """A column of the table of methods that Results opens on, without the marks of Markdown."""
    (methods,) = app.table
    return [str(cell).replace("\\", "").replace("\u00a0", " ") for cell in methods.value[column]]


def table(app: AppTest, column: str) -> list[str]:
    return [str(cell) for frame in app.dataframe if column in frame.value for cell in frame.value[column]]
