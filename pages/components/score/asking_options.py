"""Options of a run's asking: the method's own, what it may cost, whether earlier answers count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from app.services.runtime.judges import JudgeAbility
from app.services.runtime.model_options import USUAL, ModelOptions
from app.services.scoring.evaluators import CHECKLIST, asks_a_judge, method_options_of
from app.services.scoring.run_batches import sells_batches
from app.services.scoring.runs import JudgeOptions
from pages.components.score.method_options import method_options, written
from pages.components.shell.guide.explained import more_in_guide
from pages.components.shell.runs.batch_rest import batch_rest
from pages.components.shell.runs.model_options import model_options
from pages.components.shell.words import plain

REUSE_HELP = (
    "For a newer version of a checklist: what the same judge, asked in the same way, said about a question that hasn't "
    "changed counts again, and only the other questions are asked. It said so among the questions of the version "
    "before; asked two questions alone, a judge may answer otherwise than among eleven. Switch it off to ask "
    "everything afresh."
)
BUDGET_HELP = (
    "A run stops once it has cost this much; what is on its way then is still paid for. Each judge has this much to "
    "itself, and needs a model with a known price. A run can be resumed, but not beyond its budget."
)

BATCH = "batch"
TIER_NAMES = {"": "Standard", "flex": "Flex", "flex-or-standard": "Flex, else standard", BATCH: "Batch"}
TIER_HELP = (
    "Flex is the vendor's slower tier, mostly at half the price: an answer may take a quarter of an hour, and now and "
    "then there is no room. “Flex” waits then; “Flex, else standard” asks at the standard price. What was answered in "
    "one tier counts in the other. “Batch” costs half: one text is scored at once, and all others are handed in "
    "together and answered within a day, mostly within an hour. You can close this page meanwhile; if the program is "
    "ended, resume the run."
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """`chosen` are the options of the method, by name."""

    evaluator: str
    chosen: Mapping[str, Any]
    budget: float | None = None
    use_cache: bool = True
    reuse: bool = True
    model: ModelOptions = USUAL
    batch: str = ""

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        return () if self.evaluator == CHECKLIST else written(self.evaluator, self.chosen)

    def asked_of(self, judge: JudgeAbility) -> JudgeOptions:
        """What of it this judge can do, where a checklist is asked: the others shouldn't have to do without."""
        asking = JudgeOptions(**self.chosen) if self.evaluator == CHECKLIST else JudgeOptions()
        if not judge.is_llm:
            return replace(asking, reasons=False, repeats=1, soft=False)
        return replace(asking, soft=asking.soft and judge.gives_probabilities)

    def model_of(self, judge: JudgeAbility) -> ModelOptions:
        """How it is asked; what is no LLM is always asked alike, and a tier is for whose vendor sells it."""
        if not judge.is_llm:
            return USUAL
        return self.model if judge.sells_flex else replace(self.model, tier="")

    def batch_of(self, judge: JudgeAbility) -> str:
        """The others are asked at once."""
        return self.batch if sells_batches(judge.name) else ""


def asking_options(evaluator: str, judges: Sequence[JudgeAbility]) -> Wishes:
    judged = asks_a_judge(evaluator)
    if not judged and not method_options_of(evaluator):
        return Wishes(evaluator, {})
    with st.expander("More options", key="more_scoring_options"):
        chosen = _checklist_options(judges) if evaluator == CHECKLIST else method_options(evaluator)
        if not judged:
            return Wishes(evaluator, chosen)
        wishes = _limits(evaluator, chosen)
        if not any(judge.is_llm for judge in judges):
            return wishes
        tier = _tier(judges)
        batch = batch_rest("score_batch_rest") if tier == BATCH else ""
        asked = replace(model_options("score"), tier="" if tier == BATCH else tier)
        return replace(wishes, model=asked, batch=batch)


def _tier(judges: Sequence[JudgeAbility]) -> str:
    """Not asked for where no vendor sells another one."""
    flex = [judge for judge in judges if judge.sells_flex]
    batches = [judge for judge in judges if sells_batches(judge.name)]
    offered = ["", *(["flex", "flex-or-standard"] if flex else []), *([BATCH] if batches else [])]
    if len(offered) == 1:
        return ""
    chosen = st.segmented_control(
        "Service tier",
        offered,
        default="",
        format_func=TIER_NAMES.__getitem__,
        required=True,
        key="score_tier",
        help=TIER_HELP + more_in_guide("batches"),
    )
    sold = batches if chosen == BATCH else flex
    without = [judge.name for judge in judges if judge.is_llm and judge not in sold]
    if chosen and without:
        st.caption(plain(f"{', '.join(without)} is asked at the standard price: its vendor doesn't sell that."))
    return chosen or ""


def _checklist_options(judges: Sequence[JudgeAbility]) -> dict[str, Any]:
    """What only an LLM can do, or only some, is not offered for others."""
    llms = [judge for judge in judges if judge.is_llm]
    silent = [judge for judge in llms if not judge.gives_probabilities]
    if judges and not llms:
        st.caption("Most of this is for LLMs: the rules answer the same each time and give their reasons anyway.")
    disabled = [] if llms else ["reasons", "repeats"]
    chosen = method_options(CHECKLIST, [*disabled, *(["soft"] if len(silent) == len(llms) else [])])
    if chosen["soft"] and silent:
        without = ", ".join(judge.name for judge in silent)
        st.caption(plain(f"{without} gives no log-probabilities and is asked for its answers alone."))
    return chosen


def _limits(evaluator: str, chosen: Mapping[str, Any]) -> Wishes:
    left, right = st.columns(2, vertical_alignment="bottom")
    use_cache = left.toggle(
        "Use earlier answers",
        value=True,
        key="score_cache",
        help="The very same request to the same model is not paid again. Switch it off to ask afresh.",
    )
    budget = right.number_input(
        "Budget in US dollars",
        min_value=0.01,
        value=None,
        step=1.0,
        placeholder="none",
        key="score_budget",
        help=BUDGET_HELP,
    )
    if evaluator != CHECKLIST:
        return Wishes(evaluator, chosen, budget, use_cache)
    reuse = left.toggle("Ask only what changed", value=True, key="score_reuse", disabled=not use_cache, help=REUSE_HELP)
    return Wishes(evaluator, chosen, budget, use_cache, reuse)
