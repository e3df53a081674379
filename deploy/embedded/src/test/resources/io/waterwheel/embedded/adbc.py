"""What Python's ADBC driver gets of a Waterwheel server. Arguments: address, rows of the stream, positions to see."""

import datetime
import sys
import time

import adbc_driver_flightsql.dbapi as flightsql
import pyarrow
from adbc_driver_flightsql import DatabaseOptions, StatementOptions
from adbc_driver_manager import AdbcStatusCode

url, rows, seen = sys.argv[1], int(sys.argv[2]), sys.argv[3]
headers = {DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "x-waterwheel-at-least": seen}


def same(got, expected):
    if got != expected:
        raise AssertionError(f"expected {expected!r}, got {got!r}")


def fails(text, ask):
    try:
        ask()
    except Exception as failure:
        if text not in str(failure):
            raise AssertionError(f"expected a failure with {text!r}, got {failure!r}") from failure
        return
    raise AssertionError(f"expected a failure with {text!r}, got none")


with flightsql.connect(url, db_kwargs=headers) as connection:

    def ask(statement, parameters=None):
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            return cursor.fetchall()

    same(connection.adbc_get_info()["vendor_name"], "Waterwheel")
    same(connection.adbc_get_table_types(), ["SYSTEM TABLE", "TABLE", "VIEW"])
    objects = connection.adbc_get_objects(depth="all", table_name_filter="by_adbc").read_all().to_pylist()
    same([one["catalog_name"] for one in objects], ["waterwheel"])
    schemas = objects[0]["catalog_db_schemas"]
    tables = [table for schema in schemas for table in schema["db_schema_tables"]]
    same([one["table_name"] for one in tables], ["by_adbc"])
    same(
        [one["column_name"] for one in tables[0]["table_columns"]],
        ["id", "at", "small", "number", "yes", "nanos", "address", "note", "raw"],
    )
    same(connection.adbc_get_table_schema("by_adbc").field("id").type, pyarrow.int64())

    first = datetime.datetime(2026, 11, 25, 10, 0, 0, 1000, tzinfo=datetime.timezone.utc)
    same(
        ask("SELECT id, at, small, number, yes, address, note, raw FROM by_adbc WHERE id = 1"),
        [(1, first, 1, 0.5, False, "10.0.0.1", "row 1", b"\x01\x00")],
    )
    same(ask("SELECT small, nanos, note, raw FROM by_adbc WHERE id = 10"), [(None, None, None, None)])
    with connection.cursor() as cursor:
        cursor.execute("SELECT nanos FROM by_adbc WHERE id = 7")
        same(cursor.fetch_arrow_table().column(0)[0].value, 1795600800000000007)

    same(ask("SELECT id FROM by_adbc WHERE id BETWEEN ? AND ? ORDER BY id", (5, 7)), [(5,), (6,), (7,)])
    same(ask("SELECT COUNT(*) FROM by_adbc WHERE at <= ?", (first,)), [(1,)])
    same(ask("SELECT COUNT(*) FROM by_adbc WHERE note = ? AND number < ?", ("row 17", 100.5)), [(2,)])
    same(
        ask("SELECT COUNT(*) FROM by_adbc WHERE yes = ? AND raw = ?", (True, b"\x02\x00")),
        ask("SELECT COUNT(*) FROM by_adbc WHERE yes AND raw = X'0200'"),
    )

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM by_adbc")
        same(sum(batch.num_rows for batch in cursor.fetch_record_batch()), rows)
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM by_adbc")
        same(next(iter(cursor.fetch_record_batch())).num_rows > 0, True)

    fails("there is no column 'nope'", lambda: ask("SELECT nope FROM by_adbc"))
    fails(
        "it changes nothing",
        lambda: connection.cursor().executemany("SELECT id FROM by_adbc WHERE id = ?", [(1,), (2,)]),
    )
    fails("not supported: DELETE", lambda: connection.cursor().executescript("DELETE FROM by_adbc"))

with flightsql.connect(url) as connection:
    with connection.cursor() as cursor:
        cursor.executescript(
            "CREATE STREAM made_by_adbc (id BIGINT, at TIMESTAMP, note VARCHAR) KEY (id) TIME (at) WITH (partitions = 1)"
        )
        cursor.executemany("INSERT INTO made_by_adbc VALUES (?, ?, ?)", [(1, first, "one"), (2, first, None)])
        cursor.executescript("CREATE VIEW ones_by_adbc AS SELECT note FROM made_by_adbc WHERE id = 1")
        fails("there is no stream 'nope'", lambda: cursor.executemany("INSERT INTO nope VALUES (?)", [(1,)]))

made = {DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "x-waterwheel-at-least": "made_by_adbc:0:1"}
with flightsql.connect(url, db_kwargs=made) as connection, connection.cursor() as cursor:
    cursor.execute("SELECT note FROM ones_by_adbc")
    same(cursor.fetchall(), [("one",)])

# Texts as pandas and polars write them, and of a dictionary.
with flightsql.connect(url) as connection, connection.cursor() as cursor:
    for id, type in ((3, pyarrow.large_string()), (4, pyarrow.string_view()), (5, pyarrow.string())):
        note = pyarrow.array(["a text of more than twelve bytes", None], type)
        note = note.dictionary_encode() if id == 5 else note
        cursor.executemany(
            "INSERT INTO made_by_adbc VALUES (?, ?, ?)",
            pyarrow.table({"id": [id, id], "at": [first, first], "note": note}),
        )
        same(cursor.rowcount, 2)

# A cursor that is closed at once asks for no answer; what changes something is done all the same.
with flightsql.connect(url) as connection:
    for id in range(10, 15):
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO made_by_adbc VALUES ({id}, NOW(), NULL)")
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO made_by_adbc VALUES (?, NOW(), NULL)", (15,))
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO made_by_adbc VALUES (16, NOW(), NULL)")
        inserted, stored = cursor.fetchall()[0]
        same(inserted, 1)
    fails("field id", lambda: connection.cursor().execute("INSERT INTO made_by_adbc VALUES (NULL, NOW(), NULL)"))
    fails("made_by_nothing", lambda: connection.cursor().execute("DROP STREAM made_by_nothing"))
with flightsql.connect(url) as connection, connection.cursor() as cursor:
    cursor.execute(f"SELECT /*+ at_least('{stored}') */ id FROM made_by_adbc WHERE id > 9 ORDER BY id")
    same(cursor.fetchall(), [(id,) for id in range(10, 17)])
    cursor.execute(
        "SELECT id, COUNT(*), MIN(note) FROM made_by_adbc WHERE id BETWEEN 3 AND 5 GROUP BY id ORDER BY id"
    )
    same(cursor.fetchall(), [(id, 2, "a text of more than twelve bytes") for id in (3, 4, 5)])

late = {DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "x-waterwheel-at-least": "by_adbc:0:999999999"}
with flightsql.connect(url, db_kwargs=late) as connection:
    with connection.cursor() as cursor:
        cursor.adbc_statement.set_options(**{StatementOptions.TIMEOUT_FETCH.value: "0.3"})
        begun = time.monotonic()
        try:
            cursor.execute("SELECT COUNT(*) FROM by_adbc")
            cursor.fetchall()
            raise AssertionError("expected a time-out, got none")
        except flightsql.OperationalError as failure:
            same(failure.status_code, AdbcStatusCode.TIMEOUT)
        same(time.monotonic() - begun < 5, True)

print("all as expected")
