"""Every part of the API through the client, against a real engine."""

import os
import tempfile
import threading
import time
import unittest

from server import PATIENCE, Engine
from pawl import BadRequest, Client, ClientClosed, Conflict, NotFound, Unauthorized

engine = None


def setUpModule():
    global engine
    engine = Engine()


def tearDownModule():
    engine.stop()


def definition(name, *steps):
    return {"id": name, "name": name, "steps": [*steps, {"id": "end", "name": "end", "type": "END"}]}


def step(kind, name="step", following="end", **more):
    return {"id": name, "name": name, "type": kind, "nextStep": following, **more}


class ClientCase(unittest.TestCase):
    def setUp(self):
        self.client = Client(engine.url)
        self.addCleanup(self.client.close)
        # Tests share the engine: a name of its own keeps each one's instances and jobs apart.
        self.name = self.id().rsplit(".", 1)[1]

    def deploy(self, *steps):
        return self.client.upload_definition(definition(self.name, *steps))

    def deploy_job(self, **more):
        return self.deploy(step("SERVICE_TASK", jobType=self.name, **more))

    def poll(self, count=1, **more):
        """Polls until that many jobs came."""
        jobs = []
        while len(jobs) < count:
            jobs += self.client.poll_jobs("w", [self.name], count - len(jobs), wait_seconds=PATIENCE, **more)
        return jobs

    def until_told(self, instance):
        """All nodes know who has the job: another one hears of it with the next heartbeat."""
        nodes, deadline = int(os.environ.get("PAWL_TEST_NODES", "1")), time.monotonic() + PATIENCE
        while nodes > 1 and not all("workerId" in self.client.list_jobs(instance_id=instance)["items"][0] for _ in range(nodes)):
            self.assertLess(time.monotonic(), deadline)


class Definitions(ClientCase):
    def test_upload_get_and_list(self):
        first = self.deploy(step("WAIT"))
        self.assertEqual((first["id"], first["version"]), (self.name, 1))
        self.assertEqual(self.deploy(step("WAIT"))["version"], 1)
        self.assertEqual(self.deploy(step("USER_TASK"))["version"], 2)
        self.assertEqual(self.client.get_definition(self.name)["steps"][0]["type"], "USER_TASK")
        self.assertEqual(self.client.get_definition(self.name, 1)["steps"][0]["type"], "WAIT")
        page = self.client.list_definitions(keyword=self.name.upper())
        self.assertEqual((page["total"], page["items"][0]["version"]), (1, 2))

    def test_a_document_as_text(self):
        text = '{"id":"%s","name":"ä","steps":[{"id":"e","name":"e","type":"END"}]}' % self.name
        self.assertEqual(self.client.upload_definition(text)["name"], "ä")
        self.assertEqual(self.client.upload_definition(text.encode())["version"], 1)

    def test_problems_are_objects(self):
        with self.assertRaises(BadRequest) as caught:
            self.deploy(step("SERVICE_TASK", following="nowhere"))
        codes = {problem["code"] for problem in caught.exception.problems}
        self.assertLessEqual({"REQUIRED", "UNRESOLVED"}, codes)

    def test_all_pages_are_visited(self):
        for number in range(5):
            self.client.upload_definition(definition(f"{self.name}-{number}"))
        found = [item["id"] for item in self.client.iter_definitions(keyword=self.name, page_size=2)]
        self.assertEqual(found, [f"{self.name}-{number}" for number in range(5)])

    def test_unknown(self):
        with self.assertRaises(NotFound):
            self.client.get_definition("nothing-of-that-name")


