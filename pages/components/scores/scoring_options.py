"""Options of scoring: method, dimensions, judges, and drawn texts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.project import Dimension, Project
from app.domain.text_filter import EVERY_TEXT, SystemChoice
from app.errors import WorkbenchError
from app.services.checklists.checklists import versions_of_each
from app.services.data.projects import dimensions_named
from app.services.runtime.judges import USUAL, JudgeAbility, ModelOptions, end_warning, judge_named
from app.services.runtime.models import ModelChoice, available_models
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import (
    CHECKLIST,
    NO_JUDGE,
    Option,
    asks_a_judge,
    method_options_of,
    methods,
    needs_checklist,
    takes_rules,
)
from app.services.scoring.last_models import last_model
from app.services.scoring.runs import JudgeOptions, RunOptions, list_runs
from app.services.scoring.scoring_jobs import sells_batches
from pages.components.shell.browser.page_scripts import unsaved_typing
from pages.components.shell.checklists.publishing import EDITED_HERE, publish_steps
from pages.components.shell.current import DIMENSION, hold, one_between, was_pressed
from pages.components.shell.frame import empty
from pages.components.shell.labels import button_label, more_in_guide, plain, show_error
from pages.components.shell.navigation.screens import go
from pages.components.shell.runs.model_options import (
    DrawChoice,
    chooser_label,
    draw_options,
    left_out_systems,
    model_options,
    offer_local_servers,
    take_among,
    text_filter,
)
from pages.components.shell.runs.run_words import batch_rest_choice


def method_options(evaluator: str, disabled: Collection[str] = ()) -> dict[str, Any]:
    """Draw the method's options; return option -> value. Choices among words take the whole width; below, switches are
    beside numbers.

    An option without effect beside the others is not offered, and has its default.
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
    """Return the options as the command line writes them, without defaults."""
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
    """The chosen options of scoring. `chosen` are the options of the method, by name."""

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
        """Return the checklist options that this judge supports; other judges keep theirs."""
        asking = JudgeOptions(**self.chosen) if self.evaluator == CHECKLIST else JudgeOptions()
        if not judge.is_llm:
            return replace(asking, reasons=False, repeats=1, soft=False)
        return replace(asking, soft=asking.soft and judge.gives_probabilities)

    def model_of(self, judge: JudgeAbility) -> ModelOptions:
        """Return the judge's model options; defaults for one that is no LLM, and a tier only if its vendor sells it."""
        if not judge.is_llm:
            return USUAL
        return self.model if judge.sells_flex else replace(self.model, tier="")

    def batch_of(self, judge: JudgeAbility) -> str:
        """Return the judge's batch option; "" for judges without batches, which are asked at once."""
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
        batch = batch_rest_choice("score_batch_rest") if tier == BATCH else ""
        asked = replace(model_options("score"), tier="" if tier == BATCH else tier)
        return replace(wishes, model=asked, batch=batch)


def _tier(judges: Sequence[JudgeAbility]) -> str:
    """Ask for the service tier, where a vendor sells several."""
    flex = [judge for judge in judges if judge.sells_flex]
    batches = [judge for judge in judges if sells_batches(judge.name)]
    offered = ["", *(["flex", "flex-or-standard"] if flex else []), *([BATCH] if batches else [])]
    if len(offered) == 1:
        return ""
    names = {tier: TIER_NAMES[tier] for tier in offered}
    chosen = one_between("score_tier", names, "", "Service tier", TIER_HELP + more_in_guide("batches"))
    sold = batches if chosen == BATCH else flex
    without = [judge.name for judge in judges if judge.is_llm and judge not in sold]
    if chosen and without:
        st.caption(plain(f"{', '.join(without)} is asked at the standard price: its vendor doesn't sell that."))
    return chosen


def _checklist_options(judges: Sequence[JudgeAbility]) -> dict[str, Any]:
    """Draw the checklist's options, without those that none of the judges supports."""
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


