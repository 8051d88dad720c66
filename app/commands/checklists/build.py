"""build: from attributes to a draft checklist."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.checklists.checklists import summary
from app.commands.shared import (
    DimensionOption,
    EffortOption,
    JsonOption,
    ProjectOption,
    RoomOption,
    TimeoutOption,
    chosen_model_options,
    echo,
    open_workbench,
    print_json,
    say,
    workbench_asking,
)
from app.domain.build import Stage
from app.domain.checklist import Checklist
from app.domain.condition import canonical
from app.domain.project import Dimension
from app.errors import InputError, NotReadyError, ProviderError

if TYPE_CHECKING:
    from app.services.runtime.workbench import Workbench

STAGES = "components, clusters, key-questions, sub-questions, validation"


def build(
    project: ProjectOption,
    model: Annotated[str, typer.Option(help="provider:name, or rules.")],
    dimension: DimensionOption = "all",
    condition: Annotated[
        str, typer.Option(help="Whose attributes: comb, ml, mh, sl:NAME, sh:NAME or only:NAME,NAME.")
    ] = "comb",
    components: Annotated[int, typer.Option(min=3, max=9, help="At most so many components.")] = 5,
    stage_model: Annotated[
        list[str] | None, typer.Option(help=f"STAGE=MODEL, for one stage; repeat for more. Stages: {STAGES}.")
    ] = None,
    from_: Annotated[
        str,
        typer.Option(
            "--from",
            help="Ask this stage anew in the newest build, then the stages after it that are stale or were never made.",
        ),
    ] = "",
    stale: Annotated[
        bool, typer.Option("--stale", help="Rebuild only the stages of the newest build that were made and are stale.")
    ] = False,
    publish: Annotated[bool, typer.Option("--publish", help="Publish the new version at once.")] = False,
    by: Annotated[str, typer.Option("--by", help="Your name, for the build's history.")] = "",
    max_output_tokens: RoomOption = None,
    timeout: TimeoutOption = None,
    effort: EffortOption = "",
    json_: JsonOption = False,
) -> None:
    """Turn attributes into a draft checklist.

    Example: interacteval build --project News --dimension all --condition comb --model openai:gpt-6-luna --publish

    Example: interacteval build --project News --dimension coherence --from sub-questions --model rules
    """
    from app.services.building.build import build as build_one
    from app.services.building.build import check_can_build
    from app.services.data.projects import dimensions_to_use, get_project

    models = _stage_models(stage_model or [])
    first = _stage(from_) if from_ else None
    workbench = workbench_asking(
        open_workbench(), [model, *models.values()], chosen_model_options(max_output_tokens, timeout, effort)
    )
    target = get_project(workbench, project)
    dimensions = dimensions_to_use(workbench, project, dimension)
    going_on = first is not None or stale
    for d in dimensions:  # all of them, before the first is paid for
        _build_under(workbench, d, condition) if going_on else check_can_build(workbench, d, condition)
    made = []
    for d in dimensions:
        on_stage = _stage_printer(d.name)
        try:
            if going_on:
                made.append(_go_on(workbench, d, condition, {**_all(model), **models}, first, publish, on_stage, by))
            else:
                made.append(
                    build_one(workbench, target, d, model, condition, components, publish, on_stage, models, by)
                )
        except ProviderError as error:
            if error.exit_status == InputError.exit_status:
                raise  # a key or a name that has to change would fail on the others too
            say(f"{d.name}: {error.in_full}")
    _report(made, json_)
    if len(made) < len(dimensions):
        raise typer.Exit(ProviderError.exit_status)


def _go_on(
    workbench: "Workbench",
    dimension: "Dimension",
    condition: str,
    models: "dict[Stage, str]",
    first: "Stage | None",
    publish: bool,
    on_stage: Callable[[str, int, int], None],
    by: str,
) -> "Checklist":
    """Continue the newest build in this condition: from a stage on, or only where it is stale. Returns the new version.

    Raises NotReadyError if only stale stages are wanted and others were never made: a version needs all stages.
    """
    from app.services.building.build import make_checklist, regenerate, run_stages
    from app.services.building.build_state import set_model, view_build

    build_id = _build_under(workbench, dimension, condition)
    for stage, name in models.items():
        set_model(workbench, build_id, name, stage, by)
    if first is not None:
        regenerate(workbench, build_id, first, who=by)
        run_stages(workbench, build_id, on_stage=on_stage, who=by)
        return make_checklist(workbench, build_id, publish, by)
    view = view_build(workbench, build_id)
    run_stages(workbench, build_id, view.made, on_stage, by)
    if view.never_made:
        names = ", ".join(stage.value for stage in view.never_made)
        raise NotReadyError(
            f"{dimension.name} has no new version: these stages were never made: {names}.",
            f"Make them with --from {view.never_made[0].value}.",
        )
    return make_checklist(workbench, build_id, publish, by)


def _build_under(workbench: "Workbench", dimension: "Dimension", condition: str) -> int:
    """Return the newest build in this condition. Raises NotReadyError if there is none to continue."""
    from app.services.building.build_state import builds_of

    found = next((b for b in builds_of(workbench, dimension.id) if b.condition == canonical(condition)), None)
    if found is None:
        raise NotReadyError(f"{dimension.name} has no build under {condition} to go on with.", "Build it first.")
    return found.id


def _stage_models(pairs: Sequence[str]) -> "dict[Stage, str]":
    found = {}
    for pair in pairs:
        name, equals, model = pair.partition("=")
        if not equals or not model.strip():
            raise InputError(f"“{pair}” names no stage and model.", "Write STAGE=MODEL, for example validation=rules.")
        found[_stage(name)] = model.strip()
    return found


def _stage(name: str) -> "Stage":
    try:
        return Stage(name.strip())
    except ValueError:
        raise InputError(f"There is no stage “{name}”.", f"The stages are {STAGES}.") from None


def _all(model: str) -> "dict[Stage, str]":
    return dict.fromkeys(Stage, model)


def _report(made: "Sequence[Checklist]", json_: bool) -> None:
    if json_:
        print_json([summary(checklist) for checklist in made])
        return
    for checklist in made:
        what = f"version {checklist.version} ({checklist.status.value}), {len(checklist.asked)} questions"
        echo(f"{checklist.dimension}: {what}")


def _stage_printer(dimension: str) -> Callable[[str, int, int], None]:
    return lambda stage, done, all_: say(f"{dimension}: {stage} ({done} of {all_})")
