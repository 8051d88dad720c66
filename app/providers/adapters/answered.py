"""Judges whose answers came as a file: they have a name, and can't be asked."""

from typing import NoReturn

from app.errors import UnsupportedError
from app.providers.model_name import ModelName


def open_model(name: ModelName) -> NoReturn:
    """Raises UnsupportedError."""
    raise UnsupportedError(
        f"The answers of {name} came from a file, so it can't be asked.", "Choose a judge that can be asked."
    )
