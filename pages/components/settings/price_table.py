"""The models known by name, what they cost, and where that is known from."""

import pandas as pd
import streamlit as st

from app.domain.people.actor import Right
from app.errors import WorkbenchError
from app.services.runtime.prices import Price, PricedModel, price_list, update_prices
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import model_label, show_error

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
    st.dataframe(
        pd.DataFrame([_row(model) for model in prices.models]),
        placeholder="–",
        hide_index=True,
        key="prices",
        column_config=columns,
        height=350,
    )


def _update(workbench: Workbench) -> None:
    pressed = st.button(
        "Update the prices",
        key="update_prices",
        help="Fetches the newest list of genai-prices, for everybody here. Nothing else ever fetches it.",
    )
    if not pressed:
        return
    try:
        with st.spinner("Fetching the prices"):
            day = update_prices(workbench)
    except WorkbenchError as error:
        show_error(error)
    else:
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
