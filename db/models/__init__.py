"""Tables, a module per subject. Importing the package registers all of them."""

from db.models import checklist, people, project, run, think_aloud

__all__ = ["checklist", "people", "project", "run", "think_aloud"]
