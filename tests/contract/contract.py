"""What the tests of the contract share: short ways to write steps, and a test case that talks to the engine."""

import itertools
import os
import pathlib
import re
import sys
import threading
import time
import unittest

import engine

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "api"))
from pace import paced

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
ULID = re.compile(r"^[0-7][0-9A-HJKMNP-TV-Z]{25}$")

_numbers = itertools.count(1)


def fresh(word="thing"):
    """A name that nobody else uses."""
    return "%s-%d" % (word, next(_numbers))


def step(kind, name, following=None, **fields):
    made = {"id": name, "name": "Step " + name, "type": kind}
    if following is not None:
        made["nextStep"] = following
    made.update(fields)
    return made


def service(name, following=None, job=None, **fields):
    return step("SERVICE_TASK", name, following, jobType=job or name, **fields)


def user(name, following=None, **fields):
    return step("USER_TASK", name, following, **fields)


def wait(name, following, **fields):
    return step("WAIT", name, following, **fields)


def decide(name, branches, **fields):
    return step("DECISION", name, conditionalNextSteps=branches, **fields)


def transform(name, following, values, **fields):
    return step("TRANSFORMATION", name, following, transformations=values, **fields)


def table(name, following, rules, policy=None, **fields):
    made = step("DECISION_TABLE", name, following, decisionTable={"rules": rules}, **fields)
    if policy is not None:
        made["hitPolicy"] = policy
    return made


def fork(name, branches, joining, **fields):
    return step("PARALLEL_GATEWAY", name, parallelNextSteps=branches, joinStep=joining, **fields)


def join(name, following, **fields):
    return step("JOIN_GATEWAY", name, following, **fields)


def end(name="end", **fields):
    return step("END", name, **fields)


def timer(duration, target, interrupting):
    return {"type": "TIMER", "duration": duration, "interrupting": interrupting, "targetStepId": target}


def definition(steps, name=None, **fields):
    name = name or fresh("definition")
    return dict({"id": name, "name": "Definition " + name, "steps": steps}, **fields)


def cases(*rows):
    """Makes a test of every row: the method is called with the row's fields."""
    def decorate(method):
        method.rows = rows
        return method
    return decorate


