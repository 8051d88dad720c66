"""Prompts in this project's wordings."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.domain.project import Dimension, Task
from app.services.runtime.prompts import ProjectPrompt, difference, preview_prompt, save_wording, use_wording
from app.services.runtime.workbench import Workbench
from pages.components.shell import labels as local_time
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import listed_choice
from pages.components.shell.labels import ShownErrors, plain, show_saved_error

CHOSEN = "prompt"
_SAVING, _USING = "saving", "using"  # what was done is said beside the button that did it
VARIABLES = (
    "What stands between {{ }} is filled in for each request; {% %} are conditions and lists. The names stay as they "
    "are, and so does the form of the answer, because the program relies on both."
)


def choice(prompts: Sequence[ProjectPrompt]) -> ProjectPrompt:
    """Draw the choice of a prompt and return it; it stays in the address."""
    by_name = {prompt.name: prompt for prompt in prompts}
    first = prompts[0].name
    name = listed_choice(CHOSEN, list(by_name), first, "Prompt", lambda one: _label(by_name[one]))
    st.markdown(plain(by_name[name].description))
    return by_name[name]


def _label(prompt: ProjectPrompt) -> str:
    return f"{prompt.title} · {_wording_name(prompt.in_use)}" if prompt.in_use else prompt.title


def _wording_name(number: int) -> str:
    return f"own wording {number}" if number else "built-in wording"


def wordings(workbench: Workbench, project_id: int, prompt: ProjectPrompt) -> int:
    """Draw the choice of a wording and the button that puts it into use; return the wording's number."""
    made = {own.number: f", {local_time.said(own.created_at, local_time.LONG)}" for own in prompt.own}
    numbers = [prompt.in_use, *(number for number in [*made, 0] if number != prompt.in_use)]

    def label(number: int) -> str:
        used = " · in use" if number == prompt.in_use else ""
        return f"{_wording_name(number).capitalize()}{made.get(number, '')}{used}"

    shown = st.selectbox(
        "Wording", numbers, format_func=label, key=f"wording_of_{prompt.name}_{len(made)}_{numbers[0]}"
    )
    if shown != prompt.in_use:
        st.button(
            f"Use the {_wording_name(shown)}",
            key="use_wording",
            on_click=_use,
            args=[workbench, project_id, prompt.name, shown],
        )
    for earlier in prompt.earlier[-1:]:
        if earlier.digest not in {own.digest for own in prompt.own}:
            st.button(
                f"Take version {earlier.version} as it was",
                key=f"take_version_{earlier.version}",
                help="As a wording of the project's own. What was asked with it before counts again.",
                on_click=_take,
                args=[workbench, project_id, prompt, earlier.version],
            )
    _outcome(_USING)
    template = prompt.wording(shown)
    st.caption(plain(f"{template.name}@{template.version}, {template.digest[:8]}"))
    return shown


def prompt_editor(workbench: Workbench, project_id: int, prompt: ProjectPrompt, shown: int) -> None:
    template = prompt.wording(shown)
    key = f"{prompt.name}_{shown}"
    with st.form(f"prompt_{key}", border=False):
        st.text_area(
            "System: what stays the same from text to text",
            template.system.strip("\n"),
            height=420,
            key=f"system_{key}",
        )
        st.text_area("User: the material of each request", template.user.strip("\n"), height=260, key=f"user_{key}")
        st.caption(f"{VARIABLES} It can use: {', '.join(template.variables)}.")
        st.form_submit_button(
            "Save as a new wording",
            type="primary",
            key="save_wording",
            on_click=partial(_save, workbench, project_id, prompt.name, key),
        )
    _outcome(_SAVING)


def _outcome(of: str) -> None:
    if said := st.session_state.pop(f"prompt_said_{of}", ""):
        st.success(said, icon=":material/check_circle:")
    show_saved_error(f"prompt_problem_{of}")


def _save(workbench: Workbench, project_id: int, name: str, key: str) -> None:
    system, user = st.session_state[f"system_{key}"], st.session_state[f"user_{key}"]
    with ShownErrors(f"prompt_problem_{_SAVING}"):
        number = save_wording(workbench, project_id, name, system, user)
        saved_typing(f"system_{key}", f"user_{key}")
        st.session_state[f"prompt_said_{_SAVING}"] = f"Saved as wording {number}, and in use from now on."


def _take(workbench: Workbench, project_id: int, prompt: ProjectPrompt, version: int) -> None:
    earlier = next(one for one in prompt.earlier if one.version == version)
    with ShownErrors(f"prompt_problem_{_USING}"):
        number = save_wording(workbench, project_id, earlier.name, earlier.system, earlier.user)
        said = f"Version {earlier.version} is wording {number}, and in use from now on."
        st.session_state[f"prompt_said_{_USING}"] = said


def _use(workbench: Workbench, project_id: int, name: str, number: int) -> None:
    with ShownErrors(f"prompt_problem_{_USING}"):
        use_wording(workbench, project_id, name, number)
        st.session_state[f"prompt_said_{_USING}"] = f"The {_wording_name(number)} is in use from now on."


HEIGHT = 380


def changes(prompt: ProjectPrompt, shown: int) -> None:
    """Draw the lines in which the wording differs from the built-in one."""
    if not shown:
        return
    lines = difference(prompt.builtin, prompt.wording(shown))
    st.markdown("**Changed against the built-in wording**")
    if lines:
        st.code("\n".join(lines[2:]), "diff", wrap_lines=True, height=HEIGHT)
    else:
        st.caption("Nothing: it says the same.")


def preview_of(prompt: ProjectPrompt, shown: int, task: Task, dimension: Dimension | None) -> None:
    """Draw the wording filled with this project's task and dimension; the rest is invented."""
    filled = preview_prompt(prompt, shown, task, dimension or Dimension("quality", "How good the text is."))
    st.markdown("**What a model reads**")
    st.caption("With this project's words and an invented example in place of texts and attributes.")
    if filled is None:
        st.caption("There is no example for this prompt.")
        return
    st.code(f"{filled.system}\n\n{filled.user}", None, wrap_lines=True, height=HEIGHT)
