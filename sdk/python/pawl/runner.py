"""A worker: polls for jobs, runs their handlers, reports the results.

    run()'s thread      long polls for as many jobs as there are free hands
    a pool of threads   handlers, then complete or fail
    the lease keeper    extends the leases of jobs whose handlers still run
"""

from __future__ import annotations

import heapq
import logging
import os
import random
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, List, Optional, Tuple

from .client import Client
from .errors import ApiError, ClientClosed, NonRetryableError, PawlError
from .registry import Handler, HandlerRegistry, JobContext

log = logging.getLogger("pawl")

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0


class Runner:
    """Works on the registry's job types until it is stopped.

    A job is delivered at least once: a handler may run again after a crash, or when its lease
    was lost, so it should bear repetition. Its result counts if it is the first.
    """

    def __init__(self, client: Client, registry: HandlerRegistry, worker_id: Optional[str] = None,
                 parallelism: int = 8, wait_seconds: float = 20.0, lease_seconds: float = 30.0) -> None:
        if parallelism < 1:
            raise ValueError("parallelism must be at least 1")
        if lease_seconds <= 0:
            raise ValueError("lease_seconds must be positive")
        self._client = client
        # Its own connections, so that stop() can break a long poll and nothing else.
        self._poller = client.clone()
        self._registry = registry
        self.worker_id = worker_id or f"{socket.gethostname()}-{os.getpid()}-{random.randrange(16 ** 4):04x}"
        self._parallelism = parallelism
        self._wait_seconds = wait_seconds
        self._lease_seconds = lease_seconds
        self._stop = threading.Event()
        self._finished = threading.Event()
        self._hands = threading.Condition()
        self._busy = 0
        self._started = False

    # ---- the life of a worker ----

    def run(self, stop_event: Optional[threading.Event] = None, handle_signals: bool = False) -> None:
        """Works until stop() is called or stop_event is set; then lets running handlers finish.

        With handle_signals SIGINT and SIGTERM stop it too (only from the main thread). Raises
        if the engine refuses to be polled: a wrong token, no handlers.
        """
        if self._started:
            raise RuntimeError("a runner runs once; make a new one")
        self._started = True
        if not self._registry.job_types():
            raise ValueError("no handler is registered")
        if stop_event is not None:
            threading.Thread(target=self._watch, args=(stop_event,), name="pawl-stop", daemon=True).start()
        previous = self._take_signals() if handle_signals else {}
        keeper = _LeaseKeeper(self._client, self.worker_id, self._lease_seconds)
        pool = ThreadPoolExecutor(self._parallelism, thread_name_prefix="pawl-job")
        try:
            self._poll_until_stopped(pool, keeper)
        finally:
            self.stop()
            pool.shutdown(wait=True)
            keeper.stop()
            self._finished.set()
            for number, handler in previous.items():
                signal.signal(number, handler)

    def stop(self) -> None:
        """No new jobs from now on; run() returns when the running handlers are done. Any thread."""
        self._stop.set()
        self._poller.close()
        with self._hands:
            self._hands.notify_all()

    def _watch(self, stop_event: threading.Event) -> None:
        while not self._finished.is_set():
            if stop_event.wait(0.5):
                self.stop()
                return

    def _take_signals(self) -> Dict[int, Any]:
        def on_signal(*_: object) -> None:
            # Not in the handler itself: the interrupted thread may hold a lock that stop() needs.
            threading.Thread(target=self.stop, name="pawl-stop", daemon=True).start()

        return {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}

    # ---- polling ----

    def _free_hands(self) -> int:
        """Waits until a handler can be run; 0 when stopped."""
        with self._hands:
            self._hands.wait_for(lambda: self._stop.is_set() or self._busy < self._parallelism)
            return 0 if self._stop.is_set() else self._parallelism - self._busy

    def _poll_until_stopped(self, pool: ThreadPoolExecutor, keeper: "_LeaseKeeper") -> None:
        failures = 0
        while True:
            free = self._free_hands()
            if not free:
                return
            try:
                jobs = self._poller.poll_jobs(self.worker_id, self._registry.job_types(), free,
                                              self._wait_seconds, self._lease_seconds)
                failures = 0
            except ClientClosed:
                return
            except PawlError as error:
                if isinstance(error, ApiError) and error.status < 500 and error.status != 429:
                    raise  # Asking again would not help.
                failures += 1
                asked = getattr(error, "retry_after", None) or 0.0
                pause = min(_FIRST_PAUSE * 2 ** (failures - 1), _LONGEST_PAUSE) * random.uniform(0.8, 1.2)
                log.warning("polling failed, trying again: %s", error)
                if self._stop.wait(max(pause, asked)):
                    return
                continue
            for job in jobs:
                with self._hands:
                    self._busy += 1
                keeper.add(job["id"])
                pool.submit(self._work, job, keeper)

    # ---- one job ----

    def _work(self, job: Dict[str, Any], keeper: "_LeaseKeeper") -> None:
        try:
            self._run_and_report(job)
        except Exception:
            # Reporting failed for good. The lease runs out, and the job is offered again.
            log.exception("job %s (%s): the result could not be reported", job["id"], job["jobType"])
        finally:
            keeper.remove(job["id"])
            with self._hands:
                self._busy -= 1
                self._hands.notify_all()

    def _run_and_report(self, job: Dict[str, Any]) -> None:
        handler = self._registry.get(job["jobType"])
        if handler is None:
            self._fail(job, f"no handler of {job['jobType']!r}", True)
            return
        try:
            variables = _call(handler, job)
        except NonRetryableError as error:
            self._fail(job, _message(error), False)
            return
        except Exception as error:
            log.info("job %s (%s) failed: %s", job["id"], job["jobType"], _message(error), exc_info=True)
            self._fail(job, _message(error), True)
            return
        try:
            self._client.complete_job(job["id"], self.worker_id, variables)
        except ApiError as error:
            if error.status >= 500 or error.status == 429:
                raise
            # The same result would be refused again, for ever.
            self._fail(job, f"the result was refused: {error.reason}", False)
        except (TypeError, ValueError) as error:
            self._fail(job, f"the handler's result is not JSON: {error}", False)

    def _fail(self, job: Dict[str, Any], message: str, retryable: bool) -> None:
        self._client.fail_job(job["id"], self.worker_id, message, retryable)


