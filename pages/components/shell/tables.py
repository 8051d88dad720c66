"""Tables and charts with their downloads."""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from math import ceil
from typing import Any, TypeVar

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.attribute import ContributorKind
from app.domain.chart_colours import LLMS, NEUTRAL, ON_PAPER, PEOPLE
from app.domain.project import Task
from app.services.runtime.output_file import table_csv
from pages.components.shell.labels import button_label, plain

Chart = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart
FILE_WIDTH = 800  # points; a picture on the screen is as wide as its place
SHARPNESS = 3  # pixels for each point of a PNG
PICTURES = ("png", "svg")
_OFFICE = "application/vnd.openxmlformats-officedocument"
TYPES = {
    "csv": "text/csv",
    "db": "application/vnd.sqlite3",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
    "png": "image/png",
    "py": "text/x-python",
    "svg": "image/svg+xml",
    "tex": "application/x-tex",
    "txt": "text/plain",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    "yaml": "application/yaml",
    "zip": "application/zip",
}
"""File name extension -> media type."""


def file_download(label: str, content: bytes | str | Callable[[], bytes], name: str, key: str, **options: Any) -> None:
    """Draw a download button. `content`: the file, or a function that makes it on request. `name`: with its extension.
    `options`: of `st.download_button`."""
    media = TYPES[name.rpartition(".")[2]]
    st.download_button(label, content, name, media, key=key, on_click="ignore", **options)


def picture(
    chart: Chart,
    title: str,
    name: str,
    key: str,
    caption: str,
    own_width: bool = False,
    on_paper: Chart | None = None,
    wide: bool = False,
    about: str = "",
) -> None:
    """Draw a chart with downloads. `title`: above the chart; `about`: its help. `name`: of the files, without
    extension; they are made on request. `own_width`: the chart has a width of its own.

    `caption` is plain text. `on_paper`: the chart for the files, if it differs from that for the screen's theme.
    `wide`: a phone scrolls it sideways instead of narrowing it.
    """
    st.markdown(f"**{plain(title)}**", help=about or None)
    with st.container(key=f"wide_{key}") if wide else nullcontext():
        st.altair_chart(chart, key=key, width="content" if own_width else "stretch")
    st.caption(plain(caption))
    with st.container(horizontal=True):
        for form in PICTURES:
            label = button_label(f"Picture ({form.upper()})", f"of {name.replace('_', ' ').replace('-', ' ')}")
            made = partial(picture_file, on_paper or chart, title, form, own_width)
            file_download(label, made, f"{name}.{form}", f"download_{key}_{form}")


def picture_file(chart: Chart, title: str, form: str, own_width: bool = False) -> bytes:
    """Return the chart as a file. form: png or svg; on a white background, whatever the screen's theme."""
    titled = chart.properties(title=title)
    sized = (titled if own_width else titled.properties(width=FILE_WIDTH)).configure(**ON_PAPER)
    stream = io.BytesIO()
    if form == "png":
        sized.save(stream, format="png", scale_factor=SHARPNESS)
        return stream.getvalue()
    text = io.StringIO()
    sized.save(text, format="svg")
    return text.getvalue().encode()


SHAPES = {
    ContributorKind.HUMAN: ("circle", "square", "diamond", "cross", "M0,-1L.95,-.31L.59,.81L-.59,.81L-.95,-.31Z"),
    ContributorKind.LLM: ("triangle-up", "triangle-down", "triangle-right", "triangle-left", "M-1,-1H1L-1,1H1Z"),
}
STAR = "M0,-1L.22,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.22,-.31Z"


def colours(kinds: Mapping[str, ContributorKind | None]) -> dict[str, str]:
    """Return a colour for each name: blues for people, oranges for LLMs, grey for both together (None)."""
    found, used = {}, {ContributorKind.HUMAN: 0, ContributorKind.LLM: 0}
    for name, kind in kinds.items():
        if kind is None:
            found[name] = NEUTRAL
            continue
        shades = PEOPLE if kind is ContributorKind.HUMAN else LLMS
        found[name] = shades[used[kind] % len(shades)]
        used[kind] += 1
    return found


def colour_scale(kinds: Mapping[str, ContributorKind | None]) -> alt.Scale:
    chosen = colours(kinds)
    return alt.Scale(domain=list(chosen), range=list(chosen.values()))


