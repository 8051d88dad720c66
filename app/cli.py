"""The command line: the same use cases as the screens, for scripts and papers."""

import importlib
import os
import select
import sys
from functools import cache
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from app import __version__
from app.commands.shared import say
from app.domain.storable_text import is_storable
from app.errors import InputError, WorkbenchError

# Help of each group of commands, in the order that help shows them.
_GROUPS = {
    "project": "Projects: look, create, say what their texts are called, delete.",
    "dimension": "What the texts of a project are judged on.",
    "attributes": "What people and LLMs said to look for.",
    "side-by-side": "People and LLMs side by side, blind (six open questions).",
    "preferences": "Pairs of texts, and which one people found better.",
    "checklist": "Look at checklists, edit drafts, publish them, take them out, bring them in.",
    "checklist component": "Change the components of a draft and their key questions.",
    "answers": "Experts' own answers to a published checklist.",
    "disagreements": "Where experts and judges part, and what was decided.",
    "split": "Lock documents away for the last test, and look at results on them on purpose.",
    "conditions": "Compare checklists from single, several and all contributors with one judge.",
    "runs": "Look at scoring runs, wait for one, or stop it.",
    "scores": "Scores of any metric from elsewhere.",
    "stage-outputs": "Steps of G-Eval, aspects of CoAScore, seeds of CheckEval: see and change them.",
    "models": "Which models can be used.",
    "prompts": "Prompts of a project: look, word them anew, go back.",
    "people": "Who takes part in a project on a team's server.",
    "api-token": "Tokens with which programs ask a project over HTTP.",
}
# Group, module, and its functions: a command is called as its function, with - for _ and without a last _. The modules
# import heavy libraries only when a command runs.
_COMMANDS = (
    ("", "workbench", "serve demo"),
    ("project", "data.projects", "list_ show experts create wording delete export import_"),
    ("", "data.imports", "import_ template"),
    ("dimension", "data.dimensions", "list_ add edit correlations"),
    ("attributes", "attributes.attributes", "add import_ list_ contributors"),
    ("attributes", "attributes.attribute_sets", "coverage"),
    ("attributes", "attributes.attributes", "edit exclude restore move merge alike"),
    ("", "attributes.attributes", "think_aloud"),
    ("side-by-side", "attributes.side_by_side", "show answer reveal list_"),
    ("preferences", "attributes.preferences", "import_ show draw attributes"),
    ("", "checklists.build", "build"),
    ("checklist", "checklists.checklists", "list_ show export import_ schema publish"),
    ("checklist", "checklists.checklist_edits", "questions edit add remove move undo history diff restore"),
    ("checklist component", "checklists.checklist_components", "list_ add edit move remove"),
    ("checklist", "checklists.checklist_models", "ask review applicability proposals decide try_"),
    ("checklist", "checklists.checklists", "calls"),
    ("checklist", "checklists.improvements", "improve improvements timeline"),
    ("checklist", "checklists.checklist_models", "xray"),
    ("answers", "checklists.answers", "draw plan list_ export import_"),
    ("disagreements", "checklists.disagreements", "list_ show decide undo rooms"),
    ("split", "data.split", "lock show look open_"),
    ("conditions", "conditions.conditions", "run show effect"),
    ("", "reproduce", "reproduce"),
    ("", "scoring.score", "score"),
    ("", "scoring.judge", "judge"),
    ("runs", "scoring.runs", "list_ show wait cancel record compare"),
    ("runs", "results.method_comparison", "quality bias failures"),
    ("scores", "scoring.own_scores", "import_"),
    ("", "scoring.drift", "drift"),
    ("stage-outputs", "scoring.stage_outputs", "list_ edit seeds"),
    ("", "results.results", "results"),
    ("", "results.meta_eval", "meta_eval compare"),
    ("", "results.judges", "estimate_ alt_test_ panel_"),
    ("", "attributes.attribute_sets", "similarity topics"),
    ("", "checklists.checklists", "lineage"),
    ("models", "models", "list_ test prices"),
    ("", "models", "bench"),
    ("prompts", "prompts", "list_ show save use"),
    ("", "data.backups", "backup restore"),
    ("people", "people", "invite_ list_ assign reassign revoke pseudonym_ trail"),
    ("api-token", "api_tokens", "make list_ revoke"),
    ("", "workbench", "worker"),
    ("", "agents", "mcp"),
)
# What was called so in version 0.2.0; the old names work for one release, and no help shows them.
_OLD_COMMANDS = {"writings": "stage-outputs"}
_OLD_OPTIONS = {"--rest-live": "--batch-fallback", "--anchors-first": "--check-drift"}
INTERRUPTED = 130  # what typer returns for Ctrl-C
TERMINATED = 143  # after a service manager's signal
READER_GONE = 141  # what shells return for a program whose output nobody reads any more


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


