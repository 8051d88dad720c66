"""How much a request takes in a batch."""

import json
from typing import Any


def json_bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode()) + 1
