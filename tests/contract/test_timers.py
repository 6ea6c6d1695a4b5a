"""Boundary timers: both kinds, on every step type that can have them."""

from datetime import datetime

from contract import Contract, cases, end, fresh, main, paced, service, timer, user, wait
from engine import PATIENCE

SHORT = "PT0.15S"


def moment(text):
    return datetime.fromisoformat(text[:-1])


class Timers(Contract):
    def setUp(self):
        self.late, self.job = fresh("late"), fresh("job")

    def steps(self, kind, *events, **fields):
        first = {"service": service("p", "end", self.job, boundaryEvents=list(events), **fields),
                 "user": user("p", "end", boundaryEvents=list(events)),
                 "wait": wait("p", "end", boundaryEvents=list(events))}[kind]
        return [first, service("l", "lend", self.late), end(), end("lend")]

    def finish(self, kind, made, status=204):
        if kind == "service":
            self.complete(self.take(self.job))
        elif kind == "user":
            self.complete_task(made, "p", None, status)
        else:
            self.signal(made, "p", None, status)

    @cases(("service",), ("user",), ("wait",))
    def test_a_timer_that_does_not_interrupt_goes_alongside(self, kind):
        made = self.begin(self.steps(kind, timer(SHORT, "l", False)), {"n": 1})
        job = self.take(self.late)
        self.assertEqual((job["stepId"], job["variables"]), ("l", {"n": 1}))
        self.assertEqual(self.instance(made)["currentStepIds"], ["p", "l"])
        self.assertEqual(self.row(made, "p")["status"], "RUNNING")
        self.finish(kind, made)
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["currentStepIds"]), ("COMPLETED", ["l"]))

    @cases(("service",), ("user",), ("wait",))
    @paced
    def test_a_timer_that_interrupts_takes_over(self, kind, pace):
        made = self.begin(self.steps(kind, timer(pace.duration(0.15), "l", True)))
        old = self.take(self.job, waitSeconds=pace.seconds(0.15)) if kind == "service" else None
        job = self.take(self.late)
        self.assertEqual(self.instance(made)["currentStepIds"], ["l"])
        row = self.row(made, "p")
        self.assertEqual((row["status"], row["failureReason"]), ("FAILED", "interrupted by boundary timer"))
        self.assertIsNotNone(row["endedAt"])
        if kind == "service":
            before = self.instance(made)
            self.complete(old, {"x": 1})
            self.assertEqual(self.instance(made), before)
            self.assertEqual(self.poll(self.job), [])
        elif kind == "user":
            self.refused(self.complete_task(made, "p", None, 404), 404, "not-found")
        else:
            self.refused(self.signal(made, "p", None, 409), 409, "conflict")
        self.complete(job)
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    @cases(("service",), ("user",), ("wait",))
    @paced
    def test_a_finished_step_has_no_timer(self, kind, pace):
        made = self.begin([dict(self.steps(kind, timer(pace.duration(0.3), "l", False))[0], nextStep="hold"),
                           user("hold", "end")] + self.steps(kind)[1:])
        self.finish(kind, made)
        self.assertEqual(self.poll(self.late, waitSeconds=pace.seconds(0.35)), [])
        self.assertEqual(self.rows(made), [("p", 1, "COMPLETED"), ("hold", 1, "RUNNING")])

    @paced
    def test_several_timers_on_one_step(self, pace):
        other = fresh("other")
        made = self.begin([user("p", "end", boundaryEvents=[timer(pace.duration(0.4), "m", True), timer("PT0.1S", "l", False)]),
                           service("l", "end", self.late),
                           service("m", "end", other), end()])
        self.take(self.late)
        self.assertEqual(self.instance(made)["currentStepIds"], ["p", "l"])
        self.take(other)
        self.assertEqual(self.instance(made)["currentStepIds"], ["l", "m"])

    def test_an_interruption_removes_the_other_timers(self):
        other = fresh("other")
        self.begin([user("p", "end", boundaryEvents=[timer("PT0.1S", "l", True), timer("PT0.2S", "m", False)]),
                    service("l", "end", self.late),
                    service("m", "end", other), end()])
        self.take(self.late)
        self.assertEqual(self.poll(other, waitSeconds=0.3), [])

    def test_it_fires_once(self):
        made = self.begin(self.steps("user", timer("PT0.05S", "l", False)))
        self.take(self.late)
        self.assertEqual(self.poll(self.late, waitSeconds=0.25), [])
        self.assertEqual(len([row for row in self.rows(made) if row[0] == "l"]), 1)

    @cases(("PT0.2S", 0.2), ("P0DT0.2S", 0.2), ("PT0.005M", 0.3))
    def test_it_fires_on_time(self, duration, seconds):
        made = self.begin(self.steps("user", timer(duration, "l", True)))
        self.take(self.late)
        rows = self.history(made)
        passed = (moment(rows[1]["startedAt"]) - moment(rows[0]["startedAt"])).total_seconds()
        self.assertGreaterEqual(passed, seconds - 0.002)

    @paced
    def test_a_retry_of_the_job_does_not_restart_it(self, pace):
        made = self.begin(self.steps("service", timer(pace.duration(0.5), "l", True), retryCount=5))
        self.poll(self.late, waitSeconds=pace.seconds(0.3))
        self.fail_job(self.take(self.job), retryable=True)
        self.take(self.late)
        rows = self.history(made)
        self.assertLess((moment(rows[1]["startedAt"]) - moment(rows[0]["startedAt"])).total_seconds(), pace.seconds(0.78))

    @paced
    def test_a_manual_retry_starts_a_new_one(self, pace):
        made = self.begin(self.steps("service", timer(pace.duration(0.3), "l", False)))
        self.fail_job(self.take(self.job))
        self.assertEqual(self.poll(self.late, waitSeconds=pace.seconds(0.35)), [])
        self.retry(made, "p")
        self.assertEqual(self.take(self.late)["instanceId"], made)

    @paced
    def test_a_failed_instance_ignores_its_timers(self, pace):
        made = self.begin(self.steps("service", timer(pace.duration(0.3), "l", False)))
        self.fail_job(self.take(self.job))
        self.assertEqual(self.poll(self.late, waitSeconds=pace.seconds(0.35)), [])
        self.assertEqual(self.rows(made), [("p", 1, "FAILED")])

    def test_a_timer_to_an_end_finishes_the_instance(self):
        for interrupting in (True, False):
            made = self.start(self.deploy([user("p", "end", boundaryEvents=[timer("PT0.1S", "lend", interrupting)]),
                                           end(), end("lend")]), seconds=PATIENCE)
            self.assertEqual(made["status"], "COMPLETED")
            self.assertEqual(self.rows(made["id"])[-1], ("lend", 1, "COMPLETED"))

    def test_a_timer_computes_the_status_again(self):
        made = self.begin([user("p", "end", boundaryEvents=[timer("PT0.1S", "l", True)]), service("l", "m", self.late),
                           service("m", "end", fresh()), end()])
        job = self.take(self.late)
        self.assertEqual(self.instance(made)["status"], "ACTIVE")
        self.complete(job)
        self.assertEqual(self.instance(made)["status"], "ACTIVE")

    def test_an_escalation_without_an_exit_leaves_the_instance_open(self):
        made = self.begin([service("p", "end", self.job, boundaryEvents=[timer("PT0.1S", "l", True)]),
                           service("l", None, self.late), end()])
        self.work(self.late)
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["currentStepIds"]), ("ACTIVE", ["l"]))

    def test_a_timer_may_go_back_to_its_own_step(self):
        made = self.begin([user("p", "end", boundaryEvents=[timer("PT0.1S", "p", True)]), end()])
        self.until(made, lambda seen: len(self.rows(made)) >= 3)
        self.assertEqual(self.rows(made)[:2], [("p", 1, "FAILED"), ("p", 2, "FAILED")])
        self.complete_task(made, "p")
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    @paced
    def test_each_visit_has_its_own_timer(self, pace):
        made = self.begin([wait("w", "p"), user("p", "w", boundaryEvents=[timer(pace.duration(0.3), "l", False)]),
                           service("l", "end", self.late), end()])
        self.signal(made, "w")
        self.complete_task(made, "p")
        self.assertEqual(self.poll(self.late, waitSeconds=pace.seconds(0.35)), [])
        self.signal(made, "w")
        self.take(self.late)
        self.assertEqual([row for row in self.rows(made) if row[0] == "p"],
                         [("p", 1, "COMPLETED"), ("p", 2, "RUNNING")])


if __name__ == "__main__":
    main()
