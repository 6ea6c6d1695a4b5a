"""Which function does which job."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, TypedDict, TypeVar, Union, overload


class JobContext(TypedDict):
    """What a handler is given."""

    id: str
    jobType: str
    instanceId: str
    stepId: str
    stepExecutionId: str
    retriesRemaining: int
    variables: Dict[str, Any]


#: Gets a JobContext; the variables it returns are merged into the instance's.
Handler = Callable[[Any], Optional[Mapping[str, Any]]]
_H = TypeVar("_H", bound=Handler)


class HandlerRegistry:
    """Handlers by job type.

        @registry.register("send-email")
        def send_email(ctx): ...

        registry.register("send-email", send_email)
    """

    def __init__(self) -> None:
        self._handlers: Dict[str, Handler] = {}

    @overload
    def register(self, job_type: str) -> Callable[[_H], _H]: ...

    @overload
    def register(self, job_type: str, handler: _H) -> _H: ...

    def register(self, job_type: str, handler: Optional[_H] = None) -> Union[_H, Callable[[_H], _H]]:
        if not isinstance(job_type, str) or not job_type:
            raise ValueError("a job type is a text that is not empty")
        if handler is None:
            return lambda decorated: self._add(job_type, decorated)
        return self._add(job_type, handler)

    def _add(self, job_type: str, handler: _H) -> _H:
        if not callable(handler):
            raise TypeError(f"the handler of {job_type!r} cannot be called")
        if job_type in self._handlers:
            raise ValueError(f"there is a handler of {job_type!r} already")
        self._handlers[job_type] = handler
        return handler

    def get(self, job_type: str) -> Optional[Handler]:
        return self._handlers.get(job_type)

    def job_types(self) -> List[str]:
        return list(self._handlers)
