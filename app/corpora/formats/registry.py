"""All known formats: `FORMATS` of each module in this package, so that a new format is one new module."""

from importlib import import_module
from pkgutil import iter_modules

from app.corpora import formats
from app.corpora.formats.known_format import KnownFormat

_NOT_FORMATS = frozenset({"generic", "known_format", "preferences", "registry"})


def _all_formats() -> list[KnownFormat]:
    """Return formats of one text each before conversations, in the order of the modules' names."""
    names = sorted({module.name for module in iter_modules(formats.__path__)} - _NOT_FORMATS)
    found = [known for name in names for known in import_module(f"{formats.__name__}.{name}").FORMATS]
    return sorted(found, key=lambda known: (known.conversation, known.tried_last))


KNOWN_FORMATS: dict[str, KnownFormat] = {known.name: known for known in _all_formats()}
"""By name, in the order in which a file's structure is compared with them."""
NAMED_FORMATS = frozenset(known.name for known in KNOWN_FORMATS.values() if not known.guessed)
