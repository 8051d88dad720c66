"""WordNet for the tests of METEOR; `python -m tests.support.wordnet` fetches it where there is none.

NLTK's own download comes from a place that many machines can't reach. Debian's package has the same WordNet 3.0, and
takes no rights to fetch and unpack. It lacks two files that NLTK opens and METEOR has no use for.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.repository import ROOT

NLTK_DATA = ROOT / ".venv" / "nltk_data"
LAST_FETCHED = NLTK_DATA / "corpora" / "wordnet" / "index.sense"
PACKAGE, INSIDE = "wordnet-base", Path("usr/share/wordnet")
CATEGORIES = 45


def use_wordnet() -> bool:
    """Whether NLTK finds WordNet, its own or the one fetched here. Worker processes find it too."""
    from nltk.corpus import wordnet  # noqa: PLC0415
    from nltk.data import path  # noqa: PLC0415

    if NLTK_DATA.exists() and str(NLTK_DATA) not in path:
        path.append(str(NLTK_DATA))
        os.environ["NLTK_DATA"] = os.pathsep.join([str(NLTK_DATA), *filter(None, [os.environ.get("NLTK_DATA")])])
    try:
        wordnet.ensure_loaded()
    except LookupError:
        return False
    return True


def fetch_wordnet() -> bool:
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        for command in (["apt-get", "-qq", "download", PACKAGE], ["sh", "-c", "dpkg-deb -x *.deb ."]):
            if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
                return False
        target = NLTK_DATA / "corpora" / "wordnet"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(Path(folder) / INSIDE, target)
    (target / "lexnames").write_text("".join(f"{n:02d}\tcategory.{n}\t1\n" for n in range(CATEGORIES)))
    LAST_FETCHED.touch()
    return True


def main() -> int:
    """Without WordNet one test is skipped: no failure. NLTK, which takes seconds to import, is asked last."""
    found = LAST_FETCHED.exists() or fetch_wordnet() or use_wordnet()
    print(
        "WordNet for the tests of METEOR is here" if found else "There is no WordNet: METEOR is tested without synonyms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
