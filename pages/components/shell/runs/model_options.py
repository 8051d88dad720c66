"""Options of the model and of the draw of texts, in every form that starts a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

import altair as alt
import pandas as pd
import streamlit as st

from app.domain.chart_colours import NEUTRAL, PERSON
from app.domain.model_call import model_label
from app.domain.project import Project
from app.domain.text_filter import EVERY_SYSTEM, SystemChoice, TextFilter
from app.errors import UnknownModelError, WorkbenchError
from app.services.data.held_out_split import state_of
from app.services.results.writer_bias import writers
from app.services.runtime.endpoint_models import (
    HOW_TO_GET_ONE,
    LocalServer,
    LocalServers,
    endpoint_models,
    local_servers,
    look_again,
    use_local_server,
)
from app.services.runtime.judges import EFFORTS, TIMEOUT, USUAL, ModelOptions, end_label, end_warning, takes_options
from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench
from app.services.scoring.draws import DrawCheck
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.current import hold, keep
from pages.components.shell.labels import KEY_IN_SETTINGS, button_label, more_in_guide, plain, show_error
from pages.components.shell.tables import picture

ALL, SHARE, GRID, LOCKED = "All", "A share", "Documents × systems", "Held-out split"
TEXTS_HELP = (
    "All texts; or a draw from them. Where several texts share a document, draw documents × systems, as the paper's "
    "code does (40 × 4): a share spreads over the documents and leaves one or two texts of each, inside which a "
    "coefficient is 1, -1 or missing."
)
SHARE_HELP = (
    "Draws so that the spread of people's ratings is kept (stratified): every level of rating stays as frequent as "
    "in the whole. Texts without a rating are not drawn."
)
SEED_HELP = "The same seed draws the same texts again; another seed draws others."
TRIALS_HELP = "Each trial draws texts of its own, with the next seed, and becomes a run. The paper makes two."
MOST_TRIALS, USUAL_DRAW, USUAL_PERCENT = 20, (40, 4), 10


@dataclass(frozen=True, slots=True)
class DrawChoice:
    """A draw of texts. `share`: above 0 up to 1. `draw`: (documents, systems of each) instead of a share."""

    share: float = 1.0
    seed: int = 1
    draw: tuple[int, int] | None = None
    trials: int = 1
    locked: bool = False


def left_out_systems(workbench: Workbench, project: Project, key: str, help_: str) -> SystemChoice:
    """Draw and return the choice of systems to leave out, kept in the address; nothing is asked if the texts name fewer
    than two."""
    names, _ = writers(workbench, project.id)
    if len(names) < 2:
        return EVERY_SYSTEM
    before = st.session_state.get(key, st.query_params.get(key, "").split("\n"))
    st.session_state[key] = [name for name in before if name in names]
    chosen = st.multiselect(plain(f"Leave out {project.task.writers_name}"), names, key=key, help=help_)
    keep(key, "\n".join(chosen), "")
    return SystemChoice(without=tuple(chosen))


def text_filter(key: str) -> TextFilter | None:
    """Draw and return a filter of the texts to score; None, with the reason shown, for an invalid pattern."""
    with st.expander("Only some texts", key=f"{key}_filter"):
        new = st.toggle(
            "Only new texts",
            key=f"{key}_new",
            help="Those without a score of this method, judge and checklist version: what came in since the last run.",
        )
        day = st.date_input("Came in since", value=None, key=f"{key}_since", format="YYYY-MM-DD")
        written = st.text_area(
            "Name fits",
            key=f"{key}_matching",
            height=80,
            placeholder="doc_id=night-*",
            help="One pattern a line, for doc_id, system_id, item_id or a column of the file. * stands for anything, ? "
            "for one character; all patterns have to fit.",
        )
        pairs = [line.partition("=") for line in written.splitlines() if line.strip()]
        if not all(name.strip() and sign for name, sign, _ in pairs):
            st.error("Write each pattern as NAME=PATTERN, such as doc_id=night-*.")
            return None
    since = datetime(day.year, day.month, day.day, tzinfo=UTC) if isinstance(day, date) else None
    return TextFilter(new, since, tuple((name.strip(), pattern.strip()) for name, _, pattern in pairs))


def draw_options(
    workbench: Workbench, project: Project, key: str = "score", locked: bool = True, trials_help: str = TRIALS_HELP
) -> DrawChoice:
    """Draw and return the draw of texts. `key`: prefix of the widgets' keys. locked: offer the held-out split
    if there is one.

    All other choices leave out the locked texts.
    """
    state = state_of(workbench, project.id)
    ways = [ALL, SHARE, GRID, *([LOCKED] if state and locked else [])]
    before = st.session_state.get(f"{key}_texts")
    st.session_state[f"{key}_texts"] = before if before in ways else ALL  # the split was opened meanwhile
    way = st.segmented_control(
        "Texts", ways, required=True, key=f"{key}_texts", wrap=True, help=TEXTS_HELP + more_in_guide("draws")
    )
    if way == LOCKED:
        return DrawChoice(locked=True)
    if state:
        st.caption(f"{state.texts:,} of {state.texts_all:,} texts are locked away as a test and left out.")
    if way == ALL:
        return DrawChoice()
    for name, value in _values_of(DrawChoice()).items():
        if name != "texts":  # drawn already
            hold(f"{key}_{name}", value)
    places = st.columns(4)
    if way == SHARE:
        percent = places[0].number_input("Share, in %", 1, 100, step=5, key=f"{key}_share", help=SHARE_HELP)
        share, draw = percent / 100, None
    else:
        documents = places[0].number_input("Documents", 1, key=f"{key}_documents")
        systems = places[1].number_input(
            "Systems of each", 1, key=f"{key}_systems", help="Drawn anew for each document."
        )
        share, draw = 1.0, (documents, systems)
    seed = places[2].number_input("Seed of the draw", min_value=0, key=f"{key}_seed", help=SEED_HELP)
    trials = places[3].number_input("Trials", 1, MOST_TRIALS, key=f"{key}_trials", help=trials_help)
    return DrawChoice(share, seed, draw, trials if share < 1 or draw else 1)


def preset_draw(key: str, chosen: DrawChoice, only_missing: bool = False) -> None:
    """Set the widgets' values before they exist. only_missing: keep what somebody chose."""
    for name, value in _values_of(chosen).items():
        if not (only_missing and f"{key}_{name}" in st.session_state):
            st.session_state[f"{key}_{name}"] = value