HELP = (
    "Who is asked; with several, each gets a run of its own, one after another. Any model can be typed as "
    "provider:name, for example openai:gpt-6-luna."
)
RULES_HELP = (
    " “rules” is a set of fixed text rules, not an LLM: it needs no key and costs nothing, and it shows how everything "
    "works."
)
RULES = "rules"


def judge_choice(workbench: Workbench, project: Project, evaluator: str) -> list[JudgeAbility]:
    """Draw the choice of judges; return them, or none, with the reason shown, if one of them is no model."""
    rules = takes_rules(evaluator)
    usable = [model for model in available_models(workbench) if model.usable]
    known = _known_judges(workbench, project, usable, rules)
    key = "score_judge" if rules else "score_llm_judge"
    last = last_model(workbench, project.id, "judge")
    hold(key, [last] if last in known else known[:1])
    chosen = st.multiselect(
        "Judges",
        known,
        format_func=chooser_label,
        accept_new_options=True,
        wrap=True,
        placeholder="choose judges, or type provider:name",
        key=key,
        help=HELP + (RULES_HELP if rules else ""),
    )
    offer_local_servers(workbench, key, partial(take_among, key), [model.name for model in usable])
    names = dict.fromkeys(name.strip() for name in chosen if name.strip())
    if not names:
        st.info("Choose a judge." if rules else "Choose an LLM as the judge, or type one.")
    for warning in filter(None, map(end_warning, names)):
        st.caption(plain(warning))
    try:
        return [judge_named(workbench, name) for name in names]
    except WorkbenchError as error:
        show_error(error)
        return []


def _known_judges(workbench: Workbench, project: Project, usable: Sequence[ModelChoice], rules: bool) -> list[str]:
    """Return the rules if they can judge, earlier judges, the suggested model of each provider with a key, and all
    models of the person's own endpoint."""
    suggested = [model.name for model in usable if model.suggested or model.own]
    before = [run.judge for run in list_runs(workbench, project.id) if run.judge not in (NO_JUDGE, RULES)]
    return list(dict.fromkeys([*([RULES] if rules else []), *before, *suggested]))


def dimensions_with_checklist(workbench: Workbench, project: Project) -> list[tuple[Dimension, Checklist]]:
    """Return the dimensions that can be scored with the checklist each would use; show what the others lack."""
    dimensions = dimensions_named(workbench, project.name, "all")
    versions = versions_of_each(workbench, [dimension.id for dimension in dimensions])
    if not any(versions.values()):
        todo = "Build one, then score with it, or choose a method that needs none."
        empty("No dimension has a checklist yet.", todo, "how_it_was_made", "Build the checklist")
        return []
    ready = []
    unsaved_typing(*EDITED_HERE)
    for dimension in dimensions:
        published = _newest(versions[dimension.id], ChecklistStatus.PUBLISHED)
        if published is not None:
            ready.append((dimension, published))
        _offer_draft(workbench, dimension, published, versions[dimension.id])
    _offer_builds([dimension for dimension in dimensions if not versions[dimension.id]])
    return ready


def _offer_builds(dimensions: Sequence[Dimension]) -> None:
    """One line for all dimensions without a checklist."""
    if not dimensions:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="without_checklist"):
        st.markdown("Can't be scored before a checklist is built:", width="content")
        for dimension in dimensions:
            if was_pressed(f"Build {plain(dimension.name)}", f"build_{dimension.id}", type="tertiary"):
                go("how_it_was_made", {DIMENSION: dimension.name})


def _newest(versions: Sequence[Checklist], status: ChecklistStatus) -> Checklist | None:
    return max((v for v in versions if v.status is status), key=lambda v: v.version, default=None)


def _offer_draft(
    workbench: Workbench, dimension: Dimension, published: Checklist | None, versions: Sequence[Checklist]
) -> None:
    draft = _newest(versions, ChecklistStatus.DRAFT)
    name = f"**{plain(dimension.name)}**"
    if draft is None or (published is not None and draft.version < published.version):
        return
    now = (
        f"is scored with version {published.version}; version {draft.version}" if published else "has only a draft: it"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"{name} {now} has {len(draft.asked)} questions and can still be edited. Publishing fixes its wording.",
            width="content",
        )
        label = button_label(f"Publish version {draft.version} and use it", f"for {dimension.name}")
        publish_steps(workbench, draft, label, f"publish_{draft.id}", "secondary")


