"""people: invitations, members, assignments and pseudonyms."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.shared import (
    JsonOption,
    ProjectOption,
    counted,
    echo,
    echo_file,
    open_dimension,
    open_project,
    open_workbench,
    print_json,
    table,
)
from app.domain.roles_and_rights import Role
from app.domain.sign_in import LINK_DAYS, MOST_DAYS
from app.errors import InputError

if TYPE_CHECKING:
    from app.services.checklists.my_work import MemberTasks


def assign(
    project: ProjectOption,
    name: Annotated[str, typer.Argument(help="The expert who is given the dimensions.")] = "",
    dimension: Annotated[
        list[str] | None, typer.Option("--dimension", help="A dimension; give it once for each.", show_default=False)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All dimensions, as without an assignment.")] = False,
    overlap: Annotated[
        int | None,
        typer.Option(min=0, help="How many experts answer each drawn text; 0: everybody.", show_default=False),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Assign dimensions to an expert, or set how many experts answer each text.

    Example: interacteval people assign "Ana Silva" --project News --dimension coherence --dimension fluency
    Example: interacteval people assign --project News --dimension coherence --overlap 2
    """
    named = dimension or []
    if bool(name) == (overlap is not None):
        raise InputError(
            "Give an expert's name or --overlap, not both.", "--overlap is for all experts of a dimension."
        )
    if bool(named) == everything or (everything and not name):
        raise InputError("Say which dimensions.", "Give --dimension, or --all for an expert to have all.")
    if overlap is None:
        _give(project, name, named, json_)
    else:
        _share(project, named, overlap, json_)


def reassign(
    giver: Annotated[str, typer.Argument(metavar="FROM", help="Who doesn't get to their texts.")],
    taker: Annotated[str, typer.Argument(metavar="TO", help="The expert who answers them instead.")],
    project: ProjectOption,
    dimension: Annotated[str, typer.Option("--dimension", help="The dimension's name.")],
    json_: JsonOption = False,
) -> None:
    """Move the texts that one expert hasn't answered to another. Each answer stays with the expert who gave it.

    Example: interacteval people reassign "Ana Silva" "Ben Ode" --project News --dimension coherence
    """
    from app.services.checklists.assignments import move_texts

    workbench, on = open_dimension(project, dimension)
    moved = move_texts(workbench, on.id, giver, taker)
    if json_:
        print_json({"from": giver, "to": taker, "moved": moved.moved, "left": moved.left})
        return
    left = f"; {moved.left} stay, since {taker} has them too" if moved.left else ""
    echo(f"{counted(moved.moved, 'text')} of {giver} went to {taker}{left}")


def _give(project: str, name: str, dimensions: list[str], json_: bool) -> None:
    from app.services.checklists.assignments import give_dimensions
    from app.services.data.projects import get_project, one_dimension

    workbench = open_workbench()
    found = list(dict.fromkeys(one_dimension(workbench, project, each) for each in dimensions))
    give_dimensions(workbench, get_project(workbench, project).id, name, [each.id for each in found])
    names = [each.name for each in found]
    if json_:
        print_json({"name": name, "dimensions": names or "all"})
    else:
        echo(f"{name} has {', '.join(names) or 'all dimensions'}")


def _share(project: str, dimensions: list[str], overlap: int, json_: bool) -> None:
    from app.services.checklists.assignments import share_texts
    from app.services.data.projects import one_dimension

    workbench = open_workbench()
    found = [share_texts(workbench, one_dimension(workbench, project, each).id, overlap) for each in dimensions]
    if json_:
        print_json(
            [
                {
                    "dimension": one.dimension.name,
                    "overlap": one.overlap,
                    "texts": one.texts,
                    "unanswered": dict(one.unanswered),
                    "without": list(one.without),
                }
                for one in found
            ]
        )
        return
    for one in found:
        who = f"{counted(one.overlap, 'expert')} a text" if one.overlap else "everybody answers every text"
        drawn = f", {counted(one.texts, 'text')} drawn" if one.texts else ", no texts drawn yet"
        echo(f"{one.dimension.name}: {who}{drawn}")
        for name, texts in one.unanswered.items():
            echo(f"  {name}: {counted(texts, 'text')} to answer")


def pseudonym_(
    name: Annotated[str, typer.Argument(help="The name that is to go, as it is written in the project.")],
    project: ProjectOption,
    pseudonym: Annotated[
        str, typer.Option("--as", help="What to call them instead; without it Expert 1, Expert 2 ...")
    ] = "",
    json_: JsonOption = False,
) -> None:
    """Replace somebody's name by a pseudonym everywhere: with their attributes, in the audit log and in conditions.

    Everything they did stays, without their name; this can't be undone.

    Example: interacteval people pseudonym "Ana Silva" --project News
    """

    from app.services.pseudonyms import proposed_pseudonym, remaining_mentions, replace_name

    workbench, target = open_project(project)
    project_id = target.id
    done = replace_name(workbench, project_id, name, pseudonym or proposed_pseudonym(workbench, project_id))
    if json_:
        print_json({"name": name, "project": project, **asdict(done)})
        return
    echo(f"{name} is {done.pseudonym} in {project} now, in {done.places:,} places")
    for line in remaining_mentions(done):
        echo(line, err=True)


