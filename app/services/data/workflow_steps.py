"""The five steps of a dimension, the state of each, and what can be done next."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.domain.checklist import ChecklistStatus
from app.domain.roles_and_rights import Right
from app.domain.run import RunStatus
from app.services.data.projects import DimensionProgress, Overview


class StepState(StrEnum):
    DONE = "done"
    READY = "ready"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class FlowStep:
    """A step. `screen`: where it is done (a page's file name without .py); `words`: what is there, or what it waits
    for."""

    title: str
    screen: str
    state: StepState
    words: str


@dataclass(frozen=True, slots=True)
class NextStep:
    """The next thing to do: the screen (a page's file name without .py), the verb for the button, why, and the required
    right.

    `section`: the part of that screen to open, "" for its first. `dimension`: the one to do it on, the first of
    several; "" if it is about none.
    """

    screen: str
    verb: str
    why: str
    right: Right = Right.FACILITATE
    section: str = ""
    dimension: str = ""

    @property
    def button(self) -> str:
        """Return the label of the button that leads there."""
        return f"Next: {self.verb[0].lower()}{self.verb[1:]}"

    @property
    def parameters(self) -> dict[str, str]:
        """Return the query parameters of the screen's address besides project and dimension."""
        return {"section": self.section} if self.section else {}


# In the order of the flow; {names} are the dimensions it is about.
_TODO = {
    "import": NextStep("texts", "Import texts", "This project has no texts yet.", section="Import"),
    "dimension": NextStep(
        "texts", "Add a dimension", "Say what quality the texts are judged on.", section="Dimensions and wording"
    ),
    "think": NextStep(
        "think_aloud", "Think aloud", "Nobody has said yet what to look for in {names}.", Right.TAKE_PART
    ),
    "build": NextStep("how_it_was_made", "Build the checklist", "There are attributes but no checklist for {names}."),
    "publish": NextStep(
        "checklist", "Publish the checklist", "The checklist of {names} is a draft: read it, then publish it."
    ),
    "watch": NextStep("scores", "Watch the run", "A run is scoring texts right now."),
    "score": NextStep("scores", "Score the texts", "No text has been scored yet on {names}."),
    "score_anew": NextStep(
        "scores", "Score the texts", "The newest version of the checklist of {names} has no scores yet."
    ),
    "finish": NextStep("scores", "Finish the scores", "Not every text has a score on {names} yet."),
    "look": NextStep("results", "See the results", "There are scores for {names}.", Right.READ),
}
_ORDER = tuple(_TODO)


def next_of(progress: Overview, dimension: DimensionProgress | None) -> NextStep:
    """Return what to do next on one dimension; None for a project without dimensions."""
    return _worded(_kind(progress, dimension), [dimension] if dimension else [])


def next_step(progress: Overview) -> NextStep:
    """Return the first missing step of the method over all dimensions.

    Dimensions without ratings come last, so that they don't delay those that can be compared with people.
    """
    rated = tuple(d for d in progress.dimensions if d.ratings)
    for dimensions in (rated, progress.dimensions):
        kinds = {d.dimension.name: _kind(progress, d) for d in dimensions}
        first = min(kinds.values(), key=_ORDER.index, default="look")
        if first != "look":
            return _worded(first, [d for d in dimensions if kinds[d.dimension.name] == first])
    if not progress.dimensions:
        return _worded(_kind(progress, None), [])
    return replace(_TODO["look"], why="Every dimension has scores.")


def steps_of(progress: Overview, dimension: DimensionProgress | None) -> tuple[FlowStep, ...]:
    """Return the steps texts, attributes, checklist, scores and results of a dimension; None for a project without
    dimensions."""
    if dimension is None:
        return tuple(
            FlowStep(
                title, screen, StepState.READY if screen == "texts" else StepState.BLOCKED, _no_dimension(progress)
            )
            for title, screen in _SCREENS
        )
    found = (
        _texts(progress),
        _ideas(progress, dimension),
        _checklist(dimension),
        _scores(progress, dimension),
        _results(dimension),
    )
    return tuple(FlowStep(title, screen, *one) for (title, screen), one in zip(_SCREENS, found, strict=True))


_SCREENS = (
    ("Texts", "texts"),
    ("Attributes", "think_aloud"),
    ("Checklist", "checklist"),
    ("Scores", "scores"),
    ("Results", "results"),
)
_Standing = tuple[StepState, str]


def _worded(kind: str, dimensions: Sequence[DimensionProgress]) -> NextStep:
    names = ", ".join(d.dimension.name for d in dimensions)
    first = dimensions[0].dimension.name if dimensions else ""
    return replace(_TODO[kind], why=_TODO[kind].why.format(names=names), dimension=first)


def _kind(progress: Overview, dimension: DimensionProgress | None) -> str:
    if not progress.texts:
        return "import"
    if dimension is None:
        return "dimension"
    if not dimension.attributes and dimension.checklist is None:
        return "think"
    if dimension.published is None:
        return "publish" if dimension.checklist else "build"
    if any(run.status is RunStatus.RUNNING and dimension.dimension.name in run.dimensions for run in progress.runs):
        return "watch"
    if dimension.run is None:
        return "score"
    if dimension.unscored_version is not None:
        return "score_anew"
    return "look" if dimension.run.done == dimension.run.all else "finish"


def _no_dimension(progress: Overview) -> str:
    return _TODO[_kind(progress, None)].why


def _texts(progress: Overview) -> _Standing:
    if not progress.texts:
        return StepState.READY, _TODO["import"].why
    return StepState.DONE, f"{progress.texts:,} texts"


def _ideas(progress: Overview, dimension: DimensionProgress) -> _Standing:
    if dimension.attributes:
        return StepState.DONE, f"{dimension.human_attributes} by people, {dimension.llm_attributes} by LLMs"
    if not progress.texts:
        return StepState.BLOCKED, "Waits for texts."
    return StepState.READY, _TODO["think"].why.format(names=dimension.dimension.name)


def _checklist(dimension: DimensionProgress) -> _Standing:
    newest = dimension.checklist
    if newest is None:
        if dimension.attributes:
            return StepState.READY, _TODO["build"].why.format(names=dimension.dimension.name)
        return StepState.BLOCKED, "Waits for attributes: say first what to look for."
    if dimension.published is None:
        return StepState.READY, _TODO["publish"].why.format(names=dimension.dimension.name)
    draft = f"; version {newest.version} is a draft" if newest.status is ChecklistStatus.DRAFT else ""
    return StepState.DONE, f"Version {dimension.published} is published{draft}"


def _scores(progress: Overview, dimension: DimensionProgress) -> _Standing:
    run = dimension.run
    if run is not None and dimension.unscored_version is not None:
        return StepState.READY, f"Scored: {dimension.scored_words}"
    if run is not None:
        done = run.done == run.all
        return (StepState.DONE if done else StepState.READY), f"Run {run.id}: {run.done:,} of {run.all:,} scores"
    if not progress.texts:
        return StepState.BLOCKED, "Waits for texts."
    if dimension.published is None:
        return StepState.BLOCKED, "Waits for a published checklist; other methods score without one."
    return StepState.READY, _TODO["score"].why.format(names=dimension.dimension.name)


def _results(dimension: DimensionProgress) -> _Standing:
    if dimension.run is None:
        return StepState.BLOCKED, "Waits for scores."
    return StepState.DONE, f"Of run {dimension.run.id}"
