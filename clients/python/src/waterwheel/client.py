"""The client."""

from __future__ import annotations

import base64
import datetime
import decimal
import http.client
import ipaddress
import json
import math
import numbers
import time
import urllib.parse
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Sequence, Union

import pyarrow
import pyarrow.ipc

from ._http import Connections, Response
from .answer import Answer, Verdict
from .errors import WaterwheelError
from .tail import Tail

if TYPE_CHECKING:
    import pandas
    import polars

_CHANGES = ("INSERT", "CREATE", "ALTER", "DROP")
_ARROW = "application/vnd.apache.arrow.stream"
_VERDICT = b"waterwheel.verdict"
_PIECE_BYTES = 8 << 20
#: A key of a piece has a slash and the number of its first row behind it.
_MOST_KEY = 200
#: Seconds: a gateway knows keys for ten minutes.
_MOST_PATIENCE = 480.0
#: Seconds without an answer after which rows are sent again; a gateway answers within 30.
_APPEND_SILENCE = 40.0
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
    visible: whether queries are known to see the rows; False unless that was asked for.
    errors: for the first of those, a hundred of each request, their row (line, from 1), field and reason.
    """

    rows: int
    positions: Mapping[int, int]
    rejected: int = 0
    errors: Sequence[Mapping[str, Any]] = ()
    visible: bool = False


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

        parameters: the values of the statement's question marks: numbers, text, booleans, bytes, times, days, UUIDs,
            addresses, None, and numbers and times of numpy. A day is its midnight in UTC; a time of numpy is in UTC.
        timeout: seconds that the answer may take in all; None for the server's usual time.
        allow_partial: whether an answer that lacks something may be returned; its verdict says so.
        at_least: by stream, positions (of Stored or a Verdict) that must be in the answer.

        Raises WaterwheelError when the statement cannot be answered, or not to its end.
        """
        return self._open_sql(statement, parameters, timeout, allow_partial, at_least).whole()

    def stream_sql(
        self,
        statement: str,
        *parameters: Any,
        timeout: float | None = None,
        allow_partial: bool = False,
        at_least: Positions | None = None,
    ) -> Batches:
        """The batches of an answer as they come, for answers that are larger than memory.

        The rows are all there only when the iteration ends without an error.
        """
        return self._open_sql(statement, parameters, timeout, allow_partial, at_least)

    def _open_sql(
        self,
        statement: str,
        parameters: Sequence[Any],
        timeout: float | None,
        allow_partial: bool,
        at_least: Positions | None,
    ) -> Batches:
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
        body = json.dumps(asked, allow_nan=False).encode()
        return self._ask("application/json", body, timeout, not _changes(statement))

    def query(self, stream: str, **options: Any) -> Answer:
        """The answer to a query that is written as on the command line (docs/queries.md).

        Options have the names of `./waterwheel query`, with underscores: where="altitude_ft > 40000",
        select=["callsign", "altitude_ft"], circle=(2.55, 49.01, 10_000), time=(begin, end), latest=10, limit=5. The
        two times of an interval have a zone, and None is an open end. A length is text such as "5m", or a timedelta. A
        list gives an option several times where the command line takes it so (key, at), and its values with commas
        elsewhere. A flag is True. at_least takes the positions of Stored or a Verdict as they are.
        """
        form: dict[str, Any] = {"stream": stream}
        for name, value in options.items():
            if value is None or value is False or (isinstance(value, Mapping) and not value):
                continue
            form[name.replace("_", "-")] = _option(name, value)
        body = _form(form)
        timeout = options.get("timeout")
        return self._ask("application/x-www-form-urlencoded", body, None if timeout is None else float(timeout)).whole()

    def _ask(self, media_type: str, body: bytes, timeout: float | None, repeatable: bool = True) -> Batches:
        response = self._connections.request(
            "POST",
            "/v1/query",
            parameters=None,
            body=body,
            headers={"Content-Type": media_type, "Accept": _ARROW},
            timeout=None if timeout is None else timeout + 5,
            repeatable=repeatable,
        )
        return Batches(response)

    def tail(
        self,
        stream: str,
        *,
        where: str | None = None,
        start: str = "now",
        select: Sequence[str] | None = None,
        missed: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> Tail:
        """The rows of a stream as queries see them, each once, until it is closed. The gateway is asked once for the
        types of its fields.

        where: a condition, such as "value > 20".
        start: "now", "earliest", or the position of another tail.
        select: names of fields; None for all.
        missed: is told of ranges whose rows do not come, as docs/http.md has them; where it is None, a warning is.
        """
        parameters = {"from": start}
        if where is not None:
            parameters["where"] = where
        if select is not None:
            parameters["select"] = ",".join(select)
        return Tail(self._connections, _path(stream), parameters, missed)

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
        """Appends rows, each once, to a stream of tuple blocks, CSV or JSON. The gateway makes records of them, as the
        stream's schema has them.

        rows: an Arrow table or batch, a frame of pandas or Polars, or dictionaries. Columns have the names of fields;
            what a dictionary lacks is null. The index of a frame of pandas is a column where it has a name, and is left
            out where it has none.
        key: of 1 to 200 characters, under which the rows are stored once, however often they are sent; a new one where
            none is given. Give one where the program itself may start again and send the same rows: the same table,
            made in the same way.
        visible: whether to wait until queries see the rows. The result says whether they do: it may not be known.
        allow_partial: whether the good rows are stored where others are no tuples; those become dead letters.
        patience: seconds in which the rows are sent again after failures that may pass, eight minutes at most: keys are
            known for ten.

        Rows of more than about 8 MiB are sent in pieces, each of which is stored whole or not at all. Where a piece
        fails, those before it are stored, as the error's `stored` says; the same rows under the same key go on from
        there.

        Raises WaterwheelError when rows are not stored.
        """
        if key is not None and not 1 <= len(key) <= _MOST_KEY:
            raise ValueError(f"key: expected 1 to {_MOST_KEY} characters, got {len(key)}")
        table = _plain(_table(rows))
        own = uuid.uuid4().hex if key is None else key
        stored: Stored | None = None
        at = 0
        most = _PIECE_BYTES
        while at < table.num_rows:
            piece = _piece(table, at, most)
            try:
                more = self._append(stream, piece, f"{own}/{at}" if at else own, visible, allow_partial, patience)
            except WaterwheelError as failure:
                if failure.code == "BODY_TOO_LARGE" and piece.num_rows > 1:
                    # Nothing of it is stored, and its key is free.
                    most = piece.nbytes // 2
                    continue
                failure.errors = _moved(failure.errors, at)
                failure.stored = stored
                raise
            stored = _both(stored, more, at)
            at += piece.num_rows
        return stored or Stored(0, {}, visible=visible)

    def _append(
        self, stream: str, rows: pyarrow.Table, key: str, visible: bool, allow_partial: bool, patience: float
    ) -> Stored:
        body = _ipc(rows)
        headers = {"Content-Type": _ARROW, "Idempotency-Key": key}
        parameters = {
            "wait": "visible" if visible else "stored",
            "partial": "allow" if allow_partial else "fail",
        }
        deadline = time.monotonic() + min(patience, _MOST_PATIENCE)
        pause = 0.05
        while True:
            try:
                said = self._connections.request(
                    "POST", _path(stream) + "/rows", parameters, body, headers, timeout=_APPEND_SILENCE
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
                tuple(said.get("errors", ())),
                said.get("visible", False),
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


class Batches(Iterator[pyarrow.RecordBatch]):
    """The batches of one answer, as they come. Its end is behind the last; an error in place of it says that what came
    is not all. Closing it cancels the query. One thread, but for close.

    verdict: of the answer; None before its end.
    """

    def __init__(self, response: Response) -> None:
        self._response = response
        self._schema: pyarrow.Schema | None = None
        self._closed = False
        self.verdict: Verdict | None = None
        self._each = self._read()

    def __next__(self) -> pyarrow.RecordBatch:
        if self._closed:
            raise StopIteration
        return next(self._each)

    def __enter__(self) -> Batches:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the answer, from any thread; the query is cancelled if it is not over."""
        self._closed = True
        if self.verdict is None:
            self._response.abandon()

    def discard(self) -> None:
        """Closes an answer of which nothing is read, and its connection."""
        self.close()
        self._response.close()

    def whole(self) -> Answer:
        """What is left, as an answer."""
        batches = list(self)
        if self._schema is None or self.verdict is None:
            raise self._response.lost(ValueError("there is none"))
        return Answer(pyarrow.Table.from_batches(batches, self._schema), self.verdict)

    def _read(self) -> Iterator[pyarrow.RecordBatch]:
        verdict = None
        try:
            with pyarrow.ipc.open_stream(self._response.body) as reader:
                self._schema = reader.schema
                while True:
                    try:
                        batch, metadata = reader.read_next_batch_with_custom_metadata()
                    except StopIteration:
                        break
                    if metadata is not None and _VERDICT in metadata:
                        verdict = Verdict.from_json(metadata[_VERDICT])
                    elif batch.num_rows > 0:
                        yield batch
            if verdict is None:
                raise self._response.lost(ValueError("there is none"))
            # The end of the chunks, which says that the connection may be used again.
            self._response.read()
            self.verdict = verdict
        except (OSError, http.client.HTTPException, pyarrow.ArrowException, ValueError, KeyError) as failure:
            raise self._response.lost(failure) from failure
        finally:
            self._response.close()


def _changes(statement: str) -> bool:
    """Whether a statement changes something, by its first word, as the server knows it."""
    at = 0
    while at < len(statement):
        if statement[at].isspace():
            at += 1
        elif statement.startswith("--", at):
            end = statement.find("\n", at)
            at = len(statement) if end < 0 else end
        elif statement.startswith("/*", at):
            end = statement.find("*/", at + 2)
            at = len(statement) if end < 0 else end + 2
        else:
            break
    word = statement[at : at + 7].upper()
    return any(word.startswith(one) and not word[len(one) :].isalpha() for one in _CHANGES)


def _path(stream: str) -> str:
    return "/v1/streams/" + urllib.parse.quote(stream, safe="")


def _parameter(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"a parameter is a number that is finite, not {value}")
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    kind = _kind_of_numpy(value)
    if isinstance(value, numbers.Integral) and kind != "m":
        return int(value)
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError(f"a parameter is a number that is finite, not {value}")
        return {"decimal": format(value, "f")}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, datetime.datetime):
        return {"time": _instant(value)}
    if isinstance(value, datetime.date):
        return {"time": f"{value.isoformat()}T00:00:00Z"}
    if isinstance(value, (uuid.UUID, ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return str(value)
    if kind == "b":
        return bool(value)
    if kind == "f":
        return _parameter(float(value))
    if kind == "M":
        return {"time": _instant_of_numpy(value)}
    raise TypeError(
        "a parameter is a number, text, a boolean, bytes, a time, a day, a UUID, an address or None; got"
        f" {type(value).__name__}"
    )


def _kind_of_numpy(value: Any) -> str | None:
    """The letter of numpy for the type of one value of its own; None for what is none. Lengths of time, m, are integers
    to Python.
    """
    if getattr(value, "shape", None) != ():
        return None
    kind: str | None = getattr(getattr(value, "dtype", None), "kind", None)
    return kind


def _instant_of_numpy(value: Any) -> str:
    """A time of numpy, which is in UTC."""
    item = value.item()
    if isinstance(item, int):
        # Digits that Python has no value for, which numpy writes.
        return f"{value}Z"
    if isinstance(item, datetime.datetime):
        return _instant(item.replace(tzinfo=datetime.timezone.utc))
    if isinstance(item, datetime.date):
        return f"{item.isoformat()}T00:00:00Z"
    raise ValueError(f"a parameter is a time, not {value}")


def _instant(value: datetime.datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone: give it one, such as datetime.timezone.utc")
    return value.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def _bound(value: Any) -> str:
    """The end of an interval of times; nothing where it is open."""
    return "" if value is None else _instant(value) if isinstance(value, datetime.datetime) else str(value)


def _option(name: str, value: Any) -> Any:
    if value is True:
        return "true"
    if name == "time" and isinstance(value, (list, tuple)) and len(value) == 2:
        return "/".join(map(_bound, value))
    if isinstance(value, (list, tuple)):
        return list(map(str, value)) if name in ("key", "at") else ",".join(map(str, value))
    if isinstance(value, datetime.timedelta):
        return _length(name, value)
    if isinstance(value, Mapping):
        return ",".join(f"{partition}:{offset}" for partition, offset in value.items())
    return str(value)


def _length(name: str, value: datetime.timedelta) -> str:
    millis, rest = divmod(value, datetime.timedelta(milliseconds=1))
    if rest:
        raise ValueError(f"{name}: expected whole milliseconds, got {value}")
    return f"{millis}ms"


def _form(parameters: Mapping[str, Any]) -> bytes:
    return urllib.parse.urlencode(parameters, doseq=True).encode()


def _piece(table: pyarrow.Table, at: int, most: int) -> pyarrow.Table:
    """The rows from one on that take so many bytes, one at least. Equal tables have equal pieces."""
    rows = table.num_rows - at
    while rows > 1:
        bytes_ = table.slice(at, rows).nbytes
        if bytes_ <= most:
            break
        rows = min(rows - 1, max(1, int(rows * most / bytes_)))
    return table.slice(at, rows)


def _both(before: Stored | None, more: Stored, at: int) -> Stored:
    if before is None:
        return more
    positions = dict(before.positions)
    for partition, offset in more.positions.items():
        positions[partition] = max(offset, positions.get(partition, 0))
    return Stored(
        before.rows + more.rows,
        positions,
        before.rejected + more.rejected,
        (*before.errors, *_moved(more.errors, at)),
        before.visible and more.visible,
    )


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
        return _of_pandas(rows)
    if hasattr(rows, "to_arrow"):
        return rows.to_arrow()
    if hasattr(rows, "collect"):
        raise TypeError(f"rows: a {type(rows).__name__} has no rows yet: append its collect()")
    if isinstance(rows, Mapping):
        raise TypeError("rows: expected several dictionaries, got one: put it in a list")
    dictionaries = []
    for number, row in enumerate(rows, 1):
        try:
            dictionaries.append(dict(row))
        except (TypeError, ValueError):
            raise TypeError(f"rows: row {number}: expected a dictionary, got {type(row).__name__}") from None
    # The library takes the names of the first alone.
    names = dict.fromkeys(name for row in dictionaries for name in row)
    try:
        return pyarrow.table({name: [row.get(name) for row in dictionaries] for name in names})
    except (pyarrow.ArrowException, OverflowError) as failure:
        raise ValueError(f"rows: {failure}") from failure


def _of_pandas(frame: Any) -> pyarrow.Table:
    """The columns of a frame of pandas, and the levels of its index that have a name."""
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    columns = dict(zip(table.column_names, table.columns))
    for number, name in enumerate(frame.index.names):
        if name is None or name == "":
            continue
        level = pyarrow.chunked_array([pyarrow.array(frame.index.get_level_values(number), from_pandas=True)])
        if not _same(columns.setdefault(str(name), level), level):
            raise ValueError(f"rows: a level of the index and another, or a column, are both named {name}: rename one")
    return pyarrow.table(columns)


def _same(column: pyarrow.ChunkedArray, level: pyarrow.ChunkedArray) -> bool:
    """Whether they have the same values: pandas may have widened those of the index."""
    if _is_text(column.type) != _is_text(level.type):
        return False
    try:
        return column.equals(level.cast(column.type))
    except pyarrow.ArrowException:
        return False


def _is_text(kind: pyarrow.DataType) -> bool:
    return str(kind) in ("string", "large_string", "string_view")


def _plain(table: pyarrow.Table) -> pyarrow.Table:
    """The same without views, which the gateway does not read, and without dictionaries, which would go with each
    piece; in one chunk, so that equal rows are equal bytes.
    """
    plain = []
    for column in table.schema:
        kind = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
        if str(kind) == "string_view":
            kind = pyarrow.large_string()
        elif str(kind) == "binary_view":
            kind = pyarrow.large_binary()
        plain.append(pyarrow.field(column.name, kind, column.nullable))
    return table.cast(pyarrow.schema(plain)).combine_chunks()
