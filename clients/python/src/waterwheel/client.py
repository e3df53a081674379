"""The client."""

from __future__ import annotations

import base64
import datetime
import decimal
import http.client
import json
import time
import urllib.parse
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Sequence, Union

import pyarrow
import pyarrow.ipc

from ._http import Connections, Response, cut_off
from .answer import Answer, Verdict
from .errors import WaterwheelError

if TYPE_CHECKING:
    import pandas
    import polars

_ARROW = "application/vnd.apache.arrow.stream"
_VERDICT = b"waterwheel.verdict"
_PIECE_BYTES = 8 << 20
_DEFAULT_URL = "http://127.0.0.1:7071"

#: By stream and partition, offsets below which everything must be in an answer.
Positions = Mapping[str, Mapping[int, int]]

Rows = Union[
    pyarrow.Table, pyarrow.RecordBatch, "pandas.DataFrame", "polars.DataFrame", Iterable[Mapping[str, Any]]
]


@dataclass(frozen=True)
class Stored:
    """What became of rows that were appended.

    rows: that are stored.
    positions: by partition, the offset behind the last of them; at_least takes it.
    rejected: rows that are no tuples; 0 unless partial was allowed.
    errors: for the first of those, a hundred of each request, their row (line, from 1), field and reason.
    """

    rows: int
    positions: Mapping[int, int]
    rejected: int = 0
    errors: Sequence[Mapping[str, Any]] = ()


def connect(url: str = _DEFAULT_URL, *, timeout: float = 60.0) -> "Client":
    """A client of the gateway at this address. Nothing is sent before the first question.

    timeout: seconds that the gateway may be silent before a request fails.
    """
    return Client(url, timeout=timeout)


