"""Transfer of a whole project as one file, with its ledger, between computers, SQLite and PostgreSQL.

The file is a ZIP with a database of that project alone, so that the usual migrations upgrade an older one, and with its
voice recordings.
"""

import json
import re
import shutil
import struct
import uuid
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from os import SEEK_END
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from app.domain.roles_and_rights import Right
from app.domain.storable_text import checked_name
from app.errors import ConflictError, DatabaseError, FileFormatError, InputError
from app.export.project_archive import safe_name
from app.input_file import open_file, shown_path
from app.limits import PROJECT_FILE
from app.services.runtime.output_file import output_file
from app.services.runtime.voice_recordings import AUDIO_FORMATS, voice_recording_path
from app.services.runtime.workbench import Workbench, act_made_project, use_case
from db.backup import check_backup, copy_database
from db.foreign_file import check_foreign_file, check_states, copy_rows, import_seconds
from db.unit_of_work import Database

FORMAT, DATABASE, ABOUT, RECORDINGS = "interacteval-project", "project.db", "project.json", "recordings/"
LARGEST_ABOUT = 1_000_000
LONGEST_DIRECTORY = 20_000_000  # bytes: some hundred thousand recordings
_END_OF_ZIP = 66_000
# What zipfile and json say of what is no archive, is damaged or has a password.
_UNREADABLE = (BadZipFile, zlib.error, KeyError, ValueError, NotImplementedError, EOFError, RuntimeError, struct.error)
_WRONG = "Name a file that `project export` wrote."


@dataclass(frozen=True, slots=True)
class TransferredProject:
    """Counts of a transferred project; `texts` without held-out ones, `recordings` whose files exist."""

    project: str
    file: str
    texts: int
    runs: int
    recordings: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@use_case(Right.FACILITATE, project="name", act="exported the project")
def export_project(workbench: Workbench, name: str, target: Path) -> TransferredProject:
    """Write everything of a project into one file, with held-out texts; the project stays unchanged.

    Raises NotFoundError, InputError if the file can't be written.
    """
    with TemporaryDirectory(prefix="interacteval-") as folder:
        file = Path(folder) / DATABASE
        recordings = _written(workbench, name, file)
        carried = _about(file, name, target, len(recordings))
        with output_file(target) as path, ZipFile(path, "w", ZIP_DEFLATED) as archive:
            made = datetime.now(UTC).isoformat(timespec="seconds")
            about = {"format": FORMAT, "version": 1, "made": made, **carried.to_json()}
            archive.writestr(ABOUT, json.dumps({**about, "file": DATABASE}, ensure_ascii=False, indent=2))
            archive.write(file, DATABASE)
            for recording in recordings:
                archive.write(voice_recording_path(recording), RECORDINGS + recording)
    return carried


@use_case(Right.SERVE, act="imported a project", about="name")
def import_project(workbench: Workbench, file: Path, name: str = "") -> TransferredProject:
    """Import a file that `export_project` wrote as a new project, all or nothing; `name` replaces its own.

    Raises NotFoundError, FileFormatError, ConflictError if the name is taken, DatabaseError for a newer version.
    """
    with TemporaryDirectory(prefix="interacteval-") as folder, _opened(file) as archive:
        inside = Path(folder) / DATABASE
        _unpack(archive, DATABASE, inside)
        check_foreign_file(inside)
        check_backup(inside)
        ours = inside.with_name("ours.db")
        copy_rows(inside, ours)
        source = Database(f"sqlite:///{ours}")  # brings its tables up to date
        try:
            check_states(ours)
            return _taken(workbench, source, archive, file, name)
        except (RecursionError, ValueError) as error:  # of JSON in a row
            raise FileFormatError("The project's rows can't be read; nothing was changed.", _WRONG) from error
        finally:
            source.close()


@use_case(Right.FACILITATE, project="name", act="exported the project")
def project_bytes(workbench: Workbench, name: str) -> bytes:
    """Return the file of `export_project` as bytes, for a download."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        file = Path(folder) / "project.zip"
        export_project(workbench, name, file)
        return file.read_bytes()


@use_case(Right.SERVE, act="imported a project", about="name")
def import_uploaded_project(workbench: Workbench, content: bytes, name: str = "") -> TransferredProject:
    """Import an uploaded file as `import_project` does."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        file = Path(folder) / "project.zip"
        file.write_bytes(content)
        return import_project(workbench, file, name)


def transfer_name(project: str) -> str:
    """Return a safe file name made from the project's name."""
    return f"{safe_name(project) or 'project'}-whole.zip"


def _written(workbench: Workbench, name: str, file: Path) -> list[str]:
    """Write a database of the project alone; returns the recordings whose files exist."""
    whole = file.with_name("whole.db")
    alone = Database(f"sqlite:///{whole}")
    try:
        with workbench.database.read() as work, alone.write() as target:
            work.transfers.read_snapshot()
            project = work.projects.get(name)
            recordings = work.transfers.recordings(project.id)
            target.transfers.copy_project(work.transfers, project.id, name, {one: one for one in recordings})
    finally:
        alone.close()
    copy_database(whole, file)  # one file, proved to be whole
    whole.unlink()
    return [one for one in recordings if voice_recording_path(one).is_file()]


