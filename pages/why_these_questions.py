"""Lineage: where every question comes from, and what became of every attribute."""

import json

import streamlit as st

from app.domain.model_call import model_label
from app.domain.roles_and_rights import Right
from app.errors import WorkbenchError
from app.services.building.build_state import builds_of
from app.services.checklists.checklists import versions_of
from app.services.checklists.lineage import lineage_document, lineage_of_build, lineage_of_version
from app.services.runtime.workbench import may
from pages.components.shell.blinding import open_attributes
from pages.components.shell.current import current_workbench, listed_choice
from pages.components.shell.frame import empty, needs_dimension
from pages.components.shell.labels import number, plain, show_error
from pages.components.shell.tables import file_download
from pages.components.why_these_questions import back, forward, shown_picture, unserved

OF, PART = "of", "lineage_part"
workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Why these questions",
    "Which attributes each question rests on, who said them, and what was left out on the way.",
)
open_attributes(workbench, project, dimension, "where the questions come from")
versions = versions_of(workbench, dimension.id)
builds = builds_of(workbench, dimension.id) if may(workbench, Right.EDIT, dimension_id=dimension.id) else []
options = [*(str(v.version) for v in versions), *(f"build-{build.id}" for build in builds[:1])]
if not options:
    empty("There is no checklist yet.", "Build one from the attributes.", "how_it_was_made", "Build the checklist")
    st.stop()
labels = {one: "Build in progress" if one.startswith("build-") else f"Version {one}" for one in options}
chosen = listed_choice(OF, options, options[0], "Checklist", labels.__getitem__, width=320)
try:
    view = (
        lineage_of_build(workbench, builds[0].id)
        if chosen.startswith("build-")
        else lineage_of_version(workbench, dimension.id, int(chosen))
    )
except WorkbenchError as error:
    show_error(error)
    st.stop()

lost = len(view.lineage.unserved)
by_hand = f" {number(len(view.lineage.by_hand), 'question')} added by hand." if view.lineage.by_hand else ""
st.markdown(
    f"{number(len(view.checklist.asked), 'question')} on {number(len(view.lineage.serving), 'attribute')} of "
    f"{number(len(view.reaches), 'contributor')}; {number(lost, 'attribute')} behind no question.{by_hand}"
)
if view.silent:
    names = ", ".join(map(model_label, view.silent))
    st.warning(plain(f"No question rests on what these said: {names}."), icon=":material/person_off:")
seen, tree, people, left = st.tabs(
    ["Picture", "From questions back", "From contributors on", f"Left behind ({lost})"], on_change="rerun", key=PART
)
if seen.open:
    with seen:
        shown_picture(view, dimension)
if tree.open:
    with tree:
        forward(view)
if people.open:
    with people:
        back(view)
if left.open:
    with left:
        unserved(view)
file_download(
    "Lineage as JSON",
    lambda: json.dumps(lineage_document(view), ensure_ascii=False, indent=2).encode(),
    f"lineage-{dimension.name}.json",
    "download_lineage",
)
