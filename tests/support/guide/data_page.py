"""The pages of the reference about files: those that come in, those that go out, and the checklist's JSON."""

from app.corpora.formats.registry import KNOWN_FORMATS
from app.corpora.mapping import FIELDS
from app.corpora.presets import PRESETS, load_preset
from app.corpora.records import CONTAINERS
from app.export.results import COLUMNS
from app.services.conditions.study_tables import COLUMNS as OF_CONDITIONS
from tests.support.guide.markdown import code, markdown_table, plain_words
from tests.support.repository import ROOT

_ABOUT = """# File formats

## Files that come in

A table of any of these kinds has one row per text. Its kind is recognised by what is in it, never by its name.

"""
_KNOWN = """## Published data sets

Each is known by its fields, so that no columns have to be named.

"""
_PRESETS = """## Kinds of texts

What `--preset` takes. Each brings a wording of the task, and rubrics for dimensions of these names.

"""
_RESULTS = """## Columns of the results

What `interacteval results --output FILE.csv` writes, and “Scores (CSV)” on the screen Results: a row per text and
dimension of each run. `soft` is the score from the judge's probabilities of yes, empty in a run without them.

"""
_CONDITIONS = """## Columns of the conditions

What `interacteval conditions show --output FILE.csv` writes: a row per condition, and per contributor alone, of each
trial, then their means.

"""
_SCHEMA = """# The checklist as JSON

What a program may rely on when it reads a file that `interacteval checklist export --format json` wrote. `interacteval
checklist schema` prints the same.

"""


def formats_page() -> str:
    known = [(code(each.name), plain_words(each.needs)) for each in KNOWN_FORMATS.values()]
    presets = [
        (plain_words(preset), ", ".join(dimension.name for dimension in load_preset(preset).dimensions))
        for preset in PRESETS
    ]
    return (
        f"{_ABOUT}- Kinds (`--format`): {', '.join(map(code, CONTAINERS))}.\n"
        f"- Fields of a text (`--map FIELD=COLUMN`): {', '.join(map(code, FIELDS))}.\n\n"
        + _KNOWN
        + markdown_table(["`--format`", "its fields"], known)
        + _PRESETS
        + markdown_table(["`--preset`", "dimensions"], presets)
        + f"{_RESULTS}{', '.join(map(code, COLUMNS))}.\n\n"
        + f"{_CONDITIONS}{', '.join(map(code, OF_CONDITIONS))}.\n"
    )


def schema_page() -> str:
    schema = (ROOT / "app" / "export" / "checklist.schema.json").read_text(encoding="utf-8")
    return f"{_SCHEMA}```json\n{schema.strip()}\n```\n"
