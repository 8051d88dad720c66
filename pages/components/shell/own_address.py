"""Streamlit asks a server elsewhere which address this machine has, in the middle of everybody's requests, as soon as a
page from another origin asks for a WebSocket. The workbench works offline, and the answer would let nobody in who may.
"""

from streamlit import net_util

LOOPBACK = "127.0.0.1"  # allowed anyway


def stay_offline() -> None:
    """Give the answer beforehand; there is no option for it."""
    net_util._external_ip = net_util._internal_ip = LOOPBACK
