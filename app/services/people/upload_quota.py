"""How much people may upload: one rule for every field that takes a file or a recording.

On one's own computer files have a largest size and nothing is counted. Where people sign in, what each sends within 24
hours is counted in the database, so that it is the same in whatever process they are.
"""

from datetime import UTC, datetime, timedelta

from app.domain.people.actor import Right
from app.domain.people.person import AccessMode
from app.errors import InputError, NotAllowedError
from app.input_file import LARGEST_FILE, LARGEST_LIST
from app.services.people.ways_in import access_mode, whom_to_ask
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.settings import settings

MB = 2**20
DAY = timedelta(hours=24)
LARGEST_WRITTEN = LARGEST_LIST // MB
"""MB of what people write themselves: lists of attributes, checklists. More isn't read."""


def largest_upload() -> int:
    """MB that a file may have. Raises InputError for a setting that is none."""
    wished = _whole_megabytes("INTERACTEVAL_UPLOAD_MB", settings().upload_mb, LARGEST_FILE // MB)
    return LARGEST_FILE // MB if access_mode() is AccessMode.LOCAL else wished


def uploads_a_day() -> int:
    """MB that each person may upload within 24 hours where people sign in. Raises InputError for a setting that is
    none."""
    return _whole_megabytes("INTERACTEVAL_UPLOAD_MB_A_DAY", settings().upload_mb_a_day)


@use_case(Right.ENTER)
def count_upload(workbench: Workbench, name: str, size: int, irreplaceable: bool = False) -> None:
    """Once for each file that arrives, before anything is made of it. size: in bytes.

    irreplaceable: it can't be had again, such as what somebody has just said, so it counts but is taken all the same.
    So is whatever the owner of the server sends. Raises NotAllowedError for what is too large, or too much for a day.
    """
    person = workbench.actor.person
    if person is None:
        return
    if size > largest_upload() * MB and not irreplaceable:
        raise NotAllowedError(
            f"{name} has {_shown(size)} MB; this server takes files of up to {largest_upload():,} MB.",
            f"Split it into smaller files, or ask {whom_to_ask()} for more.",
        )
    since = datetime.now(UTC) - DAY
    with workbench.database.write() as work:
        work.upload_counts.take_turn(person)
        sent = work.upload_counts.since(person, since)
        if sent + size > uploads_a_day() * MB and not (irreplaceable or workbench.actor.owner):
            raise NotAllowedError(
                f"{name} has {_shown(size)} MB, and you have uploaded {_shown(sent)} MB in the last 24 hours; this "
                f"server takes {uploads_a_day():,} MB a day from each person.",
                f"Upload it tomorrow, choose a smaller file, or ask {whom_to_ask()} for more.",
            )
        work.upload_counts.forget_before(since)
        work.upload_counts.add(person, size)


def _whole_megabytes(variable: str, written: str, most: int | None = None) -> int:
    try:
        wished = int(written.strip())
    except ValueError:
        wished = 0
    if wished < 1 or (most is not None and wished > most):
        range_ = f"from 1 to {most:,}" if most is not None else "from 1 on"
        raise InputError(f"{variable} is “{written[:60]}”.", f"Give a whole number of MB {range_}, such as 200.")
    return wished


def _shown(size: int) -> str:
    """In MB, rounded up: what is over a limit must not look as if it were not."""
    return f"{-(-size // MB):,}"
