"""Disagreements: where experts, judges and a judge's repeats part, one at a time, for a facilitator to decide."""

import streamlit as st

from app.domain.roles_and_rights import Right
from app.services.disagreements.queue import disagreement_queue
from app.services.runtime.workbench import may
from pages.components.disagreements import (
    chosen_version,
    is_listed,
    last_decision,
    nothing_here,
    one_pair,
    pair_list,
    queue_filter,
    shown_pair,
)
from pages.components.shell.blinding import open_answers, open_attributes
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import needs_dimension

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Disagreements",
    "Where experts, judges or a judge's own repeats disagree. What is decided holds from then on; nobody's own answer "
    "changes.",
)
open_attributes(workbench, project, dimension, "what each question answered")
open_answers(workbench, dimension)
queue = disagreement_queue(workbench, chosen_version(workbench, dimension).id)
decides = may(workbench, Right.FACILITATE, dimension_id=dimension.id)
last_decision(workbench, decides)
if queue.carried.answers:
    st.caption(f"Experts: {queue.carried}")
pairs = queue.matching(queue_filter(queue))
pair = shown_pair(queue, pairs)
if pair is None:
    nothing_here(queue)
elif is_listed() and pairs:
    pair_list(workbench, project, pairs)
else:
    one_pair(workbench, project, queue, pairs, pair, decides)
