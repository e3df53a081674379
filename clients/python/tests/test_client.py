"""The client against a small gateway of this test, and against a server where WATERWHEEL_URL names one."""

import asyncio
import datetime
import decimal
import gc
import http.server
import ipaddress
import json
import os
import pickle
import random
import struct
import threading
import time
import unittest
import urllib.parse
import uuid

import pyarrow
import pyarrow.ipc
import waterwheel

URL = os.environ.get("WATERWHEEL_URL")
STREAM = os.environ.get("WATERWHEEL_STREAM", "by_python")
TEXT_STREAMS = os.environ.get("WATERWHEEL_TEXT_STREAMS", "").split()
UTC = datetime.timezone.utc


def answer(rows: int, verdict: dict | None, end: bool = True) -> bytes:
    """An answer as the gateway writes it; without a verdict it is cut off."""
    schema = pyarrow.schema([("id", pyarrow.int64())])
    sink = pyarrow.BufferOutputStream()
    writer = pyarrow.ipc.new_stream(sink, schema)
    writer.write_batch(pyarrow.record_batch([pyarrow.array(range(rows), pyarrow.int64())], schema=schema))
    if verdict is not None:
        empty = pyarrow.record_batch([pyarrow.array([], pyarrow.int64())], schema=schema)
        writer.write_batch(empty, custom_metadata={"waterwheel.verdict": json.dumps(verdict)})
    if end:
        writer.close()
    return sink.getvalue().to_pybytes()


def described(number: int = 7, **types: str) -> tuple[int, bytes, bool]:
    """A stream as the gateway describes it, which a tail asks for first."""
    fields = [{"name": name, "type": of} for name, of in types.items()]
    return 200, json.dumps({"id": number, "definition": {"name": "s", "fields": fields}}).encode(), True