def invite_(
    name: Annotated[str, typer.Argument(help="What the person is called in the project.")] = "",
    project: Annotated[str, typer.Option("--project", help="The project they take part in.")] = "",
    role: Annotated[Role, typer.Option(help="What they may do there.")] = Role.EXPERT,
    days: Annotated[int, typer.Option(min=1, max=MOST_DAYS, help="How long the link waits to be opened.")] = LINK_DAYS,
    owner: Annotated[bool, typer.Option("--owner", help="A link for the server's owner, to everything.")] = False,
    address: Annotated[
        str, typer.Option(help="The server's address, where INTERACTEVAL_ADDRESS doesn't say it.")
    ] = "http://localhost:8501",
    json_: JsonOption = False,
) -> None:
    """Make a link for one person. It works once, and is shown only here.

    Example: interacteval people invite "Ana Silva" --project News --role expert
    """
    from app.services.data.projects import get_project
    from app.services.people.invitations import invite, invite_owner
    from app.services.people.ways_to_sign_in import link_of, remarks_on_link, whole_address

    workbench = open_workbench()
    if owner == bool(name or project):
        raise InputError("Give a name and --project, or --owner alone.")
    seen_at = whole_address(address, "--address")
    made = (
        invite_owner(workbench, days)
        if owner
        else invite(workbench, get_project(workbench, project).id, name, role, days)
    )
    link = link_of(made.token, seen_at)
    if json_:
        print_json({"name": made.name, "link": link, "expires_at": made.expires_at})
        return
    echo(link)
    for remark in (*made.remarks, *remarks_on_link(link)):
        echo(remark, err=True)
    echo(f"For {made.name} alone: it lets in once, until {made.expires_at:%d %b %Y}.", err=True)


def list_(project: ProjectOption, json_: JsonOption = False) -> None:
    """List the project's members with the state of their link, their assignments and their progress.

    Example: interacteval people list --project News
    """
    from app.services.checklists.my_work import tasks_of_members

    workbench, target = open_project(project)
    rows = [_row(one) for one in tasks_of_members(workbench, target.id)]
    if json_:
        print_json(rows)
        return
    if not rows:
        echo("Nobody was invited yet. `interacteval people invite NAME --project P` makes a link.")
        return
    echo(table(["Name", "Role", "Link", "Last there", "Dimensions", "Done", "Texts"], [_cells(row) for row in rows]))


def revoke(
    name: Annotated[str, typer.Argument(help="What the person is called in the project.")],
    project: ProjectOption,
    json_: JsonOption = False,
) -> None:
    """Remove a member from a project and revoke their link; what they wrote stays.

    Example: interacteval people revoke "Ana Silva" --project News
    """
    from app.services.people.invitations import revoke_access

    workbench, target = open_project(project)
    revoke_access(workbench, target.id, name)
    if json_:
        print_json({"name": name, "project": project})
        return
    echo(f"{name} has no part in {project} any more; what they wrote stays")


def trail(
    project: Annotated[str, typer.Option("--project", help="The project; without it all, and the server.")] = "",
    csv: Annotated[bool, typer.Option("--csv", help="As a table for a spreadsheet, with times in UTC.")] = False,
    json_: JsonOption = False,
) -> None:
    """Show the audit log, newest first.

    Example: interacteval people trail --project News --csv > trail.csv
    """

    from app.services.data.projects import get_project
    from app.services.people.audit_log import audit_log_csv, project_audit_log, server_audit_log

    workbench = open_workbench()
    found = project_audit_log(workbench, get_project(workbench, project).id) if project else server_audit_log(workbench)
    if json_:
        print_json([asdict(one) for one in found])
    elif csv:
        echo_file(audit_log_csv(found))
    else:
        rows = [[f"{one.at:%Y-%m-%d %H:%M}", one.who, one.act, one.about, one.project] for one in found]
        echo(table(["When (UTC)", "Who", "Did", "What", "Project"], rows))


def _row(one: "MemberTasks") -> dict[str, Any]:
    """Return a member's row; `dimensions` is "all" for experts without assignments, and None for other roles."""
    member = one.member
    link, expert = member.invitation, member.role is Role.EXPERT
    return {
        "name": member.name,
        "role": member.role.value,
        "link": link.state(datetime.now(UTC)).value if link else None,
        "last_there": member.seen_at,
        "dimensions": ([each.name for each in one.given] or "all") if expert else None,
        "done": one.finished if expert else None,
        "tasks": len(one.tasks) if expert else None,
        "texts_done": one.texts[0] if expert else None,
        "texts": one.texts[1] if expert else None,
    }


def _cells(row: dict[str, Any]) -> list[object]:
    given, expert = row["dimensions"], row["tasks"] is not None
    return [
        *(row[name] for name in ("name", "role", "link", "last_there")),
        ", ".join(given) if isinstance(given, list) else given,
        f"{row['done']} of {row['tasks']}" if expert else None,
        f"{row['texts_done']} of {row['texts']}" if expert and row["texts"] else None,
    ]
