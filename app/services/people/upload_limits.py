"""Limits on uploads: the largest file, and what a signed-in person may upload in a day. How many are held in memory is
in app/limits.py."""

from datetime import UTC, datetime, timedelta

from app.domain.roles_and_rights import Right
from app.domain.sign_in import AccessMode
from app.errors import InputError, NotAllowedError
from app.input_file import LARGEST_FILE, LARGEST_LIST
from app.limits import MB
from app.services.people.ways_to_sign_in import access_contact, access_mode
from app.services.runtime.workbench import Workbench, use_case
from app.settings import settings

DAY = timedelta(hours=24)
LARGEST_WRITTEN = LARGEST_LIST // MB
"""Largest size in MB of files that people write themselves: lists of attributes, checklists."""


def largest_upload() -> int:
    """Return the largest size of a file in MB. Raises InputError for an invalid setting."""
    wished = _whole_megabytes("INTERACTEVAL_UPLOAD_MB", settings().upload_mb, LARGEST_FILE // MB)
    return LARGEST_FILE // MB if access_mode() is AccessMode.LOCAL else wished


def uploads_a_day() -> int:
    """Return how many MB a signed-in person may upload in 24 hours. Raises InputError for an invalid setting."""
    return _whole_megabytes("INTERACTEVAL_UPLOAD_MB_A_DAY", settings().upload_mb_a_day)


@use_case(Right.ENTER)
def count_upload(workbench: Workbench, name: str, size: int, irreplaceable: bool = False) -> None:
    """Count an uploaded file before it is processed. size: in bytes.

    irreplaceable: it can't be uploaded again, such as a voice recording, so it is counted but always accepted. The
    server's owner has no limit. Raises NotAllowedError for a too large file, or too much in a day.
    """
    person = workbench.actor.person
    if person is None:
        return
    if size > largest_upload() * MB and not irreplaceable:
        raise NotAllowedError(
            f"{name} has {_shown(size)} MB; this server takes files of up to {largest_upload():,} MB.",
            f"Split it into smaller files, or ask {access_contact()} for more.",
        )
    since = datetime.now(UTC) - DAY
    with workbench.database.write() as work:
        work.upload_counts.lock_imports(person)
        sent = work.upload_counts.since(person, since)
        if sent + size > uploads_a_day() * MB and not (irreplaceable or workbench.actor.owner):
            raise NotAllowedError(
                f"{name} has {_shown(size)} MB, and you have uploaded {_shown(sent)} MB in the last 24 hours; this "
                f"server takes {uploads_a_day():,} MB a day from each person.",
                f"Upload it tomorrow, choose a smaller file, or ask {access_contact()} for more.",
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
    """Return a size in MB, rounded up, so that a size over a limit looks so."""
    return f"{-(-size // MB):,}"
