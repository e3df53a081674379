"""python flights.py [grpc://HOST:PORT]: who flies above 35,000 feet between Paris and the north?"""

import sys

import pyarrow.flight as flight
from waterwheel_flight import ask, pb

with flight.connect(sys.argv[1] if len(sys.argv) > 1 else "grpc://127.0.0.1:7070") as client:
    query = pb.Query(
        stream="flights",
        shape=pb.Shape(box=pb.Box(west=2, south=48, east=3, north=49.5)),
        where="altitude_ft > 35000",
        select=["time_ms", "callsign", "altitude_ft"],
        order_by=[pb.OrderBy(field="altitude_ft", descending=True)],
        limit=5,
    )
    table, verdict = ask(client, query)
    for row in table.to_pylist():
        print(row["time_ms"].isoformat(), row["callsign"], row["altitude_ft"])

    query = pb.Query(stream="flights", count=True, shape=query.shape, where=query.where)
    table, verdict = ask(client, query)
    print(verdict.tuples, "positions; chunks read:", verdict.statistics.chunks_read, "of", verdict.statistics.chunks)
