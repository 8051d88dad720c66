"""An old wording and a new one, with the words marked in which they differ."""

from app.domain.wording.wording_diff import word_changes
from pages.components.shell.words import plain


def marked(before: str, after: str) -> tuple[str, str]:
    """Markdown of both: what only the old one has is struck through, what only the new one has is bold.

    The marks don't rest on colour alone, and people's words stay to the letter.
    """
    pieces = word_changes(before, after)
    old = "".join(
        _mark(p.text, ":red[~~{}~~]") if p.kind == "old" else _spaced(p.text) for p in pieces if p.kind != "new"
    )
    new = "".join(
        _mark(p.text, ":green[**{}**]") if p.kind == "new" else _spaced(p.text) for p in pieces if p.kind != "old"
    )
    return old.strip(), new.strip()


def _mark(text: str, form: str) -> str:
    """Spaces stay outside: Markdown marks nothing that begins or ends with one."""
    words = text.strip()
    if not words:
        return " "
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{' ' if before else ''}{form.format(plain(words))}{' ' if after else ''}"


def _spaced(text: str) -> str:
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before else ''}{plain(text)}{' ' if after else ''}" if text.strip() else " "