class _Arguments(TyperGroup):
    """The root of all commands, which checks all typed words before any command reads them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for number, word in enumerate(args, start=1):
            # A file may have a name that is no UTF-8; everything else is text.
            if not is_storable(word) and ("\0" in word or not os.path.lexists(word)):
                raise InputError(
                    f"Argument {number} holds a damaged character (half of one, or NUL).", "Type it again in UTF-8."
                )
        commands = [_OLD_COMMANDS.get(word, word) for word in args[:1]]
        return super().parse_args(ctx, commands + [_OLD_OPTIONS.get(word, word) for word in args[1:]])


class _Command(TyperCommand):
    """A command that refuses an option given twice, unless it is a list (Typer would silently take the last one).

    Its help groups options into the panels that its module defines (`PANELS`: title -> parameters), if any.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        module = sys.modules.get(getattr(self.callback, "__module__", ""))
        for title, names in getattr(module, "PANELS", {}).items():
            for option in self.params:
                if option.name in names and isinstance(option, TyperOption):
                    option.rich_help_panel = title

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in self.params:
            once = option.param_type_name == "option" and not getattr(option, "multiple", False)
            if once and not option.is_eager and (count := given.count(option)) > 1:
                raise InputError(f"{'/'.join(option.opts)} is given {count} times, but can be given only once.")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            if not _reader_is_gone():
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still to be printed
            raise typer.Exit(READER_GONE) from None
        return result


def _reader_is_gone() -> bool:
    """Return whether nobody reads our output any more, as after `| head`: only then a broken pipe is no bug."""
    watched = select.poll()
    watched.register(sys.stdout.fileno(), 0)  # errors alone
    return bool(watched.poll(0))


@cache
def build() -> typer.Typer:
    """Return the whole command tree, made once."""
    root = typer.Typer(
        name="interacteval",
        help="Judge texts with checklists that people and LLMs build, and see how far the scores can be trusted.",
        epilog="The guide, which messages name after “See”, is behind Help in the app (interacteval serve).",
        no_args_is_help=True,
        cls=_Arguments,
        pretty_exceptions_enable=False,
        add_completion=False,
    )

    @root.callback()
    def main(
        _version: bool = typer.Option(
            False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
        ),
    ) -> None:
        pass

    groups = {"": root}
    for path, help_ in _GROUPS.items():
        above, _, name = path.rpartition(" ")
        groups[path] = typer.Typer(no_args_is_help=True, help=help_)
        groups[above].add_typer(groups[path], name=name)
    groups["scores"].callback()(lambda: None)  # else Typer would make its only command the group itself
    for path, module, functions in _COMMANDS:
        commands = importlib.import_module(f"app.commands.{module}")
        for function in functions.split():
            name = function.strip("_").replace("_", "-")
            groups[path].command(name, cls=_Command)(getattr(commands, function))
    return root


def run() -> NoReturn:
    """Run the command line, then exit: 0 done, 1 a bug, 2 an error that the user can fix, 3 some items failed, 4 a gate
    failed, 130 interrupted, 141 nobody reads the output any more."""
    os.environ["PYTHONSAFEPATH"] = "1"  # no process that we start imports from the folder where it is started
    try:
        status = build()(standalone_mode=False, prog_name="interacteval")
    except WorkbenchError as error:
        say(" ".join(error.in_full.split()))
        sys.exit(error.exit_status)
    except TyperException as error:
        message = " ".join(error.format_message().replace("Value error, ", "").split())
        if message:  # a bare command has shown its help already
            where = getattr(error, "ctx", None)
            command = where.command_path if where else "interacteval"
            ending = "" if message.endswith(("?", ".")) else "."
            say(f"{message}{ending} `{command} --help` shows what is possible.")
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except Exception as error:
        from app.services.runtime.endpoint_models import fault_report

        say(fault_report(error))
        say("This is a bug. Please report it with the lines above.")
        sys.exit(1)
    if status in (INTERRUPTED, TERMINATED):
        say("Interrupted. What was done so far is kept.")
    sys.exit(status or 0)
