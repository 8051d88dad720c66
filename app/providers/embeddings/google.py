"""Embeddings by Google, with the address and the key of its chat models."""

import numpy as np
from google.genai import Client
from google.genai.types import Content, HttpOptions, Part
from numpy.typing import NDArray

from app.errors import ProviderError
from app.providers.adapters.connections import at_home_sync
from app.providers.adapters.google import read_error
from app.providers.adapters.provider_errors import Rejection
from app.providers.embeddings.batches import ApiEmbedder, Vectors, embed_in_batches

# The API takes at most 100 texts in a request.
BATCH = 100
TASK = "SEMANTIC_SIMILARITY"


class GoogleEmbedder(ApiEmbedder):
    def embed(self, texts: list[str]) -> NDArray[np.float64]:
        """Return (texts, width), of the type for semantic similarity. Raises a ProviderError."""

        def failure(error: Exception) -> Rejection | ProviderError | None:
            return read_error(self._name, error, self._timeout)

        options = HttpOptions(
            base_url=self._endpoint.base_url,
            timeout=int(self._timeout * 1000),
            client_args={"event_hooks": at_home_sync(self._endpoint.base_url)},
        )
        client = Client(enterprise=False, api_key=self._endpoint.key.get_secret_value(), http_options=options)

        def send(batch: list[str]) -> Vectors | None:
            answer = client.models.embed_content(
                model=self._name.model,
                contents=[Content(parts=[Part(text=text)]) for text in batch],
                config={"task_type": TASK},
            )
            values = [embedding.values for embedding in answer.embeddings or ()]
            return [value for value in values if value] if all(values) else None

        try:
            return embed_in_batches(self._name, texts, BATCH, send, failure)
        finally:
            client.close()
