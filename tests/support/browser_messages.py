"""What a component in the browser would send; Streamlit's AppTest knows no way of its own to say it."""

import json
from typing import Any

from streamlit.testing.v1 import AppTest


def component(app: AppTest, key: str) -> Any:
    """The component on the screen whose key begins so."""
    return next(found for found in app.get("bidi_component") if found.key and found.key.startswith(key))


def shown(app: AppTest, key: str) -> dict[str, Any]:
    """What the component was given to show."""
    return dict(json.loads(component(app, key).proto.json))


def send(app: AppTest, key: str, **state: Any) -> None:
    """Set the component's state as its script in the browser does, and let the screen be drawn."""
    states = app._tree.get_widget_states()
    states.widgets.add(id=component(app, key).proto.id, json_value=json.dumps(state))
    app._run(states)
    assert not app.exception
