"""Client and worker for the Pawl workflow engine.

    from pawl import Client, HandlerRegistry, Runner

    registry = HandlerRegistry()

    @registry.register("send-email")
    def send_email(ctx):
        deliver(ctx["variables"]["email"])
        return {"emailSent": True}

    Runner(Client("http://127.0.0.1:8080"), registry).run()
"""

from .client import Client
from .errors import (
    ApiError,
    BadRequest,
    ClientClosed,
    Conflict,
    ConnectionFailed,
    LimitExceeded,
    NonRetryableError,
    NotFound,
    Overloaded,
    PawlError,
    RetryableError,
    ServerError,
    StorageFull,
    Unauthorized,
    Unavailable,
    Unprocessable,
    UnsupportedFormat,
)
from .events import Event
from .registry import HandlerRegistry, JobContext
from .runner import Runner

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "BadRequest",
    "Client",
    "ClientClosed",
    "Conflict",
    "ConnectionFailed",
    "Event",
    "HandlerRegistry",
    "JobContext",
    "LimitExceeded",
    "NonRetryableError",
    "NotFound",
    "Overloaded",
    "PawlError",
    "RetryableError",
    "Runner",
    "ServerError",
    "StorageFull",
    "Unauthorized",
    "Unavailable",
    "Unprocessable",
    "UnsupportedFormat",
]
