"""Moments as the person's own clock shows them: databases keep UTC."""

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

DAY = "%d %b %Y"
SHORT = "%d %b, %H:%M"
LONG = "%d %b %Y, %H:%M"


def local(moment: datetime) -> datetime:
    """In the browser's zone; in this machine's own where the browser doesn't say, or says one nobody knows."""
    name = st.context.timezone
    try:
        zone = ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        zone = None
    return moment.astimezone(zone)


def clock(moment: datetime) -> datetime:
    """As `local`, without the zone: for tables, which would show it in one of their own choice."""
    return local(moment).replace(tzinfo=None)


def said(moment: datetime, form: str = SHORT) -> str:
    return local(moment).strftime(form)
