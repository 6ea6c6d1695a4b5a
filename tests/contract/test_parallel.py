"""PARALLEL_GATEWAY and JOIN_GATEWAY: a join counts the arrivals of one fork activation."""

from contract import Contract, cases, decide, end, fork, fresh, join, main, service, timer, transform, user, wait


class Parallel(Contract):
    def count(self, made, name):
        return len([row for row in self.rows(made) if row[0] == name])

    def test_all_branches_start_at_once_in_array_order(self):
        jobs = [fresh("job") for _ in range(3)]
        made = self.begin([fork("f", ["c", "a", "b"], "j"), service("a", "j", jobs[0]), service("b", "j", jobs[1]),
                           service("c", "j", jobs[2]),
                           join("j", "end"), end()])
        self.assertEqual([job["stepId"] for job in self.poll(*jobs)], ["c", "a", "b"])
        self.assertEqual([row[0] for row in self.rows(made)], ["f", "c", "a", "b"])

    def test_the_join_waits_for_all(self):
        jobs = [fresh("job") for _ in range(3)]
        made = self.begin([fork("f", ["a", "b", "c"], "j")] + [service(name, "j", job) for name,
                                                            job in zip("abc", jobs)] + [join("j", "end"), end()])
        for number, job in enumerate(jobs):
            self.assertEqual(self.instance(made)["status"], "ACTIVE")
            self.work(job, {"r%d" % number: number})
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["variables"], seen["currentStepIds"]),
                         ("COMPLETED", {"r0": 0, "r1": 1, "r2": 2}, []))

    def test_the_join_is_listed_from_the_first_arrival_until_it_opens(self):
        made = self.begin([fork("f", ["a", "b", "c"], "j"), wait("a", "j"), wait("b", "j"), wait("c", "j"),
                           join("j", "u"), user("u", "end"), end()])
        self.assertEqual(self.instance(made)["currentStepIds"], ["a", "b", "c"])
        self.signal(made, "b")
        self.assertEqual(self.instance(made)["currentStepIds"], ["a", "c", "j"])
        self.signal(made, "a")
        self.assertEqual(self.instance(made)["currentStepIds"], ["c", "j"])
        self.signal(made, "c")
        self.assertEqual(self.instance(made)["currentStepIds"], ["u"])

    def test_a_branch_of_several_steps(self):
        made = self.begin([fork("f", ["a1", "b1"], "j"), wait("a1", "a2"), wait("a2", "a3"), wait("a3", "j"),
                           wait("b1", "j"), join("j", "after"),
                           transform("after", "end", {"n": "${n + 1}"}), end()], {"n": 0})
        self.signal(made, "a1")
        self.signal(made, "b1")
        self.assertEqual((self.instance(made)["status"], self.count(made, "after")), ("WAITING", 0))
        self.signal(made, "a2")
        self.assertEqual(self.count(made, "after"), 0)
        self.signal(made, "a3")
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["variables"], self.count(made, "after")), ("COMPLETED", {"n": 1}, 1))

    def test_branches_that_need_nobody(self):
        made = self.run_steps([fork("f", ["a", "b", "c"], "j"), transform("a", "j", {"x": 1}),
                               transform("b", "j", {"y": "${x + 1}"}),
                               transform("c", "j", {"z": "${y + 1}"}), join("j", "end"), end()])
        self.assertEqual((made["status"], made["variables"]), ("COMPLETED", {"x": 1, "y": 2, "z": 3}))

    @cases((True,), (False,))
    def test_a_decision_at_the_head_of_a_branch(self, long_way):
        made = self.begin([fork("f", ["d", "b"], "j"), decide("d", {"long": "a", "!long": "j"}), wait("a", "j"),
                           wait("b", "j"), join("j", "end"), end()],
                          {"long": long_way})
        self.signal(made, "b")
        if long_way:
            self.assertEqual(self.instance(made)["status"], "WAITING")
            self.signal(made, "a")
        self.assertEqual((self.instance(made)["status"], self.count(made, "end")), ("COMPLETED", 1))

    def test_a_loop_inside_a_branch_arrives_once(self):
        made = self.begin([fork("f", ["a", "b"], "j"), wait("a", "d"), decide("d", {"again": "a", "!again": "j"}),
                           wait("b", "j"), join("j", "end"), end()])
        self.signal(made, "a", {"again": True})
        self.signal(made, "a", {"again": True})
        self.assertEqual(self.instance(made)["status"], "WAITING")
        self.signal(made, "a", {"again": False})
        self.assertEqual(self.instance(made)["status"], "WAITING")
        self.signal(made, "b")
        self.assertEqual((self.instance(made)["status"], self.count(made, "j")), ("COMPLETED", 1))

    def test_a_loop_around_the_gateway_counts_again(self):
        made = self.begin([fork("f", ["a", "b"], "j"), wait("a", "j"), wait("b", "j"), join("j", "d"),
                           decide("d", {"again": "f", "!again": "end"}), end()])
        for again in (True, True, False):
            self.signal(made, "a", {"again": again})
            self.assertIn("b", self.instance(made)["currentStepIds"])
            self.assertEqual(self.instance(made)["status"], "WAITING")
            self.signal(made, "b")
        self.assertEqual(self.instance(made)["status"], "COMPLETED")
        self.assertEqual([(row[0], row[1]) for row in self.rows(made) if row[0] in "fj"],
                         [("f", 1), ("j", 1), ("f", 2), ("j", 2), ("f", 3), ("j", 3)])

    def test_two_gateways_one_after_the_other(self):
        made = self.begin([fork("f", ["a", "b"], "j"), wait("a", "j"), wait("b", "j"), join("j", "g"),
                           fork("g", ["c", "d"], "k"), wait("c", "k"), wait("d", "k"),
                           join("k", "end"), end()])
        for name in ("a", "b", "c"):
            self.signal(made, name)
        self.assertEqual(self.instance(made)["currentStepIds"], ["d", "k"])
        self.signal(made, "d")
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    def test_a_branch_may_start_at_the_join(self):
        answer = self.upload({"id": fresh("direct"), "name": "n", "steps": [fork("f", ["a", "j"], "j"), wait("a", "j"),
                                                            join("j", "end"), end()]})
        if answer.status != 201:
            return self.refused(answer, 400, "bad-request")
        made = self.start(answer.json["id"])["id"]
        self.signal(made, "a")
        self.assertEqual(self.instance(made)["status"], "COMPLETED")

    def test_an_end_in_a_branch_completes_the_instance_at_once(self):
        job = fresh("job")
        made = self.begin([fork("f", ["a", "b", "s"], "j"), wait("a", "early"), wait("b", "j"), service("s", "j", job),
                           join("j", "end"), end(), end("early")])
        self.signal(made, "a")
        seen = self.instance(made)
        self.assertEqual((seen["status"], seen["currentStepIds"]), ("COMPLETED", ["b", "s"]))
        self.assertIn("completedAt", seen)
        self.assertEqual(self.poll(job), [])
        self.refused(self.signal(made, "b", None, 409), 409, "conflict")
        self.assertEqual(self.count(made, "end"), 0)

    def test_an_end_in_the_first_branch_when_the_others_have_not_started(self):
        job = fresh("job")
        made = self.run_steps([fork("f", ["d", "s"], "j"), decide("d", {"true": "early", "false": "j"}),
                               service("s", "j", job), join("j", "end"), end(), end("early")])
        self.assertEqual(made["status"], "COMPLETED")
        self.assertEqual(self.poll(job), [])

    @cases(("user",), ("service",))
    def test_a_branch_that_leaves_lets_the_join_wait_for_ever(self, kind):
        job = fresh("job")
        side = user("side") if kind == "user" else service("side", None, job)
        made = self.begin([fork("f", ["d", "b"], "j"), decide("d", {"stay": "j", "!stay": "side"}), side,
                           wait("b", "j"),
                           join("j", "end"), end()], {"stay": False})
        self.signal(made, "b")
        if kind == "user":
            self.complete_task(made, "side")
        else:
            self.work(job)
        self.assertIn("j", self.instance(made)["currentStepIds"])
        self.assertNotIn("completedAt", self.instance(made))

    def test_variables_of_branches_meet(self):
        one, two = fresh("one"), fresh("two")
        made = self.begin([fork("f", ["a", "b"], "j"), service("a", "j", one), service("b", "j", two), join("j", "end"),
                           end()], {"shared": {"seed": 1}})
        self.work(one, {"shared": {"a": 1}})
        self.work(two, {"shared": {"b": 2}})
        self.assertEqual(self.variables(made), {"shared": {"seed": 1, "a": 1, "b": 2}})

    def test_a_failure_in_a_branch_fails_the_instance(self):
        made = self.begin([fork("f", ["a", "b"], "j"), wait("a", "d"), decide("d", {"false": "j"}), wait("b", "j"),
                           join("j", "end"), end()])
        self.signal(made, "a")
        self.assert_failed(made, "DecisionNoBranchMatched")

    def test_a_failure_in_the_first_branch_still_answers_the_start(self):
        made = self.start(self.deploy([fork("f", ["d", "b"], "j"), decide("d", {"false": "j"}), wait("b", "j"),
                                       join("j", "end"), end()]))
        self.assertEqual(made["status"], "FAILED")

    def test_many_branches(self):
        names = ["s%d" % number for number in range(20)]
        job = fresh("job")
        made = self.begin([fork("f", names, "j")] + [service(name, "j", job) for name in names] + [join("j", "end"),
                                                            end()])
        jobs = self.poll(job, maxJobs=50)
        self.assertEqual([one["stepId"] for one in jobs], names)
        for one in jobs:
            self.complete(one, {one["stepId"]: True})
        seen = self.instance(made)
        self.assertEqual((seen["status"], len(seen["variables"])), ("COMPLETED", 20))

    def test_concurrent_completions_open_the_join_once(self):
        names = ["s%d" % number for number in range(4)]
        job = fresh("job")
        made = self.begin([fork("f", names, "j")] + [service(name, "j", job) for name in names] + [join("j", "end"),
                                                            end()])
        jobs = self.poll(job)
        self.together(*[lambda one=one: self.complete(one) for one in jobs])()
        self.assertEqual((self.instance(made)["status"], self.count(made, "j"), self.count(made, "end")),
                         ("COMPLETED", 1, 1))

    def test_a_step_that_two_branches_share_runs_twice(self):
        made = self.begin([fork("f", ["a", "b"], "j"), wait("a", "x"), wait("b", "x"), user("x", "j"), join("j", "end"),
                           end()])
        self.signal(made, "a")
        self.signal(made, "b")
        self.assertEqual(self.instance(made)["currentStepIds"], ["x"])
        self.complete_task(made, "x")
        self.assertEqual(self.instance(made)["currentStepIds"], ["x", "j"])
        self.complete_task(made, "x")
        self.assertEqual((self.instance(made)["status"], self.count(made, "x"), self.count(made, "j")),
                         ("COMPLETED", 2, 1))

    def test_a_retried_branch_still_counts(self):
        job = fresh("job")
        made = self.begin([fork("f", ["a", "b"], "j"), service("a", "j", job), wait("b", "j"), join("j", "end"), end()])
        self.signal(made, "b")
        self.fail_job(self.take(job))
        self.retry(made, "a")
        self.work(job)
        self.assertEqual((self.instance(made)["status"], self.count(made, "j")), ("COMPLETED", 1))

    def test_a_timer_that_does_not_interrupt_is_no_arrival_of_another_branch(self):
        late = fresh("late")
        made = self.begin([fork("f", ["a", "b"], "j"), user("a", "j", boundaryEvents=[timer("PT0.05S", "l", False)]),
                           service("l", "j", late), wait("b", "j"), join("j", "end"), end()])
        self.work(late)
        self.complete_task(made, "a")
        self.assertEqual(self.instance(made)["status"], "WAITING")
        self.signal(made, "b")
        self.assertEqual((self.instance(made)["status"], self.count(made, "end")), ("COMPLETED", 1))

    def test_an_interrupting_timer_in_a_branch_takes_its_place_at_the_join(self):
        late = fresh("late")
        made = self.begin([fork("f", ["a", "b"], "j"), user("a", "j", boundaryEvents=[timer("PT0.1S", "l", True)]),
                           service("l", "j", late), wait("b", "j"),
                           join("j", "end"), end()])
        self.signal(made, "b")
        self.work(late)
        self.assertEqual((self.instance(made)["status"], self.count(made, "j")), ("COMPLETED", 1))


if __name__ == "__main__":
    main()
