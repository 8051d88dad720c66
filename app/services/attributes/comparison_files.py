"""Pictures and tables of topics and similarity: SVG, CSV and LaTeX."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from app.attribute_analysis.similarity import SetComparison, Similarity
from app.attribute_analysis.topics.grouping import TopicGrouping
from app.domain.attribute import ContributorKind
from app.domain.model_call import model_label
from app.errors import InputError, NotReadyError
from app.export.charts import Chart, LikenessCell, SpreadRow, chart_svg, likeness_grid, spread_chart
from app.export.latex import interval_shown, latex_tabular
from app.services.runtime.output_file import output_file, table_csv

__all__ = ["spread_chart"]
Label = Callable[[str], str]
SPREAD_TITLE = "Topic spread per contributor"
FIELDS = {"ROUGE-L": "rouge_l", "Jaccard": "jaccard", "Cosine": "cosine"}
_KINDS = list(ContributorKind)
_SHARES_WORDS = 3


def spread_rows(
    grouping: TopicGrouping, kinds: Mapping[str, ContributorKind], label: Label = model_label
) -> tuple[SpreadRow, ...]:
    """Return a row for each contributor whose attributes have topics: people, then LLMs, then unknown kinds; within
    these the highest spread first."""
    rows = [
        SpreadRow(
            label(name),
            kinds[name].value if name in kinds else "",
            spread.n,
            shares.spread,
            shares.spread_interval.low,
            shares.spread_interval.high,
            spread.chance,
            spread.chance_interval.low,
            spread.chance_interval.high,
        )
        for name, spread in grouping.spreads.items()
        if (shares := spread.by_top_topic) is not None
        and spread.chance is not None
        and spread.chance_interval is not None
    ]
    places = {kind.value: place for place, kind in enumerate(_KINDS)}
    return tuple(sorted(rows, key=lambda row: (places.get(row.kind, len(places)), row.spread, row.contributor)))


def topic_table(grouping: TopicGrouping, rows: tuple[SpreadRow, ...]) -> pd.DataFrame:
    """Return a table with a row for each contributor: number of attributes, spread and chance with their intervals, and
    the share of each topic."""
    shares = {model_label(name): spread.by_top_topic for name, spread in grouping.spreads.items()}
    found = []
    for row in rows:
        values = shares[row.contributor]
        assert values is not None
        named = {
            f"{topic.id}: {', '.join(topic.words[:_SHARES_WORDS])}": share
            for topic, share in zip(grouping.topics, values.values, strict=True)
        }
        found.append(
            {
                "contributor": row.contributor,
                "kind": row.kind,
                "attributes": row.attributes,
                "spread": row.spread,
                "spread_low": row.low,
                "spread_high": row.high,
                "chance": row.chance,
                "chance_low": row.chance_low,
                "chance_high": row.chance_high,
                **named,
            }
        )
    return pd.DataFrame(found)


def topics_latex(grouping: TopicGrouping, rows: tuple[SpreadRow, ...], label: Label = model_label) -> bytes:
    """Return a LaTeX table of contributors by topic (shares) with spread and chance; the caption has the topics'
    words."""
    shares = {label(name): spread.by_top_topic for name, spread in grouping.spreads.items()}
    headings = ["Contributor", "Kind", "n", *(f"Topic {topic.id}" for topic in grouping.topics), "Spread", "Chance"]
    cells = []
    for row in rows:
        values = shares[row.contributor]
        assert values is not None
        cells.append(
            [
                row.contributor,
                row.kind,
                str(row.attributes),
                *(f"{value:.2f}" for value in values.values),
                interval_shown(row.spread, row.low, row.high),
                interval_shown(row.chance, row.chance_low, row.chance_high),
            ]
        )
    words = "; ".join(f"{topic.id}: {', '.join(topic.words[:5])}" for topic in grouping.topics)
    notes = [
        f"Spread: standard deviation of the shares [middle 95 % over {grouping.varied}]; chance: the spread of as many "
        "attributes on topics at random [95 %].",
        f"{grouping.model}. Topics: {words}.",
    ]
    return latex_tabular("Shares of attributes by topic.", headings, cells, notes).encode()


def likeness_rows(found: SetComparison, label: Label = model_label) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Set": label(a),
                "and": label(b) if a != b else "itself",
                "Attributes": _sizes(found, a, b),
                "Pairs": value.pairs,
                **{name: getattr(value, field) for name, field in FIELDS.items()},
            }
            for a, b, value in _cells(found)
        ]
    )


def likeness_chart(found: SetComparison, measure: str, label: Label = model_label) -> Chart:
    cells = _cells(found)
    both = cells + [(b, a, value) for a, b, value in cells if a != b]
    return likeness_grid(
        [
            LikenessCell(label(a), label(b), getattr(value, FIELDS[measure]), value.pairs, _sizes(found, a, b))
            for a, b, value in both
        ],
        measure,
    )


def likeness_latex(found: SetComparison, label: Label = model_label) -> bytes:
    rows = likeness_rows(found, label)
    cells = [[_cell(value) for value in row] for row in rows.itertuples(index=False)]
    notes = [f"Means over pairs. Cosine of {found.embedding}."]
    return latex_tabular("Similarity within and between sets.", list(rows.columns), cells, notes).encode()


def write_topics(path: Path, grouping: TopicGrouping, kinds: Mapping[str, ContributorKind]) -> None:
    """Write the dot plot (.svg) or the table (.csv, .tex). Raises InputError for another ending, NotReadyError without
    topics."""
    rows = spread_rows(grouping, kinds)
    if not rows:
        raise NotReadyError(grouping.warning or "There are no topics to show.", "Add attributes.")
    _write(
        path,
        {
            ".svg": lambda: chart_svg(spread_chart(rows, len(grouping.topics)), SPREAD_TITLE),
            ".csv": lambda: table_csv(topic_table(grouping, rows)),
            ".tex": lambda: topics_latex(grouping, rows),
        },
    )


def write_similarity(path: Path, found: SetComparison) -> None:
    """Write the heat map of ROUGE-L (.svg) or the table of all (.csv, .tex). Raises InputError for another
    ending."""
    _write(
        path,
        {
            ".svg": lambda: chart_svg(likeness_chart(found, "ROUGE-L"), "Similarity: ROUGE-L", own_width=True),
            ".csv": lambda: table_csv(likeness_rows(found)),
            ".tex": lambda: likeness_latex(found),
        },
    )


def _write(path: Path, by_ending: Mapping[str, Callable[[], bytes]]) -> None:
    make = by_ending.get(path.suffix.lower())
    if make is None:
        raise InputError(
            f"This can't be written as “{path.suffix or path.name}”.", f"End the name in {', '.join(by_ending)}."
        )
    content = make()
    with output_file(path) as file:
        file.write_bytes(content)


def _cells(found: SetComparison) -> list[tuple[str, str, Similarity]]:
    within = [(code, code, value) for code, value in found.within.items()]
    return within + [(a, b, value) for (a, b), value in found.between.items()]


def _sizes(found: SetComparison, a: str, b: str) -> str:
    return str(found.sizes[a]) if a == b else f"{found.sizes[a]} and {found.sizes[b]}"


def _cell(value: str | float | None) -> str:
    if pd.isna(value):
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
