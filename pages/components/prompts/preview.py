"""Preview of a wording: what it changes against the built-in one, and what a model would read."""

import streamlit as st

from app.domain.task import Dimension, Task
from app.services.runtime.prompts import ProjectPrompt, difference, preview_prompt

HEIGHT = 380


def changes(prompt: ProjectPrompt, shown: int) -> None:
    """The lines in which the wording differs from the built-in one."""
    if not shown:
        return
    lines = difference(prompt.builtin, prompt.wording(shown))
    st.markdown("**Changed against the built-in wording**")
    if lines:
        st.code("\n".join(lines[2:]), "diff", wrap_lines=True, height=HEIGHT)
    else:
        st.caption("Nothing: it says the same.")


def preview_of(prompt: ProjectPrompt, shown: int, task: Task, dimension: Dimension | None) -> None:
    """The wording filled with this project's task and dimension; the rest is invented."""
    filled = preview_prompt(prompt, shown, task, dimension or Dimension("quality", "How good the text is."))
    st.markdown("**What a model reads**")
    st.caption("With this project's words and an invented example in place of texts and attributes.")
    if filled is None:
        st.caption("There is no example for this prompt.")
        return
    st.code(f"{filled.system}\n\n{filled.user}", None, wrap_lines=True, height=HEIGHT)
