"""The app's entry: settings, migrations, navigation. Nothing else."""

from pathlib import Path

import streamlit as st

from app.domain.roles_and_rights import NOBODY
from app.errors import NotAllowedError, WorkbenchError
from app.services.runtime.endpoint_models import endpoint_models
from pages.components.shell import frame
from pages.components.shell.browser.page_scripts import page_scripts
from pages.components.shell.current import (
    current_workbench,
    set_expert_from_address,
    stay_offline,
    take_choice,
    take_press,
)
from pages.components.shell.labels import show_error
from pages.components.shell.navigation.screens import (
    draw_navigation,
    is_open,
    name_of,
    navigation,
    rooms,
    top_bar,
    tour,
)

stay_offline()  # here too, for `streamlit run app/main.py`
st.set_page_config(
    page_title="InteractEval Workbench",
    page_icon=str(Path(__file__).parent / "static" / "icon.svg"),
    layout="wide",
    initial_sidebar_state=220,
)
try:
    workbench = current_workbench()
except WorkbenchError as error:
    st.title("The workbench can't open", anchor=False)
    show_error(error)
    st.stop()
if workbench.actor == NOBODY:
    st.title("You are signed out", anchor=False)
    st.markdown("Open your own link again, or ask the project's facilitator for a new one.")
    st.stop()
endpoint_models(workbench, patience=0)  # asked in the background, so that every screen can offer them
page = navigation()
frame.apply()
page_scripts(workbench.actor.person)
take_choice()
set_expert_from_address(workbench)
here = name_of(page)
take_press(here)
project, steps = top_bar(workbench, here)
draw_navigation(workbench, project, here, steps)
rooms(here)
tour(workbench, project, here)
try:
    if not is_open(here):
        st.title(page.title, anchor=False)
        raise NotAllowedError("This screen isn't part of what you do in this project.", "Go to Overview.")
    page.run()
except NotAllowedError as refused:
    show_error(refused)
