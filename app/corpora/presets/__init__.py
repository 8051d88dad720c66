"""Ready-made tasks with the rubrics of their dimensions."""

from app.corpora.presets.preset import PRESETS, Preset, load_preset

__all__ = ["PRESETS", "Preset", "load_preset"]
