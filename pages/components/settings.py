"""Settings: providers, prices, and recorded calls."""

import asyncio

import pandas as pd
import streamlit as st

from app.domain.model_call import model_label
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.services.runtime.endpoint_models import forget_local_server
from app.services.runtime.model_abilities import learned_in_words, probe_model
from app.services.runtime.models import ProviderAccess, ask_vendor_models, key_problem, provider_access
from app.services.runtime.spending import Price, PricedModel, price_list, update_prices
from app.services.runtime.workbench import Workbench, may
from app.services.scoring.recordings import recordable_runs, recording_of, write_recording_file
from pages.components.shell.current import forget_key, save_key, typed_keys, was_pressed
from pages.components.shell.labels import ShownErrors, button_label, plain
from pages.components.shell.runs.model_options import model_choice, offer_local_servers
from pages.components.shell.runs.run_words import served_list, title
from pages.components.shell.tables import file_download, show_table

TESTED = "model_to_test"


def connection_test(workbench: Workbench) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="connection_test"):
        name = model_choice(
            workbench, "Model", TESTED, "The model that gets one tiny question.", "Or type it above.", offer=False
        )
        pressed = was_pressed(
            "Test connection",
            key="test_connection",
            type="primary",
            disabled=not name,
            help="Asks one yes/no question and for two sentences, and shows what the model can. With a paid model that "
            "costs a fraction of a cent.",
        )
    if not pressed:
        return
    with ShownErrors():
        with st.spinner("Waiting for its answer"):
            found = asyncio.run(probe_model(workbench, name))
        seconds = found.seconds
        taken = f"{seconds:.1f} seconds" if seconds >= 0.1 else "less than a tenth of a second"
        st.success(f"{plain(model_label(name))} answered in {taken}.", icon=":material/check_circle:")
        if rows := found.rows():
            show_table(pd.DataFrame(rows, columns=["Ability", "Found"]), "abilities")


def learned_requests(workbench: Workbench) -> None:
    """Draw what model servers taught about requests to them."""
    for access in provider_access(workbench):
        for name, said in learned_in_words(workbench, access.prefix).items():
            st.caption(plain(f"{name}, as asked since this program started: {said}."))


_NAMES = {
    "rules": model_label("rules"),
    "replay:FILE": "replay:FILE (recorded answers)",
    "llama:NAME": "llama:NAME (any model your server has)",
}
_PRICES = {"Input": "input", "Input from cache": "cached", "Input to cache": "written", "Output": "output"}
_HELP = {
    "Input": "What you send: the instructions, the questions and the text. A token is about four letters of English.",
    "Input from cache": "The part of the input that the provider still remembers from an earlier request.",
    "Input to cache": "The part of the input that the provider keeps for the next requests; some ask more for it.",
    "Output": "What the model answers.",
}
_MORE_HELP = {
    "Long requests": "Input and output of a request whose input has more tokens than that: all of it costs so much.",
    "Flex": "Input and output in the vendor's slower tier, which Score offers under “More options”.",
    "From": "Who keeps the price. A file prices.yaml in the workbench's folder is laid over all others.",
    "Looked up": "The day of it, where that is known.",
    "Since": "From when the price holds, where it has changed.",
}


def price_table(workbench: Workbench) -> None:
    if may(workbench, Right.SERVE):
        _update(workbench)
    prices = price_list(workbench)
    looked_up = f" of {prices.checked:%d %B %Y}" if prices.checked else ""
    st.caption(
        f"US dollars per million tokens, as {prices.source}{looked_up} keeps them. Providers change their prices "
        "without notice, so check them before you rely on an estimate; what was paid keeps the cost of its day. A "
        "model that isn’t listed can be used as well, as provider:name; a price that nobody knows is shown as unknown "
        "and its runs have no cost, not a cost of 0."
    )
    columns = {name: st.column_config.TextColumn(help=_HELP[name], alignment="right") for name in _PRICES}
    columns |= {name: st.column_config.TextColumn(help=said) for name, said in _MORE_HELP.items()}
    show_table([_row(model) for model in prices.models], "prices", columns, height=350)


def _update(workbench: Workbench) -> None:
    pressed = was_pressed(
        "Update the prices",
        key="update_prices",
        help="Fetches the newest list of genai-prices, for everybody here. Nothing else ever fetches it.",
    )
    if not pressed:
        return
    with ShownErrors():
        with st.spinner("Fetching the prices"):
            day = update_prices(workbench)
        st.success(f"These are the prices of {day:%d %B %Y}.", icon=":material/check_circle:")


def _row(model: PricedModel) -> dict[str, object]:
    origin = model.price.origin if model.price else None
    longer = model.price.longer if model.price else ()
    return {
        "Model": _NAMES.get(model.name, model.name),
        **{column: _amount(model, part) for column, part in _PRICES.items()},
        "Can be used": "yes" if model.ready else "no",
        "Long requests": "; ".join(f"over {tokens:,}: {_both(price)}" for tokens, price in longer) or None,
        "Flex": _both(model.flex) if model.flex else None,
        "From": origin.source if origin else None,
        "Looked up": origin.day.isoformat() if origin and origin.day else None,
        "Since": origin.since.isoformat() if origin and origin.since else None,
    }


def _both(price: Price) -> str:
    return f"{_money(price.input)} and {_money(price.output)}"


def _amount(model: PricedModel, part: str) -> str:
    if model.price is None:
        return "unknown"
    if model.free:
        return "free"
    amount = getattr(model.price, part)
    return _money(model.price.input if amount is None else amount)


