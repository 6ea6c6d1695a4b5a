"""Server-Sent Events: an instance's history as it happens."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any, Iterator, List, Optional

from .errors import ApiError, ClientClosed, ConnectionFailed, api_error
from .transport import _BROKEN, Transport

#: The engine writes at least every 15 seconds.
SILENCE_SECONDS = 45.0


@dataclass(frozen=True)
class Event:
    """One command that changed the instance; the last one is named `end`.

    `id` is the instance's revision (None for `end`), `data` what the engine tells about it.
    """

    id: Optional[str]
    event: str
    data: Any


def parse_stream(lines: Iterator[bytes]) -> Iterator[Event]:
    """Events from the lines of a text/event-stream. An event that was cut off is dropped."""
    name: str = "message"
    identity: Optional[str] = None
    data: List[str] = []
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not line:
            if data:
                yield Event(identity, name, json.loads("\n".join(data)))
            name, identity, data = "message", None, []
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "id":
            identity = value
        elif field == "data":
            data.append(value)


def _begin(transport: Transport, connection: http.client.HTTPConnection, where: str,
           last_id: Optional[str]) -> http.client.HTTPResponse:
    more = {"Accept": "text/event-stream"}
    if last_id is not None:
        more["Last-Event-ID"] = last_id
    connection.sock.settimeout(SILENCE_SECONDS)
    connection.request("GET", transport.target(where), headers=transport.headers(more))
    response = connection.getresponse()
    if response.status == 200:
        return response
    raw = response.read()
    try:
        body = json.loads(raw)
    except ValueError:
        body = None
    raise api_error(response.status, body, raw.decode("utf-8", "replace"), None)


def follow(transport: Transport, where: str, last_id: Optional[str]) -> Iterator[Event]:
    """Events until the instance has ended; a lost connection is taken up where it broke."""
    failures = 0
    while True:
        try:
            with transport.connection(fresh=True) as connection:
                response = _begin(transport, connection, where, last_id)
                for event in parse_stream(iter(response.readline, b"")):
                    failures = 0
                    last_id = event.id if event.id is not None else last_id
                    yield event
                    if event.event == "end":
                        return
        except ApiError as error:
            if error.status not in (429, 503):
                raise
            last_error: BaseException = error
        except _BROKEN as error:
            last_error = error
        else:
            last_error = ConnectionFailed("the stream ended early")
        if transport.closed.is_set():
            raise ClientClosed("the client is closed") from last_error
        failures += 1
        if failures >= transport.ATTEMPTS:
            raise ConnectionFailed(f"GET {where}: {last_error}") from last_error
        if transport.closed.wait(transport._pause(failures, None)):
            raise ClientClosed("the client is closed")
