"""Two versions of a checklist side by side: only what is different, word by word."""

from collections.abc import Sequence

import streamlit as st

from app.domain.checklist import Checklist
from app.services.checklists.checklist_diff import ChecklistDiff, DiffKind, QuestionChange, compare_checklists
from pages.components.shell.address import keep, prepare
from pages.components.shell.checklists.wording_change import marked
from pages.components.shell.words import plain


def version_comparison(versions: Sequence[Checklist], shown: Checklist) -> None:
    """Any two versions; the one on the screen against the one it started from, unless the person says else."""
    if len(versions) < 2:
        st.markdown("There is only one version so far. A new draft can start from it once it is published.")
        return
    by_number = {str(version.version): version for version in versions}
    parent = next((v for v in versions if v.id == shown.parent), None)
    usual = parent or next((v for v in versions if v.version < shown.version), versions[-1])
    left, right = st.columns(2)
    with left:
        before = _choose("compare_from", "From", list(by_number), str(usual.version))
    with right:
        after = _choose("compare_to", "To", list(by_number), str(shown.version))
    show_diff(compare_checklists(by_number[before], by_number[after]))


def _choose(key: str, label: str, options: list[str], default: str) -> str:
    prepare(key, options, default)
    chosen = st.selectbox(label, options, format_func="Version {}".format, key=key)
    keep(key, chosen, default)
    return chosen


def show_diff(found: ChecklistDiff) -> None:
    if found.empty:
        st.markdown("Nothing is different.")
        return
    st.markdown(f"**{plain(str(found))}**")
    for change in found.questions:
        _question(change)
    if found.new_key_questions or found.gone_key_questions:
        st.markdown("**Key questions**")
        lines = [f"- :red[~~{plain(text)}~~]" for text in found.gone_key_questions]
        lines += [f"- :green[**{plain(text)}**]" for text in found.new_key_questions]
        st.markdown("\n".join(lines))


def _question(change: QuestionChange) -> None:
    """Before on the left, after on the right; what isn't different is said once."""
    with st.container(border=True):
        what = ", ".join(kind.value for kind in change.kinds)
        st.caption(plain(f"{what[:1].upper()}{what[1:]} · {change.question.component or 'without a component'}"))
        old, new = change.before, change.after
        if old is None or new is None:
            text = plain(change.question.text)
            st.markdown(f":green[**{text}**]" if old is None else f":red[~~{text}~~]")
            return
        left, right = st.columns(2)
        if DiffKind.REWORDED in change.kinds:
            for column, text in zip((left, right), marked(old.text, new.text), strict=True):
                column.markdown(text)
        else:
            left.markdown(plain(new.text))
        if DiffKind.GUIDANCE in change.kinds:
            for column, text in zip((left, right), marked(old.guidance, new.guidance), strict=True):
                column.markdown(f":small[How to decide: {text or 'not said'}]")
        if DiffKind.WEIGHT in change.kinds:
            left.markdown(f":small[Weight {old.weight:g}]")
            right.markdown(f":small[Weight **{new.weight:g}**]")
        if DiffKind.COMPONENT in change.kinds:
            left.markdown(f":small[Under {plain(old.component or 'no component')}]")
            right.markdown(f":small[Under **{plain(new.component or 'no component')}**]")


def changed_since(parent: Checklist, shown: Checklist) -> str:
    """One line about a version and the one it started from."""
    found = compare_checklists(parent, shown)
    if found.empty:
        return f"Nothing is changed against version {parent.version}, from which this one started."
    return f"Against version {parent.version}: {found}."