class Client:
    """A client of one gateway. Any number of threads may use it. Close it, or use it in a with statement."""

    def __init__(self, url: str = _DEFAULT_URL, *, timeout: float = 60.0) -> None:
        self._connections = Connections(url, timeout)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections. Answers that are being read go on."""
        self._connections.close()

    # Questions

    def sql(
        self,
        statement: str,
        *parameters: Any,
        timeout: float | None = None,
        allow_partial: bool = False,
        at_least: Positions | None = None,
    ) -> Answer:
        """The answer to a statement, read to its end.

        parameters: the values of the statement's question marks: numbers, text, booleans, bytes, times, None.
        timeout: seconds that the answer may take in all; None for the server's usual time.
        allow_partial: whether an answer that lacks something may be returned; its verdict says so.
        at_least: by stream, positions (of Stored or a Verdict) that must be in the answer.

        Raises WaterwheelError when the statement cannot be answered, or not to its end.
        """
        batches, response = self._open_sql(statement, parameters, timeout, allow_partial, at_least)
        return batches.whole(response)

    def stream_sql(
        self,
        statement: str,
        *parameters: Any,
        timeout: float | None = None,
        allow_partial: bool = False,
        at_least: Positions | None = None,
    ) -> Iterator[pyarrow.RecordBatch]:
        """The batches of an answer as they come, for answers that are larger than memory.

        The rows are all there only when the iteration ends without an error. Closing the iterator cancels the query.
        """
        batches, response = self._open_sql(statement, parameters, timeout, allow_partial, at_least)
        return batches.each(response)

    def _open_sql(
        self,
        statement: str,
        parameters: Sequence[Any],
        timeout: float | None,
        allow_partial: bool,
        at_least: Positions | None,
    ) -> tuple["_Batches", Response]:
        asked: dict[str, Any] = {"sql": statement}
        if parameters:
            asked["parameters"] = [_parameter(value) for value in parameters]
        if timeout is not None:
            asked["timeoutMillis"] = max(1, round(timeout * 1000))
        if allow_partial:
            asked["allowPartial"] = True
        if at_least:
            asked["atLeast"] = {
                stream: {str(partition): offset for partition, offset in of.items()} for stream, of in at_least.items()
            }
        return self._ask("application/json", json.dumps(asked).encode(), timeout)

    def query(self, stream: str, **options: Any) -> Answer:
        """The answer to a query that is written as on the command line (docs/queries.md).

        Options have the names of `./waterwheel query`, with underscores: where="altitude_ft > 40000",
        select=["callsign", "altitude_ft"], circle=(2.55, 49.01, 10_000), latest=10, limit=5. A list gives an option
        several times where the command line takes it so (key, at), and its values with commas elsewhere. A flag is
        True.
        """
        form: dict[str, Any] = {"stream": stream}
        for name, value in options.items():
            if value is None or value is False:
                continue
            form[name.replace("_", "-")] = _option(name, value)
        body = _form(form)
        batches, response = self._ask("application/x-www-form-urlencoded", body, options.get("timeout"))
        return batches.whole(response)

    def _ask(self, media_type: str, body: bytes, timeout: float | None) -> tuple["_Batches", Response]:
        response = self._connections.request(
            "POST",
            "/v1/query",
            parameters=None,
            body=body,
            headers={"Content-Type": media_type, "Accept": _ARROW},
            timeout=None if timeout is None else timeout + 5,
        )
        return _Batches(), response

    # Appends

    def append(
        self,
        stream: str,
        rows: Rows,
        *,
        key: str | None = None,
        visible: bool = False,
        allow_partial: bool = False,
        patience: float = 60.0,
    ) -> Stored:
        """Appends rows, each once, to a stream of the format block.

        rows: an Arrow table or batch, a frame of pandas or Polars, or dictionaries. Columns have the names of fields.
        key: under which the rows are stored once, however often they are sent; a new one where none is given. Give one
            where the program itself may start again and send the same rows.
        visible: whether to wait until queries see the rows.
        allow_partial: whether the good rows are stored where others are no tuples; those become dead letters.
        patience: seconds in which the rows are sent again after failures that may pass.

        Rows of more than about 8 MiB are sent in pieces, each of which is stored whole or not at all. Where a piece
        fails, those before it are stored; the same rows under the same key go on from there.

        Raises WaterwheelError when rows are not stored.
        """
        table = _plain(_table(rows))
        key = key or uuid.uuid4().hex
        stored = Stored(0, {})
        for at, piece in _pieces(table):
            try:
                more = self._append(stream, piece, f"{key}/{at}" if at else key, visible, allow_partial, patience)
            except WaterwheelError as failure:
                failure.errors = _moved(failure.errors, at)
                if at and hasattr(failure, "add_note"):
                    failure.add_note(f"of {table.num_rows} rows the first {at} are stored, under the key {key}")
                raise
            stored = Stored(
                stored.rows + more.rows,
                {**stored.positions, **more.positions},
                stored.rejected + more.rejected,
                (*stored.errors, *_moved(more.errors, at)),
            )
        return stored

    def _append(
        self, stream: str, rows: pyarrow.Table, key: str, visible: bool, allow_partial: bool, patience: float
    ) -> Stored:
        body = _ipc(rows)
        headers = {"Content-Type": _ARROW, "Idempotency-Key": key}
        parameters = {
            "wait": "visible" if visible else "stored",
            "partial": "allow" if allow_partial else "fail",
        }
        deadline = time.monotonic() + patience
        pause = 0.05
        while True:
            try:
                said = self._connections.request(
                    "POST", _path(stream) + "/rows", parameters, body, headers
                ).json()
            except WaterwheelError as failure:
                if not failure.temporary or time.monotonic() + pause > deadline:
                    raise
                time.sleep(pause)
                pause = min(2 * pause, 2.0)
                continue
            return Stored(
                said["rows"],
                {int(partition): offset for partition, offset in said["positions"].items()},
                said["rejected"],
                said.get("errors", ()),
            )

    # What there is

    def streams(self) -> list[str]:
        """The names of all streams."""
        return [stream["name"] for stream in self._connections.request("GET", "/v1/streams").json()["streams"]]

    def stream(self, name: str) -> dict[str, Any]:
        """A stream's definition, and where it lies (docs/http.md)."""
        found: dict[str, Any] = self._connections.request("GET", _path(name)).json()
        return found

    def status(self) -> dict[str, Any]:
        """What `./waterwheel status --format json` prints."""
        found: dict[str, Any] = self._connections.request("GET", "/v1/status").json()
        return found


