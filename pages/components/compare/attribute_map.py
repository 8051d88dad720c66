"""All attributes as points: near ones share words, colour and shape say who said them."""

import altair as alt
import pandas as pd
import streamlit as st

from app.services.attributes.analysis import UniqueAttributes
from pages.components.compare.compared_names import Names
from pages.components.compare.embedding_choice import embedding_words
from pages.components.shell.kind_colours import colour_scale, shape_scale
from pages.components.shell.picture import picture
from pages.components.shell.words import plain

HEIGHT = 430


def attribute_map(found: UniqueAttributes, names: Names, dimension_id: int) -> None:
    if found.map.reason:
        st.markdown(plain(found.map.reason))
        return
    held, seen_by = sum(found.map.explained), embedding_words(found.map.embedding)
    picture(
        _chart(found, names),
        "attribute_map",
        f"attribute_map_{dimension_id}",
        "Each point is an attribute; point at it to read it. Points that lie close are alike. "
        f"The two axes hold {held:.0%} of all differences (principal components of {seen_by}), so "
        "points may lie close and yet differ.",
    )


def map_rows(found: UniqueAttributes, names: Names) -> pd.DataFrame:
    pool = found.pool
    alone = {n.attribute for listed in found.kinds.unique.values() for n in listed}
    return pd.DataFrame(
        {
            "contributor": [names.contributor(owner) for owner in pool.owners],
            "kind": [names.kind(names.kinds[owner]) for owner in pool.owners],
            "attribute": pool.texts,
            "x": [x for x, _ in found.map.points],
            "y": [y for _, y in found.map.points],
            "only this side": ["yes" if i in alone else "no" for i in range(len(pool))],
        }
    )


def _chart(found: UniqueAttributes, names: Names) -> alt.Chart:
    kinds = {names.contributor(name): names.kinds[name] for name in found.pool.contributors}
    sided = {kind for kind in kinds.values() if kind is not None}
    order = list(kinds)
    tooltip = [
        alt.Tooltip("contributor:N", title="Who"),
        alt.Tooltip("attribute:N", title="Said"),
    ]
    if len(sided) > 1:
        tooltip.append(alt.Tooltip("only this side:N", title="Nothing like it on the other side"))
    hidden = alt.Axis(labels=False, ticks=False, domain=False, grid=False, title=None)
    legend = alt.Legend(orient="top", title=None, labelLimit=260, symbolSize=130)
    chart: alt.Chart = (
        alt.Chart(map_rows(found, names))
        .mark_point(filled=True, size=110, opacity=0.9)
        .encode(
            x=alt.X("x:Q", axis=hidden),
            y=alt.Y("y:Q", axis=hidden),
            color=alt.Color("contributor:N", sort=order, scale=colour_scale(kinds), legend=legend),
            shape=alt.Shape("contributor:N", sort=order, scale=shape_scale(kinds, order), legend=legend),
            tooltip=tooltip,
        )
        .properties(height=HEIGHT)
    )
    return chart
