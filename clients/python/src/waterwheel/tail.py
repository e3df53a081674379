"""Following a stream: its rows as they become visible, each once."""

from __future__ import annotations

import base64
import collections
import decimal
import http.client
import json
import re
import threading
import warnings
from typing import Any, Callable, Iterator, Mapping

import pyarrow

from ._http import Connections, Response
from .errors import WaterwheelError

_TYPE = "text/event-stream"
#: Seconds without a byte: a gateway sends a heartbeat every ten.
_SILENCE = 35.0
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
_DECIMAL = re.compile(r"decimal\(\d+, *(\d+)\)")
_TIMES = {"timestamp": "ms", "timestamp_us": "us", "timestamp_ns": "ns"}
#: More digits than any decimal of Waterwheel has.
_ALL_DIGITS = decimal.Context(prec=76)

#: Makes of a value in JSON the one that an answer's `rows()` has.
_Reader = Callable[[Any], Any]


def _reader(name: str) -> _Reader | None:
    """For values of this type; None where JSON has them as they are."""
    if name == "bytes":
        return base64.b64decode
    if name in _TIMES:
        arrow = pyarrow.timestamp(_TIMES[name], tz="UTC")

        def moment(count: int) -> Any:
            try:
                return pyarrow.scalar(count, arrow).as_py()
            except (ValueError, OverflowError):
                # One that Python has no time for must not end a tail.
                return count

        return moment
    found = _DECIMAL.fullmatch(name)
    if found is None:
        return None
    last = decimal.Decimal(1).scaleb(-int(found.group(1)))
    return lambda number: decimal.Decimal(number).quantize(last, context=_ALL_DIGITS)


class _Fields:
    """Reads rows in JSON by the types of a stream's fields."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._readers = {name: reader for name, of in types.items() if (reader := _reader(of)) is not None}
        self._exact = any(_DECIMAL.fullmatch(of) for of in types.values())

    def rows(self, text: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(text, parse_float=decimal.Decimal if self._exact else float)
        for row in rows:
            for name, value in row.items():
                reader = self._readers.get(name)
                if reader is not None:
                    row[name] = None if value is None else reader(value)
                elif self._exact and isinstance(value, decimal.Decimal):
                    row[name] = float(value)
        return rows


class Tail(Iterator[dict[str, Any]]):
    """The rows of a stream as queries see them, as dictionaries: times, bytes and decimals are what an answer's rows()
    has; a time that Python has no value for is a number in the unit of its type. Addresses and UUIDs are text.

    It comes again by itself after a lost connection, and where a gateway or a server was away, and each row comes once.
    One thread, but for close.

    position: behind the rows that were returned, but for those of the last event where it is not over: a tail that
        starts there gives each row that follows. None before the first.
    """

    def __init__(
        self,
        connections: Connections,
        stream: str,
        parameters: Mapping[str, str],
        missed: Callable[[Mapping[str, Any]], None] | None,
    ) -> None:
        self._connections = connections
        self._stream = stream
        self._path = stream + "/tail"
        self._fields: _Fields | None = None
        # Which stream they are of: another may have its name by now.
        self._number = ""
        self._parameters = dict(parameters)
        self._missed = missed
        self._rows: collections.deque[dict[str, Any]] = collections.deque()
        self._response: Response | None = None
        self._received: str | None = None
        self._pause = _FIRST_PAUSE
        self._closed = threading.Event()
        self.position: str | None = None

    def __enter__(self) -> Tail:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __next__(self) -> dict[str, Any]:
        while not self._rows:
            if self._closed.is_set():
                raise StopIteration
            try:
                self._event()
                self._pause = _FIRST_PAUSE
            except (WaterwheelError, OSError, http.client.HTTPException) as failure:
                self._end()
                if self._closed.is_set():
                    raise StopIteration from None
                if isinstance(failure, WaterwheelError) and not failure.temporary:
                    raise
                self._closed.wait(self._pause)
                self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        row = self._rows.popleft()
        if not self._rows:
            self.position = self._received
        return row

    def close(self) -> None:
        """Ends the tail, from any thread."""
        self._closed.set()
        response = self._response
        if response is not None:
            response.abandon()

    def _end(self) -> None:
        response, self._response = self._response, None
        if response is not None:
            response.close()

    def _event(self) -> None:
        """Reads one event to its end: what is cut off before that comes again."""
        fields = self._fields
        if fields is None:
            # Once: a stream's fields never change.
            described = self._connections.request("GET", self._stream).json()
            definition = described["definition"]
            self._number = str(described["id"])
            fields = self._fields = _Fields({field["name"]: field["type"] for field in definition["fields"]})
        if self._response is None:
            headers = {"Accept": _TYPE}
            if self._received is not None:
                headers["Last-Event-ID"] = self._received
            self._response = self._connections.request(
                "GET", self._path, self._parameters, headers=headers, timeout=_SILENCE
            )
            # Closing ends a response that it sees: one that it did not see must not be waited for.
            if self._closed.is_set():
                raise OSError("the tail is closed")
        data: list[str] = []
        name, number = "", None
        while True:
            line = self._response.body.readline().decode()
            if not line.endswith("\n"):
                raise WaterwheelError("CUT_OFF", "the gateway ended the events")
            field, _, value = line.rstrip("\r\n").partition(":")
            value = value.removeprefix(" ")
            if not field and not value:
                break
            if field == "data":
                data.append(value)
            elif field == "event":
                name = value
            elif field == "id":
                number = value
        if number is not None and number.partition("@")[0] != self._number:
            # Dropped and made anew since it was described: its rows are not read by the fields of the other.
            self._fields = None
            raise OSError("the stream was made anew")
        text = "\n".join(data)
        said: Any = None if not data else json.loads(text) if name else fields.rows(text)
        if number is not None:
            self._received = number
            if not self._rows and not said:
                self.position = number
        if name == "failure":
            # As if the gateway had answered so at once.
            status = 503 if said.get("temporary") else 400
            raise WaterwheelError(said["code"], said["message"], status, said.get("at"))
        if name == "missed":
            if self._missed is not None:
                self._missed(said)
            else:
                warnings.warn(f"a tail of {self._path} missed rows: {said}", stacklevel=4)
        elif said:
            self._rows.extend(said)
