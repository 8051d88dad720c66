"""What a run would score, ask and cost."""

import pandas as pd
import streamlit as st

from app.domain.run import RunDimension
from app.services.estimating import Estimate, Forecast
from pages.components.words import plain


def show_forecast(ahead: Forecast) -> None:
    st.markdown("**Before it starts**")
    dimensions, scores = len(ahead.parts), sum(len(part.texts) for part in ahead.parts)
    least, most = (choose(len(part.texts) for part in ahead.parts) for choose in (min, max))
    each = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    on = f"on {dimensions} dimensions, {each} on each" if dimensions > 1 else f"on {plain(ahead.parts[0].name)}"
    st.markdown(f"{counted(ahead.texts, 'text')} {on}: {counted(scores, 'score')}.")
    if ahead.is_llm:
        st.markdown(_calls(ahead.estimate))
    else:
        st.markdown("The judge is a set of rules, not an LLM: no call leaves this machine and nothing is paid.")


def texts_to_score(ahead: Forecast) -> None:
    """Which texts, and which documents are left out; folded, for names of documents are long."""
    excluded = {doc for part in ahead.parts for doc in part.excluded_docs}
    with st.expander(f"Texts on each dimension; {counted(len(excluded), 'document')} left out", key="texts_to_score"):
        st.caption("A document that people read as a sample while thinking aloud is not scored on that dimension.")
        st.dataframe(
            pd.DataFrame([_part(part) for part in ahead.parts]), hide_index=True, key="parts", column_config=_COLUMNS
        )


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


_COLUMNS = {"Texts": st.column_config.NumberColumn(width="small", format="localized")}


def _calls(found: Estimate) -> str:
    """Lines of Markdown."""
    new = found.calls - found.calls_cached
    tokens = f"about {found.input_tokens:,} tokens in, {found.output_tokens_estimate:,} out."
    if not found.calls_cached:
        said = f"{counted(new, 'call')}: {tokens}"
    else:
        said = f"{counted(found.calls, 'call')}; {found.calls_cached:,} were answered before and cost nothing.  \n"
        said += f"{counted(new, 'new call')}: {tokens}"
    return f"{said}  \nCost: {_cost(found)}"


def _cost(found: Estimate) -> str:
    if found.cost_usd is None:
        return "**unknown price**. No price is on record for this model, so look it up with its provider."
    if 0 < found.cost_usd < 0.01:
        return "**under \\$0.01**"
    return f"**about \\${found.cost_usd:,.2f}**"


def _part(part: RunDimension) -> dict[str, object]:
    return {"Dimension": part.name, "Texts": len(part.texts), "Left out": ", ".join(part.excluded_docs) or "none"}
