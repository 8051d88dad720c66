"""Dimensions that can be scored: those with a published checklist, and drafts one click away from it."""

from collections.abc import Sequence

import streamlit as st

from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.project import Project
from app.domain.task import Dimension
from app.services.checklists.checklists import versions_of_each
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.kept_typing import unsaved_typing
from pages.components.shell.checklists.publishing import EDITED_HERE, publish_steps
from pages.components.shell.frame import empty
from pages.components.shell.navigation.screens import link
from pages.components.shell.words import button_label, plain


def dimensions_with_checklist(workbench: Workbench, project: Project) -> list[tuple[Dimension, Checklist]]:
    """The dimensions that can be scored with the checklist each would use; what keeps the others is shown."""
    dimensions = dimensions_named(workbench, project.name, "all")
    versions = versions_of_each(workbench, [dimension.id for dimension in dimensions])
    if not any(versions.values()):
        todo = "Build one, then score with it, or choose a method that needs none."
        empty("No dimension has a checklist yet.", todo, "build", "Build the checklist")
        return []
    ready = []
    unsaved_typing(*EDITED_HERE)
    for dimension in dimensions:
        published = _newest(versions[dimension.id], ChecklistStatus.PUBLISHED)
        if published is not None:
            ready.append((dimension, published))
        _offer_draft(workbench, dimension, published, versions[dimension.id])
    return ready


def _newest(versions: Sequence[Checklist], status: ChecklistStatus) -> Checklist | None:
    return max((v for v in versions if v.status is status), key=lambda v: v.version, default=None)


def _offer_draft(
    workbench: Workbench, dimension: Dimension, published: Checklist | None, versions: Sequence[Checklist]
) -> None:
    draft = _newest(versions, ChecklistStatus.DRAFT)
    name = f"**{plain(dimension.name)}**"
    if draft is None and published is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{name} has no checklist yet, so it can't be scored.", width="content")
            link("build", "Build one")
        return
    if draft is None or (published is not None and draft.version < published.version):
        return
    now = (
        f"is scored with version {published.version}; version {draft.version}" if published else "has only a draft: it"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"{name} {now} has {len(draft.asked)} questions and can still be edited. Publishing fixes its wording.",
            width="content",
        )
        label = button_label(f"Publish version {draft.version} and use it", f"for {dimension.name}")
        publish_steps(workbench, draft, label, f"publish_{draft.id}", "secondary")