def shape_scale(kinds: Mapping[str, ContributorKind | None], names: Sequence[str]) -> alt.Scale:
    """Return a different shape for each name: round and square for people, triangles for LLMs, a star for both
    together."""
    shapes, used = [], dict.fromkeys(ContributorKind, 0)
    for name in names:
        kind = kinds[name]
        if kind is None:
            shapes.append(STAR)
            continue
        shapes.append(SHAPES[kind][used[kind] % len(SHAPES[kind])])
        used[kind] += 1
    return alt.Scale(domain=list(names), range=shapes)


def column_names(key: str, widths: Sequence[int], names: Sequence[str]) -> None:
    """Draw the row of names, which are Markdown already; a phone hides it."""
    with st.container(key=f"column_names_{key}"):
        for column, name in zip(st.columns(widths), names, strict=True):
            column.caption(name)


def named_value(name: str, value: str) -> str:
    """Return Markdown of a value; only a phone shows its name. Both are Markdown already."""
    return f":gray-background[{name}] {value}"


def show_table(
    rows: pd.DataFrame | Sequence[Mapping[str, object]],
    key: str,
    columns: Mapping[str, Any] | None = None,
    *,
    drop_empty: str = "",
    **options: Any,
) -> None:
    """Draw a table. `columns`: how each is shown. `drop_empty`: a column that is left out if it is empty. `options`: of
    `st.dataframe`."""
    table = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows)
    if drop_empty and not table[drop_empty].any():
        table = table.drop(columns=drop_empty)
    st.dataframe(
        table,
        placeholder="–",
        hide_index=True,
        key=key,
        column_config=None if columns is None else dict(columns),
        **options,
    )


Entry = TypeVar("Entry")


def ticked_table(
    entries: Sequence[Entry],
    table: Callable[[Sequence[Entry]], pd.DataFrame],
    opened: Callable[[Entry | None], None],
    columns: Mapping[str, Any],
    key: str,
    page_size: int,
) -> None:
    """Draw a table in pages. `table` returns a page of entries as a table, a row each. `opened` is called with the
    ticked entry, None for a removed tick. `page_key(key)` is the shown page."""
    pages = ceil(len(entries) / page_size)
    number = st.pagination(pages, key=page_key(key)) if pages > 1 else 1
    page = entries[(number - 1) * page_size : number * page_size]
    of_page = f"{key}_{number}"

    def chosen() -> None:
        ticked = st.session_state[of_page]["selection"]["rows"]
        opened(page[ticked[0]] if ticked else None)

    st.dataframe(
        table(page),
        placeholder="–",
        hide_index=True,
        key=of_page,
        on_select=chosen,
        selection_mode="single-row",
        column_config=dict(columns),
        height="content",
    )


def page_key(key: str) -> str:
    return f"{key}_page"


WRITER = "System"
"""Name of the writers' column before `with_writers`."""


def writer_word(task: Task) -> str:
    """Return the task's word for writers as a heading: System, Agent, Student."""
    return task.writer_name[:1].upper() + task.writer_name[1:]


def with_writers(table: pd.DataFrame, task: Task) -> pd.DataFrame:
    """Return the table with the project's word for writers as heading, unless another column has that name; without
    that column if no text has a writer."""
    if not table[WRITER].any():
        return table.drop(columns=WRITER)
    word = writer_word(task)
    return table if word in table.columns else table.rename(columns={WRITER: word})


def csv_download(label: str, rows: pd.DataFrame, name: str) -> None:
    """Draw a download. `name`: of the file, without extension. It is made on request."""
    file_download(label, lambda: table_csv(rows), f"{name}.csv", f"download_{name}")


def latex_download(label: str, make: Callable[[], bytes], name: str) -> None:
    """Draw a download as csv_download, of a table for a paper."""
    file_download(label, make, f"{name}.tex", f"download_{name}_tex")


_ROW = st.column_config.NumberColumn(width=60, help="Counted from 1 as in the file.")


def left_out_rows(title: str, rows: Sequence[tuple[int, str]], key: str, file_name: str) -> None:
    """Draw left-out rows and their download. rows: (number, reason). `title` is Markdown."""
    table = pd.DataFrame(rows, columns=["Row", "Reason"])
    st.markdown(title)
    show_table(table, key, {"Row": _ROW}, height=min(260, 38 + 35 * len(table)))
    csv_download("Download the list", table, file_name)
