"""What can go wrong, as types.

Everything this package raises on its own account is a PawlError. An ApiError is an answer
of the engine that is not 2xx; its subclass says which. What a handler raises tells the
engine whether to try again: NonRetryableError means never, everything else means yes.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Type


class PawlError(Exception):
    """The base of all errors of this package."""


class ConnectionFailed(PawlError):
    """No answer came: the engine cannot be reached, or the connection broke."""


class ClientClosed(PawlError):
    """close() was called on the client."""


class ApiError(PawlError):
    """The engine refused. `reason` is a sentence, `error` a stable word such as not-found."""

    def __init__(self, status: int, error: str, reason: str, body: Any = None,
                 retry_after: Optional[float] = None) -> None:
        super().__init__(f"{status} {error}: {reason}")
        self.status = status
        self.error = error
        self.reason = reason
        self.body = body
        self.retry_after = retry_after

    @property
    def problems(self) -> List[Dict[str, Any]]:
        """What is wrong with a definition that was refused: one object per problem."""
        found = self.body.get("problems") if isinstance(self.body, dict) else None
        return found if isinstance(found, list) else []


class BadRequest(ApiError):
    """400: the request or the document is wrong."""


class Unauthorized(ApiError):
    """401: no valid token was sent."""


class NotFound(ApiError):
    """404: no such thing."""


class Conflict(ApiError):
    """409: its state does not allow that."""


class LimitExceeded(ApiError):
    """413: larger, deeper or longer than the engine allows."""


class UnsupportedFormat(ApiError):
    """415: a format the engine does not read."""


class Unprocessable(ApiError):
    """422: understood, and not acceptable."""


class Overloaded(ApiError):
    """429: too much work at once; try again later."""


class ServerError(ApiError):
    """500: the engine's own mistake."""


class Unavailable(ApiError):
    """503: the engine is stopping or its store is out of reach; try again later."""


class StorageFull(ApiError):
    """507: no space left to store it."""


_BY_STATUS: Dict[int, Type[ApiError]] = {
    400: BadRequest,
    401: Unauthorized,
    404: NotFound,
    409: Conflict,
    413: LimitExceeded,
    415: UnsupportedFormat,
    422: Unprocessable,
    429: Overloaded,
    500: ServerError,
    503: Unavailable,
    507: StorageFull,
}


def api_error(status: int, body: Any, text: str, retry_after: Optional[float]) -> ApiError:
    """The error for an answer that is not 2xx; `text` is its body before parsing."""
    error, reason = "error", text.strip()[:500]
    if isinstance(body, dict):
        error = str(body.get("error") or error)
        reason = str(body.get("reason") or body.get("message") or reason)
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(status, error, reason, body, retry_after)


class NonRetryableError(Exception):
    """Raised by a handler: the job has failed and must not be tried again."""


class RetryableError(Exception):
    """Raised by a handler: the job has failed and may be tried again, as after any other exception."""
