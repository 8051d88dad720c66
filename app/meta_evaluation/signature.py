"""One line that makes a figure reproducible."""

from dataclasses import dataclass, fields

from app.errors import InputError

SEPARATOR = "|"
ABSENT = "-"


@dataclass(frozen=True, slots=True)
class Signature:
    """`level|coefficient|groups used/all|duplicates|resamples|seed|checklist version|judge|prompt hash`.

    The choice on constant groups stands behind the groups ("61/96 skip"), then "partial" where texts with unanswered
    questions count and "locked" on a locked split; what was drawn stands behind the resamples ("1000 sources"). The
    last three are "-" where scores came from elsewhere.
    """

    level: str
    coefficient: str
    groups: str
    duplicates: str
    resamples: str
    seed: str
    checklist: str = ABSENT
    judge: str = ABSENT
    prompt: str = ABSENT

    def __str__(self) -> str:
        return SEPARATOR.join(_escaped(getattr(self, field.name)) or ABSENT for field in fields(self))

    @classmethod
    def parse(cls, line: str) -> "Signature":
        """The inverse of `str`.

        Raises:
            InputError: the line doesn't have nine parts.
        """
        parts = [part.replace("%7C", SEPARATOR).replace("%25", "%") for part in line.split(SEPARATOR)]
        if len(parts) != len(fields(cls)):
            raise InputError(
                f"A signature has {len(fields(cls))} parts between {SEPARATOR!r}; this line has {len(parts)}.",
                "Copy the whole line.",
            )
        return cls(*parts)


def _escaped(part: str) -> str:
    return part.replace("%", "%25").replace(SEPARATOR, "%7C")
