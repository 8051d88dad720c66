"""One tiny question that shows whether a model answers."""

import asyncio

import streamlit as st

from app.errors import WorkbenchError
from app.services.runtime.models import test_model
from app.services.runtime.workbench import Workbench
from pages.components.shell.runs.model_choice import model_choice
from pages.components.shell.words import model_label, plain, show_error


def connection_test(workbench: Workbench) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="connection_test"):
        name = model_choice(
            workbench, "Model", "model_to_test", "The model that gets one tiny question.", "Or type it above."
        )
        pressed = st.button(
            "Test connection",
            key="test_connection",
            type="primary",
            disabled=not name,
            help="Asks one yes/no question about a text of two sentences. With a paid model that costs a fraction of "
            "a cent.",
        )
    if not pressed:
        return
    try:
        with st.spinner("Waiting for its answer"):
            seconds = asyncio.run(test_model(workbench, name))
    except WorkbenchError as error:
        show_error(error)
    else:
        taken = f"{seconds:.1f} seconds" if seconds >= 0.1 else "less than a tenth of a second"
        st.success(f"{plain(model_label(name))} answered in {taken}.", icon=":material/check_circle:")
