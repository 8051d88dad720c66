"""Settings: which models can be used and what they cost, and where the data are."""

import streamlit as st

from app.domain.model_call import RULES_LABEL
from app.domain.roles_and_rights import Right
from app.services.runtime.backups import backup_bytes, downloadable
from app.services.runtime.models import data_place, limits
from app.services.runtime.workbench import may
from pages.components.settings import connection_test, learned_requests, price_table, provider_list, recorded_calls
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import header
from pages.components.shell.tables import file_download

RULES = f"""
**rules** is built in, needs no key and costs nothing, and its output is labelled “{RULES_LABEL}” wherever it shows.

It measures things that can be counted: sentence length, repeated words, broken sentences, names and numbers that the
source doesn’t have, how one sentence leads to the next. A question of a checklist is answered by the measure its words
are closest to, with what was measured as the reason; the same text always gets the same answer.

It doesn’t understand what it reads. Use it to learn the screens, to try a checklist for free and as a floor that a real
judge should beat. Don’t report its scores as those of an LLM.
"""


def limits_in_words() -> str:
    known = limits()
    return (
        f"A provider gets up to {known.at_a_time} requests at a time, fewer and further apart while it says that it is "
        f"too much. One request is given up after {known.request_seconds / 60:g} minutes, unless Score or --timeout "
        f"says otherwise, and sent {known.timeouts} times at most; what fails for other passing reasons is tried up to "
        f"{known.attempts} times within {known.total_seconds / 60:g} minutes. Where a provider lets nothing pass for "
        f"{known.patience_seconds / 60:g} minutes, the run ends and can be resumed."
    )


def _bytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{-(-size // 1000)} kB"


def where_the_data_are() -> None:
    place = data_place(workbench)
    size = f", {_bytes(place.size)}" if place.size is not None else ""
    st.markdown(f"{place.kind}{size}:")
    st.code(place.place, language=None, wrap_lines=True)
    st.caption(
        "Keys are never stored there. To keep the data elsewhere, set INTERACTEVAL_HOME (a folder) or "
        "INTERACTEVAL_DATABASE_URL (a server) and start the program again."
    )
    if downloadable(workbench):
        file_download(
            "Download a backup",
            lambda: backup_bytes(workbench),
            "workbench-backup.db",
            "download_backup",
            help="All projects as one checked file, without keys. `interacteval restore FILE` puts it back.",
        )
    else:
        st.caption("`interacteval backup FILE` makes a backup, `interacteval restore FILE` puts it back.")


workbench = current_workbench()
header("Settings", "Which models can be used and what they cost, and where your data are.")

st.subheader("Providers", anchor=False)
provider_list(workbench)

st.subheader("Test a model", anchor=False)
connection_test(workbench)
learned_requests(workbench)

st.subheader("Models and prices", anchor=False)
price_table(workbench)

st.subheader("Limits", anchor=False)
st.markdown(limits_in_words())

st.subheader("The built-in rules", anchor=False)
st.markdown(RULES)

if may(workbench, Right.SERVE):
    st.subheader("Recorded calls", anchor=False)
    recorded_calls(workbench)

    st.subheader("Data", anchor=False)
    where_the_data_are()