class Contract(unittest.TestCase):
    maxDiff = None

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name, method in list(vars(cls).items()):
            rows = getattr(method, "rows", None)
            if rows is None:
                continue
            delattr(cls, name)
            for number, row in enumerate(rows):
                def run(self, method=method, row=row):
                    method(self, *row)
                run.__doc__ = " ".join(repr(field) for field in row)[:150]
                setattr(cls, "%s_%03d" % (name, number), run)

    @classmethod
    def setUpClass(cls):
        cls.engine = engine.shared()

    # Requests

    def get(self, path, status=200, headers=None):
        answer = self.engine.get(path, headers)
        self.assertEqual(answer.status, status, answer)
        return answer

    def post(self, path, body=None, status=None, headers=None):
        answer = self.engine.post(path, body, headers)
        if status is not None:
            self.assertEqual(answer.status, status, answer)
        return answer

    def refused(self, answer, status, code, text=None):
        """Every refusal has one shape: {error, reason, message}, as application/json."""
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.json["error"], code)
        self.assertTrue(answer.json["reason"])
        self.assertEqual(answer.json["reason"], answer.json["message"])
        if text is not None:
            self.assertIn(text, answer.json["reason"])
        return answer

    # Definitions

    def upload(self, document):
        return self.engine.post("/v1/definitions", document)

    def deploy(self, steps, name=None, **fields):
        """Uploads a definition of these steps and returns its id."""
        document = definition(steps, name, **fields)
        answer = self.upload(document)
        self.assertEqual(answer.status, 201, answer)
        return document["id"]

    # Instances

    def start(self, name, variables=None, seconds=None, **fields):
        body = dict({"definitionId": name}, **fields)
        if variables is not None:
            body["variables"] = variables
        path = "/v1/instances" if seconds is None else "/v1/instances?wait=%s" % seconds
        return self.post(path, body, 201).json

    def begin(self, steps, variables=None, **fields):
        """Deploys the steps, starts an instance and returns its id."""
        return self.start(self.deploy(steps, **fields), variables)["id"]

    def run_steps(self, steps, variables=None):
        """Deploys the steps, starts an instance and returns it as GET shows it."""
        return self.instance(self.begin(steps, variables))

    def instance(self, name):
        return self.get("/v1/instances/" + name).json

    def variables(self, name):
        return self.instance(name)["variables"]

    def until(self, name, holds):
        return self.engine.until(name, holds)

    def until_told(self, name):
        """Every node knows who holds the job: of several nodes another one hears of it with the next heartbeat."""
        nodes = int(os.environ.get("PAWL_TEST_NODES", "1"))
        deadline = time.monotonic() + engine.PATIENCE

        def is_told():
            return self.get("/v1/jobs?instanceId=" + name).json["items"][0]["status"] == "LOCKED"
        while nodes > 1 and not all(is_told() for _ in range(nodes)):
            self.assertLess(time.monotonic(), deadline)

    def until_status(self, name, status):
        return self.until(name, lambda seen: seen["status"] == status)

    def history(self, name):
        return self.get("/v1/instances/%s/history" % name).json["items"]

    def rows(self, name):
        """The history as (step, attempt, status), oldest first."""
        return [(row["stepId"], row["attemptNumber"], row["status"]) for row in self.history(name)]

    def row(self, name, step_name):
        """The last visit to a step."""
        return [row for row in self.history(name) if row["stepId"] == step_name][-1]

    def assert_failed(self, name, *texts):
        seen = self.instance(name)
        self.assertEqual(seen["status"], "FAILED", seen)
        for text in texts:
            self.assertIn(text, seen["failureReason"])
        return seen

    # Work

    def poll(self, *types, worker="worker", **fields):
        body = dict({"workerId": worker, "jobTypes": list(types)}, **fields)
        return self.post("/v1/jobs/poll", body, 200).json["jobs"]

    def take(self, kind, worker="worker", **fields):
        """Takes the one job of this type, waiting for it if need be."""
        fields.setdefault("waitSeconds", engine.PATIENCE)
        jobs = self.poll(kind, worker=worker, **fields)
        self.assertEqual(len(jobs), 1, jobs)
        return jobs[0]

    def complete(self, job, variables=None, worker="worker", status=204):
        name = job if isinstance(job, str) else job["id"]
        body = {"workerId": worker}
        if variables is not None:
            body["variables"] = variables
        return self.post("/v1/jobs/%s/complete" % name, body, status)

    def fail_job(self, job, message="broken", retryable=None, worker="worker", status=204):
        name = job if isinstance(job, str) else job["id"]
        body = {"workerId": worker, "errorMessage": message}
        if retryable is not None:
            body["retryable"] = retryable
        return self.post("/v1/jobs/%s/fail" % name, body, status)

    def work(self, kind, variables=None):
        job = self.take(kind)
        self.complete(job, variables)
        return job

    def complete_task(self, name, step_name, body=None, status=204):
        return self.post("/v1/instances/%s/user-tasks/%s/complete" % (name, step_name), body, status)

    def signal(self, name, step_name, body=None, status=204):
        return self.post("/v1/instances/%s/signals/%s" % (name, step_name), body, status)

    def cancel(self, name, body=None, status=200):
        return self.post("/v1/instances/%s/cancel" % name, body, status)

    def retry(self, name, step_name, body=None, status=200):
        return self.post("/v1/instances/%s/steps/%s/retry" % (name, step_name), body, status)


    def together(self, *calls):
        """Starts every call in a thread of its own; the function it returns waits for them and gives their results."""
        results = [None] * len(calls)

        def run(number, call):
            try:
                results[number] = call()
            finally:
                self.engine.disconnect()
        threads = [threading.Thread(target=run, args=pair) for pair in enumerate(calls)]
        for thread in threads:
            thread.start()

        def finish():
            for thread in threads:
                thread.join()
            return results
        return finish


def main():
    unittest.main(module="__main__")
