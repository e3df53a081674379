"""The client for asyncio."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import functools
from typing import Any, AsyncIterator, Callable, TypeVar

import pyarrow

from .answer import Answer
from .client import Batches, Client, Rows, Stored

_Result = TypeVar("_Result")
_MOST_CALLS = 32


def _thread() -> concurrent.futures.ThreadPoolExecutor:
    return concurrent.futures.ThreadPoolExecutor(1, "waterwheel-open")


def _discard(opening: "concurrent.futures.Future[Batches]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().discard()


async def _run(
    threads: concurrent.futures.ThreadPoolExecutor, what: Callable[..., _Result], *arguments: Any, **options: Any
) -> _Result:
    """As asyncio.to_thread, in other threads."""
    call = functools.partial(contextvars.copy_context().run, what, *arguments, **options)
    return await asyncio.get_running_loop().run_in_executor(threads, call)


class AsyncClient:
    """A client of one gateway whose methods are awaited: those of Client, each in a thread of the client's own.

    32 calls go on at once, and others wait for them; an answer in batches and a tail have a thread for themselves, as
    long as they are open. The event loop's pool is left to others: it has few threads, which open tails would take.

    A task that is cancelled stops waiting at once; what the gateway was asked goes on to its end or its timeout, but
    for stream_sql, whose answer is closed as soon as it comes.
    """

    def __init__(self, url: str = "http://127.0.0.1:7071", *, timeout: float = 60.0) -> None:
        self._client = Client(url, timeout=timeout)
        # Its threads end with it. A client that is closed can still be asked, so closing does not end them.
        self._calls = concurrent.futures.ThreadPoolExecutor(_MOST_CALLS, "waterwheel-call")

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    async def _run(self, what: Callable[..., _Result], *arguments: Any, **options: Any) -> _Result:
        return await _run(self._calls, what, *arguments, **options)

    async def sql(self, statement: str, *parameters: Any, **options: Any) -> Answer:
        """As Client.sql."""
        return await self._run(self._client.sql, statement, *parameters, **options)

    async def stream_sql(self, statement: str, *parameters: Any, **options: Any) -> AsyncIterator[pyarrow.RecordBatch]:
        """As Client.stream_sql; leaving the iteration cancels the query."""
        own = _thread()
        context = contextvars.copy_context()
        opening = own.submit(context.run, functools.partial(self._client.stream_sql, statement, *parameters, **options))
        try:
            batches = await asyncio.wrap_future(opening)
        except BaseException:
            # Of a task that is cancelled: the answer comes all the same, and nobody reads it.
            opening.add_done_callback(_discard)
            own.shutdown(wait=False)
            raise
        try:
            while True:
                batch = await _run(own, next, batches, None)
                if batch is None:
                    return
                yield batch
        finally:
            # From here: a task that is cancelled leaves a thread that reads.
            batches.close()
            own.shutdown(wait=False)

    async def tail(self, stream: str, **options: Any) -> AsyncIterator[dict[str, Any]]:
        """As Client.tail; leaving the iteration ends it."""
        own = _thread()
        rows = self._client.tail(stream, **options)
        try:
            while True:
                row = await _run(own, next, rows, None)
                if row is None:
                    return
                yield row
        finally:
            rows.close()
            own.shutdown(wait=False)

    async def query(self, stream: str, **options: Any) -> Answer:
        """As Client.query."""
        return await self._run(self._client.query, stream, **options)

    async def append(self, stream: str, rows: Rows, **options: Any) -> Stored:
        """As Client.append."""
        return await self._run(self._client.append, stream, rows, **options)

    async def streams(self) -> list[str]:
        """As Client.streams."""
        return await self._run(self._client.streams)