def _values_of(chosen: DrawChoice) -> dict[str, str | int]:
    documents, systems = chosen.draw or USUAL_DRAW
    return {
        "texts": GRID if chosen.draw else SHARE if chosen.share < 1 else ALL,
        "share": max(1, round(100 * chosen.share)) if chosen.share < 1 else USUAL_PERCENT,
        "documents": documents,
        "systems": systems,
        "seed": chosen.seed,
        "trials": chosen.trials,
    }


WIDTH, HEIGHT = 300, 150


def draw_check(checks: Sequence[DrawCheck]) -> None:
    """Draw the check of one draw or of several trials; nothing where all texts are scored or none is rated."""
    if not checks:
        return
    several = len({check.seed for check in checks}) > 1
    with st.expander("How the draw compares with all texts", key="draw_check", expanded=True):
        for check in checks:
            st.markdown(plain(draw_sentence(check, several)))
        for caution, about in _cautions(checks, several).items():
            st.warning(f"{plain(about)}: {plain(caution)}", icon=":material/warning:")
        sizes = "; ".join(f"{_name(check, several)} {check.ks.n_drawn:,} of {check.ks.n_all:,}" for check in checks)
        caption = (
            f"Bars: all texts; line: the draw; by mean human rating. n (texts): {sizes}. The gap is the largest "
            "between the cumulative shares: 0 where both are distributed alike, 1 at most. Its p is too large, not "
            "too small, since the draw is part of the whole: look at the gap."
        )
        picture(
            draw_chart(checks), "Ratings of the draw and of all texts", "draw", "draw_chart", caption, own_width=True
        )


def draw_sentence(check: DrawCheck, several: bool = False) -> str:
    """Return a sentence on the check. several: there are other draws."""
    ks = check.ks
    return (
        f"{_name(check, several)}: {ks.n_drawn:,} of {ks.n_all:,} rated texts; largest gap {ks.statistic:.3f} "
        f"(Kolmogorov-Smirnov, p = {ks.p_value:.2f})."
    )


def _name(check: DrawCheck, several: bool) -> str:
    return f"{check.dimension.name}, seed {check.seed}" if several else check.dimension.name


def _cautions(checks: Sequence[DrawCheck], several: bool) -> dict[str, str]:
    """Return each caution once, with its draws."""
    about: dict[str, list[str]] = {}
    for check in checks:
        for caution in check.cautions:
            about.setdefault(caution, []).append(_name(check, several))
    return {caution: "; ".join(names) for caution, names in about.items()}


