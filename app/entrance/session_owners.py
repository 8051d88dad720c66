"""Session owners: whose a Streamlit session, an upload and a file to download are, and how much each holds.

An owner is a browser, as the person it is signed in as: what one of their tabs gets another may fetch, nobody else.
"""

import threading
from collections import Counter, defaultdict, deque
from collections.abc import Mapping

from app.services.people.ways_in import BROWSER_COOKIE, SIGN_IN_COOKIE, cookie_name, proxy_subject

Owner = tuple[str, ...]
"""The browser's name and what it is signed in by; () for one that takes no cookie."""
MOST_FILES = 100
"""Files that an owner may have in memory at a time, and upload addresses that a session may have open."""


def owner_of(cookies: Mapping[str, str], headers: Mapping[str, str]) -> Owner:
    browser = cookies.get(cookie_name(BROWSER_COOKIE), "")
    return (browser, cookies.get(cookie_name(SIGN_IN_COOKIE), ""), proxy_subject(headers)) if browser else ()


class SessionOwners:
    """Safe to call from any thread. most_bytes: what an owner may have in memory of uploads."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._sessions: dict[str, Owner] = {}
        self._open: defaultdict[str, deque[str]] = defaultdict(lambda: deque(maxlen=MOST_FILES))
        self._uploads: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._arriving: Counter[Owner] = Counter()
        self._files: defaultdict[str, set[Owner]] = defaultdict(set)

    def begin(self, session: str, owner: Owner) -> None:
        with self._lock:
            self._sessions[session] = owner

    def end(self, session: str) -> None:
        with self._lock:
            for kept in (self._sessions, self._open, self._uploads):
                kept.pop(session, None)

    def owns(self, owner: Owner, session: str) -> bool:
        with self._lock:
            return bool(owner) and self._sessions.get(session) == owner

    def open_upload(self, session: str, file: str) -> None:
        """This session may upload a file under this name from now on."""
        with self._lock:
            self._open[session].append(file)

    def may_upload(self, owner: Owner, session: str, file: str) -> bool:
        with self._lock:
            return bool(owner) and self._sessions.get(session) == owner and file in self._open.get(session, ())

    def arriving(self, owner: Owner, size: int) -> bool:
        """Count bytes that are on their way; False where they would be too many, and then they aren't counted."""
        with self._lock:
            held = [self._uploads.get(session, {}) for session, one in self._sessions.items() if one == owner]
            files = sum(map(len, held))
            if (
                files >= MOST_FILES
                or sum(sum(one.values()) for one in held) + self._arriving[owner] + size > self._most
            ):
                return False
            self._arriving[owner] += size
            return True

    def arrived(self, owner: Owner, size: int) -> None:
        """They are kept, which `keep` counts, or gone."""
        with self._lock:
            self._arriving[owner] -= size
            if self._arriving[owner] <= 0:
                del self._arriving[owner]

    def keep(self, session: str, file: str, size: int) -> None:
        with self._lock:
            self._uploads[session][file] = size

    def let_go(self, session: str, file: str) -> None:
        with self._lock:
            self._uploads.get(session, {}).pop(file, None)

    def share(self, file: str, session: str) -> None:
        """A file that this session's browser may fetch."""
        with self._lock:
            if owner := self._sessions.get(session, ()):
                self._files[file].add(owner)

    def may_fetch(self, owner: Owner, file: str) -> bool:
        with self._lock:
            return bool(owner) and owner in self._files.get(file, ())

    def forget(self, file: str) -> None:
        with self._lock:
            self._files.pop(file, None)