class _Batches:
    """The batches of one answer. The last has no rows and the verdict."""

    def __init__(self) -> None:
        self._schema: pyarrow.Schema | None = None
        self._verdict: Verdict | None = None

    def whole(self, response: Response) -> Answer:
        batches = list(self.each(response))
        if self._schema is None or self._verdict is None:
            raise cut_off(ValueError("there is none"))
        return Answer(pyarrow.Table.from_batches(batches, self._schema), self._verdict)

    def each(self, response: Response) -> Iterator[pyarrow.RecordBatch]:
        try:
            with pyarrow.ipc.open_stream(response.body) as reader:
                self._schema = reader.schema
                while True:
                    try:
                        batch, metadata = reader.read_next_batch_with_custom_metadata()
                    except StopIteration:
                        break
                    if metadata is not None and _VERDICT in metadata:
                        self._verdict = Verdict.from_json(metadata[_VERDICT])
                    elif batch.num_rows > 0:
                        yield batch
            if self._verdict is None:
                raise cut_off(ValueError("there is none"))
            # The end of the chunks, which says that the connection may be used again.
            response.read()
        except (OSError, http.client.HTTPException, pyarrow.ArrowException) as failure:
            raise cut_off(failure) from failure
        finally:
            response.close()


def _path(stream: str) -> str:
    return "/v1/streams/" + urllib.parse.quote(stream, safe="")


def _parameter(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone: give it one, such as datetime.timezone.utc")
        return {"time": value.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")}
    raise TypeError(f"a parameter is a number, text, a boolean, bytes, a time or None, not a {type(value).__name__}")


def _option(name: str, value: Any) -> Any:
    if value is True:
        return "true"
    if isinstance(value, (list, tuple)):
        return list(map(str, value)) if name in ("key", "at") else ",".join(map(str, value))
    return str(value)


def _form(parameters: Mapping[str, Any]) -> bytes:
    return urllib.parse.urlencode(parameters, doseq=True).encode()


def _pieces(table: pyarrow.Table) -> Iterator[tuple[int, pyarrow.Table]]:
    """Parts of a table that a request can hold, and the row that each begins at. Equal tables have equal parts."""
    rows = max(1, int(table.num_rows * min(1.0, _PIECE_BYTES / max(1, table.nbytes))))
    for at in range(0, max(1, table.num_rows), rows):
        yield at, table.slice(at, rows)


def _moved(errors: Sequence[Mapping[str, Any]], rows: int) -> list[Mapping[str, Any]]:
    return [{**error, "line": error["line"] + rows} if "line" in error else error for error in errors]


def _ipc(table: pyarrow.Table) -> bytes:
    """The rows as an Arrow stream."""
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _table(rows: Rows) -> pyarrow.Table:
    if isinstance(rows, pyarrow.Table):
        return rows
    if isinstance(rows, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([rows])
    if hasattr(rows, "iloc"):
        return pyarrow.Table.from_pandas(rows, preserve_index=False)
    if hasattr(rows, "to_arrow"):
        return rows.to_arrow()
    return pyarrow.Table.from_pylist([dict(row) for row in rows])


def _plain(table: pyarrow.Table) -> pyarrow.Table:
    """The same without views, which the gateway does not read."""
    plain = []
    for column in table.schema:
        kind = str(column.type)
        if kind == "string_view":
            column = column.with_type(pyarrow.large_string())
        elif kind == "binary_view":
            column = column.with_type(pyarrow.large_binary())
        plain.append(column)
    schema = pyarrow.schema(plain)
    return table if schema.equals(table.schema) else table.cast(schema)