def draw_chart(checks: Sequence[DrawCheck]) -> alt.FacetChart:
    """Return a chart, a panel a dimension. Bars: all texts; lines: each draw."""
    first = checks[0].seed
    rows = pd.DataFrame(
        [
            {
                "Dimension": check.dimension.name,
                "Seed": str(check.seed),
                "first": check.seed == first,
                "Rating": (part.low + part.high) / 2,
                "from": part.low,
                "to": part.high,
                "All texts": part.whole,
                "none": 0.0,
                "Draw": part.drawn,
            }
            for check in checks
            for part in check.parts
        ]
    )
    base = alt.Chart(rows).encode(
        tooltip=[
            alt.Tooltip("from:Q", title="Rated from", format=".2f"),
            alt.Tooltip("to:Q", format=".2f"),
            alt.Tooltip("All texts:Q", format=".1%"),
            alt.Tooltip("Draw:Q", format=".1%"),
            alt.Tooltip("Seed:N"),
        ]
    )
    title = "Share of the texts"
    bars = (
        base.transform_filter("datum.first")
        .mark_bar(color=NEUTRAL, opacity=0.55)
        .encode(
            x=alt.X("from:Q", title="Mean human rating", scale=alt.Scale(zero=False, nice=False)),
            x2="to:Q",
            y2="none:Q",
            y=alt.Y("All texts:Q", title=title, axis=alt.Axis(format="%")),
        )
    )
    line = base.mark_line(color=PERSON, point=alt.OverlayMarkDef(color=PERSON)).encode(
        x="Rating:Q", y="Draw:Q", detail="Seed:N"
    )
    return (
        alt.layer(bars, line)
        .properties(width=WIDTH, height=HEIGHT)
        .facet(
            facet=alt.Facet(
                "Dimension:N", sort=list(dict.fromkeys(check.dimension.name for check in checks)), title=None
            ),
            columns=2,
        )
    )


def model_options(key: str) -> ModelOptions:
    """Draw and return the model options. `key`: prefix of the widgets' keys."""
    for name, start in (("effort", None), ("max_output_tokens", None), ("timeout", TIMEOUT)):
        hold(f"{key}_{name}", start)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    effort = left.selectbox(
        "Reasoning effort",
        EFFORTS,
        index=None,
        placeholder="the model's own",
        key=f"{key}_effort",
        help="How long a model that reasons thinks before it answers. More costs more. Not every model takes every "
        "effort; one that doesn't says so before anything is paid.",
    )
    room = middle.number_input(
        "Longest answer in tokens",
        min_value=1,
        value=None,
        step=1000,
        placeholder="as needed",
        key=f"{key}_max_output_tokens",
        help="What a model thinks counts. Without a limit answers get the room they need, and unused room costs "
        "nothing; with one, an answer that doesn't fit fails.",
    )
    timeout = right.number_input(
        "Seconds for a request",
        min_value=1.0,
        step=60.0,
        format="%g",
        key=f"{key}_timeout",
        help="What takes longer is given up, but paid all the same.",
    )
    return ModelOptions(room, timeout, effort or "")


def more_options(key: str, models: Sequence[str]) -> ModelOptions:
    """Draw the model options under “More options”, if one of the models is an LLM."""
    if not any(map(_takes_options, models)):
        return USUAL
    with st.expander("More options", key=f"{key}_more_options"):
        return model_options(key)


def preset_model_options(key: str, chosen: ModelOptions) -> None:
    """Set the widgets' values before they exist."""
    values = {"effort": chosen.effort or None, "max_output_tokens": chosen.max_output_tokens, "timeout": chosen.timeout}
    st.session_state.update({f"{key}_{name}": value for name, value in values.items()})


def _takes_options(model: str) -> bool:
    """Return whether the model takes options; an invalid name is reported where it is used."""
    try:
        return takes_options(model)
    except UnknownModelError:
        return False


def model_choice(
    workbench: Workbench,
    label: str,
    key: str,
    purpose: str,
    key_hint: str = KEY_IN_SETTINGS,
    first: str = "",
    *,
    offer: bool = True,
) -> str:
    """Draw and return a choice of a known model or one typed as provider:name; "" while it can't be used, with the
    reason shown.

    first: the initial model, if it can be asked; otherwise the rules. offer: whether model servers of this computer are
    offered below.
    """
    models = {model.name: model for model in available_models(workbench)}
    usable = [model.name for model in models.values() if model.usable]
    locked = [model.name for model in models.values() if not model.usable]
    if first and first not in models and first.partition(":")[0] in {name.partition(":")[0] for name in usable}:
        usable.append(first)
    hold(key, first if first in usable else usable[0])
    chosen = st.selectbox(
        label,
        [*usable, *locked],
        format_func=lambda name: chooser_label(name, set_up=name not in locked),
        accept_new_options=True,
        key=key,
        help=f"{purpose} Choose one or type provider:name. “rules” needs no key: fixed text rules, not an LLM.",
    )
    if offer:
        offer_local_servers(workbench, key, partial(take_only, key), usable)
    known = models.get(chosen or "")
    if known is not None and known.obstacle:
        st.caption(plain(f"{known.obstacle} {key_hint}" if known.lacks_key else known.obstacle))
        return ""
    name = chosen_model(key)
    if warning := end_warning(name):
        st.caption(plain(warning))
    return name


