"""Boundary timers, with durations short enough to wait for."""

from harness import PATIENCE, Case, Events, main
from pace import paced
from steps import end, person, service, timer, wait


class Timers(Case):
    def test_an_interrupting_timer_takes_over(self):
        kind = self.fresh()
        for step in (wait("x", "end", boundaryEvents=[timer("PT0.2S", "late")]), person("x", "end", boundaryEvents=[timer("PT0.2S", "late")]),
                     service("x", "end", kind, boundaryEvents=[timer("PT0.2S", "late")])):
            with self.subTest(step["type"]):
                got = self.start(self.upload([step, end(), end("late")]), wait=PATIENCE)
                self.assertEqual((got["status"], got["currentStepIds"]), ("COMPLETED", []))
                rows = self.history(got["id"])
                self.assertEqual([(r["stepId"], r["status"], r["failureReason"]) for r in rows],
                                 [("x", "FAILED", "interrupted by boundary timer"), ("late", "COMPLETED", None)])
        self.assertEqual(self.poll(kind), [])

    @paced
    def test_a_job_that_was_interrupted_is_lost_for_its_worker(self, pace):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind, boundaryEvents=[timer(pace.duration(0.3), "w")]), wait("w", "end"), end()])
        got = self.start(name)
        job, = self.poll(kind)
        with Events(self.server, got["id"]) as events:
            while events.next()[1] != "fire_timer":
                pass
        self.complete(job, {"late": True})
        after = self.instance(got["id"])
        self.assertEqual((after["currentStepIds"], after["variables"]), (["w"], {}))

    def test_a_timer_that_does_not_interrupt_adds_a_branch(self):
        kind = self.fresh()
        name = self.upload([person("p", "end", boundaryEvents=[timer("PT0.1S", "note", False)]), service("note", "w", kind),
                            wait("w", "end"), end()])
        got = self.start(name)
        job = self.take(kind)
        self.assertEqual(self.instance(got["id"])["currentStepIds"], ["p", "note"])
        self.complete(job)
        self.assertEqual(self.instance(got["id"])["currentStepIds"], ["p", "w"])
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/user-tasks/p/complete").status, 204)
        self.assertEqual(self.instance(got["id"])["status"], "COMPLETED")
        self.assertIn(("w", "RUNNING"), self.visits(got["id"]))

    def test_several_timers_on_one_step_fire_each_once(self):
        kind = self.fresh()
        timers = [timer("PT0.1S", "note", False), timer("PT0.2S", "note", False), timer("PT0.3S", "late")]
        name = self.upload([wait("w", "end", boundaryEvents=timers), service("note", None, kind), end(), end("late")])
        got = self.start(name, wait=PATIENCE)
        visits = [step for step, _ in self.visits(got["id"])]
        self.assertEqual((visits.count("note"), visits.count("late")), (2, 1))

    @paced
    def test_a_timer_ends_with_its_step(self, pace):
        before = self.metric("pawl_timers_fired_total")
        name = self.upload([wait("w", "x", boundaryEvents=[timer(pace.duration(0.3), "late")]),
                            wait("x", "end", boundaryEvents=[timer(pace.duration(0.4), "end")]), end(), end("late")])
        got = self.start(name)
        self.assertEqual(self.post(f"/v1/instances/{got['id']}/signals/w").status, 204)
        self.assertEqual(self.ended(got["id"])["status"], "COMPLETED")
        self.assertNotIn("late", [step for step, _ in self.visits(got["id"])])
        self.assertEqual(self.metric("pawl_timers_fired_total"), before + 1)

    @paced
    def test_the_retries_of_a_job_do_not_restart_its_timer(self, pace):
        kind = self.fresh()
        name = self.upload([service("s", "end", kind, retryCount=1000, boundaryEvents=[timer(pace.duration(0.5), "late")]), end(), end("late")])
        got = self.start(name)
        for _ in range(3):
            self.fail_job(self.take(kind, waitSeconds=pace.seconds(0.5)), retryable=True)
        done = self.ended(got["id"])
        self.assertEqual(done["status"], "COMPLETED")
        self.assertEqual([step for step, _ in self.visits(got["id"])], ["s", "late"])

    def test_explain_shows_when_timers_are_due(self):
        got = self.start(self.upload([wait("w", "end", boundaryEvents=[timer("PT1H", "end"), timer("P2D", "end", False)]), end()]))
        token, = self.get(f"/v1/instances/{got['id']}/explain").json["tokens"]
        self.assertEqual(len(token["timersDueAt"]), 2)
        self.assertLess(*token["timersDueAt"])


if __name__ == "__main__":
    main()
