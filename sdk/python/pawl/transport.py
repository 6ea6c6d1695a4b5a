"""HTTP with JSON over kept connections, with retries where repeating is safe.

A request has a connection to itself: one that is idle, or a new one. So there are never more
of them than threads that ask at once.

A request may be repeated if it only reads, if it carries an Idempotency-Key, or if the
engine ignores a repetition (a job's result). Then lost connections, 429 and 503 lead to
another attempt after a pause that doubles, or as long as Retry-After asks.
"""

from __future__ import annotations

import http.client
import json
import random
import select
import socket
import ssl
import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, Optional, Set
from urllib.parse import quote, urlencode, urlsplit

from .errors import ApiError, ClientClosed, ConnectionFailed, PawlError, api_error

#: What a broken connection raises; ValueError comes from a TLS socket closed by another thread.
_BROKEN = (OSError, http.client.HTTPException, ValueError)


def path(*segments: str) -> str:
    """A path of segments, each percent-encoded."""
    return "".join("/" + quote(segment, safe=":~") for segment in segments)


class Transport:
    """Connections to one engine. Any thread may use it."""

    ATTEMPTS = 5
    FIRST_PAUSE = 0.1
    LONGEST_PAUSE = 5.0

    def __init__(self, base_url: str, token: Optional[str], timeout: float,
                 context: Optional[ssl.SSLContext] = None) -> None:
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"not an http or https URL: {base_url!r}")
        if url.query or url.fragment or url.username:
            raise ValueError("the URL must have no query, fragment or user")
        self._host = url.hostname
        self._port = url.port or (443 if url.scheme == "https" else 80)
        self._context = (context or ssl.create_default_context()) if url.scheme == "https" else None
        self._prefix = url.path.rstrip("/")
        self._token = token
        self.timeout = timeout
        self._lock = threading.Lock()
        self._idle: List[http.client.HTTPConnection] = []
        self._busy: Set[http.client.HTTPConnection] = set()
        self.closed = threading.Event()

    # ---- connections ----

    def _new(self) -> http.client.HTTPConnection:
        if self._context is not None:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self.timeout, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)

    @contextmanager
    def connection(self, fresh: bool = False) -> Iterator[http.client.HTTPConnection]:
        """A connection for one exchange. It is kept for the next one unless something raised."""
        with self._lock:
            if self.closed.is_set():
                raise ClientClosed("the client is closed")
            connection = self._idle.pop() if self._idle and not fresh else self._new()
            self._busy.add(connection)
        keep = False
        try:
            if connection.sock is not None and _is_stale(connection.sock):
                connection.close()
            if connection.sock is None:
                connection.connect()
                connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.closed.is_set():
                raise ClientClosed("the client is closed")
            yield connection
            keep = connection.sock is not None and not fresh
        finally:
            with self._lock:
                self._busy.discard(connection)
                keep = keep and not self.closed.is_set()
                if keep:
                    self._idle.append(connection)
            if not keep:
                connection.close()

    def close(self) -> None:
        """Breaks all connections, also those that other threads wait on."""
        with self._lock:
            self.closed.set()
            idle, self._idle = self._idle, []
            busy = [connection.sock for connection in self._busy]
        for connection in idle:
            connection.close()
        for sock in busy:
            # Whoever waits on it wakes up and closes it: closing it here could hit a stranger's socket.
            try:
                if sock is not None:
                    sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It was not connected any more.

    def headers(self, more: Optional[Mapping[str, str]] = None) -> Dict[str, str]:
        headers = {"Accept": "application/json", "User-Agent": "pawl-python"}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        if more:
            headers.update(more)
        return headers

    def target(self, where: str, query: Optional[Mapping[str, Any]] = None) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        return self._prefix + where + ("?" + urlencode(given) if given else "")

    # ---- requests ----

    def _attempt(self, method: str, target: str, body: Optional[bytes], headers: Dict[str, str],
                 timeout: float) -> Any:
        with self.connection() as connection:
            connection.sock.settimeout(timeout)
            connection.request(method, target, body=body, headers=headers)
            response = connection.getresponse()
            raw = response.read()
        text = raw.decode("utf-8", "replace")
        parsed: Any = None
        if raw:
            try:
                parsed = json.loads(raw)
            except ValueError:
                pass
        if 200 <= response.status < 300:
            if raw and parsed is None and text.strip() != "null":
                raise PawlError("the answer is not JSON; is this a Pawl engine?")
            return parsed
        raise api_error(response.status, parsed, text, _retry_after(response.getheader("Retry-After")))

    def request(self, method: str, where: str, *, body: Any = None, query: Optional[Mapping[str, Any]] = None,
                repeatable: Optional[bool] = None, idempotency_key: Optional[str] = None,
                wait_seconds: float = 0.0, raw_body: Optional[bytes] = None) -> Any:
        """Sends a request and returns the answer's JSON, or None if it has no body."""
        if repeatable is None:
            repeatable = method == "GET" or idempotency_key is not None
        headers = self.headers()
        data = raw_body
        if body is not None:
            data = json.dumps(body, allow_nan=False, separators=(",", ":")).encode("utf-8")
        if data is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        target = self.target(where, query)

        attempt = 0
        while True:
            attempt += 1
            asked: Optional[float] = None
            try:
                return self._attempt(method, target, data, headers, self.timeout + wait_seconds)
            except ApiError as error:
                if error.status not in (429, 503) or not repeatable or attempt >= self.ATTEMPTS:
                    raise
                asked = error.retry_after
            except _BROKEN as error:
                if self.closed.is_set():
                    raise ClientClosed("the client is closed") from error
                # A refused connection has carried nothing: that can always be repeated.
                refused = isinstance(error, ConnectionRefusedError)
                if not (repeatable or refused) or attempt >= self.ATTEMPTS:
                    raise ConnectionFailed(f"{method} {where}: {error or type(error).__name__}") from error
            if self.closed.wait(self._pause(attempt, asked)):
                raise ClientClosed("the client is closed")

    def _pause(self, attempt: int, asked: Optional[float]) -> float:
        pause = min(self.FIRST_PAUSE * 2 ** (attempt - 1), self.LONGEST_PAUSE)
        return max(pause * random.uniform(0.8, 1.2), asked or 0.0)


def _retry_after(value: Optional[str]) -> Optional[float]:
    """Seconds only: the engine sends no dates."""
    try:
        return min(max(float(value), 0.0), 60.0) if value is not None else None
    except ValueError:
        return None


def _is_stale(sock: socket.socket) -> bool:
    """Something to read before anything was asked: the engine has closed the connection."""
    try:
        if isinstance(sock, ssl.SSLSocket) and sock.pending():
            return True
        poller = select.poll()
        poller.register(sock, select.POLLIN)
        return bool(poller.poll(0))
    except (OSError, ValueError):
        return True
