"""InteractEval Workbench: checklists that people and LLMs build together, and how far their scores can be trusted."""

__version__ = "0.2.0"
