"""A table to fill in, for those whose texts are in no file yet, or in one of another shape."""

from functools import partial

import streamlit as st

from app.domain.project import Project
from app.services.data.import_templates import TEMPLATE_FORMATS, preset_template, project_template
from app.services.data.projects import preset_names
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import button_label

OTHER_KIND = "something else"
MEDIA = {
    "xlsx": ("Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "csv": ("CSV", "text/csv"),
}


def import_template(workbench: Workbench, project: Project | None) -> None:
    """With the columns of the open project, or of a kind of texts, and a row that shows what goes where."""
    with st.expander("Download a template to fill in", key="import_template"):
        if project is None:
            kinds = [*preset_names(), OTHER_KIND]
            kind = st.selectbox("What are your texts?", kinds, key="template_kind")
            make = partial(preset_template, "" if kind == OTHER_KIND else kind)
        else:
            make = partial(project_template, workbench, project)
        with st.container(horizontal=True):
            for format_name in TEMPLATE_FORMATS:
                title, media = MEDIA[format_name]
                st.download_button(
                    button_label(title, "template"),
                    partial(make, format_name),
                    f"template.{format_name}",
                    media,
                    key=f"template_{format_name}",
                    on_click="ignore",
                )
