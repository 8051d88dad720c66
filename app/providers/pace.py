"""Pace at which requests may start: learned from refusals, because most providers don't say.

A limit counts requests in some window: 12 a minute, 10 a second. After a refusal all requests of the account wait; then
a single one tries, at first after half a second, each time after twice as long, or when the provider said it would.
When it passes, what passed since the window was empty, over the time that took, is the pace: from then on requests
start evenly apart. Each that passes makes the pace a little faster, a refusal slower, as TCP finds what a line bears.

A refusal whose next try passes at once was more likely chance: it teaches no pace, and slows a known one only a little.
"""

import math

SHORTEST_PAUSE, FIRST_PAUSE, LONGEST_PAUSE = 0.05, 0.5, 60.0
# So long may a provider let nothing pass before a run is given up; it is asked once a minute then.
PATIENCE = 900.0
FASTER, A_LITTLE_SLOWER, SLOWER, SLOWEST = 1.004, 0.95, 0.85, 0.5
# Well above the pace that was refused last: the refusal may have been a passing trouble.
MUCH_FASTER, WELL_ABOVE = 1.05, 1.25
ENOUGH, LONG = 4, 10.0  # so many requests, or so many seconds, tell a pace; less may be chance


class Pace:
    """Moments are in seconds by one clock. Not safe for threads: its owner sees to that."""

    def __init__(self) -> None:
        self._rate = math.inf
        self._refused_rate = math.inf
        self._next = -math.inf
        self._pause = 0.0
        self._trying = False
        self._refused_since: float | None = None
        self._last_refusal = -math.inf
        self._by_chance = True
        self._passed = 0
        self._began: float | None = None

    @property
    def learned(self) -> bool:
        """Whether the provider's refusals are about the pace, as far as is known."""
        return self._refused_since is not None or self._rate < math.inf

    def wait(self, now: float) -> float:
        """Seconds until the next request may start; infinite while one tries whether any may."""
        if self._trying:
            return math.inf
        return max(0.0, self._next - now)

    def exhausted(self, now: float) -> bool:
        """Whether nothing has passed for longer than it makes sense to wait."""
        return self._refused_since is not None and now - self._refused_since > PATIENCE

    def start(self, now: float) -> None:
        self._began = now if self._began is None else self._began
        self._trying = self._refused_since is not None
        if self._rate < math.inf:
            self._next = max(self._next, now) + 1 / self._rate

    def passed(self, now: float, started: float) -> None:
        self._passed += 1
        if self._refused_since is None:
            above = self._rate > WELL_ABOVE * self._refused_rate
            self._rate *= MUCH_FASTER if above else FASTER
        elif started > self._last_refusal:
            self._go_on(now, started)

    def refused(self, now: float, started: float, asked: float | None) -> None:
        """asked: seconds for which the provider wants to be left alone, where it says so."""
        if started <= self._last_refusal:  # it left before the others were told to wait
            self._next = max(self._next, now + (asked or 0.0))
            return
        if self._refused_since is None:
            self._refused_since, self._refused_rate = now, self._rate
            self._pause, self._by_chance = FIRST_PAUSE, (asked or 0.0) <= FIRST_PAUSE
        else:
            self._pause, self._by_chance = min(2 * self._pause, LONGEST_PAUSE), False
        self._last_refusal, self._trying = now, False
        self._next = now + max(SHORTEST_PAUSE, self._pause if asked is None else asked)

    def ended(self, started: float) -> None:
        """However a request ended, it no longer tries for the others."""
        if started > self._last_refusal:
            self._trying = False

    def _go_on(self, now: float, started: float) -> None:
        self._rate = self._new_rate(started - (self._began if self._began is not None else started))
        self._refused_since, self._trying = None, False
        self._passed, self._began = 1, started
        self._next = now + (1 / self._rate if self._rate < math.inf else 0.0)

    def _new_rate(self, took: float) -> float:
        """After a refusal; `took` seconds for all that passed before, the wait for the next included."""
        if self._by_chance:
            return self._rate * A_LITTLE_SLOWER
        before = self._passed - 1
        if before and took > 0 and (before >= ENOUGH or took > LONG):
            measured = before / took
            return measured if self._rate == math.inf else min(max(measured, SLOWEST * self._rate), self._rate)
        return self._rate * SLOWER