def _taken(workbench: Workbench, source: Database, archive: ZipFile, file: Path, name: str) -> TransferredProject:
    with source.read() as other:
        projects = other.projects.all()
        if len(projects) != 1:
            raise FileFormatError(f"{shown_path(file)} holds {len(projects)} projects, not one.", _WRONG)
        called = checked_name(name or projects[0].name, "project")
        recordings = _recordings(archive, other.transfers.recordings(projects[0].id))
        with _unpacked(archive, recordings), workbench.database.write() as work:
            if work.projects.find(called):
                raise ConflictError(f"There is already a project “{called}”.", "Give this one another name: --as NAME.")
            assert source.file is not None
            end = monotonic() + import_seconds(source.file)
            project_id = work.transfers.copy_project(other.transfers, projects[0].id, called, recordings, end)
            act_made_project(project_id)
            return TransferredProject(
                called, str(file), work.texts.count(project_id), len(work.runs.all(project_id)), len(recordings)
            )


@contextmanager
def _unpacked(archive: ZipFile, recordings: Mapping[str, str]) -> Iterator[None]:
    """Unpack the voice recordings into the data folder; they are deleted if the block fails."""
    paths = {there: voice_recording_path(here) for there, here in recordings.items()}
    if sum(archive.getinfo(RECORDINGS + there).file_size for there in paths) > PROJECT_FILE.unpacked_of(_size(archive)):
        raise FileFormatError("The project's recordings unpack to far more than they hold.", _WRONG)
    try:
        for there, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            _unpack(archive, RECORDINGS + there, path)
        yield
    except BaseException:
        for path in paths.values():
            path.unlink(missing_ok=True)
        raise


def _size(archive: ZipFile) -> int:
    return sum(part.compress_size for part in archive.infolist())


def _about(file: Path, name: str, target: Path, recordings: int) -> TransferredProject:
    database = Database(f"sqlite:///{file}")
    try:
        with database.read() as work:
            project = work.projects.get(name)
            return TransferredProject(
                name, str(target), work.texts.count(project.id), len(work.runs.all(project.id)), recordings
            )
    finally:
        database.close()


def _recordings(archive: ZipFile, names: list[str]) -> dict[str, str]:
    """Return name in the file -> a new name here, so that no untrusted name is used as a path."""
    there = set(archive.namelist())
    endings = {name: name.rpartition(".")[2].lower() for name in names if RECORDINGS + name in there}
    return {name: f"{uuid.uuid4().hex}.{ending}" for name, ending in endings.items() if ending in AUDIO_FORMATS}


@contextmanager
def _opened(file: Path) -> Iterator[ZipFile]:
    with open_file(file, PROJECT_FILE.size) as stream:
        try:
            _check_directory(stream)
            archive = ZipFile(stream)
            about = json.loads(archive.read(ABOUT)) if archive.getinfo(ABOUT).file_size <= LARGEST_ABOUT else None
        except (*_UNREADABLE, OSError) as error:  # a place in the archive before its beginning
            raise FileFormatError(f"{shown_path(file)} is no project file of the workbench.", _WRONG) from error
        if not isinstance(about, dict) or about.get("format") != FORMAT or about.get("version") != 1:
            raise FileFormatError(f"{shown_path(file)} holds no project that can be read here.", _WRONG)
        with archive:
            yield archive


def _check_directory(stream: BinaryIO) -> None:
    """Raise BadZipFile if the archive's directory would fill the memory."""
    stream.seek(max(stream.seek(0, SEEK_END) - _END_OF_ZIP, 0))
    end = stream.read()
    for mark, size in ((b"PK\5\6", "<12xI"), (b"PK\6\6", "<40xQ")):
        for found in re.finditer(mark, end):
            if len(end) >= found.start() + struct.calcsize(size):
                (listed,) = struct.unpack_from(size, end, found.start())
                if listed > LONGEST_DIRECTORY and listed != 0xFFFFFFFF:  # stands in the other form then
                    raise BadZipFile


def _unpack(archive: ZipFile, name: str, target: Path) -> None:
    """Unpack one part of the archive into a file, limited to the size that the archive declares."""
    try:
        size = archive.getinfo(name).file_size
        if size > PROJECT_FILE.unpacked_of(archive.getinfo(name).compress_size):
            raise FileFormatError("The project file unpacks to far more than it holds; nothing was changed.", _WRONG)
        if size > shutil.disk_usage(target.parent).free // 2:
            raise InputError(f"There is no room to unpack {size / 1e9:,.1f} GB.", "Make room on the disk, then retry.")
        with archive.open(name) as packed, target.open("wb") as file:
            shutil.copyfileobj(packed, file)
    except _UNREADABLE as error:
        raise FileFormatError("The project file is damaged; nothing was changed.", _WRONG) from error
    except OSError as error:
        raise DatabaseError(f"{target.parent} can't be written: {error.strerror}.", "Check the folder.") from error
