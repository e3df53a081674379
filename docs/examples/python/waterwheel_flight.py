"""Asks a Waterwheel server with nothing but Arrow Flight and the published query.proto."""

import importlib
import pathlib
import sys
import tempfile

import pyarrow
import pyarrow.flight as flight
from grpc_tools import protoc

PROTO = pathlib.Path(__file__).resolve().parents[3] / "waterwheel-core/src/main/proto"


def _messages():
    """The classes of query.proto, generated into a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["protoc", f"-I{PROTO}", f"--python_out={folder}", "waterwheel/v1/query.proto"]
        if protoc.main(arguments) != 0:
            raise RuntimeError(f"protoc cannot read {PROTO}/waterwheel/v1/query.proto")
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("waterwheel.v1.query_pb2")
        finally:
            sys.path.remove(folder)


pb = _messages()


class IncompleteAnswer(Exception):
    """The answer was cut off, or lacks something."""


def ask(client, query):
    """The rows of the answer as a pyarrow.Table, and the verdict. Rows without a verdict are no answer."""
    reader = client.do_get(flight.Ticket(pb.Ticket(query=query).SerializeToString()))
    batches, verdict = [], None
    for chunk in reader:
        if chunk.data is not None and chunk.data.num_rows > 0:
            batches.append(chunk.data)
        if chunk.app_metadata is not None:
            verdict = pb.Verdict.FromString(chunk.app_metadata.to_pybytes())
    if verdict is None:
        raise IncompleteAnswer("the answer ended without a verdict: it was cut off; ask again")
    if not verdict.complete and not query.allow_partial:
        raise IncompleteAnswer("; ".join(verdict.missing))
    return pyarrow.Table.from_batches(batches, schema=reader.schema), verdict
