"""Chaining, and the seed's two loan workflows with its table of terminal states."""

from contract import Contract, cases, decide, end, fork, fresh, join, main, service, table, timer, transform, user, wait


class Chaining(Contract):
    def setUp(self):
        self.target, self.job = fresh("target"), fresh("job")

    def deploy_target(self, **fields):
        return self.deploy([service("first", "end", self.job), end()], self.target, **fields)

    def parent(self, steps=None, **fields):
        fields.setdefault("autoStartNextWorkflow", True)
        return self.deploy(steps or [end()], nextWorkflowId=self.target, **fields)

    def children(self):
        return self.get("/v1/instances?definitionId=" + self.target).json["items"]

    def test_the_child_has_the_variables_at_the_end(self):
        self.deploy_target()
        name = self.parent([transform("t", "end", {"b": {"c": [1, 2.50]}}), end()])
        made = self.start(name, {"a": 1})
        job = self.take(self.job)
        self.assertEqual(job["variables"], {"a": 1, "b": {"c": [1, 2.5]}})
        self.assertNotEqual(job["instanceId"], made["id"])
        self.assertEqual(self.instance(job["instanceId"])["definitionId"], self.target)

    def test_the_child_has_the_same_business_key(self):
        self.deploy_target()
        key = fresh("key")
        self.start(self.parent(), businessKey=key)
        child = self.instance(self.take(self.job)["instanceId"])
        self.assertEqual(child["businessKey"], key)

    def test_without_a_key_the_child_has_none(self):
        self.deploy_target()
        self.start(self.parent())
        self.assertNotIn("businessKey", self.instance(self.take(self.job)["instanceId"]))

    def test_the_child_runs_the_latest_version(self):
        self.deploy_target()
        name = self.parent()
        self.deploy_target(description="second")
        self.start(name)
        self.assertEqual(self.instance(self.take(self.job)["instanceId"])["definitionVersion"], 2)

    def test_exactly_one_child(self):
        self.deploy_target()
        self.start(self.parent())
        self.take(self.job)
        self.assertEqual(self.poll(self.job, waitSeconds=0.2), [])
        self.assertEqual(len(self.children()), 1)

    def test_a_target_that_is_deployed_later(self):
        made = self.start(self.parent(), {"a": 1}, businessKey=fresh("key"))
        self.assertEqual(made["status"], "COMPLETED")
        self.assertEqual(self.poll(self.job), [])
        self.deploy_target()
        self.assertEqual(self.take(self.job)["variables"], {"a": 1})
        self.assertEqual(len(self.children()), 1)

    @cases((False,), (None,))
    def test_without_the_switch_nothing_starts(self, switch):
        self.deploy_target()
        fields = {} if switch is None else {"autoStartNextWorkflow": switch}
        self.start(self.deploy([end()], nextWorkflowId=self.target, **fields))
        self.assertEqual(self.poll(self.job, waitSeconds=0.1), [])

    def test_an_end_can_say_no(self):
        self.deploy_target()
        name = self.parent([decide("d", {"ok": "good", "!ok": "bad"}), end("good"), end("bad", chain=False)])
        self.assertEqual(self.start(name, {"ok": False})["status"], "COMPLETED")
        self.assertEqual(self.poll(self.job, waitSeconds=0.1), [])
        self.start(name, {"ok": True})
        self.assertEqual(self.take(self.job)["variables"], {"ok": True})

    def test_chain_true_is_the_default_written_out(self):
        self.deploy_target()
        self.start(self.parent([end("end", chain=True)]))
        self.take(self.job)

    def test_a_failed_parent_does_not_chain(self):
        self.deploy_target()
        self.start(self.parent([decide("d", {"false": "end"}), end()]))
        self.assertEqual(self.poll(self.job, waitSeconds=0.1), [])

    def test_a_parent_that_ends_later_chains_then(self):
        self.deploy_target()
        made = self.start(self.parent([wait("w", "end"), end()]))["id"]
        self.assertEqual(self.poll(self.job), [])
        self.signal(made, "w", {"x": 1})
        self.assertEqual(self.take(self.job)["variables"], {"x": 1})

    def test_a_retried_parent_chains_when_it_ends(self):
        self.deploy_target()
        made = self.start(self.parent([decide("d", {"x == 1": "end"}), end()]), {"x": 0})["id"]
        self.retry(made, "d", {"variables": {"x": 1}})
        self.assertEqual(self.take(self.job)["variables"], {"x": 1})

    def test_a_chain_of_three(self):
        middle = fresh("middle")
        self.deploy_target()
        self.deploy([transform("t", "end", {"n": "${n + 1}"}), end()], middle, autoStartNextWorkflow=True,
                    nextWorkflowId=self.target)
        self.start(self.deploy([transform("t", "end", {"n": "${n + 1}"}), end()], autoStartNextWorkflow=True,
                               nextWorkflowId=middle), {"n": 0})
        self.assertEqual(self.take(self.job)["variables"], {"n": 2})

    def test_a_cycle_goes_on_until_it_waits(self):
        name = fresh("cycle")
        self.deploy([transform("t", "d", {"n": "${n + 1}"}), decide("d", {"n < 5": "end", "true": "s"}),
                     service("s", "stop", self.job), end(), end("stop", chain=False)],
                    name, autoStartNextWorkflow=True, nextWorkflowId=name)
        self.start(name, {"n": 0})
        self.assertEqual(self.take(self.job)["variables"], {"n": 5})
        self.assertEqual(self.get("/v1/instances?definitionId=" + name).json["total"], 5)

    def test_a_child_whose_key_is_taken_starts_when_it_is_free(self):
        self.deploy_target()
        key = fresh("key")
        holder = self.start(self.target, businessKey=key)["id"]
        self.start(self.parent(), {"x": 1}, businessKey=key)
        self.work(self.job)
        self.assertEqual(self.instance(holder)["status"], "COMPLETED")
        self.assertEqual(self.take(self.job)["variables"], {"x": 1})

    def test_the_parent_stays_completed(self):
        self.deploy_target()
        made = self.start(self.parent())["id"]
        self.take(self.job)
        self.assertEqual(self.instance(made)["status"], "COMPLETED")


