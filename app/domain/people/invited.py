"""People to invite, as somebody pastes them: one a line, with an email address and a role where they are given."""

import csv
import re
from dataclasses import dataclass

from app.domain.people.actor import Role
from app.errors import InputError
from app.limits import LONGEST_FIELD

MOST_INVITED = 200
_NAMED_ADDRESS = re.compile(r"(?P<name>[^<>]+)<(?P<email>[^<>]+)>")


@dataclass(frozen=True, slots=True)
class InvitedPerson:
    """`email` is "" where none is given; it is shown beside the link and stored nowhere."""

    name: str
    role: Role
    email: str = ""


def read_invited(pasted: str, role: Role) -> list[InvitedPerson]:
    """The people of a list, one a line: name, then email address and role in any order, between commas, semicolons or
    tabs; also `Name <address>`. `role` is for those without one of their own.

    Raises InputError with the number of the line for a line without a name, for a word that is no role, and for a name
    that is there twice.
    """
    found: dict[str, InvitedPerson] = {}
    for number, line in enumerate(pasted.splitlines(), start=1):
        if not line.strip(" ,;\t"):
            continue
        one = _read_line(line, number, role)
        if one.name in found:
            raise InputError(f"Line {number}: {one.name} is on the list twice.", "Give each person their own name.")
        found[one.name] = one
    if not found:
        raise InputError("There is nobody on the list.", "Write one person a line: a name, then an email address.")
    if len(found) > MOST_INVITED:
        raise InputError(f"{len(found)} people are on the list; {MOST_INVITED} at a time are the most.", "Shorten it.")
    return list(found.values())


def _read_line(line: str, number: int, role: Role) -> InvitedPerson:
    if len(line) > LONGEST_FIELD:
        raise InputError(f"Line {number} has more than {LONGEST_FIELD:,} characters.", "Write one person a line.")
    separator = next((sign for sign in "\t;," if sign in line), ",")
    name, *rest = (part.strip() for part in next(csv.reader([line], delimiter=separator)))
    email = ""
    if named := _NAMED_ADDRESS.fullmatch(name):
        name, email = named["name"].strip(), named["email"].strip()
    for part in filter(None, rest):
        if "@" in part:
            email = part
        elif part.casefold() in {one.value for one in Role}:
            role = Role(part.casefold())
        else:
            roles = ", ".join(one.value for one in Role)
            raise InputError(f"Line {number}: “{part}” is neither an email address nor a role.", f"Roles are {roles}.")
    if not name or "@" in name:
        raise InputError(f"Line {number} has no name.", "Write the name first, then the email address.")
    return InvitedPerson(name, role, email)