class Gateway(http.server.ThreadingHTTPServer):
    """Answers as it was told to, and keeps what it was asked."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.answers = []
        # Of tails that begin at once, whose requests have no order.
        self.stream = None
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.path, dict(self.headers), body))
        if self.server.stream is not None and self.path == "/v1/streams/s":
            status, content, whole = self.server.stream
        else:
            status, content, whole = self.server.answers.pop(0)
        if isinstance(status, threading.Event):
            # As one that answers when the event is set, and sees then that its client has gone.
            status.wait(60)
            status = 200
        if status is None:
            # As a gateway that ends after the statement was done.
            self.close_connection = True
            return
        self.send_response(status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content) if content else b"")
        if whole == "left":
            self.wfile.flush()
            self.connection.settimeout(60)
            if self.rfile.read(1) == b"":
                self.server.left.set()
            self.close_connection = True
        elif whole is None:
            self.wfile.flush()
            self.server.holds.wait(60)
            self.close_connection = True
        elif whole:
            self.wfile.write(b"0\r\nWaterwheel-Verdict: {}\r\n\r\n")
        else:
            self.close_connection = True

    do_GET = do_POST

    def log_message(self, *unused):
        pass


class WithoutServer(unittest.TestCase):
    def setUp(self):
        self.gateway = Gateway()
        self.client = waterwheel.connect(self.gateway.url)
        self.addCleanup(self.gateway.close)
        self.addCleanup(self.client.close)

    def will(self, *answers):
        self.gateway.answers.extend(answers)

    def test_a_query_demands_positions_as_a_verdict_has_them(self):
        verdict = {"complete": True, "tuples": 0, "positions": {"0": 7, "10": 3}, "shown": {"0": 9, "10": 3}}
        self.will(*[(200, answer(0, verdict), True)] * 4)
        shown = self.client.query("s").verdict.shown
        for demand in (shown, {}, "0:8"):
            self.client.query("s", at_least=demand)
        forms = [urllib.parse.parse_qs(body.decode()) for _, _, body in self.gateway.asked]
        self.assertEqual([form.get("at-least") for form in forms], [None, ["0:9,10:3"], None, ["0:8"]])

    def test_reads_rows_and_verdict(self):
        verdict = {"complete": True, "tuples": 3, "positions": {"0": 7}, "shown": {"0": 9}, "next": "x"}
        self.will((200, answer(3, verdict), True), (200, answer(0, verdict), True))
        got = self.client.sql("SELECT ?", 1)
        self.assertEqual([row["id"] for row in got.rows()], [0, 1, 2])
        self.assertEqual(got.verdict.positions, {0: 7})
        self.assertEqual(got.verdict.shown, {0: 9})
        self.assertEqual(got.verdict.next, "x")
        times = (datetime.datetime(2021, 10, 7, 12, tzinfo=UTC), None)
        asked = self.client.query("s", where="a > 1", key=["a=1", "b=2"], count=True, latest=None, time=times)
        self.assertEqual(len(asked), 0)
        sent = [body for _, _, body in self.gateway.asked]
        self.assertEqual(json.loads(sent[0]), {"sql": "SELECT ?", "parameters": [1]})
        self.assertEqual(
            sent[1], b"stream=s&where=a+%3E+1&key=a%3D1&key=b%3D2&count=true&time=2021-10-07T12%3A00%3A00Z%2F"
        )

    def test_columns_of_one_name_are_told_apart(self):
        columns = [pyarrow.array([n]) for n in range(4)]
        table = pyarrow.Table.from_arrays(columns, names=["count", "count", "count_1", "count"])
        verdict = waterwheel.Verdict.from_json('{"complete": true, "tuples": 1}')
        answered = waterwheel.Answer(table, verdict)
        self.assertEqual(answered.rows(), [{"count": 0, "count_2": 1, "count_1": 2, "count_3": 3}])

    def test_an_answer_without_its_end_is_none(self):
        verdict = {"complete": True, "tuples": 3}
        for content, whole in [
            (answer(3, None), True),
            (answer(3, None, end=False), False),
            (answer(3, verdict, end=False), False),
            (answer(3, verdict), False),
            (answer(3, verdict)[:40], False),
            (b"", False),
        ]:
            with self.subTest(whole=whole, length=len(content)):
                self.will((200, content, whole))
                with self.assertRaises(waterwheel.WaterwheelError) as failed:
                    self.client.sql("SELECT 1")
                self.assertEqual(failed.exception.code, "CUT_OFF")

    def test_a_change_is_sent_once(self):
        verdict = {"complete": True, "tuples": 0}
        for statement in ("INSERT INTO s VALUES (1)", " -- c\n/* d */ drop stream s", "Create STREAM s (a INT)"):
            for lost in ((None, b"", None), (200, answer(1, None, end=False), False), (200, b"", False)):
                with self.subTest(statement=statement, lost=lost[0]):
                    # The connection of the question is kept, and a gateway may end it at any time.
                    self.will((200, answer(0, verdict), True), lost)
                    self.client.sql("SELECT 1")
                    self.gateway.asked.clear()
                    with self.assertRaises(waterwheel.WaterwheelError) as failed:
                        self.client.sql(statement)
                    self.assertEqual(failed.exception.code, "OUTCOME_UNKNOWN")
                    self.assertEqual(len(self.gateway.asked), 1)
        # A question is asked again.
        self.will((200, answer(0, verdict), True), (None, b"", None), (200, answer(2, verdict), True))
        self.client.sql("SELECT 1")
        self.assertEqual(len(self.client.sql("INSERTED")), 2)
        self.assertEqual(len(self.gateway.asked), 3 + 1)

    def test_errors_say_what_and_where(self):
        self.will((400, b'{"code":"BAD_SQL","message":"no","at":"line 1"}', True), (502, b"<html>", True))
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.sql("SELECT")
        self.assertEqual((failed.exception.code, failed.exception.at), ("BAD_SQL", "line 1"))
        self.assertFalse(failed.exception.temporary)
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.sql("SELECT")
        self.assertEqual(failed.exception.status, 502)
        with waterwheel.connect("http://127.0.0.1:1") as nowhere:
            with self.assertRaises(waterwheel.WaterwheelError) as failed:
                nowhere.streams()
        self.assertEqual(failed.exception.code, "UNREACHABLE")

    def test_rows_are_sent_again_under_their_key(self):
        stored = b'{"rows":1,"rejected":0,"positions":{"0":9}}'
        self.will((503, b'{"code":"X","message":"away"}', True), (200, b"", False), (200, stored, True))
        got = self.client.append("s", [{"id": 1}])
        self.assertEqual(got, waterwheel.Stored(1, {0: 9}))
        keys = {headers["Idempotency-Key"] for _, headers, _ in self.gateway.asked}
        bodies = {body for _, _, body in self.gateway.asked}
        self.assertEqual((len(keys), len(bodies), len(self.gateway.asked)), (1, 1, 3))
        self.will((422, b'{"code":"ROWS_REJECTED","message":"1 of 1","errors":[{"line":1,"reason":"r"}]}', True))
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.append("s", [{"id": 1}])
        self.assertEqual(failed.exception.errors[0]["reason"], "r")

    def test_many_rows_are_sent_in_pieces(self):
        stored = b'{"rows":1,"rejected":0,"positions":{"%d":9}}'
        self.will((200, stored % 0, True), (200, stored % 1, True), (200, stored % 0, True))
        table = pyarrow.table({"id": range(2_300_000)})
        self.assertEqual(self.client.append("s", table, key="k"), waterwheel.Stored(3, {0: 9, 1: 9}))
        keys = [headers["Idempotency-Key"] for _, headers, _ in self.gateway.asked]
        self.assertEqual([key.split("/")[0] for key in keys], ["k"] * 3)
        self.assertEqual(len(set(keys)), 3)
        pieces = [pyarrow.ipc.open_stream(body).read_all() for _, _, body in self.gateway.asked]
        self.assertEqual(pyarrow.concat_tables(pieces), table)
        refused = b'{"code":"ROWS_REJECTED","message":"no","errors":[{"line":5,"reason":"r"}]}'
        self.will((200, stored % 0, True), (422, refused, True))
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.append("s", table)
        self.assertEqual(failed.exception.errors[0]["line"], 5 + pieces[0].num_rows)

    def test_a_piece_that_is_too_large_is_halved(self):
        large = (413, b'{"code":"BODY_TOO_LARGE","message":"m"}', True)
        stored = (200, b'{"rows":2,"rejected":0,"positions":{"0":9},"visible":false,"reason":"r"}', True)
        self.will(large, stored, stored)
        table = pyarrow.table({"id": [1, 2, 3, 4]})
        got = self.client.append("s", table, visible=True)
        self.assertEqual((got.rows, got.visible), (4, False))
        bodies = [pyarrow.ipc.open_stream(body).read_all() for _, _, body in self.gateway.asked[-2:]]
        self.assertEqual(pyarrow.concat_tables(bodies), table)

    def test_dictionaries_need_not_have_equal_names(self):
        self.will((200, b'{"rows":2,"rejected":0,"positions":{"0":9}}', True))
        self.client.append("s", [{"id": 1}, {"id": 2, "note": "x"}])
        sent = pyarrow.ipc.open_stream(self.gateway.asked[0][2]).read_all()
        self.assertEqual(sent.to_pylist(), [{"id": 1, "note": None}, {"id": 2, "note": "x"}])
        self.assertEqual(self.client.append("s", []), waterwheel.Stored(0, {}))
        for wrong in ({"key": ""}, {"key": "k" * 201}):
            with self.assertRaises(ValueError):
                self.client.append("s", [{"id": 1}], **wrong)
        with self.assertRaises(ValueError):
            self.client.append("s", [{"id": 1}, {"id": "one"}])
        self.assertEqual(len(self.gateway.asked), 1)

    def test_errors_travel_between_processes(self):
        error = waterwheel.WaterwheelError("C", "m", 400, "at", [{"line": 1}])
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.code, again.message, again.status, again.at), ("C", "m", 400, "at"))
        self.assertEqual(again.errors, [{"line": 1}])

    def test_closing_ends_an_answer_that_is_waited_for(self):
        opened = threading.Event()
        self.gateway.holds = threading.Event()
        self.addCleanup(self.gateway.holds.set)
        self.will((200, answer(3, None, end=False), None))
        batches = self.client.stream_sql("SELECT 1")
        self.assertEqual(next(batches).num_rows, 3)

        def ask():
            opened.set()
            with self.assertRaises(waterwheel.WaterwheelError):
                next(batches)

        waiting = threading.Thread(target=ask)
        waiting.start()
        opened.wait()
        batches.close()
        waiting.join(20)
        self.assertFalse(waiting.is_alive())
        self.assertEqual(list(batches), [])

    def test_a_task_that_is_cancelled_while_an_answer_opens_closes_it(self):
        answers = threading.Event()
        self.gateway.left = threading.Event()
        self.will((answers, answer(3, None, end=False), "left"))

        async def ask():
            async with waterwheel.AsyncClient(self.gateway.url) as client:
                opening = asyncio.create_task(anext(client.stream_sql("SELECT 1")))
                while not self.gateway.asked:
                    await asyncio.sleep(0.01)
                opening.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await opening
                answers.set()
                await asyncio.to_thread(self.gateway.left.wait, 20)

        gc.disable()  # which would close what is forgotten, at some time
        self.addCleanup(gc.enable)
        asyncio.run(ask())
        self.assertTrue(self.gateway.left.is_set(), "the answer is open, and nobody reads it")

    def test_a_tail_comes_again_where_it_was(self):
        first = b'retry: 1000\n: heartbeat\nid: 7@0:1\n\ndata: [{"id":1},\ndata: {"id":2}]\nid: 7@0:3\n\ndata: [{"id":'
        away = b'{"code":"SERVER_UNREACHABLE","message":"away"}'
        gone = b'event: missed\ndata: {"partition":0,"from":3,"to":5,"reason":"r"}\n\n'
        lasting = b'event: failure\ndata: {"code":"STREAM_CHANGED","message":"m","temporary":false}\n\n'
        last = gone + b'data: [{"id":5}]\nid: 7@0:6\n\n' + lasting
        # Also where it is away before anything is known of the stream.
        self.will((503, away, True), described(id="int"))
        self.will((200, first, False), (503, away, True), (200, b"retry: 5000\n\n", True), (200, last, True))
        missed = []
        tail = self.client.tail("s", where="id > 0", start="earliest", select=["id"], missed=missed.append)
        self.assertEqual(next(tail), {"id": 1})
        self.assertEqual((next(tail), tail.position), ({"id": 2}, "7@0:3"))
        self.assertEqual((next(tail), tail.position), ({"id": 5}, "7@0:6"))
        self.assertEqual(missed, [{"partition": 0, "from": 3, "to": 5, "reason": "r"}])
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            next(tail)
        self.assertEqual(failed.exception.code, "STREAM_CHANGED")
        self.assertEqual([path for path, _, _ in self.gateway.asked[:2]], ["/v1/streams/s"] * 2)
        self.assertEqual(self.gateway.asked[2][0], "/v1/streams/s/tail?from=earliest&where=id+%3E+0&select=id")
        ids = [headers.get("Last-Event-ID") for _, headers, _ in self.gateway.asked[2:]]
        self.assertEqual(ids, [None, "7@0:3", "7@0:3", "7@0:3"])

    def test_a_tail_has_the_values_of_an_answer(self):
        types = dict(m="decimal(19, 3)", n="decimal(38, 30)", d="double", t="timestamp", u="timestamp_us")
        self.will(described(**types, raw="bytes", note="string"))
        row = b'{"m":123456789012345.678,"n":12345678.%s,"d":0.1,"t":-1,"u":1633608000000001' % (b"1" * 30)
        row += b',"raw":"AAE=","note":"AAE="}'
        other = b'{"m":5,"n":null,"d":2,"t":99999999999999999,"u":null,"raw":null,"note":null}'
        self.will((200, b"data: [" + row + b",\ndata: " + other + b"]\nid: 7@0:2\n\n", True))
        with self.client.tail("s") as tail:
            first, second = next(tail), next(tail)
        # A decimal that was rounded is another one.
        self.assertEqual(str(first["m"]), "123456789012345.678")
        self.assertEqual(str(first["n"]), "12345678." + "1" * 30)
        self.assertEqual((type(first["d"]), first["d"]), (float, 0.1))
        self.assertEqual(first["t"], datetime.datetime(1969, 12, 31, 23, 59, 59, 999_000, UTC))
        self.assertEqual(first["u"], datetime.datetime(2021, 10, 7, 12, 0, 0, 1, UTC))
        self.assertEqual((first["raw"], first["note"]), (b"\0\1", "AAE="))
        self.assertEqual(str(second["m"]), "5.000")
        self.assertEqual([second[name] for name in ("n", "t", "u", "raw")], [None, 99999999999999999, None, None])

    def test_a_stream_that_is_made_anew_has_its_own_fields(self):
        row = (200, b"data: [{\"t\":0}]\nid: 8@0:1\n\n", True)
        self.will(described(t="long"), row, described(number=8, t="timestamp"), row)
        with self.client.tail("s") as tail:
            self.assertEqual(next(tail), {"t": datetime.datetime(1970, 1, 1, tzinfo=UTC)})

    def test_a_tail_is_closed_while_it_waits(self):
        self.gateway.holds = threading.Event()
        self.addCleanup(self.gateway.holds.set)
        self.will(described(), (200, b"data: [{}]\nid: 7@0:1\n\n", None))
        tail = self.client.tail("s")
        self.assertEqual(next(tail), {})
        waiting = threading.Thread(target=lambda: self.assertEqual(list(tail), []))
        waiting.start()
        tail.close()
        waiting.join(20)
        self.assertFalse(waiting.is_alive())

    def test_idle_tails_leave_room_for_questions(self):
        # More than an event loop's pool has threads, whatever the machine.
        tails = 48
        self.gateway.holds = threading.Event()
        self.addCleanup(self.gateway.holds.set)
        self.gateway.stream = described()
        self.will(*((200, b"data: [{}]\nid: 7@0:1\n\n", None) for _ in range(tails)))

        async def ask():
            async with waterwheel.AsyncClient(self.gateway.url) as client:
                followed = [client.tail("s") for _ in range(tails)]
                self.assertEqual(await asyncio.gather(*(anext(tail) for tail in followed)), [{}] * tails)
                waiting = [asyncio.create_task(anext(tail)) for tail in followed]
                await asyncio.sleep(0)
                self.will((200, answer(2, {"complete": True, "tuples": 2}), True))
                got = await asyncio.wait_for(client.sql("SELECT 1"), 120)
                for task in waiting:
                    task.cancel()
                ended = await asyncio.gather(*waiting, return_exceptions=True)
                self.assertTrue(all(isinstance(one, asyncio.CancelledError) for one in ended))
                return len(got)

        self.assertEqual(asyncio.run(ask()), 2)
        ends = time.monotonic() + 120
        while any(thread.name.startswith("waterwheel-open") for thread in threading.enumerate()):
            self.assertLess(time.monotonic(), ends, "a tail that was left keeps its thread")
            time.sleep(0.02)

    def test_parameters_are_written_by_their_kind(self):
        verdict = {"complete": True, "tuples": 0}
        self.will((200, answer(0, verdict), True))
        moment = datetime.datetime(2021, 10, 7, 12, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
        self.client.sql("SELECT ?", None, True, 5, 1.5, "x", b"\0\1", moment, decimal.Decimal("12.50"))
        self.assertEqual(
            json.loads(self.gateway.asked[0][2])["parameters"],
            [None, True, 5, 1.5, "x", {"bytes": "AAE="}, {"time": "2021-10-07T10:30:00Z"}, {"decimal": "12.50"}],
        )
        for bad in (datetime.datetime(2021, 10, 7), object(), float("nan")):
            with self.assertRaises((ValueError, TypeError)):
                self.client.sql("SELECT ?", bad)

    def asked_with(self, *values):
        self.will((200, answer(0, {"complete": True, "tuples": 0}), True))
        self.client.sql("SELECT ?", *values)
        return json.loads(self.gateway.asked[-1][2])["parameters"]

    def test_parameters_are_days_and_identifiers_too(self):
        names = "00000000-0000-4000-8000-00000000000a", "192.0.2.1", "2001:db8::1"
        values = uuid.UUID(names[0]), ipaddress.ip_address(names[1]), ipaddress.ip_address(names[2])
        day = datetime.date(2021, 10, 7)
        self.assertEqual(self.asked_with(day, *values), [{"time": "2021-10-07T00:00:00Z"}, *names])

    def test_parameters_of_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("there is no numpy")
        times = ["2021-10-07", "2021-10-07T12:30", "2021-10-07T12:30:00.25", "2021-10-07T12:30:00.123456789"]
        values = [numpy.float32(0.5), numpy.float16(2), numpy.longdouble(1.5), numpy.bool_(True), numpy.uint8(7)]
        self.assertEqual(self.asked_with(*values), [0.5, 2.0, 1.5, True, 7])
        self.assertEqual(
            self.asked_with(*map(numpy.datetime64, times)),
            [
                {"time": "2021-10-07T00:00:00Z"},
                {"time": "2021-10-07T12:30:00Z"},
                {"time": "2021-10-07T12:30:00.250000Z"},
                {"time": "2021-10-07T12:30:00.123456789Z"},
            ],
        )
        for bad in (
            numpy.float32("nan"),
            numpy.datetime64("NaT"),
            numpy.timedelta64(5, "ns"),
            numpy.complex64(1j),
            numpy.zeros(1),
        ):
            with self.assertRaises((ValueError, TypeError)):
                self.client.sql("SELECT ?", bad)

    def test_a_length_is_a_timedelta(self):
        self.will(*[(200, answer(0, {"complete": True, "tuples": 0}), True)] * 2)
        self.client.query("s", last=datetime.timedelta(days=1, milliseconds=5), bucket=datetime.timedelta(minutes=10))
        self.assertEqual(self.gateway.asked[-1][2], b"stream=s&last=86400005ms&bucket=600000ms")
        with self.assertRaises(ValueError):
            self.client.query("s", last=datetime.timedelta(microseconds=5))

    def appended(self, rows):
        self.will((200, b'{"rows":2,"rejected":0,"positions":{"0":9}}', True))
        self.client.append("s", rows)
        return pyarrow.ipc.open_stream(self.gateway.asked[-1][2]).read_all()

    def test_an_index_of_pandas_that_has_a_name_is_a_column(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("there is no pandas")
        frame = pandas.DataFrame({"id": [1, 2], "note": ["x", "y"], "value": [1.5, 2.5]})
        rows = frame.to_dict("records")
        for same in (
            frame,
            frame.set_index("value"),
            frame.set_index("id", drop=False),
            frame.set_index(["note", "id"]),
            frame.iloc[::-1].sort_index(),
        ):
            self.assertEqual([dict(sorted(row.items())) for row in self.appended(same).to_pylist()], rows)
        times = pandas.date_range("2026-11-25", periods=2, tz="Europe/Berlin", name="time")
        sent = self.appended(pandas.DataFrame({"id": [1, 2]}, index=times))
        self.assertEqual(sent["time"].to_pylist(), list(times))
        levels = pandas.MultiIndex.from_arrays([["x", "y"], [7, 8]], names=["note", None])
        sent = self.appended(pandas.DataFrame({"id": [1, 2]}, index=levels))
        self.assertEqual(sent.to_pylist(), [{"id": 1, "note": "x"}, {"id": 2, "note": "y"}])
        with self.assertRaisesRegex(ValueError, "both named id"):
            self.client.append("s", frame.rename_axis("id"))
        # Texts of pandas and texts of Python are of two kinds, with the same values.
        digits = pandas.Index(["1", "2"], dtype=object, name="id")
        for kind in ("str", "string", object):
            texts = pandas.DataFrame({"id": pandas.Series(["1", "2"], dtype=kind)})
            self.assertEqual(self.appended(texts.set_index(digits)).to_pylist(), [{"id": "1"}, {"id": "2"}])
            with self.assertRaisesRegex(ValueError, "both named id"):
                self.client.append("s", texts.set_index(pandas.Index([1, 2], name="id")))

    def test_what_is_no_rows_is_told(self):
        class Lazy:
            def collect(self):
                raise AssertionError

        for bad, said in [({"id": 1}, "list"), (Lazy(), r"collect\(\)"), ([{"id": 1}, 5], "row 2.*got int")]:
            with self.assertRaisesRegex(TypeError, said):
                self.client.append("s", bad)
        self.assertEqual(self.gateway.asked, [])


@unittest.skipUnless(URL, "WATERWHEEL_URL names no server")
class WithServer(unittest.TestCase):
    """On a stream with the fields id (long, the key), at (timestamp), and nullable note (string), raw (bytes) and price
    (a decimal of 18 digits, 2 of them behind the point)."""

    # No run finds the rows of another.
    first = random.getrandbits(40) * 1_000_000

    def setUp(self):
        self.client = waterwheel.connect(URL)
        self.addCleanup(self.client.close)
        # Each test has ids of its own.
        WithServer.first += 1_000_000
        self.id = WithServer.first

    def rows(self, number):
        begin = datetime.datetime(2026, 11, 25, tzinfo=UTC)
        return [
            {
                "id": self.id + i,
                "at": begin + datetime.timedelta(milliseconds=i),
                "note": None if i % 3 == 0 else f"row {i}",
                "raw": bytes([i % 256]),
            }
            for i in range(number)
        ]

    def found(self, stored, columns="*"):
        return self.client.sql(
            f"SELECT {columns} FROM {STREAM} WHERE id BETWEEN ? AND ? ORDER BY id",
            self.id,
            self.id + 999_999,
            at_least={STREAM: stored.positions},
        )

    def test_what_was_appended_is_found(self):
        rows = self.rows(1000)
        stored = self.client.append(STREAM, rows)
        self.assertEqual(stored.rows, 1000)
        got = self.found(stored)
        self.assertTrue(got.verdict.complete)
        self.assertEqual(
            [(row["id"], row["at"].replace(tzinfo=UTC), row["note"], row["raw"]) for row in got.rows()],
            [tuple(row.values()) for row in rows],
        )

    def test_decimals_are_exact(self):
        prices = [decimal.Decimal("0.10"), decimal.Decimal("-1234567890123456.78"), None, decimal.Decimal("7")]
        rows = [dict(row, price=price) for row, price in zip(self.rows(4), prices)]
        stored = self.client.append(STREAM, rows)
        self.assertEqual([row["price"] for row in self.found(stored, "price").rows()], prices)
        found = self.client.sql(
            f"SELECT id, price FROM {STREAM} WHERE id BETWEEN ? AND ? AND price IN (?, ?) ORDER BY price",
            self.id,
            self.id + 999,
            decimal.Decimal("0.1"),
            decimal.Decimal("-1234567890123456.78"),
        )
        self.assertEqual([row["price"] for row in found.rows()], [prices[1], prices[0]])
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.append(STREAM, [dict(self.rows(1)[0], price=decimal.Decimal("0.101"))])
        self.assertEqual(failed.exception.errors[0]["field"], "price")

    def test_streams_of_text_take_every_type(self):
        """On streams of CSV and JSON with the fields of the rows below."""
        if not TEXT_STREAMS:
            self.skipTest("WATERWHEEL_TEXT_STREAMS names none")
        texts = ["", "NA", "a;b,c", 'say "so"', "two\nlines", "5' \\ \u00fc\u4e2d\U0001f600", " x ", "\t", "null"]
        zone = datetime.timezone(datetime.timedelta(hours=-5))
        begin = datetime.datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
        rows = [
            {
                "id": self.id + i,
                "at": (begin + datetime.timedelta(minutes=i, milliseconds=i)).astimezone(zone),
                "seen": begin + datetime.timedelta(microseconds=i),
                "small": i - 4,
                "single": (-0.0, 1.5, 3.4028235e38)[i % 3],
                "real": (1e-300, -1234.5678, 0.1)[i % 3],
                "truth": i % 2 == 0,
                "note": text,
                "raw": bytes([0, 255, i]),
                "host": f"10.0.0.{i}",
                "uid": f"00000000-0000-4000-8000-{i:012x}",
                "price": decimal.Decimal("-12345.60"),
            }
            for i, text in enumerate(texts)
        ]
        rows.append(dict.fromkeys(rows[0], None) | {"id": self.id + len(texts), "at": begin})
        for stream in TEXT_STREAMS:
            with self.subTest(stream=stream):
                stored = self.client.append(stream, rows, key=f"{stream}-{self.id}")
                self.assertEqual(stored.rows, len(rows))
                again = self.client.append(stream, rows, key=f"{stream}-{self.id}")
                self.assertEqual(again.positions, stored.positions)
                found = self.client.sql(
                    f"SELECT * FROM {stream} WHERE id BETWEEN ? AND ? ORDER BY id",
                    self.id,
                    self.id + 999,
                    at_least={stream: stored.positions},
                ).rows()
                self.assertEqual(len(found), len(rows))
                for got, row in zip(found, rows):
                    for name, value in row.items():
                        back = got[name]
                        if isinstance(back, datetime.datetime) and back.tzinfo is None:
                            back = back.replace(tzinfo=UTC)
                        if name == "single" and value is not None:
                            value = struct.unpack("f", struct.pack("f", value))[0]
                        self.assertEqual(str(back) if name == "uid" and back else back, value, name)
                bad = [dict(rows[0], id=None), dict(rows[1], id=self.id + 500)]
                with self.assertRaises(waterwheel.WaterwheelError) as failed:
                    self.client.append(stream, bad)
                self.assertEqual(failed.exception.errors[0]["field"], "id")
                self.assertEqual(self.client.append(stream, bad, allow_partial=True).rejected, 1)

    def test_a_key_stores_once(self):
        rows = self.rows(10)
        first = self.client.append(STREAM, rows, key=f"once-{self.id}", visible=True)
        again = self.client.append(STREAM, rows, key=f"once-{self.id}")
        self.assertEqual(first.positions, again.positions)
        self.assertEqual(len(self.found(again)), 10)
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.append(STREAM, self.rows(9), key=f"once-{self.id}")
        self.assertEqual(failed.exception.code, "KEY_REUSED")

    def test_bad_rows_are_named(self):
        rows = self.rows(3)
        rows[1]["id"] = None
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.append(STREAM, rows)
        self.assertEqual(failed.exception.errors, [{"line": 2, "field": "id", "reason": "id: is null, and may not be"}])
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.append(STREAM, [{"id": 1, "when": 5}])
        self.assertEqual(failed.exception.at, "column when")

    def test_frames_of_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("there is no pandas")
        frame = pandas.DataFrame(self.rows(50))
        frame["note"] = frame["note"].astype("category")
        stored = self.client.append(STREAM, frame)
        got = self.found(stored).to_pandas()
        self.assertEqual(list(got["id"]), list(frame["id"]))
        self.assertEqual(got["note"].isna().sum(), 17)

    def test_frames_of_polars(self):
        try:
            import polars
        except ImportError:
            self.skipTest("there is no Polars")
        frame = polars.DataFrame(self.rows(50))
        stored = self.client.append(STREAM, frame)
        got = self.found(stored).to_polars()
        self.assertEqual(got["note"].to_list(), frame["note"].to_list())

    def test_queries_have_the_options_of_the_command_line(self):
        stored = self.client.append(STREAM, self.rows(20), visible=True)
        self.assertEqual(stored.rejected, 0)
        got = self.client.query(
            STREAM, key=f"{self.id}..{self.id + 99}", select=["id", "note"], order_by="id", where="note is null"
        )
        self.assertEqual([row["id"] - self.id for row in got.rows()], list(range(0, 20, 3)))
        self.assertIn(STREAM, self.client.streams())
        self.assertEqual(self.client.stream(STREAM)["definition"]["name"], STREAM)
        with self.assertRaises(waterwheel.WaterwheelError) as failed:
            self.client.query(STREAM, where="note >")
        self.assertEqual(failed.exception.code, "BAD_EXPRESSION")

    def test_batches_come_one_by_one(self):
        stored = self.client.append(STREAM, self.rows(5000))
        statement = f"SELECT id FROM {STREAM} WHERE id >= {self.id} AND id < {self.id + 1_000_000}"
        demand = {STREAM: stored.positions}
        self.assertEqual(sum(len(batch) for batch in self.client.stream_sql(statement, at_least=demand)), 5000)
        batches = self.client.stream_sql(statement, at_least=demand)
        next(batches)
        batches.close()
        self.assertEqual(len(self.client.sql(statement)), 5000)

    def test_a_tail_gives_what_is_appended(self):
        rows = [dict(row, price=decimal.Decimal("1234567890123456.78")) for row in self.rows(10)]
        stored = self.client.append(STREAM, rows)
        with self.client.tail(STREAM, start="earliest", where=f"id BETWEEN {self.id} AND {self.id + 99}") as tail:
            first = [next(tail) for _ in range(10)]
            self.client.append(STREAM, [dict(row, id=row["id"] + 50) for row in self.rows(3)])
            second = [next(tail) for _ in range(3)]
            position = tail.position
        self.assertEqual(sorted(row["id"] - self.id for row in first), list(range(10)))
        self.assertEqual(sorted(row["id"] - self.id for row in second), [50, 51, 52])
        self.assertIsNotNone(position)
        # As an answer has them.
        where = f"id BETWEEN {self.id} AND {self.id + 49}"
        asked = self.client.query(STREAM, where=where, at_least=stored.positions)
        self.assertEqual(sorted(first, key=lambda row: row["id"]), sorted(asked.rows(), key=lambda row: row["id"]))

    def test_asyncio(self):
        async def both():
            async with waterwheel.AsyncClient(URL) as client:
                stored = await client.append(STREAM, self.rows(5))
                statement = f"SELECT id FROM {STREAM} WHERE id = ?"
                demand = {STREAM: stored.positions}
                answers = await asyncio.gather(
                    *(client.sql(statement, self.id + i, at_least=demand) for i in range(5))
                )
                counted = 0
                async for batch in client.stream_sql(f"SELECT id FROM {STREAM} WHERE id = {self.id}"):
                    counted += len(batch)
                return [row["id"] - self.id for one in answers for row in one.rows()], counted

        self.assertEqual(asyncio.run(both()), ([0, 1, 2, 3, 4], 1))

    def test_a_tail_beside_other_tasks(self):
        """Rows that another task appends come while this one waits for them, and leaving the loop ends the tail."""

        async def follow():
            async with waterwheel.AsyncClient(URL) as client:
                await client.append(STREAM, self.rows(2))
                where = f"id BETWEEN {self.id} AND {self.id + 99}"
                seen, appended = [], None
                async for row in client.tail(STREAM, start="earliest", where=where):
                    seen.append(row["id"] - self.id)
                    if len(seen) == 2:
                        more = [dict(later, id=later["id"] + 50) for later in self.rows(3)]
                        appended = asyncio.create_task(client.append(STREAM, more))
                    if len(seen) == 5:
                        break
                return sorted(seen), (await appended).rows

        self.assertEqual(asyncio.run(asyncio.wait_for(follow(), 60)), ([0, 1, 50, 51, 52], 3))


if __name__ == "__main__":
    unittest.main()