class Loans(Contract):
    """The seed's complete example; only its waiting times are shorter."""

    def setUp(self):
        self.tag = fresh("LOS::")

    def kind(self, name):
        return self.tag + name

    def deploy_disbursement(self, patience):
        self.disbursement = self.deploy([
            transform("compute-disbursement", "route-disbursement", {
                "disbursementFee": "${loanAmount * 0.01}", "netAmount": "${loanAmount - loanAmount * 0.01}",
                "requiresSeniorApproval": "${loanAmount > 500000000}"}),
            decide("route-disbursement", {"#requiresSeniorApproval == true": "senior-approval-task",
                                          "#requiresSeniorApproval == false": "prepare-disbursement"}),
            user("senior-approval-task", "check-senior-decision", boundaryEvents=[timer(patience, "notify-approval-overdue", False)]),
            service("notify-approval-overdue", "end-disbursement-timeout", self.kind("notify-approval-overdue")),
            decide("check-senior-decision", {"#seniorDecision == 'APPROVED'": "prepare-disbursement",
                                             "#seniorDecision == 'REJECTED'": "end-disbursement-rejected"}),
            service("prepare-disbursement", "transfer-funds", self.kind("prepare-disbursement"), retryCount=3),
            service("transfer-funds", "notify-customer", self.kind("transfer-funds"), retryCount=5),
            service("notify-customer", "end-disbursed", self.kind("notify-disbursement"), retryCount=2),
            end("end-disbursed"), end("end-disbursement-rejected"), end("end-disbursement-timeout")],
                                        self.tag + "disbursement")

    def deploy_application(self, patience):
        rules = [
            {"when": {"credit": "creditScore < 500"}, "outputs": {"riskTier": "HIGH", "interestRatePct": 0.0}},
            {"when": {"fraud": "fraudScore > 0.8"}, "outputs": {"riskTier": "HIGH", "interestRatePct": 0.0}},
            {"when": {"credit": "creditScore < 650"}, "outputs": {"riskTier": "MEDIUM", "interestRatePct": 12.5}},
            {"when": {"credit": "creditScore >= 750"}, "outputs": {"riskTier": "PREMIUM", "interestRatePct": 6.5}},
            {"when": {}, "outputs": {"riskTier": "STANDARD", "interestRatePct": 9.0}}]
        self.application = self.deploy([
            service("validate-application", "parallel-risk-checks", self.kind("validate-application"), retryCount=2),
            fork("parallel-risk-checks", ["credit-score-check", "fraud-screening"], "merge-risk-results"),
            service("credit-score-check", "merge-risk-results", self.kind("credit-score"), retryCount=3),
            service("fraud-screening", "merge-risk-results", self.kind("fraud-screen"), retryCount=3),
            join("merge-risk-results", "classify-risk-tier"),
            table("classify-risk-tier", "route-application", rules, "F"),
            decide("route-application", {"#riskTier == 'HIGH'": "end-rejected",
                                         "#riskTier == 'MEDIUM'": "manual-review-task",
                                         "#riskTier == 'PREMIUM'": "auto-approve",
                                         "#riskTier == 'STANDARD'": "auto-approve"}),
            user("manual-review-task", "process-review-decision", boundaryEvents=[timer(patience, "escalate-review", False)]),
            service("escalate-review", "end-escalated", self.kind("escalate-review")),
            decide("process-review-decision", {"#reviewDecision == 'APPROVED'": "auto-approve",
                                               "#reviewDecision == 'REJECTED'": "end-rejected"}),
            service("auto-approve", "end-approved", self.kind("approve-loan"), retryCount=3),
            end("end-approved"), end("end-rejected", chain=False), end("end-escalated", chain=False)],
            self.tag + "application", autoStartNextWorkflow=True, nextWorkflowId=self.disbursement)

    @cases(
        (720, 0.12, 200000000, None, None, "end-approved", "end-disbursed"),
        (800, 0.12, 600000000, None, "APPROVED", "end-approved", "end-disbursed"),
        (800, 0.12, 600000000, None, "REJECTED", "end-approved", "end-disbursement-rejected"),
        (800, 0.12, 600000000, None, "late", "end-approved", "end-disbursement-timeout"),
        (499, 0.12, 200000000, None, None, "end-rejected", None),
        (800, 0.81, 200000000, None, None, "end-rejected", None),
        (600, 0.12, 200000000, "APPROVED", None, "end-approved", "end-disbursed"),
        (600, 0.12, 200000000, "REJECTED", None, "end-rejected", None),
        (600, 0.12, 200000000, "late", None, "end-escalated", None),
    )
    def test_the_expected_terminal_states(self, credit, fraud, amount, review, senior, application_end,
                                          disbursement_end):
        key = fresh("APP")
        self.deploy_disbursement("PT0.3S" if senior == "late" else "PT1H")
        self.deploy_application("PT0.3S" if review == "late" else "PT1H")
        made = self.start(self.application, {"applicantId": key, "loanAmount": amount,
                                             "applicantEmail": "a@example.com"}, businessKey=key)["id"]
        self.work(self.kind("validate-application"), {"validated": True})
        self.work(self.kind("credit-score"), {"creditScore": credit})
        self.work(self.kind("fraud-screen"), {"fraudScore": fraud})
        if review == "late":
            self.work(self.kind("escalate-review"))
        elif review:
            self.complete_task(made, "manual-review-task", {"variables": {"reviewDecision": review}})
        if application_end == "end-approved":
            self.work(self.kind("approve-loan"), {"loanId": "LOAN-1"})
        seen = self.instance(made)
        self.assertEqual((seen["status"], self.rows(made)[-1][0]), ("COMPLETED", application_end))
        if disbursement_end is None:
            self.assertEqual(self.poll(self.kind("prepare-disbursement"), waitSeconds=0.1), [])
            self.assertEqual(self.get("/v1/instances?definitionId=" + self.disbursement).json["total"], 0)
            return
        child = self.disburse(senior)
        self.assertEqual((child["status"], child["businessKey"]), ("COMPLETED", key))
        self.assertEqual(self.rows(child["id"])[-1][0], disbursement_end)
        self.assertEqual((child["variables"]["disbursementFee"], child["variables"]["netAmount"],
                          child["variables"]["loanId"]),
                         (amount * 0.01, amount * 0.99, "LOAN-1"))

    def disburse(self, senior):
        if senior == "late":
            child = self.work(self.kind("notify-approval-overdue"))["instanceId"]
        else:
            if senior:
                child = self.senior_task()
                self.complete_task(child, "senior-approval-task", {"variables": {"seniorDecision": senior}})
            if senior != "REJECTED":
                child = self.work(self.kind("prepare-disbursement"), {"disbursementId": "D"})["instanceId"]
                self.work(self.kind("transfer-funds"), {"transferRef": "T"})
                self.work(self.kind("notify-disbursement"))
        return self.instance(child)

    def senior_task(self):
        """The child starts on its own: look until it is there."""
        for _ in range(1000):
            items = self.get("/v1/user-tasks?definitionId=" + self.disbursement).json["items"]
            if items:
                return items[0]["instanceId"]
            self.poll("nothing", waitSeconds=0.02)
        self.fail("the disbursement did not start")


if __name__ == "__main__":
    main()
