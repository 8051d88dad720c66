"""The web server's own process: Streamlit on the entry script."""

import sys
from pathlib import Path

from streamlit.web.cli import main

from pages.components.loading import load_screens

ENTRY = Path(__file__).with_name("main.py")

if __name__ == "__main__":
    load_screens()
    sys.argv[1:1] = ["run", str(ENTRY)]
    main(prog_name="streamlit")
