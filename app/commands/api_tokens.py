"""api-token make, list and revoke: tokens for programs that use a project over HTTP."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from app.commands.shared import JsonOption, ProjectOption, echo, open_project, print_json, table
from app.domain.people import ApiToken
from app.domain.sign_in import MOST_DAYS, TOKEN_DAYS

TokenArgument = Annotated[str, typer.Argument(help="What the token is called, such as what it is for.")]


def make(
    name: TokenArgument,
    project: ProjectOption,
    budget: Annotated[float, typer.Option(help="US dollars that judging with it may cost in all.")] = 5.0,
    days: Annotated[int, typer.Option(min=1, max=MOST_DAYS, help="How long it is good for.")] = TOKEN_DAYS,
    json_: JsonOption = False,
) -> None:
    """Make a token. It is shown here and nowhere else.

    Example: interacteval api-token make nightly --project News --budget 5
    """
    from app.services.people.api_tokens import make_api_token

    workbench, target = open_project(project)
    made = make_api_token(workbench, target.id, name, budget, days)
    if json_:
        print_json({**_document(made.token), "token": made.secret})
        return
    echo(made.secret)
    echo(f"For {project} alone, up to ${budget:,.2f}, until {made.token.expires_at:%d %b %Y}.", err=True)


def list_(project: ProjectOption, json_: JsonOption = False) -> None:
    """List the project's tokens with the rest of their budget and their last use.

    Example: interacteval api-token list --project News
    """
    from app.services.people.api_tokens import api_tokens_of

    workbench, target = open_project(project)
    rows = [_document(each) for each in api_tokens_of(workbench, target.id)]
    if json_:
        print_json(rows)
        return
    if not rows:
        echo("There is no token yet. `interacteval api-token make NAME --project P` makes one.")
        return
    money = [f"${row['spent_usd']:,.4f} of ${row['budget_usd']:,.2f}" for row in rows]
    cells = [
        [row["name"], row["state"], spent, f"{row['expires_at']:%Y-%m-%d}", row["last_used"]]
        for row, spent in zip(rows, money, strict=True)
    ]
    echo(table(["Name", "State", "Spent", "Until", "Last used"], cells))


def revoke(name: TokenArgument, project: ProjectOption, json_: JsonOption = False) -> None:
    """Revoke a token: programs that use it are refused from now on.

    Example: interacteval api-token revoke nightly --project News
    """
    from app.services.people.api_tokens import revoke_api_token

    workbench, target = open_project(project)
    revoke_api_token(workbench, target.id, name)
    if json_:
        print_json({"name": name, "project": project})
        return
    echo(f"{name} is revoked")


def _document(token: "ApiToken") -> dict[str, Any]:
    return {
        "name": token.name,
        "state": token.state(datetime.now(UTC)).value,
        "budget_usd": token.budget_usd,
        "spent_usd": token.spent_usd,
        "made_at": token.made_at,
        "expires_at": token.expires_at,
        "last_used": token.used_at,
    }
