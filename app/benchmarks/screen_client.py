"""A browser session without a browser: it speaks Streamlit's messages, so that what is measured is the server alone."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PATIENCE = 120.0


class ScreenClient:
    """One screen, open in one session. `elements` are the widgets on it by their key, as the server last drew them."""

    def __init__(self, address: str, screen: str, parameters: Mapping[str, str], cookies: Mapping[str, str]) -> None:
        parts = urlsplit(address)
        self._origin, self._stream = address, f"ws://{parts.netloc}/_stcore/stream"
        self._screen, self._query = screen, urlencode(parameters)
        self._cookies = "; ".join(f"{name}={value}" for name, value in cookies.items())
        self.elements: dict[str, Any] = {}

    async def __aenter__(self) -> "ScreenClient":
        self._socket = await websockets.connect(
            self._stream,
            origin=self._origin,  # type: ignore[arg-type]  # a NewType of str
            additional_headers={"Cookie": self._cookies} if self._cookies else None,
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        )
        await self.draw()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def draw(self, **states: Any) -> None:
        """Have the screen drawn, with the widgets of these keys set: text, True for a pressed button, or a component's
        state. Returns once all is drawn."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = self._screen
        for key, value in states.items():
            state = message.rerun_script.widget_states.widgets.add(id=self.elements[key].id)
            if value is True:
                state.trigger_value = True
            elif isinstance(value, str):
                state.string_value = value
            else:
                state.json_value = json.dumps(value)
        await self._socket.send(message.SerializeToString())
        await asyncio.wait_for(self._drawn(), PATIENCE)

    async def _drawn(self) -> None:
        """A rerun that the script asked for itself ends with a message of its own, and another follows."""
        while True:
            received = ForwardMsg.FromString(await self._socket.recv())
            kind = received.WhichOneof("type")
            if kind == "delta" and received.delta.WhichOneof("type") == "new_element":
                self._note(received.delta.new_element)
            elif kind == "script_finished" and received.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return

    def _note(self, element: Any) -> None:
        shown = getattr(element, str(element.WhichOneof("type")), None)
        id_ = getattr(shown, "id", "")
        if isinstance(id_, str) and id_.startswith("$$ID-"):
            self.elements[id_.split("-", 2)[2]] = shown
