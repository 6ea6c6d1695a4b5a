"""The worker: handlers, failures, leases, stopping. Against a real engine; nothing sleeps."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from server import PATIENCE, ROOT, Engine
from pawl import ApiError, Client, HandlerRegistry, NonRetryableError, RetryableError, Runner, Unauthorized
from pawl.transport import Transport

engine = None


def setUpModule():
    global engine
    logging.getLogger("pawl").setLevel(logging.CRITICAL)
    engine = Engine()


def tearDownModule():
    engine.stop()


class Registry(unittest.TestCase):
    def test_both_forms_register_and_return_the_handler(self):
        registry = HandlerRegistry()

        @registry.register("a")
        def first(ctx):
            return {}

        def second(ctx):
            return None

        self.assertIs(registry.register("b", second), second)
        self.assertIs(registry.get("a"), first)
        self.assertIs(registry.get("b"), second)
        self.assertIsNone(registry.get("c"))
        self.assertEqual(registry.job_types(), ["a", "b"])

    def test_mistakes_are_found_at_once(self):
        registry = HandlerRegistry()
        registry.register("a", lambda ctx: None)
        for job_type, handler, error in (("a", lambda ctx: None, ValueError), ("", lambda ctx: None, ValueError),
                                         ("b", "not a function", TypeError), (7, lambda ctx: None, ValueError)):
            with self.assertRaises(error):
                registry.register(job_type, handler)

    def test_a_runner_needs_sensible_numbers_and_a_handler(self):
        with Client() as client:
            for settings in ({"parallelism": 0}, {"lease_seconds": 0}):
                with self.assertRaises(ValueError):
                    Runner(client, HandlerRegistry(), **settings)
            with self.assertRaises(ValueError):
                Runner(client, HandlerRegistry()).run()


class RunnerCase(unittest.TestCase):
    def setUp(self):
        self.client = Client(engine.url)
        self.addCleanup(self.client.close)
        self.name = self.id().rsplit(".", 1)[1]
        self.registry = HandlerRegistry()

    def deploy(self, retries=0):
        self.client.upload_definition({"id": self.name, "name": self.name, "steps": [
            {"id": "work", "name": "work", "type": "SERVICE_TASK", "jobType": self.name, "retryCount": retries,
             "nextStep": "end"},
            {"id": "end", "name": "end", "type": "END"}]})

    def handle(self, handler):
        self.registry.register(self.name, handler)

    def start_runner(self, **settings):
        runner = Runner(self.client, self.registry, **settings)
        thread = threading.Thread(target=runner.run)
        thread.start()
        self.addCleanup(thread.join, PATIENCE)
        self.addCleanup(runner.stop)
        return runner, thread

    def start_and_wait(self, variables=None):
        instance = self.client.start_instance(self.name, variables, wait_seconds=PATIENCE)
        self.assertIn(instance["status"], ("COMPLETED", "FAILED"))
        return instance


class Results(RunnerCase):
    def test_a_result_is_merged_and_the_context_is_complete(self):
        contexts = []

        def handler(ctx):
            contexts.append(ctx)
            return {"sum": ctx["variables"]["a"] + ctx["variables"]["b"]}

        self.deploy(retries=3)
        self.handle(handler)
        self.start_runner()
        instance = self.start_and_wait({"a": 1, "b": 2})
        self.assertEqual(instance["variables"], {"a": 1, "b": 2, "sum": 3})
        context = contexts[0]
        self.assertEqual(set(context), {"id", "jobType", "instanceId", "stepId", "stepExecutionId",
                                        "retriesRemaining", "variables"})
        self.assertEqual((context["instanceId"], context["stepId"], context["retriesRemaining"]),
                         (instance["id"], "work", 3))

    def test_no_result_is_fine(self):
        self.deploy()
        self.handle(lambda ctx: None)
        self.start_runner()
        self.assertEqual(self.start_and_wait({"a": 1})["variables"], {"a": 1})

    def test_exceptions_use_up_the_retries(self):
        tries = []

        def handler(ctx):
            tries.append(ctx["retriesRemaining"])
            raise (RuntimeError("boom"), RetryableError("again"), KeyError())[len(tries) - 1]

        self.deploy(retries=2)
        self.handle(handler)
        self.start_runner()
        instance = self.start_and_wait()
        self.assertEqual((instance["status"], instance["failureReason"]), ("FAILED", "KeyError"))
        self.assertEqual(tries, [2, 1, 0])

    def test_a_non_retryable_error_fails_at_once(self):
        def handler(ctx):
            raise NonRetryableError("the account is closed")

        self.deploy(retries=5)
        self.handle(handler)
        self.start_runner()
        self.assertEqual(self.start_and_wait()["failureReason"], "the account is closed")

    def test_results_that_are_no_variables_fail_at_once(self):
        cases = {"list": ([1], "not a dict"), "set": ({"x": {1}}, "not JSON"), "nan": ({"x": float("nan")}, "not JSON"),
                 "large": ({"x": "y" * (5 << 20)}, "refused")}
        self.deploy(retries=5)
        self.handle(lambda ctx: cases[ctx["variables"]["case"]][0])
        self.start_runner()
        for case, (_, reason) in cases.items():
            instance = self.start_and_wait({"case": case})
            self.assertEqual(instance["status"], "FAILED")
            self.assertIn(reason, instance["failureReason"])


class Hands(RunnerCase):
    def test_as_many_handlers_run_at_once_as_allowed(self):
        together = threading.Barrier(3)

        def handler(ctx):
            together.wait(PATIENCE)

        self.deploy()
        self.handle(handler)
        self.start_runner(parallelism=3)
        instances = [self.client.start_instance(self.name)["id"] for _ in range(6)]
        for instance in instances:
            self.assertEqual(self.client.wait_for_instance(instance)["status"], "COMPLETED")

    def test_no_more_jobs_are_taken_than_there_are_hands(self):
        running, go_on = threading.Event(), threading.Event()

        def handler(ctx):
            running.set()
            self.assertTrue(go_on.wait(PATIENCE))

        self.deploy()
        self.handle(handler)
        instances = [self.client.start_instance(self.name)["id"] for _ in range(3)]
        self.start_runner(parallelism=1)
        self.assertTrue(running.wait(PATIENCE))
        deadline, states = time.monotonic() + PATIENCE, None
        while states != ["LOCKED", "UNLOCKED", "UNLOCKED"]:  # Another node hears of the lock with the next heartbeat.
            self.assertLess(time.monotonic(), deadline, states)
            states = sorted(job["status"] for job in self.client.iter_jobs(self.name))
        go_on.set()
        for instance in instances:
            self.assertEqual(self.client.wait_for_instance(instance)["status"], "COMPLETED")

    def test_a_lease_is_extended_while_its_handler_runs(self):
        extended, runs = threading.Event(), []

        class Watched(Client):
            def extend_job(self, *arguments):
                answer = super().extend_job(*arguments)
                times.append(answer["lockExpiresAt"])
                if len(times) == 3:
                    extended.set()
                return answer

        times = []

        def handler(ctx):
            runs.append(ctx["id"])
            self.assertTrue(extended.wait(PATIENCE))

        self.client = Watched(engine.url)
        self.addCleanup(self.client.close)
        self.deploy()
        self.handle(handler)
        # Three extensions take one and a half leases: without them the job would come again.
        self.start_runner(lease_seconds=1)
        self.assertEqual(self.start_and_wait()["status"], "COMPLETED")
        self.assertEqual(len(runs), 1)
        self.assertEqual(times, sorted(times))


class Late(RunnerCase):
    def test_a_result_counts_although_the_lease_was_lost(self):
        lost, runs = threading.Event(), []

        class Sleepy(Client):
            """Extends nothing, until the engine would not have it any more."""

            def extend_job(self, *arguments):
                other = self.poll_jobs("other", [name], 1, PATIENCE, 60)  # When the lease is over.
                answer = super().extend_job(*arguments)
                runs.extend(job["id"] for job in other)
                runs.append(answer)
                lost.set()
                return answer

        name = self.name
        self.client = Sleepy(engine.url)
        self.addCleanup(self.client.close)
        self.deploy()

        def handler(ctx):
            runs.append(ctx["id"])
            self.assertTrue(lost.wait(PATIENCE))
            return {"by": ctx["id"]}

        self.handle(handler)
        # The runner has its hands full, so it does not take the job a second time itself.
        self.start_runner(parallelism=1, lease_seconds=0.5)
        ended = self.start_and_wait()
        self.assertEqual((ended["status"], ended["variables"]), ("COMPLETED", {"by": runs[0]}))
        self.assertEqual((len(runs), runs[2]), (3, None))
        self.assertNotEqual(runs[1], runs[0])


class Stopping(RunnerCase):
    def test_a_waiting_runner_stops_at_once(self):
        self.handle(lambda ctx: None)
        runner, thread = self.start_runner(wait_seconds=PATIENCE * 2)
        runner.stop()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())

    def test_running_handlers_finish_and_their_results_count(self):
        running, go_on = threading.Event(), threading.Event()

        def handler(ctx):
            running.set()
            self.assertTrue(go_on.wait(PATIENCE))
            return {"done": True}

        self.deploy()
        self.handle(handler)
        runner, thread = self.start_runner(parallelism=1)
        first, second = (self.client.start_instance(self.name)["id"] for _ in range(2))
        self.assertTrue(running.wait(PATIENCE))
        runner.stop()
        go_on.set()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())
        self.assertEqual(self.client.get_instance(first)["variables"], {"done": True})
        self.assertEqual(self.client.get_instance(second)["status"], "ACTIVE")

    def test_an_event_stops_it_too(self):
        stop = threading.Event()
        self.handle(lambda ctx: None)
        runner = Runner(self.client, self.registry)
        thread = threading.Thread(target=runner.run, args=(stop,))
        thread.start()
        stop.set()
        thread.join(PATIENCE)
        self.assertFalse(thread.is_alive())
        with self.assertRaises(RuntimeError):
            runner.run()

    def test_a_signal_stops_it_when_asked(self):
        program = ("from pawl import *\n"
                   "import sys\n"
                   "registry = HandlerRegistry()\n"
                   "@registry.register('signal-test')\n"
                   "def handler(ctx):\n"
                   "    print('running', flush=True)\n"
                   "    sys.stdin.read()\n"
                   "    return {'done': True}\n"
                   "Runner(Client(sys.argv[1]), registry).run(handle_signals=True)\n")
        self.client.upload_definition({"id": self.name, "name": self.name, "steps": [
            {"id": "work", "name": "work", "type": "SERVICE_TASK", "jobType": "signal-test", "nextStep": "end"},
            {"id": "end", "name": "end", "type": "END"}]})
        instance = self.client.start_instance(self.name)["id"]
        worker = subprocess.Popen([sys.executable, "-c", program, engine.url], text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE,
                                  env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "sdk", "python")})
        self.addCleanup(worker.kill)
        self.assertEqual(worker.stdout.readline(), "running\n")
        worker.send_signal(signal.SIGTERM)
        worker.communicate("", timeout=PATIENCE)
        self.assertEqual(worker.returncode, 0)
        self.assertEqual(self.client.get_instance(instance)["variables"], {"done": True})


class Trouble(RunnerCase):
    def test_what_cannot_get_better_ends_the_run(self):
        self.handle(lambda ctx: None)
        with self.assertRaises(ApiError) as caught:
            Runner(self.client, self.registry, worker_id="w" * 300).run()
        self.assertIn("workerId", caught.exception.reason)

    def test_a_wrong_token_ends_the_run(self):
        token = os.path.join(engine.directory, "token")
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
            file.write("s3cret")
        guarded = Engine("--auth-token-file", token)
        self.addCleanup(guarded.stop)
        self.handle(lambda ctx: None)
        with Client(guarded.url, token="wrong") as client, self.assertRaises(Unauthorized):
            Runner(client, self.registry).run()

    def test_an_engine_that_comes_back_is_polled_again(self):
        self.addCleanup(setattr, Transport, "FIRST_PAUSE", Transport.FIRST_PAUSE)
        Transport.FIRST_PAUSE = 0.01
        restarted = Engine()
        self.addCleanup(restarted.stop)
        self.client = Client(restarted.url)
        self.addCleanup(self.client.close)
        done = threading.Event()

        def handler(ctx):
            done.set()
            return {"done": True}

        self.deploy()
        self.handle(handler)
        self.start_runner(wait_seconds=PATIENCE)
        restarted.kill()
        restarted.start()
        self.assertTrue(self.start_and_wait()["variables"]["done"])


if __name__ == "__main__":
    unittest.main()