def _money(amount: float) -> str:
    return f"{amount:,.2f}" if round(amount, 2) == amount else f"{amount:,.4f}".rstrip("0")


SESSION_ONLY = (
    "The key stays in the memory of this browser session and is written nowhere. It is gone when you reload or close "
    "the page, or press “Forget the key”; a run that was started with it keeps it until it ends."
)


def provider_list(workbench: Workbench) -> None:
    for access in provider_access(workbench):
        with st.container(key=f"provider_{access.prefix}"):
            name, state, action = st.columns([4, 5, 2], vertical_alignment="center", gap="medium")
            name.markdown(f"**{access.title}**  \n:small[:gray[{_address(access)}]]")
            with state:
                _state(access)
                if access.lists_models:
                    served_list(workbench)
                if access.sells_models and not access.obstacle:
                    _models_of_key(workbench, access)
            with action:
                _key_action(workbench, access)
                if access.chosen:
                    st.button(
                        "Stop using it",
                        key="forget_server",
                        width="stretch",
                        help="The server itself goes on.",
                        on_click=forget_local_server,
                        args=[workbench],
                    )
            if access.lists_models:
                offer_local_servers(workbench, TESTED, _test_next)


def _test_next(model: str) -> None:
    st.session_state[TESTED] = model


def _models_of_key(workbench: Workbench, access: ProviderAccess) -> None:
    """Draw the models that the key may use, requested on demand; choices then offer them."""
    label = button_label("Which models?", f"of {access.title}")
    if not was_pressed(label, key=f"ask_models_{access.prefix}", type="tertiary", icon=":material/refresh:"):
        return
    with ShownErrors():
        with st.spinner("Asking which models the key may use"):
            names = ask_vendor_models(workbench, access.prefix)
        st.caption(plain(f"From now on you can choose, newest first: {', '.join(names)}."))


def _address(access: ProviderAccess) -> str:
    """Return an address as code, because Markdown would make a link of it."""
    if not access.address:
        return "at an address of this server’s own" if access.own_address else "no address"
    place = "a server on this computer" if access.chosen else f"from {plain(access.url_variable)}"
    origin = f", {place}" if access.own_address else ""
    return f"`{access.address.replace('`', '')}`{origin}"


def _state(access: ProviderAccess) -> None:
    if access.obstacle:
        typed = " Or type it here, for this browser session." if access.needs_key and not access.key_source else ""
        st.markdown(f":material/block: {plain(access.obstacle)}{typed}")
        return
    # Whether a server of one's own is there is said by what it answers.
    ready = "Can be chosen." if access.needs_key else "Its address is set."
    key = (
        f"Its key is set, from {access.key_source}; “Test connection” tells whether it is accepted."
        if access.key_source
        else f"No key is set; it only needs one ({access.key_variable}) if your server asks for it."
    )
    st.markdown(f":material/check_circle: {ready} {plain(key)}")


def _key_action(workbench: Workbench, access: ProviderAccess) -> None:
    if access.prefix in typed_keys():
        if was_pressed(
            button_label("Forget the key", f"for {access.title}"), key=f"forget_key_{access.prefix}", width="stretch"
        ):
            forget_key(access.prefix)
            st.rerun()
        return
    label = "Type another key" if access.key_source else "Type a key"
    with st.popover(button_label(label, f"for {access.title}"), key=f"type_key_{access.prefix}", width="stretch"):
        _key_form(workbench, access)


def _key_form(workbench: Workbench, access: ProviderAccess) -> None:
    with st.form(f"key_form_{access.prefix}", clear_on_submit=True, border=False):
        key = st.text_input(
            f"Key for {access.title}", type="password", key=f"typed_key_{access.prefix}", autocomplete="off"
        )
        st.caption(SESSION_ONLY)
        pressed = was_pressed("Use this key", key=f"use_key_{access.prefix}", form=True)
    if pressed:
        problem = key_problem(workbench, access.prefix, key)
        if problem:
            st.error(problem)
        else:
            save_key(access.prefix, key)
            st.rerun()


def recorded_calls(workbench: Workbench) -> None:
    st.markdown(
        "A run’s calls can be kept as a file. Keep it here, and it stands among the judges as `replay:` and its name: "
        "the same texts are scored again with the same answers, without a network, a key or a cost. The file holds "
        "what was answered, not your texts. On the command line `replay:` takes a file’s path."
    )
    runs = {run.id: run for run in recordable_runs(workbench)}
    if not runs:
        st.caption("No run has called an LLM yet. What “rules” answers needs no recording: it is the same each time.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="recording"):
        chosen = st.selectbox(
            "Run", list(runs), format_func=lambda run: f"{runs[run].project}: {title(runs[run])}", key="run_to_record"
        )
        kept = was_pressed(
            "Keep it here", key="keep_recording", help="In the workbench’s folder for recordings, for all projects."
        )
        prepared = was_pressed("Prepare the file", key="prepare_recording")
    if kept:
        with ShownErrors():
            with st.spinner("Collecting the calls"):
                name = write_recording_file(workbench, runs[chosen].id)
            st.success(f"{plain(name)} can be chosen as a judge from now on.")
    if prepared:
        _offer(workbench, runs[chosen])


def _offer(workbench: Workbench, run: RunSummary) -> None:
    with ShownErrors():
        with st.spinner("Collecting the calls"):
            content = recording_of(workbench, run.id)
        calls = content.count(b"\n")
        file_download(
            f"Download {calls:,} calls",
            content,
            f"run-{run.id}-calls.jsonl",
            "download_recording",
            icon=":material/download:",
        )
        st.caption(plain(f"interacteval runs record {run.id} --output FILE.jsonl does the same on the command line."))
