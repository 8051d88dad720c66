"""`python -m tests.support.guide`: what `make docs` runs."""

import sys

from tests.support.guide.site import BUILT, build_site
from tests.support.repository import ROOT, name_of

if __name__ == "__main__":
    try:
        build_site(ROOT / "build" / "guide")
    except RuntimeError as error:
        sys.exit(str(error))
    pages = list(BUILT.rglob("*.html"))
    print(f"The guide: {len(pages)} pages in {name_of(BUILT)}; Help in the app opens it")
