"""The command line: the same verbs as the screens, for scripts and papers."""

import importlib
import os
import sys
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from app import __version__
from app.commands.output import say
from app.domain.storable_text import is_storable
from app.errors import InputError, WorkbenchError

# Each module registers its commands on the root; they import heavy libraries only when a command runs.
_COMMANDS = (
    "workbench",
    "data.projects",
    "data.imports",
    "data.dimensions",
    "attributes.attributes",
    "attributes.side_by_side",
    "attributes.preferences",
    "checklists.build",
    "checklists.checklists",
    "checklists.answers",
    "checklists.disagreements",
    "data.split",
    "conditions.conditions",
    "reproduce",
    "scoring.score",
    "scoring.judge",
    "scoring.runs",
    "scoring.own_scores",
    "scoring.drift",
    "scoring.stage_outputs",
    "results.results",
    "results.meta_eval",
    "results.judges",
    "attributes.attribute_sets",
    "checklists.lineage",
    "models",
    "prompts",
    "data.backups",
    "people",
    "api_tokens",
    "worker",
    "agents",
)
# What was called so in version 0.2.0; the old names work for one release, and no help shows them.
_OLD_COMMANDS = {"writings": "stage-outputs"}
_OLD_OPTIONS = {"--rest-live": "--batch-fallback", "--anchors-first": "--check-drift"}
INTERRUPTED = 130  # what typer returns for Ctrl-C
TERMINATED = 143  # after a service manager's signal
_REPORT = "This is a bug. Please report it with the lines above."


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


class _Arguments(TyperGroup):
    """The root of all commands, which sees every word that was typed before any of them does."""

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
    """A command that refuses an option given twice, unless the option is declared as a list: the last would win.

    Its help shows options in the panels that its module names (`PANELS`: title -> parameters), if any.
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


def _refuse_repeats(tree: typer.Typer) -> None:
    for command in tree.registered_commands:
        command.cls = _Command
    for group in tree.registered_groups:
        if group.typer_instance is not None:
            _refuse_repeats(group.typer_instance)


def build() -> typer.Typer:
    """The whole command tree."""
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

    for name in _COMMANDS:
        importlib.import_module(f"app.commands.{name}").register(root)
    _refuse_repeats(root)
    return root


def run() -> NoReturn:
    """The console entry. Exit status: 0 done, 1 our fault, 2 the person's to mend, 3 some failed, 4 a gate fails, 130
    interrupted."""
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
            say(f"{message.rstrip('.')}. `{command} --help` shows what is possible.")
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except Exception as error:
        from app.services.runtime.endpoint_models import fault_report

        say(fault_report(error))
        say(_REPORT)
        sys.exit(1)
    if status in (INTERRUPTED, TERMINATED):
        say("Interrupted. What was done so far is kept.")
    sys.exit(status or 0)
