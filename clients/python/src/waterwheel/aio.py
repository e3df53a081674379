"""The client for asyncio."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator

import pyarrow

from .answer import Answer
from .client import Client, Rows, Stored


class AsyncClient:
    """A client of one gateway whose methods are awaited: those of Client, each in a thread of the event loop's pool.

    A task that is cancelled stops waiting at once; what the gateway was asked goes on to its end or its timeout.
    """

    def __init__(self, url: str = "http://127.0.0.1:7071", *, timeout: float = 60.0) -> None:
        self._client = Client(url, timeout=timeout)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    async def sql(self, statement: str, *parameters: Any, **options: Any) -> Answer:
        """As Client.sql."""
        return await asyncio.to_thread(self._client.sql, statement, *parameters, **options)

    async def stream_sql(self, statement: str, *parameters: Any, **options: Any) -> AsyncIterator[pyarrow.RecordBatch]:
        """As Client.stream_sql; leaving the iteration cancels the query."""
        batches = await asyncio.to_thread(self._client.stream_sql, statement, *parameters, **options)
        try:
            while True:
                batch = await asyncio.to_thread(next, batches, None)
                if batch is None:
                    return
                yield batch
        finally:
            # From here: a task that is cancelled leaves a thread that reads.
            batches.close()

    async def tail(self, stream: str, **options: Any) -> AsyncIterator[dict[str, Any]]:
        """As Client.tail; leaving the iteration ends it."""
        rows = self._client.tail(stream, **options)
        try:
            while True:
                row = await asyncio.to_thread(next, rows, None)
                if row is None:
                    return
                yield row
        finally:
            rows.close()

    async def query(self, stream: str, **options: Any) -> Answer:
        """As Client.query."""
        return await asyncio.to_thread(self._client.query, stream, **options)

    async def append(self, stream: str, rows: Rows, **options: Any) -> Stored:
        """As Client.append."""
        return await asyncio.to_thread(self._client.append, stream, rows, **options)

    async def streams(self) -> list[str]:
        """As Client.streams."""
        return await asyncio.to_thread(self._client.streams)
