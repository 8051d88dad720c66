"""Embeddings by OpenAI, with the address and the key of its chat models, and by vendors with the same wire format."""

import numpy as np
from numpy.typing import NDArray
from openai import DefaultHttpxClient, OpenAI
from openai.types import CreateEmbeddingResponse, Embedding

from app.errors import ProviderError
from app.providers.adapters.compatible import without_openais
from app.providers.adapters.connections import at_home_sync, trusted
from app.providers.adapters.openai import read_error
from app.providers.adapters.provider_errors import Rejection
from app.providers.embeddings.batches import ApiEmbedder, Vectors, embed_in_batches


class OpenAIEmbedder(ApiEmbedder):
    batch = 256

    def _open_client(self) -> OpenAI:
        return OpenAI(
            api_key=self._endpoint.key.get_secret_value(),
            base_url=self._endpoint.base_url,
            max_retries=0,
            timeout=self._timeout,
            http_client=DefaultHttpxClient(verify=trusted(), event_hooks=at_home_sync(self._endpoint.base_url)),
        )

    def embed(self, texts: list[str]) -> NDArray[np.float64]:
        """Return (texts, width). Raises a ProviderError."""

        def failure(error: Exception) -> Rejection | ProviderError | None:
            return read_error(self._name, error, self._timeout)

        with self._open_client() as client:

            def send(batch: list[str]) -> Vectors | None:
                answer = client.embeddings.create(model=self._name.model, input=batch, encoding_format="float")
                # The SDK doesn't check what it parses: look-alikes and proxies may send anything.
                data = answer.data if isinstance(answer, CreateEmbeddingResponse) else None
                if not isinstance(data, list) or not all(
                    isinstance(item, Embedding) and _numbers(item.embedding) for item in data
                ):
                    return None
                return [item.embedding for item in sorted(data, key=lambda item: item.index)]

            return embed_in_batches(self._name, texts, self.batch, send, failure)


class CompatibleEmbedder(OpenAIEmbedder):
    """Embeddings by a vendor with OpenAI's wire format, in smaller requests: Mistral takes 16,384 tokens at most."""

    batch = 64

    def _open_client(self) -> OpenAI:
        return without_openais(super()._open_client())


def _numbers(vector: object) -> bool:
    return isinstance(vector, list) and bool(vector) and all(isinstance(value, int | float) for value in vector)
