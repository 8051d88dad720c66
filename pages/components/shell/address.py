"""Choices that stay in the address, so that a refresh or a sent link shows the same."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st
from streamlit import net_util

T = TypeVar("T")


def hold(key: str, start: object) -> None:
    """The value that a field has, at first `start`, set at each drawing: a browser makes a field in a popover when that
    opens, from the drawing before, and would not know what was set earlier."""
    st.session_state[key] = st.session_state.get(key, start)


def prepare(key: str, options: Sequence[str], default: str) -> None:
    """Before the widget of this key exists: its value from the address, unless the person has chosen already."""
    if st.session_state.get(key) not in options:
        wanted = st.query_params.get(key)
        st.session_state[key] = wanted if wanted in options else default
    hold(key, default)


def prepare_words(key: str) -> None:
    """As prepare, for what is typed."""
    if key not in st.session_state:
        st.session_state[key] = st.query_params.get(key, "")


def set_anew(key: str, value: object) -> None:
    """Give a field another value from the next drawing on. It becomes a new field, because the browser may still report
    what the old one held."""
    times, _ = st.session_state.get(f"{key}_anew", (0, None))
    st.session_state[f"{key}_anew"] = (times + 1, value)


def field_anew(key: str, start: T) -> tuple[str, T]:
    """Return the key of the field as it is now, and the value that `set_anew` gave it, at first `start`."""
    times, value = st.session_state.get(f"{key}_anew", (0, start))
    return (f"{key}_{times}" if times else key), value


def keep(key: str, value: str, default: str) -> None:
    """Write a choice into the address; what is as always needs no word there."""
    if value == default:
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = value


def numbers(key: str) -> list[int]:
    """Numbers separated by commas in the address; what is none is passed over."""
    return [int(part) for part in st.query_params.get(key, "").split(",") if part.strip().isdecimal()]


def prepare_number(key: str, default: int, low: int, high: int) -> None:
    """As prepare, for a whole number from low to high."""
    wanted = st.query_params.get(key, "")
    hold(key, int(wanted) if wanted.isdecimal() and low <= int(wanted) <= high else default)


LOOPBACK = "127.0.0.1"  # allowed anyway


def stay_offline() -> None:
    """Give the answer beforehand; there is no option for it."""
    net_util._external_ip = net_util._internal_ip = LOOPBACK
