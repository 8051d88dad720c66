"""The options of a method: a frozen dataclass whose fields say in plain words what they choose.

A field is of type bool, int, str, or a Literal of numbers or words. Command line, screens and runs read the same
fields: what is written out is checked here, what is shown comes from `shown`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from app.errors import InputError


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For methods that can be run in one way only."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option as a person sees it. `kind` is bool, int or str; `choices` maps each allowed value to its words, and
    is empty where any value of the kind will do (whole numbers from 1 on). `only`: other options of the method and the
    values at which this one changes anything, by name; empty where it always does."""

    name: str
    label: str
    help: str
    kind: type
    default: Any
    choices: Mapping[Any, str] = field(default_factory=dict)
    only: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def applies(self, chosen: Mapping[str, Any]) -> bool:
        """Whether it changes anything beside these values of the method's options."""
        return all(chosen[name] in values for name, values in self.only.items())


def shown(
    label: str,
    help: str,  # noqa: A002
    choices: Mapping[Any, str] | None = None,
    only: Mapping[str, tuple[Any, ...]] | None = None,
    *,
    later: bool = False,
) -> dict[str, Any]:
    """Metadata of an option's field: its label, a sentence or two on what it does, words for each choice, and the
    values of other options at which alone it does anything. `later`: runs were stored before there was this choice."""
    return {"label": label, "help": help, "choices": choices or {}, "only": only or {}, "later": later}


def as_params(options: Any) -> dict[str, Any]:
    """Name -> value, as stored with a run. An option that came later is left out at its default: asked alike, a run
    of today and one from before are stored alike."""
    left_out = {o.name for o in fields(options) if o.metadata.get("later") and getattr(options, o.name) == o.default}
    return {name: value for name, value in asdict(options).items() if name not in left_out}


def described(options: type) -> tuple[Option, ...]:
    """The options of a method, in the order in which they are to be offered."""
    hints = get_type_hints(options)
    return tuple(_described(found, hints[found.name]) for found in fields(options))


def _described(found: Any, hint: Any) -> Option:
    words = found.metadata.get("choices", {})
    allowed = get_args(hint) if get_origin(hint) is Literal else ()
    label = found.metadata.get("label", found.name.replace("_", " ").capitalize())
    kind = type(allowed[0]) if allowed else hint
    choices = {value: words.get(value, str(value)) for value in allowed}
    about, only = found.metadata.get("help", ""), found.metadata.get("only", {})
    return Option(found.name, label, about, kind, found.default, choices, only)


def read_options(method: str, options: type, given: Mapping[str, Any]) -> Any:
    """An instance of `options` from names and values, which may be written out. Raises InputError."""
    known = {option.name: option for option in described(options)}
    for name in given:
        if name not in known:
            has = f"It has: {', '.join(known)}." if known else "It has none."
            raise InputError(f"{method} has no option “{name}”.", has)
    return options(**{name: _value(method, known[name], value) for name, value in given.items()})


def unused_option(method: str, options: Any) -> str:
    """Which option was changed although it does nothing beside the others, and what it needs; "" for none."""
    chosen = asdict(options)
    for option in described(type(options)):
        if chosen[option.name] != option.default and not option.applies(chosen):
            needed = " and ".join(f"{name}={' or '.join(map(_said, values))}" for name, values in option.only.items())
            return f"{method} uses {option.name} only with {needed}."
    return ""


def _said(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def _value(method: str, option: Option, value: Any) -> Any:
    read: Any = value
    if isinstance(value, str):
        if option.choices:
            read = next((allowed for allowed in option.choices if str(allowed) == value), value)
        elif option.kind is bool:
            read = _WORDS.get(value.lower(), value)
        elif option.kind is int:
            read = int(value) if value.isdecimal() else value
    # An int is no bool here, though Python takes one for the other.
    fits = read in option.choices if option.choices else type(read) is option.kind
    if not fits or (option.kind is int and not option.choices and read < 1):
        raise InputError(f"{method} can't take {option.name}={value}.", f"Give {_allowed(option)}.")
    return read


def _allowed(option: Option) -> str:
    if option.choices:
        return ", ".join(map(str, option.choices))
    return {bool: "yes, no", int: "a whole number of at least 1"}.get(option.kind, "some text")