def _call(handler: Handler, job: Dict[str, Any]) -> Dict[str, Any]:
    context: JobContext = {
        "id": job["id"],
        "jobType": job["jobType"],
        "instanceId": job["instanceId"],
        "stepId": job.get("stepId", ""),
        "stepExecutionId": job["stepExecutionId"],
        "retriesRemaining": job["retriesRemaining"],
        "variables": job.get("variables") or {},
    }
    result = handler(context)
    if result is None:
        return {}
    try:
        return dict(result)
    except (TypeError, ValueError):
        raise NonRetryableError(f"the handler returned {type(result).__name__}, not a dict") from None


def _message(error: BaseException) -> str:
    text = str(error)
    return text if text else type(error).__name__


class _LeaseKeeper:
    """Extends each job's lease whenever half of it is over, until the job is removed."""

    def __init__(self, client: Client, worker_id: str, lease_seconds: float) -> None:
        self._client = client
        self._worker_id = worker_id
        self._lease_seconds = lease_seconds
        self._changed = threading.Condition()
        self._due: List[Tuple[float, str]] = []
        self._running: Dict[str, bool] = {}
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="pawl-leases", daemon=True)
        self._thread.start()

    def add(self, job_id: str) -> None:
        with self._changed:
            self._running[job_id] = True
            heapq.heappush(self._due, (time.monotonic() + self._lease_seconds / 2, job_id))
            self._changed.notify()

    def remove(self, job_id: str) -> None:
        """Its entry in the heap goes when it comes due."""
        with self._changed:
            self._running.pop(job_id, None)

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def _next(self) -> Optional[str]:
        """Waits for the next job whose lease must be extended; None when stopped."""
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                while self._due and (self._due[0][0] <= now or self._due[0][1] not in self._running):
                    job_id = heapq.heappop(self._due)[1]
                    if job_id in self._running:
                        return job_id
                self._changed.wait(self._due[0][0] - now if self._due else None)
            return None

    def _run(self) -> None:
        while True:
            job_id = self._next()
            if job_id is None:
                return
            try:
                if self._client.extend_job(job_id, self._worker_id, self._lease_seconds) is None:
                    # Its result is reported all the same: the first one counts.
                    log.warning("the lease of job %s is over; another worker may do it, too", job_id)
                    continue
            except ApiError as error:
                if error.status in (404, 409):
                    log.warning("job %s is no longer ours: %s", job_id, error.reason)
                    continue
                log.warning("the lease of job %s could not be extended: %s", job_id, error)
            except PawlError as error:
                log.warning("the lease of job %s could not be extended: %s", job_id, error)
            with self._changed:
                if job_id in self._running:
                    heapq.heappush(self._due, (time.monotonic() + self._lease_seconds / 2, job_id))
