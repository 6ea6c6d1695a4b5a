"""The engine's API over HTTP, as the node and the customer use it."""

import http.client
import json
import time
import urllib.parse

PATIENCE = 60  # Seconds.


class Refused(Exception):
    """An answer that says no."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('detail')}")
        self.status = status
        self.code = problem.get("properties", {}).get("errorCode")


def send(base, method, path, body, headers):
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(base).netloc, timeout=PATIENCE)
    try:
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        return response.status, json.loads(response.read() or "null")
    finally:
        connection.close()


def call(base, method, path, body=None, key=None):
    """Asks until there is an answer that will not change. A `key` makes a repeated request harmless."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            status, answer = send(base, method, path, body, {"Idempotency-Key": key} if key else {})
            if status < 400:
                return answer
            retryable = answer.get("properties", {}).get("retryable")
            if not retryable or time.monotonic() > deadline:
                raise Refused(status, answer)
        except (OSError, http.client.HTTPException):  # The engine is away.
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)


def entity(base, entity_id):
    """The state and the document of an entity."""
    shown = call(base, "GET", f"/api/entity/{entity_id}")
    return shown["meta"]["state"], shown["data"]
