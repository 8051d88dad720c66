"""Options of a method, drawn from the method's own description of them."""

from collections.abc import Collection, Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.services.scoring.evaluators import Option, method_options_of


def method_options(evaluator: str, disabled: Collection[str] = ()) -> dict[str, Any]:
    """Option -> what is chosen. Choices among words take the whole width; below, switches stand beside numbers.

    What does nothing beside the other options is not offered, and stands at its default.
    """
    options = method_options_of(evaluator)
    if not options:
        return {}
    wide = st.container()
    switches, others = st.columns(2)

    def place(option: Option) -> DeltaGenerator:
        return wide if option.choices else switches if option.kind is bool else others

    now = {o.name: st.session_state.get(_key(evaluator, o), o.default) for o in options}
    off = {o.name for o in options if o.name in disabled or not o.applies(now)}
    chosen = {o.name: _widget(place(o), evaluator, o, o.name in off) for o in options}
    return {o.name: chosen[o.name] if o.applies(now) else o.default for o in options}


def written(evaluator: str, chosen: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """As the command line writes it; what stands at its default is left out."""
    changed = [o.name for o in method_options_of(evaluator) if o.name in chosen and chosen[o.name] != o.default]
    return tuple((name, _in_words(chosen[name])) for name in changed)


def _key(evaluator: str, option: Option) -> str:
    return f"option_{evaluator}_{option.name}"


def _in_words(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _widget(place: DeltaGenerator, evaluator: str, option: Option, disabled: bool) -> Any:
    key, about = _key(evaluator, option), option.help or None
    if option.choices:
        values = list(option.choices)
        return place.selectbox(
            option.label,
            values,
            index=values.index(option.default),
            format_func=lambda value: option.choices[value],
            key=key,
            disabled=disabled,
            help=about,
        )
    if option.kind is bool:
        return place.toggle(option.label, option.default, key=key, disabled=disabled, help=about)
    if option.kind is int:
        return place.number_input(
            option.label, min_value=1, value=option.default, key=key, disabled=disabled, help=about
        )
    return place.text_input(option.label, option.default, key=key, disabled=disabled, help=about).strip()
