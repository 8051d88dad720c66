"""Reading of a dataset file in a named or a detected format."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from app.corpora.corpus import CorpusReader, CorpusText
from app.corpora.formats.conversations import with_judged
from app.corpora.formats.generic import read_generic
from app.corpora.formats.known_format import KnownFormat
from app.corpora.formats.registry import KNOWN_FORMATS
from app.corpora.mapping import ColumnMapping
from app.corpora.records import CONTAINERS, Records, read_records
from app.corpora.rows import listed
from app.errors import FileFormatError, InputError

FORMATS: tuple[str, ...] = ("auto", *CONTAINERS, *KNOWN_FORMATS)
_RECORDS_TO_LOOK_AT = 20


def open_corpus(
    path: Path,
    format: str = "auto",  # noqa: A002 (the word of the command line)
    mapping: ColumnMapping | None = None,
    sheet: str = "",
) -> CorpusReader:
    """Open the file and look through it at least once; its texts are read later.

    `auto` detects the format from the records' structure, never from the file's name. A mapping makes the file a
    generic table, so it is allowed with auto and the container formats only. sheet: of a workbook, else its first.

    Raises NotFoundError for a missing file, FileFormatError for a file without usable content, InputError for an
    unknown format or a mapping of a format with fixed fields.
    """
    if format not in FORMATS:
        raise InputError(f"There is no format {format!r}.", f"Choose one of: {', '.join(FORMATS)}.")
    if format in KNOWN_FORMATS and mapping is not None:
        raise InputError(
            f"The format {format} fixes what each field means, so columns can't be mapped.",
            "Leave the mapping out, or choose auto.",
        )
    records = read_records(path, format if format in CONTAINERS else "auto", sheet)
    if format in CONTAINERS or (mapping is not None and not mapping.names_no_column):
        return read_generic(records, mapping, path.name)
    known = _recognised(records) if format == "auto" else KNOWN_FORMATS[format]
    if known is None:
        return read_generic(records, mapping, path.name)
    if mapping is not None:
        raise InputError(f"{path.name} is in the format {known.name}, which fixes its scales.", "Leave --scale out.")
    if format != "auto":
        _check_structure(known, records, path.name)
    return known.read(records, path.name)


def as_wished(corpus: CorpusReader, references: str = "", part: str = "") -> CorpusReader:
    """Return the corpus with these references (`with_references`) and this part of its conversations (`with_judged`);
    "" leaves either as in the file. Raises InputError."""
    return with_references(with_judged(corpus, part), references)


_SOURCE, _SYSTEM = "source", "system="


def with_references(corpus: CorpusReader, references: str) -> CorpusReader:
    """Return the corpus with other references than the file's; unchanged for "".

    `source`: each text is compared with its own source (G-Eval, Table 3). `system=NAME`: with that system's texts about
    the same document (CoAScore: Topical-Chat's Original Ground Truth); that system's own texts get none. Reading raises
    InputError if no text is by that system.
    """
    if not references:
        return corpus
    if references == _SOURCE:
        return replace(corpus, read=lambda: map(_with_source, corpus.read()), notes=())
    if not (name := references.removeprefix(_SYSTEM)) or not references.startswith(_SYSTEM):
        raise InputError(
            f"“{references}” names no references.",
            'Write source, or system=NAME, such as "system=Original Ground Truth".',
        )
    return replace(corpus, read=lambda: _with_system(corpus, name), notes=())


def _with_source(item: CorpusText) -> CorpusText:
    references = (item.text.source,) if item.text.source else ()
    return replace(item, text=replace(item.text, references=references))


def _with_system(corpus: CorpusReader, name: str) -> Iterator[CorpusText]:
    found: dict[str, list[str]] = {}
    for item in corpus.read():
        if item.text.system_id == name:
            found.setdefault(item.text.doc_id, []).append(item.text.text)
    if not found:
        raise InputError(f"No text of the file is by the system “{name}”.", "Write its name as the file has it.")
    for item in corpus.read():
        own = item.text.system_id == name
        references = () if own else tuple(found.get(item.text.doc_id, ()))
        yield replace(item, text=replace(item.text, references=references))


def detect_format(path: Path, sheet: str = "") -> str:
    """Return the file's format, one of FORMATS other than auto. Raises NotFoundError, FileFormatError."""
    records = read_records(path, sheet=sheet)
    known = _recognised(records)
    return known.name if known else records.container


def _recognised(records: Records) -> KnownFormat | None:
    # The first rows may be the broken ones, so several are asked.
    first = [record for _, record in records.items[:_RECORDS_TO_LOOK_AT]]
    return next((known for known in KNOWN_FORMATS.values() if known.guessed and any(map(known.matches, first))), None)


def _check_structure(known: KnownFormat, records: Records, file_name: str) -> None:
    if not any(known.matches(record) for _, record in records.items):
        found = _recognised(records)
        hint = f"It looks like {found.name}." if found else "Choose auto, or map the columns by hand."
        raise FileFormatError(
            f"{file_name} is not in the {known.name} format: its records have {listed(records.columns)}; "
            f"{known.name} needs {known.needs}.",
            hint,
        )
