"""Requests to a gateway: connections that are used again, failures as WaterwheelError."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import urllib.parse
from typing import IO, Any, Callable, Mapping

from .errors import WaterwheelError


class Connections:
    """Connections to one gateway. Any number of threads; each request has a connection to itself."""

    _MOST_IDLE = 8

    def __init__(self, url: str, timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        strange = parts.path not in ("", "/") or parts.query or parts.fragment or parts.username
        if parts.scheme not in ("http", "https") or not parts.hostname or strange:
            raise ValueError(f"expected a gateway's address such as http://127.0.0.1:7071, got {url!r}")
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._timeout = timeout
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._closed = False
        self.url = url.rstrip("/")

    def request(
        self,
        method: str,
        path: str,
        parameters: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        repeatable: bool = True,
    ) -> "Response":
        """Sends a request, and waits for the head of its answer.

        path: with everything encoded that a path may not hold.
        timeout: seconds without a byte from the gateway.
        repeatable: whether it may be sent a second time when its answer is lost. What may not is never sent by a
            connection that was used before, and a lost answer is OUTCOME_UNKNOWN.
        Raises WaterwheelError when it was refused, or there was no answer.
        """
        target = path
        if parameters:
            target += "?" + urllib.parse.urlencode(parameters, doseq=True)
        if not repeatable:
            return self._once(method, target, body, headers or {}, timeout)
        connection, used = self._take(timeout)
        try:
            answer = self._send(connection, method, target, body, headers or {})
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError) as failure:
            connection.close()
            if not used:
                raise self._unreachable(failure) from failure
            # The gateway ends connections that rest, perhaps at this moment. What is sent this way may be sent
            # again: questions change nothing, and rows have a key.
            connection = self._new(timeout)
            try:
                answer = self._send(connection, method, target, body, headers or {})
            except (OSError, http.client.HTTPException) as again:
                connection.close()
                raise self._unreachable(again) from again
        except (OSError, http.client.HTTPException) as failure:
            connection.close()
            raise self._unreachable(failure) from failure
        except BaseException:
            connection.close()
            raise
        return self._accepted(Response(self, connection, answer))

    def _once(
        self, method: str, target: str, body: bytes | None, headers: Mapping[str, str], timeout: float | None
    ) -> "Response":
        self._require_open()
        connection = self._new(timeout)
        try:
            connection.connect()
        except OSError as failure:
            connection.close()
            raise self._unreachable(failure) from failure
        try:
            answer = self._send(connection, method, target, body, headers)
        except (OSError, http.client.HTTPException) as failure:
            connection.close()
            raise outcome_unknown(failure) from failure
        except BaseException:
            connection.close()
            raise
        return self._accepted(Response(self, connection, answer, outcome_unknown))

    @staticmethod
    def _accepted(response: "Response") -> "Response":
        if not 200 <= response.status < 300:
            raise response.refusal()
        return response

    @staticmethod
    def _send(
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: bytes | None,
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        try:
            connection.request(method, target, body=body, headers=dict(headers))
        except (BrokenPipeError, ConnectionResetError):
            # A gateway refuses a body before it has read all of it. What it said may be there.
            if connection.sock is None:
                raise
        return connection.getresponse()

    def _unreachable(self, failure: Exception) -> WaterwheelError:
        return WaterwheelError("UNREACHABLE", f"{self.url} gave no answer: {failure or type(failure).__name__}")

    def _require_open(self) -> None:
        if self._closed:
            raise ValueError("the client is closed")

    def _take(self, timeout: float | None) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            self._require_open()
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            return self._new(timeout), False
        if connection.sock is not None:
            connection.sock.settimeout(timeout or self._timeout)
        return connection, True

    def _new(self, timeout: float | None) -> http.client.HTTPConnection:
        seconds = timeout or self._timeout
        if self._tls is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=self._tls)
        return http.client.HTTPConnection(self._host, self._port, timeout=seconds)

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < self._MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


class Response:
    """An answer whose body is still to be read. One thread.

    lost: the error of an answer that ends too early.
    """

    def __init__(
        self,
        connections: Connections,
        connection: http.client.HTTPConnection,
        answer: http.client.HTTPResponse,
        lost: "Callable[[Exception], WaterwheelError] | None" = None,
    ) -> None:
        self.lost = lost or cut_off
        self._connections = connections
        self._connection = connection
        self._answer = answer
        self._whole = False
        self._closed = False
        self.status = answer.status

    @property
    def body(self) -> IO[bytes]:
        return self._answer

    def read(self) -> bytes:
        """What is left of the body, to its end."""
        try:
            rest = self._answer.read()
            self._whole = True
        except (OSError, http.client.HTTPException) as failure:
            raise self.lost(failure) from failure
        finally:
            self.close()
        return rest

    def json(self) -> Any:
        """The body, an object or a list in JSON."""
        text = self.read()
        try:
            return json.loads(text)
        except ValueError as failure:
            raise self._strange(text) from failure

    def refusal(self) -> WaterwheelError:
        text = self.read()
        try:
            said = json.loads(text)
            return WaterwheelError(
                said["code"], said["message"], self.status, said.get("at"), said.get("errors", ())
            )
        except (ValueError, KeyError, TypeError):
            return self._strange(text)

    def _strange(self, text: bytes) -> WaterwheelError:
        """No gateway answers so; a proxy may."""
        return WaterwheelError("HTTP", f"status {self.status}: {text[:200].decode('utf-8', 'replace')}", self.status)

    def abandon(self) -> None:
        """Ends the connection, from any thread: a read that waits ends, and the gateway cancels the query."""
        sock = self._connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                # It has ended by itself.
                return

    def close(self) -> None:
        """Ends the request; the connection is used again when the body was read to its end."""
        if self._closed:
            return
        self._closed = True
        if self._whole and not self._answer.will_close:
            self._connections.give_back(self._connection)
        else:
            # The gateway cancels a query whose client has gone.
            self._answer.close()
            self._connection.close()


def cut_off(failure: Exception) -> WaterwheelError:
    return WaterwheelError("CUT_OFF", f"the answer ended before its verdict: {failure or type(failure).__name__}")


def outcome_unknown(failure: Exception) -> WaterwheelError:
    """The error of a statement that changes something, and whose answer was lost."""
    return WaterwheelError(
        "OUTCOME_UNKNOWN",
        f"the answer was lost: {failure or type(failure).__name__}. The statement may have been done; "
        "look before you send it again",
    )
