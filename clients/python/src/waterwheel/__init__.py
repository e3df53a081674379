"""Client of Waterwheel: queries with rows in Arrow, appends that are stored once, all by HTTP.

    import waterwheel

    with waterwheel.connect() as client:
        answer = client.sql("SELECT callsign, altitude_ft FROM flights WHERE altitude_ft > ?", 40_000)
        print(answer.table)
"""

from .aio import AsyncClient
from .answer import Answer, Verdict
from .client import Batches, Client, Stored, connect
from .errors import WaterwheelError
from .tail import Tail

__all__ = ["Answer", "AsyncClient", "Batches", "Client", "Stored", "Tail", "Verdict", "WaterwheelError", "connect"]