class Instances(ClientCase):
    def test_start_with_everything(self):
        self.deploy(step("WAIT"))
        self.deploy(step("USER_TASK"))
        instance = self.client.start_instance(self.name, {"a": {"b": [1, 2.5, "ü", None]}}, definition_version=1,
                                              business_key="K")
        self.assertEqual(instance["status"], "WAITING")
        self.assertEqual(instance["definitionVersion"], 1)
        again = self.client.get_instance(instance["id"])
        self.assertEqual(again["variables"], {"a": {"b": [1, 2.5, "ü", None]}})
        self.assertEqual(again["businessKey"], "K")
        with self.assertRaises(Conflict):
            self.client.start_instance(self.name, business_key="K")

    def test_a_test_waits_for_nobody(self):
        self.deploy(step("WAIT"))
        instance = self.client.start_instance(self.name, is_test=True)
        self.assertEqual((instance["status"], instance["isTest"]), ("COMPLETED", True))

    def test_a_key_of_ones_own_gives_the_first_answer_again(self):
        self.deploy(step("WAIT"))
        first = self.client.start_instance(self.name, idempotency_key=self.name)
        self.assertEqual(self.client.start_instance(self.name, idempotency_key=self.name)["id"], first["id"])
        self.assertEqual(self.client.list_instances(self.name)["total"], 1)

    def test_unknown_definition_and_instance(self):
        with self.assertRaises(NotFound):
            self.client.start_instance("nothing-of-that-name")
        with self.assertRaises(NotFound) as caught:
            self.client.get_instance("nope")
        self.assertEqual(caught.exception.error, "not-found")
        self.assertIn("nope", caught.exception.reason)

    def test_start_can_wait_for_the_end(self):
        self.deploy_job()
        answers = []
        starter = threading.Thread(target=lambda: answers.append(
            self.client.start_instance(self.name, wait_seconds=PATIENCE)))
        starter.start()
        self.client.complete_job(self.poll()[0]["id"], "w", {"done": True})
        starter.join(PATIENCE)
        self.assertEqual(answers[0]["status"], "COMPLETED")
        self.assertEqual(answers[0]["variables"], {"done": True})

    def test_lists_and_iterators(self):
        self.deploy(step("WAIT"))
        started = [self.client.start_instance(self.name)["id"] for _ in range(5)]
        self.client.cancel_instance(started[0])
        page = self.client.list_instances(self.name, page_size=2)
        self.assertEqual((page["total"], len(page["items"])), (5, 2))
        found = [item["id"] for item in self.client.iter_instances(self.name, page_size=2)]
        self.assertEqual(found, started[::-1])
        waiting = [item["id"] for item in self.client.iter_instances(self.name, status="WAITING")]
        self.assertEqual(waiting, started[:0:-1])

    def test_cancel(self):
        self.deploy(step("WAIT"))
        instance = self.client.start_instance(self.name)["id"]
        self.assertEqual(self.client.cancel_instance(instance, "no need")["failureReason"], "no need")
        with self.assertRaises(Conflict):
            self.client.cancel_instance(instance)

    def test_history_and_explanation(self):
        self.deploy(step("WAIT"))
        instance = self.client.start_instance(self.name)["id"]
        explained = self.client.explain_instance(instance)
        self.assertEqual(explained["tokens"][0]["stepId"], "step")
        self.assertTrue(explained["tokens"][0]["why"])
        history = self.client.get_instance_history(instance)
        self.assertEqual([(row["stepId"], row["status"]) for row in history], [("step", "RUNNING")])

    def test_signal(self):
        self.deploy(step("WAIT"))
        instance = self.client.start_instance(self.name, {"a": 1})["id"]
        self.client.signal(instance, "step", {"b": 2})
        ended = self.client.get_instance(instance)
        self.assertEqual((ended["status"], ended["variables"]), ("COMPLETED", {"a": 1, "b": 2}))
        with self.assertRaises(Conflict):
            self.client.signal(instance, "step")

    def test_retry(self):
        self.deploy_job()
        instance = self.client.start_instance(self.name, {"a": 1})["id"]
        self.client.fail_job(self.poll()[0]["id"], "w", "broken", retryable=False)
        failed = self.client.get_instance(instance)
        self.assertEqual((failed["status"], failed["failureReason"]), ("FAILED", "broken"))
        self.assertEqual(self.client.retry_step(instance, "step", {"a": 2})["status"], "ACTIVE")
        job = self.poll()[0]
        self.assertEqual(job["variables"], {"a": 2})
        self.client.complete_job(job["id"], "w")
        self.assertEqual(self.client.get_instance(instance)["status"], "COMPLETED")


class Events(ClientCase):
    def test_events_come_as_they_happen_and_end_with_the_instance(self):
        self.deploy(step("WAIT", "first", "second"), step("WAIT", "second"))
        instance = self.client.start_instance(self.name)["id"]
        events = self.client.events(instance)
        seen = [next(events)]
        self.client.signal(instance, "first")
        seen.append(next(events))
        self.client.signal(instance, "second")
        seen += list(events)
        self.assertEqual([event.event for event in seen], ["start", "signal", "signal", "end"])
        self.assertEqual([event.id for event in seen], ["1", "2", "3", None])
        self.assertEqual(seen[-1].data["status"], "COMPLETED")

    def test_a_stream_can_start_later(self):
        self.deploy(step("WAIT"))
        instance = self.client.start_instance(self.name)["id"]
        self.client.signal(instance, "step")
        self.assertEqual([event.event for event in self.client.events(instance, "1")], ["signal", "end"])

    def test_waiting_for_an_instance(self):
        self.deploy(step("WAIT"))
        instance = self.client.start_instance(self.name)["id"]
        events = self.client.events(instance)
        next(events)
        signaller = threading.Thread(target=self.client.signal, args=(instance, "step"))
        signaller.start()
        self.assertEqual(self.client.wait_for_instance(instance)["status"], "COMPLETED")
        signaller.join(PATIENCE)
        self.assertEqual([event.event for event in events], ["signal", "end"])

    def test_unknown_instance(self):
        with self.assertRaises(NotFound):
            next(self.client.events("nope"))


