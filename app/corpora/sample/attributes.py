"""What two made-up experts look for, so that the demo has people's considerations beside the assessors'."""

from importlib.resources import files

import yaml


def sample_attributes() -> dict[str, dict[str, list[str]]]:
    """Considerations by dimension and expert: {"coherence": {"simulated expert Ada": [...], ...}, ...}."""
    entries = yaml.safe_load(files(__package__).joinpath("attributes.yaml").read_text(encoding="utf-8"))
    return {
        dimension: {expert: list(considerations) for expert, considerations in experts.items()}
        for dimension, experts in entries.items()
    }
