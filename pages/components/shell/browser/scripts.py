"""Scripts within pages: the browser runs these and no others, known by their hashes (`app/entrance/guard.py`).

So each is the same for everybody at any time; what it is about stands in an attribute beside it.
"""

import re
from pathlib import Path

import streamlit as st

_SCRIPTS: list[str] = []


def page_script(words: str) -> str:
    """The script with its tag, for `run_in_page`. At the top of a module, once."""
    _SCRIPTS.append(words)
    return f"<script>{words}</script>"


def run_in_page(script: str, beside: str = "") -> None:
    """script: as `page_script` returned it. beside: HTML of our own without one."""
    st.html(beside + script, unsafe_allow_javascript=True)


def scripts_in_pages() -> tuple[str, ...]:
    """Those of all modules that are loaded, and the one in Streamlit's own page."""
    return (*_SCRIPTS, *_streamlit_scripts())


def _streamlit_scripts() -> list[str]:
    page = Path(st.__file__).with_name("static") / "index.html"
    return re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)