class UserTasks(ClientCase):
    def test_tasks_are_listed_and_completed_both_ways(self):
        self.deploy(step("USER_TASK", jobType="form"))
        instances = [self.client.start_instance(self.name)["id"] for _ in range(3)]
        page = self.client.list_user_tasks(definition_id=self.name, page_size=2)
        self.assertEqual((page["total"], len(page["items"])), (3, 2))
        tasks = list(self.client.iter_user_tasks(definition_id=self.name, job_type="form", page_size=2))
        self.assertEqual([task["instanceId"] for task in tasks], instances)
        self.client.complete_user_task(instances[0], "step", {"ok": True}, completed_by="ann")
        self.client.complete_user_task_by_id(tasks[1]["id"], {"ok": False})
        self.assertEqual([self.client.get_instance(instance)["variables"] for instance in instances],
                         [{"ok": True}, {"ok": False}, {}])
        left = list(self.client.iter_user_tasks(instance_id=instances[2]))
        self.assertEqual([task["id"] for task in left], [tasks[2]["id"]])
        with self.assertRaises((Conflict, NotFound)):
            self.client.complete_user_task(instances[0], "step")


class Jobs(ClientCase):
    def test_poll_complete_and_list(self):
        self.deploy_job(retryCount=2)
        instance = self.client.start_instance(self.name, {"a": 1})["id"]
        self.assertEqual([job["status"] for job in self.client.iter_jobs(self.name)], ["UNLOCKED"])
        job = self.poll()[0]
        self.assertEqual((job["instanceId"], job["stepId"], job["jobType"], job["retriesRemaining"], job["variables"]),
                         (instance, "step", self.name, 2, {"a": 1}))
        self.until_told(instance)
        self.assertEqual(self.client.list_jobs(instance_id=instance)["items"][0]["workerId"], "w")
        self.client.complete_job(job["id"], "w", {"b": 2})
        self.client.complete_job(job["id"], "w", {"b": 3})
        self.assertEqual(self.client.get_instance(instance)["variables"], {"a": 1, "b": 2})
        self.assertEqual(self.client.list_jobs(self.name)["items"], [])

    def test_a_poll_without_jobs_is_empty(self):
        self.assertEqual(self.client.poll_jobs("w", [self.name]), [])

    def test_a_failed_job_comes_again_while_there_are_retries(self):
        self.deploy_job(retryCount=1)
        instance = self.client.start_instance(self.name)["id"]
        for left in (1, 0):
            job = self.poll()[0]
            self.assertEqual(job["retriesRemaining"], left)
            self.client.fail_job(job["id"], "w", f"try {left}", retryable=True)
        self.assertEqual(self.client.get_instance(instance)["failureReason"], "try 0")

    def test_a_lease_can_be_extended_by_its_holder(self):
        self.deploy_job()
        self.client.start_instance(self.name)
        job = self.poll(lease_seconds=60)[0]
        extended = self.client.extend_job(job["id"], "w", 600)
        self.assertGreater(extended["lockExpiresAt"], job["lockExpiresAt"])
        with self.assertRaises((Conflict, NotFound)):
            self.client.extend_job(job["id"], "somebody else", 600)

    def test_a_batch_is_one_round(self):
        self.deploy_job()
        instances = [self.client.start_instance(self.name, {"n": n})["id"] for n in range(3)]
        jobs = self.poll(2)
        answer = self.client.batch_jobs(
            "w", complete=[{"id": jobs[0]["id"], "variables": {"ok": 1}}],
            fail=[{"id": jobs[1]["id"], "errorMessage": "no", "retryable": False}],
            poll=Client.poll_request([self.name], 5))
        self.assertEqual([item["status"] for item in answer["completed"] + answer["failed"]], [204, 204])
        self.assertEqual([job["variables"] for job in answer["jobs"]], [{"n": 2}])
        self.assertEqual([self.client.get_instance(i)["status"] for i in instances],
                         ["COMPLETED", "FAILED", "ACTIVE"])
        self.client.batch_jobs("w", complete=[{"id": answer["jobs"][0]["id"]}])

    def test_closing_wakes_a_poll_that_waits(self):
        caught = []

        def wait():
            try:
                self.client.poll_jobs("w", [self.name], wait_seconds=PATIENCE)
            except ClientClosed as error:
                caught.append(error)

        poller = threading.Thread(target=wait)
        poller.start()
        self.client.close()
        poller.join(PATIENCE)
        self.assertEqual(len(caught), 1)


class Tokens(unittest.TestCase):
    def test_a_token_is_asked_and_sent(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("s3cret\n")
            file.flush()
            guarded = Engine("--auth-token-file", file.name)
        try:
            with Client(guarded.url, token="s3cret") as client:
                self.assertEqual(client.list_definitions()["items"], [])
            for token in (None, "wrong"):
                with Client(guarded.url, token=token) as client, self.assertRaises(Unauthorized):
                    client.list_definitions()
        finally:
            guarded.stop()


if __name__ == "__main__":
    unittest.main()