def scoring_options(workbench: Workbench, project: Project) -> tuple[list[RunOptions], list[JudgeAbility]]:
    """Draw the options; return a run for each judge, and the judges; no run, with the reason shown, while the choice
    isn't complete."""
    titles = methods()
    evaluator = st.selectbox(
        "Method",
        list(titles),
        index=list(titles).index(CHECKLIST),
        format_func=titles.__getitem__,
        key="score_evaluator",
        help="How a text gets its score. Checklist: the judge answers every question, and the share of yes is put on "
        f"the scale of the dimension.{more_in_guide('methods')}",
    )
    place = st.container()  # which dimensions can be scored depends on the method's options, which stand below
    judges = judge_choice(workbench, project, evaluator) if asks_a_judge(evaluator) else []
    choice = draw_options(workbench, project)
    systems = left_out_systems(workbench, project, "score_without", "Their texts are not scored.")
    only = EVERY_TEXT if choice.locked else text_filter("score")
    if only is None:
        return [], judges
    if choice.trials > 1:
        st.caption(f"{choice.trials} runs for each judge. What is counted on the right is one of them.")
    wishes = asking_options(evaluator, judges)
    with place:
        dimensions = _dimensions(workbench, project, wishes)
    if not dimensions:
        return [], judges
    if not asks_a_judge(evaluator):
        return [
            RunOptions(
                dimensions,
                NO_JUDGE,
                evaluator,
                None,
                choice.share,
                choice.seed,
                settings=wishes.settings,
                draw=choice.draw,
                trials=choice.trials,
                locked=choice.locked,
                systems=systems,
                filter=only,
            )
        ], []
    return [replace(_run(dimensions, judge, wishes, choice, systems), filter=only) for judge in judges], judges


def _run(
    dimensions: Sequence[Dimension], judge: JudgeAbility, wishes: Wishes, choice: DrawChoice, systems: SystemChoice
) -> RunOptions:
    return RunOptions(
        tuple(dimensions),
        judge.name,
        wishes.evaluator,
        None,
        choice.share,
        choice.seed,
        wishes.asked_of(judge),
        wishes.budget,
        wishes.use_cache,
        wishes.settings,
        reuse=wishes.reuse,
        draw=choice.draw,
        trials=choice.trials,
        locked=choice.locked,
        model=wishes.model_of(judge),
        batch=wishes.batch_of(judge),
        systems=systems,
    )


def _dimensions(workbench: Workbench, project: Project, wishes: Wishes) -> tuple[Dimension, ...]:
    """Return the chosen dimensions that the method can score; none, with the reason shown."""
    if needs_checklist(wishes.evaluator, wishes.settings):
        ready = dimensions_with_checklist(workbench, project)
        offered = [dimension for dimension, _ in ready]
        names = {d.id: f"{d.name} · version {c.version}, {len(c.asked)} questions" for d, c in ready}
        about = "Each dimension is scored with its newest published checklist."
    else:
        offered = dimensions_named(workbench, project.name, "all")
        names = {dimension.id: dimension.name for dimension in offered}
        about = "This method needs no checklist, so every dimension can be scored."
        if not offered:
            st.info("This project has no dimension yet: say on Texts what quality the texts are judged on.")
    if not offered:  # where a checklist is what is missing, that has been said
        return ()
    chosen = st.pills(
        "Dimensions",
        list(names),
        selection_mode="multi",
        default=list(names),
        format_func=lambda key: plain(names[key]),
        key=f"score_dimensions_{'_'.join(map(str, names))}",
        wrap=True,
        help=about,
    )
    if not chosen:
        st.info("Choose at least one dimension.")
    return tuple(dimension for dimension in offered if dimension.id in chosen)
