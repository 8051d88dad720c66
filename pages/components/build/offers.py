"""Offers, where a new answer differs from what a person edited: both side by side, the person chooses."""

from functools import partial

import streamlit as st

from app.domain.build import Stage
from app.services.building.build_edits import keep_mine, take_new
from app.services.building.build_state import BuildView
from app.services.runtime.workbench import Workbench
from pages.components.build.change import save_edit
from pages.components.shell.words import button_label, number, plain


def offers(workbench: Workbench, view: BuildView, stage: Stage) -> None:
    found = [offer for offer in view.offers if offer.stage is stage]
    if not found:
        return
    with st.container(border=True, key=f"offers_{view.id}_{stage}"):
        st.markdown(
            f"**The new answer differs from {number(len(found), 'edit')} of yours.** Yours stands until you choose."
        )
        for offer in found:
            key = f"{view.id}_{stage}_{offer.item}"
            words, keep, take = st.columns([6, 1.3, 1.3], vertical_alignment="center")
            said = f"**{plain(view.attributes[offer.item].text)}**  \n" if stage is Stage.CLUSTERS else ""
            words.markdown(f"{said}Yours: {plain(offer.mine)}  \nNew: {plain(offer.new) or '*none any more*'}")
            about = f"for {view.attributes[offer.item].text}" if stage is Stage.CLUSTERS else offer.mine
            keep.button(
                button_label("Keep mine", about),
                key=f"keep_{key}",
                on_click=save_edit,
                args=[workbench, view.id, "kept an edit", partial(keep_mine, workbench, view.id, stage, offer.item)],
            )
            take.button(
                button_label("Take the new one", about),
                key=f"take_{key}",
                on_click=save_edit,
                args=[
                    workbench,
                    view.id,
                    "took a new answer",
                    partial(take_new, workbench, view.id, stage, offer.item),
                ],
            )
