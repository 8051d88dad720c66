"""Files that a job needs, handed over in the database: any process that sees it can do the job, and after another.

They are written and read block by block, and go with the job's end, whatever that is.
"""

from pathlib import Path

from app.errors import ConflictError
from app.services.runtime.workbench import Workbench

BLOCK_BYTES = 4 * 2**20


def hand_over(workbench: Workbench, name: str, data: bytes) -> int:
    """Its number for `start_job`; what nobody begins a job with has to be taken back. name: what its owner calls it."""
    whole = memoryview(data)
    with workbench.database.write() as work:
        work.job_files.drop_forsaken()
        file = work.job_files.begin(name, len(data))
    try:
        for position, start in enumerate(range(0, len(data), BLOCK_BYTES)):
            block = bytes(whole[start : start + BLOCK_BYTES])
            with workbench.database.write() as work:
                work.job_files.add(file, position, block)
    except BaseException:
        drop_handed(workbench, file)
        raise
    return file


def drop_handed(workbench: Workbench, file: int) -> None:
    with workbench.database.write() as work:
        work.job_files.drop(file)


def is_used(workbench: Workbench, file: int) -> bool:
    """Whether what the job makes of it is kept: what ended after that has nothing left to do."""
    with workbench.database.read() as work:
        found = work.job_files.find(file)
    return found is not None and found.used


def write_handed(workbench: Workbench, file: int, path: Path) -> None:
    """What was handed over as a file at this path. Raises ConflictError where it went with the job meanwhile."""
    position = 0
    with path.open("wb") as target:
        while block := _block(workbench, file, position):
            target.write(block)
            position += 1
    if path.stat().st_size != name_and_size(workbench, file)[1]:
        raise ConflictError("The file that was handed over is no longer whole.", "Choose the file again.")


def name_and_size(workbench: Workbench, file: int) -> tuple[str, int]:
    """What its owner calls it, and bytes. Raises ConflictError where it is gone."""
    with workbench.database.read() as work:
        found = work.job_files.find(file)
    if found is None:
        raise ConflictError("The file that was handed over is gone.", "Choose the file again.")
    return found.name, found.size


def _block(workbench: Workbench, file: int, position: int) -> bytes | None:
    with workbench.database.read() as work:
        return work.job_files.block(file, position)
