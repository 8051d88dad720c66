"""Attributes to take away: everybody's, or those of the contributors that are ticked."""

from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute, Contributor
from app.domain.task import Dimension
from app.services.attributes.attribute_files import attribute_file
from pages.components.shell.contributor_choice import contributor_choice

_FILES = {"text": ("Text, one per line", "txt"), "json": ("JSON", "json"), "csv": ("Table (CSV)", "csv")}


def attribute_downloads(
    attributes: Sequence[Attribute], contributors: Sequence[Contributor], dimension: Dimension
) -> None:
    unfolded = st.expander("Choose contributors and download their attributes", key="take_away", on_change="rerun")
    if not unfolded.open:  # files of thousands of attributes are made when they are wanted
        return
    with unfolded:
        chosen, condition = contributor_choice(attributes, f"take_{dimension.id}")
        found = [a for a in attributes if a.contributor in chosen]
        if left_out := len(found) - condition.size:
            st.caption(f"The files also hold the {left_out:,} that are left out, with the reason.")
        with st.container(horizontal=True):
            for form, (label, ending) in _FILES.items():
                st.download_button(
                    label,
                    attribute_file(found, contributors, form),
                    f"attributes.{ending}",
                    key=f"take_{form}",
                    on_click="ignore",
                    disabled=not found,
                )
