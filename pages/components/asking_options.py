"""How the judges are asked: reasons, repeats, probabilities, question by question, within a budget."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from app.services.judges import Judge
from app.services.scoring import JudgeOptions
from pages.components.words import plain

SOFT_HELP = (
    "Beside each yes or no, how sure the judge is: its probability of yes, read from the log-probabilities of its "
    "words. Results can then also be computed from the probabilities instead of the answers. Only OpenAI, Google and "
    "most endpoints of one's own give them."
)
REPEATS_HELP = (
    "Asked several times, a judge shows how steady it is; a text's score is the mean. More than once, it is asked at "
    "temperature 1, for at 0 it would mostly repeat itself. Each repeat is a call of its own and costs as much."
)
BUDGET_HELP = (
    "A run stops when it has cost so much; what is on its way then is still paid. It counts for each judge by itself "
    "and needs a model with a known price. A run can be resumed, but not beyond its budget."
)


@dataclass(frozen=True, slots=True)
class Wishes:
    asking: JudgeOptions
    budget: float | None
    use_cache: bool

    def asked_of(self, judge: Judge) -> JudgeOptions:
        """What of it this judge can do: the others shouldn't have to do without."""
        if not judge.is_llm:
            return replace(self.asking, reasons=False, repeats=1, soft=False)
        return replace(self.asking, soft=self.asking.soft and judge.gives_probabilities)


def asking_options(judges: Sequence[Judge]) -> Wishes:
    llms = [judge for judge in judges if judge.is_llm]
    can_say_how_sure = [judge for judge in llms if judge.gives_probabilities]
    with st.expander("More options", key="more_scoring_options"):
        if judges and not llms:
            st.caption("Most of this is for LLMs: the rules answer the same each time and give their reasons anyway.")
        left, right = st.columns(2)
        with left:
            reasons = st.toggle(
                "Reasons with the answers",
                key="score_reasons",
                disabled=not llms,
                help="A short one with each. More tokens, so dearer.",
            )
            soft = st.toggle("How sure the judge is", key="score_soft", disabled=not can_say_how_sure, help=SOFT_HELP)
            per_question = st.toggle(
                "One call for each question",
                key="score_per_question",
                help="Instead of one call with all questions: no answer can lean on another, at many times the cost.",
            )
            use_cache = st.toggle(
                "Use earlier answers",
                value=True,
                key="score_cache",
                help="The very same request to the same model is not paid again. Switch it off to ask afresh.",
            )
        with right:
            repeats = st.number_input(
                "Ask how often", 1, 20, 1, key="score_repeats", disabled=not llms, help=REPEATS_HELP
            )
            budget = st.number_input(
                "Budget in US dollars",
                min_value=0.01,
                value=None,
                step=1.0,
                placeholder="none",
                key="score_budget",
                help=BUDGET_HELP,
            )
        if soft and len(can_say_how_sure) < len(llms):
            without = ", ".join(judge.name for judge in llms if not judge.gives_probabilities)
            st.caption(plain(f"{without} gives no log-probabilities and is asked for its answers alone."))
    return Wishes(JudgeOptions(reasons, repeats, soft, per_question), budget, use_cache)
