"""Loading of what the screens are made of, before anybody asks for one.

Each browser session runs in a thread of its own. Libraries that two sessions import first and at once can end in
Python's _DeadlockError; and those for statistics and charts take longer to load than any screen takes to draw.
"""

import gc
from importlib import import_module
from pkgutil import walk_packages

from app.services.runtime.judges import load_rules

PACKAGE = "pages.components"


def load_screens() -> None:
    gc.disable()  # what is being loaded stays, and was looked through for garbage in a quarter of the start's time
    try:
        for module in walk_packages(import_module(PACKAGE).__path__, f"{PACKAGE}."):
            import_module(module.name)
        load_rules()  # imported when first opened, as judges of vendors are, but screens open it to say what it can do
        gc.collect()
        # Streamlit collects garbage after each redraw. Without what stays anyway that takes .17 s less.
        gc.freeze()
    finally:
        gc.enable()