def chooser_label(name: str, set_up: bool = True) -> str:
    """Return a model's label in a choice: with its last day, if known, and whether it can be used yet."""
    return " · ".join(filter(None, (model_label(name), end_label(name), "" if set_up else "not set up")))


def chosen_model(key: str) -> str:
    """Return the field's present value. A button's callback needs it: pressed right after a choice, it runs before the
    screen is drawn, and what was drawn is the earlier model."""
    return str(st.session_state.get(key) or "").strip()


def take_only(key: str, model: str) -> None:
    st.session_state[key] = model


def take_among(key: str, model: str) -> None:
    """Put the model into a choice of several, in place of those served by another server of one's own."""
    others = [name for name in st.session_state.get(key, []) if not name.startswith("llama:") and name != "rules"]
    st.session_state[key] = [*others, model]


_SHOWN = 3
_PROBLEM, _TAKEN = "server_problem", "server_taken"


def offer_local_servers(
    workbench: Workbench, key: str, take: Callable[[str], None], offered: Sequence[str] | None = None
) -> None:
    """Draw the model servers on the owner's computer that aren't in use, each with “Use it”; `take` is called with the
    model it suggests, before the screen is redrawn.

    offered: the models in the choice above. If it has no LLM, or is None, the person reads how to get one. While the
    Llama endpoint hasn't listed its models, the screen waits and is redrawn with them. On a team's server no servers of
    this computer are searched for.
    """
    if st.session_state.pop(f"{key}_{_TAKEN}", False):
        st.rerun()  # also what stands around a part of a screen that is drawn alone
    nearby = _nearby(workbench)
    if nearby is None:
        return
    if nearby.asking or (offered is not None and _endpoint_is_late(workbench, offered)):
        _awaited(workbench)
    if problem := st.session_state.pop(f"{key}_{_PROBLEM}", ""):
        st.error(plain(problem))
    for server in nearby.others:
        _offer(workbench, key, server, take)
    explain = not any(":" in name for name in offered or ())
    if explain and nearby.looked and not (nearby.found or nearby.asking or nearby.used):
        lines = "\n".join(f"- {plain(line)}" for line in HOW_TO_GET_ONE)
        st.caption(f"To get a model that runs on this computer and costs nothing:\n{lines}")
        label = button_label("Look again", f"for model servers on this computer, for {key.replace('_', ' ')}")
        st.button(
            label,
            key=f"{key}_look_again",
            type="tertiary",
            icon=":material/refresh:",
            on_click=look_again,
            args=[workbench],
        )


def _nearby(workbench: Workbench) -> LocalServers | None:
    try:
        return local_servers(workbench, patience=0)
    except WorkbenchError as error:
        show_error(error)
        return None


def _endpoint_is_late(workbench: Workbench, offered: Sequence[str]) -> bool:
    """Return whether models of the Llama endpoint may be missing from the choice: it hasn't answered, or only just
    did."""
    endpoint = endpoint_models(workbench, patience=0)
    return endpoint.asking or not set(endpoint.chat) <= set(offered)


@st.fragment(run_every=POLL_SECONDS)
def _awaited(workbench: Workbench) -> None:
    nearby = _nearby(workbench)
    if nearby is not None and nearby.asking:
        st.caption("Looking for model servers on this computer.")
    elif endpoint_models(workbench, patience=0).asking:
        st.caption("Asking the Llama endpoint which models it has.")
    else:
        st.rerun()


def _offer(workbench: Workbench, key: str, server: LocalServer, take: Callable[[str], None]) -> None:
    port = server.address.rpartition(":")[2].partition("/")[0]
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_server_{port}"):
        if not server.models:
            st.markdown(f"**{server.kind}** runs on this computer, without a model yet.", width="content")
            return
        names = ", ".join(server.models[:_SHOWN]) + (" and more" if len(server.models) > _SHOWN else "")
        st.markdown(f"**{server.kind}** on this computer: {plain(names)}", width="content")
        st.button(
            button_label("Use it", f"{server.kind} on this computer"),
            key=f"{key}_use_{port}",
            on_click=_use,
            args=[workbench, key, server.address, take],
            help="It becomes your Llama endpoint, here and on the command line. Nothing leaves this computer.",
        )


def _use(workbench: Workbench, key: str, address: str, take: Callable[[str], None]) -> None:
    try:
        models = use_local_server(workbench, address)
    except WorkbenchError as error:
        st.session_state[f"{key}_{_PROBLEM}"] = error.in_full
    else:
        st.session_state[f"{key}_{_TAKEN}"] = True
        if models.suggested:
            take(models.suggested)
