"""Considerations of two made-up experts, so that the demo has people's beside the assessors'."""

from importlib.resources import files

import yaml


def demo_attributes() -> dict[str, dict[str, list[str]]]:
    """Considerations by dimension and expert: {"coherence": {"simulated expert Ada": [...], ...}, ...}."""
    entries = yaml.safe_load(files(__package__).joinpath("attributes.yaml").read_text(encoding="utf-8"))
    return {
        dimension: {expert: list(considerations) for expert, considerations in experts.items()}
        for dimension, experts in entries.items()
    }
