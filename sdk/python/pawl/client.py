"""All of the engine's /v1 API. See the engine's /openapi.json for the fields of each object."""

from __future__ import annotations

import ssl
import uuid
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Union

from .events import Event, follow
from .transport import Transport, path

Json = Dict[str, Any]
Variables = Mapping[str, Any]


class Client:
    """A client of one engine. Any number of threads may share it; each has its own connection.

    Requests that read are repeated after lost connections, 429 and 503. Those that write are
    too: they carry an Idempotency-Key, a fresh one per call unless you give your own (then a
    later call with the same key gives the first one's answer).
    """

    def __init__(self, base_url: str = "http://127.0.0.1:8080", token: Optional[str] = None,
                 timeout: float = 30.0, ssl_context: Optional[ssl.SSLContext] = None) -> None:
        self._settings = (base_url, token, timeout, ssl_context)
        self._transport = Transport(base_url, token, timeout, ssl_context)

    def clone(self) -> "Client":
        """A client with the same settings and its own connections."""
        return Client(*self._settings)

    def close(self) -> None:
        """Breaks all connections; requests in other threads end with ClientClosed."""
        self._transport.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- plumbing ----

    def _get(self, where: str, **query: Any) -> Any:
        return self._transport.request("GET", where, query=query)

    def _command(self, where: str, body: Any, idempotency_key: Optional[str], **options: Any) -> Any:
        return self._transport.request("POST", where, body=body,
                                       idempotency_key=idempotency_key or str(uuid.uuid4()), **options)

    def _pages(self, where: str, page_size: int, **query: Any) -> Iterator[Json]:
        cursor: Optional[str] = None
        while True:
            page = self._get(where, pageSize=page_size, cursor=cursor, **query)
            yield from page["items"]
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    # ---- definitions ----

    def upload_definition(self, definition: Union[Json, str, bytes]) -> Json:
        """Publishes a definition (an object, or a document's text); returns its id and version.

        Content of the latest version keeps its version, so repeating this is harmless. Older content becomes the latest again.
        """
        if isinstance(definition, (str, bytes)):
            raw = definition.encode("utf-8") if isinstance(definition, str) else definition
            return self._transport.request("POST", "/v1/definitions", raw_body=raw, repeatable=True)  # type: ignore[no-any-return]
        return self._transport.request("POST", "/v1/definitions", body=definition, repeatable=True)  # type: ignore[no-any-return]

    def get_definition(self, definition_id: str, version: Optional[int] = None) -> Json:
        where = path("v1", "definitions", definition_id)
        if version is not None:
            where += path("versions", str(version))
        return self._get(where)  # type: ignore[no-any-return]

    def list_definitions(self, keyword: Optional[str] = None, page: int = 0, page_size: int = 20) -> Json:
        """One page: items (latest versions by id) and total."""
        return self._get("/v1/definitions", keyword=keyword, page=page, pageSize=page_size)  # type: ignore[no-any-return]

    def iter_definitions(self, keyword: Optional[str] = None, page_size: int = 100) -> Iterator[Json]:
        page = 0
        while True:
            items = self.list_definitions(keyword, page, page_size)["items"]
            yield from items
            if len(items) < page_size:
                return
            page += 1

    # ---- instances ----

    def start_instance(self, definition_id: str, variables: Optional[Variables] = None,
                       definition_version: Optional[int] = None, business_key: Optional[str] = None,
                       wait_seconds: float = 0.0, idempotency_key: Optional[str] = None,
                       is_test: bool = False) -> Json:
        """Starts an instance; with wait_seconds returns when it has ended or the time is over. In a test nothing leaves the engine."""
        body: Json = {"definitionId": definition_id, "variables": dict(variables or {})}
        if definition_version is not None:
            body["definitionVersion"] = definition_version
        if business_key is not None:
            body["businessKey"] = business_key
        if is_test:
            body["isTest"] = True
        return self._command("/v1/instances", body, idempotency_key, wait_seconds=wait_seconds,  # type: ignore[no-any-return]
                             query={"wait": wait_seconds or None})

    def get_instance(self, instance_id: str) -> Json:
        return self._get(path("v1", "instances", instance_id))  # type: ignore[no-any-return]

    def list_instances(self, definition_id: Optional[str] = None, status: Optional[str] = None,
                       business_key: Optional[str] = None, page_size: int = 20,
                       cursor: Optional[str] = None) -> Json:
        """One page, newest first: items, total (without a cursor), nextCursor if there may be more."""
        return self._get("/v1/instances", definitionId=definition_id, status=status,  # type: ignore[no-any-return]
                         businessKey=business_key, pageSize=page_size, cursor=cursor)

    def iter_instances(self, definition_id: Optional[str] = None, status: Optional[str] = None,
                       business_key: Optional[str] = None, page_size: int = 100) -> Iterator[Json]:
        return self._pages("/v1/instances", page_size, definitionId=definition_id, status=status,
                           businessKey=business_key)

    def get_instance_history(self, instance_id: str) -> List[Json]:
        """Every visit to a step, oldest first."""
        return self._get(path("v1", "instances", instance_id, "history"))["items"]  # type: ignore[no-any-return]

    def explain_instance(self, instance_id: str) -> Json:
        """The instance and, for each of its tokens, why it does not move."""
        return self._get(path("v1", "instances", instance_id, "explain"))  # type: ignore[no-any-return]

    def events(self, instance_id: str, last_event_id: Optional[str] = None) -> Iterator[Event]:
        """What happens to the instance, as it happens, until it has ended."""
        return follow(self._transport, path("v1", "instances", instance_id, "events"), last_event_id)

    def wait_for_instance(self, instance_id: str) -> Json:
        """Waits until the instance has ended and returns it."""
        for event in self.events(instance_id):
            if event.event == "end":
                break
        return self.get_instance(instance_id)

    def cancel_instance(self, instance_id: str, reason: str = "", idempotency_key: Optional[str] = None) -> Json:
        return self._command(path("v1", "instances", instance_id, "cancel"), {"reason": reason}, idempotency_key)  # type: ignore[no-any-return]

    def retry_instance(self, instance_id: str, variables: Optional[Variables] = None,
                       idempotency_key: Optional[str] = None) -> Json:
        """Lets a failed instance go on at the step that failed, after merging the variables."""
        return self._command(path("v1", "instances", instance_id, "retry"),  # type: ignore[no-any-return]
                             {"variables": dict(variables or {})}, idempotency_key)

    def retry_step(self, instance_id: str, step_id: str, variables: Optional[Variables] = None,
                   idempotency_key: Optional[str] = None) -> Json:
        """Runs a failed step of a failed instance again, after merging the variables."""
        return self._command(path("v1", "instances", instance_id, "steps", step_id, "retry"),  # type: ignore[no-any-return]
                             {"variables": dict(variables or {})}, idempotency_key)

    def signal(self, instance_id: str, step_id: str, variables: Optional[Variables] = None,
               idempotency_key: Optional[str] = None, early: bool = False) -> None:
        """Sends the signal that a WAIT step waits for; `early`: it is kept if the step does not wait for it yet."""
        self._command(path("v1", "instances", instance_id, "signals", step_id) + ("?early=true" if early else ""),
                      dict(variables or {}), idempotency_key)

    # ---- people's tasks ----

    def list_user_tasks(self, instance_id: Optional[str] = None, definition_id: Optional[str] = None,
                        job_type: Optional[str] = None, page_size: int = 20,
                        cursor: Optional[str] = None) -> Json:
        return self._get("/v1/user-tasks", instanceId=instance_id, definitionId=definition_id,  # type: ignore[no-any-return]
                         jobType=job_type, pageSize=page_size, cursor=cursor)

    def iter_user_tasks(self, instance_id: Optional[str] = None, definition_id: Optional[str] = None,
                        job_type: Optional[str] = None, page_size: int = 100) -> Iterator[Json]:
        return self._pages("/v1/user-tasks", page_size, instanceId=instance_id, definitionId=definition_id,
                           jobType=job_type)

    def complete_user_task(self, instance_id: str, step_id: str, variables: Optional[Variables] = None,
                           completed_by: Optional[str] = None, idempotency_key: Optional[str] = None) -> None:
        """Completes the open task at a step."""
        self._command(path("v1", "instances", instance_id, "user-tasks", step_id, "complete"),
                      _task_answer(variables, completed_by), idempotency_key)

    def complete_user_task_by_id(self, task_id: str, variables: Optional[Variables] = None,
                                 completed_by: Optional[str] = None,
                                 idempotency_key: Optional[str] = None) -> None:
        """The same, by the id that list_user_tasks() gives."""
        self._command(path("v1", "user-tasks", task_id, "complete"), _task_answer(variables, completed_by),
                      idempotency_key)

    # ---- jobs ----

    def poll_jobs(self, worker_id: str, job_types: Iterable[str], max_jobs: int = 1, wait_seconds: float = 0.0,
                  lease_seconds: Optional[float] = None) -> List[Json]:
        """Takes up to max_jobs; with wait_seconds waits that long for the first one.

        Not repeated when the connection is lost: jobs that were on their way come again when
        their lease is over.
        """
        body = _poll(job_types, max_jobs, wait_seconds, lease_seconds)
        body["workerId"] = worker_id
        answer = self._transport.request("POST", "/v1/jobs/poll", body=body, repeatable=False,
                                         wait_seconds=wait_seconds)
        return answer["jobs"]  # type: ignore[no-any-return]

    def complete_job(self, job_id: str, worker_id: str, variables: Optional[Variables] = None) -> None:
        """Reports a result. The first one of an open job counts, also when its lease is over; others are ignored."""
        self._transport.request("POST", path("v1", "jobs", job_id, "complete"), repeatable=True,
                                body={"workerId": worker_id, "variables": dict(variables or {})})

    def fail_job(self, job_id: str, worker_id: str, error_message: str, retryable: bool = True) -> None:
        self._transport.request("POST", path("v1", "jobs", job_id, "fail"), repeatable=True,
                                body={"workerId": worker_id, "errorMessage": error_message,
                                      "retryable": retryable})

    def extend_job(self, job_id: str, worker_id: str, lease_seconds: Optional[float] = None) -> Optional[Json]:
        """Renews the lease from now on. None if that came too late: another worker may be given the job."""
        body: Json = {"workerId": worker_id}
        if lease_seconds is not None:
            body["leaseSeconds"] = lease_seconds
        return self._transport.request("POST", path("v1", "jobs", job_id, "extend"), body=body, repeatable=True)  # type: ignore[no-any-return]

    def batch_jobs(self, worker_id: str, complete: Iterable[Json] = (), fail: Iterable[Json] = (),
                   poll: Optional[Json] = None) -> Json:
        """A worker's round in one request and one transaction.

        `complete` holds {id, variables}, `fail` {id, errorMessage, retryable}, `poll` what
        poll_request() gives. The answer has completed, failed (each with id and status) and jobs.
        """
        body: Json = {"workerId": worker_id, "complete": list(complete), "fail": list(fail)}
        if poll is not None:
            body["poll"] = poll
        wait = float(poll.get("waitSeconds") or 0) if poll else 0.0
        return self._transport.request("POST", "/v1/jobs/batch", body=body, repeatable=poll is None,  # type: ignore[no-any-return]
                                       wait_seconds=wait)

    @staticmethod
    def poll_request(job_types: Iterable[str], max_jobs: int = 1, wait_seconds: float = 0.0,
                     lease_seconds: Optional[float] = None) -> Json:
        return _poll(job_types, max_jobs, wait_seconds, lease_seconds)

    def list_jobs(self, job_type: Optional[str] = None, instance_id: Optional[str] = None, page_size: int = 20,
                  cursor: Optional[str] = None) -> Json:
        """Open jobs, without their variables."""
        return self._get("/v1/jobs", jobType=job_type, instanceId=instance_id, pageSize=page_size, cursor=cursor)  # type: ignore[no-any-return]

    def iter_jobs(self, job_type: Optional[str] = None, instance_id: Optional[str] = None,
                  page_size: int = 100) -> Iterator[Json]:
        return self._pages("/v1/jobs", page_size, jobType=job_type, instanceId=instance_id)


def _poll(job_types: Iterable[str], max_jobs: int, wait_seconds: float, lease_seconds: Optional[float]) -> Json:
    body: Json = {"jobTypes": list(job_types), "maxJobs": max_jobs}
    if wait_seconds:
        body["waitSeconds"] = wait_seconds
    if lease_seconds is not None:
        body["leaseSeconds"] = lease_seconds
    return body


def _task_answer(variables: Optional[Variables], completed_by: Optional[str]) -> Json:
    body: Json = {"variables": dict(variables or {})}
    if completed_by is not None:
        body["workerId"] = completed_by
    return body
