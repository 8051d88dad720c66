"""Focus of a field that a person was led to from another screen: scrolled to and ready to type in."""

import streamlit as st

from pages.components.shell.browser.scripts import page_script, run_in_page

_WANTED = "field_to_focus"
_FOCUS = page_script("""(() => {
  let tries = 0;
  const look = () => {
    const wanted = document.querySelector("[data-field-to-focus]")?.dataset.fieldToFocus;
    const field = wanted && document.querySelector(`.st-key-question_text_${wanted} textarea`);
    if (!field || field.disabled) return ++tries < 100 && setTimeout(look, 50);
    field.scrollIntoView({ block: "center" });
    field.focus({ preventScroll: true });
    field.setSelectionRange(field.value.length, field.value.length);
  };
  look();
})();""")


def want_focus(question_id: int) -> None:
    """For the screen that is drawn next."""
    st.session_state[_WANTED] = question_id


def focus_if_wanted(question_id: int) -> None:
    """Below the field, once. The browser may draw it later than this: it is looked for until it is there."""
    if st.session_state.get(_WANTED) != question_id:
        return
    del st.session_state[_WANTED]
    run_in_page(_FOCUS, f'<i data-field-to-focus="{int(question_id)}"></i>')
