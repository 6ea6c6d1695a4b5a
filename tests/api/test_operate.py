"""Runs of all families as operators see them: lists, one run, its visits."""

from graphs import Graphs, one_call
from harness import ON_POSTGRES, Case, main, needs_one_node, quote
from steps import decide, end, fork, join, person, service, timer, transform, wait
from workflows import subflow


class Runs(Case):
    """Each test looks at definitions of its own."""

    def list(self, **filters):
        query = "&".join(f"{name}={quote(str(value))}" for name, value in filters.items())
        answer = self.get(f"/api/instances?{query}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def ids(self, **filters):
        return [item["id"] for item in self.list(**filters)["items"]]

    def run_of(self, instance_id):
        answer = self.get(f"/api/instances/{instance_id}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def visits_of(self, instance_id, **query):
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return self.get(f"/api/instances/{instance_id}/visits?{text}").json

    def visit(self, instance_id, node):
        number = next(v["number"] for v in self.visits_of(instance_id)["items"] if v["nodeId"] == node)
        return self.get(f"/api/instances/{instance_id}/visits/{number}").json


class Lists(Runs):
    def one_of_each(self):
        kind = self.fresh("job")
        name = self.upload([
            {"id": "how", "name": "How", "type": "DECISION", "conditionalNextSteps": {
                **{f"how == '{how}'": how for how in ("work", "ask", "rest", "signal")}, "true": "end"}},
            {**service("work", "end", kind), "name": "Do the work"}, {**person("ask", "end"), "name": "Ask the boss"},
            {**wait("rest", "end", boundaryEvents=[timer("P1D", "end")]), "name": "Rest"}, wait("signal", "end"), end()])
        runs = {how: self.start(name, {"how": how}, businessKey=self.fresh("key"))["id"] for how in ("work", "ask", "rest", "signal", "end")}
        runs["failed"] = self.start(name, {"how": "work"})["id"]
        for job in self.poll(kind, maxJobs=2):
            if job["instanceId"] == runs["failed"]:
                self.fail_job(job, "HTTP 503: maintenance until 14:04")
        runs["cancelled"] = self.start(name, {"how": "ask"})["id"]
        self.post(f"/v1/instances/{runs['cancelled']}/cancel", {"reason": "not needed"})
        return name, runs

    def test_runs_are_grouped_by_what_holds_them(self):
        name, runs = self.one_of_each()
        self.start(name, {"how": "ask"})
        answer = self.get(f"/api/instances/groups?definitionId={name}").json
        self.assertEqual((answer["looked"], answer["ungrouped"], "cut" in answer), (6, 0, False))
        groups = [(group["status"], group["count"], group["nodeId"], group.get("waitingFor"), group["sentence"]) for group in answer["groups"]]
        self.assertEqual(groups[:2], [("failed", 1, "work", None, "The web service did not answer (503)"),
                                      ("person", 2, "ask", "person", "“Ask the boss” waits for a person.")])
        self.assertEqual(sorted(groups[2:4]), [("waiting", 1, "rest", "signal", "“Rest” waits for a signal."), ("waiting", 1, "signal", "signal", groups[2][4] if groups[2][2] == "signal" else groups[3][4])])
        self.assertEqual(groups[4][:4], ("running", 1, "work", "job"))
        failed = answer["groups"][0]
        self.assertEqual(self.ids(definitionId=name, status="failed", reason=failed["reason"], failedAt=failed["nodeId"]), [runs["failed"]])
        only = self.get(f"/api/instances/groups?definitionId={name}&status=person,completed").json["groups"]
        self.assertEqual([(group["status"], group["count"]) for group in only], [("person", 2)])
        self.assertEqual(self.get(f"/api/instances/groups?definitionId={name}&status=completed").json["groups"], [])
        self.assertEqual(self.get("/api/instances/groups?status=odd").status, 400)

    def test_each_status_is_found_and_nothing_else(self):
        name, runs = self.one_of_each()
        found = {status: self.ids(definitionId=name, status=status)
                 for status in ("failed", "person", "waiting", "running", "completed", "cancelled")}
        self.assertEqual(found, {
            "failed": [runs["failed"]], "person": [runs["ask"]], "waiting": [runs["signal"], runs["rest"]],
            "running": [runs["work"]], "completed": [runs["end"]], "cancelled": [runs["cancelled"]]})
        self.assertEqual(self.ids(definitionId=name, status="failed,person"), [runs["failed"], runs["ask"]])
        page = self.list(definitionId=name)
        self.assertEqual([item["id"] for item in page["items"]], sorted(runs.values(), reverse=True))
        self.assertEqual(page["total"], 7)
        self.assertEqual(self.list(definitionId=name, status="failed,running")["total"], 2)
        self.assertNotIn("total", self.list(definitionId=name, status="person"))

    def test_an_item_says_where_it_stands_and_why(self):
        name, runs = self.one_of_each()
        items = {item["id"]: item for item in self.list(definitionId=name)["items"]}
        failed = items[runs["failed"]]
        self.assertEqual((failed["status"], failed["statusWord"], failed["dialect"], failed["definitionName"]), ("failed", "FAILED", "steps", "A flow"))
        self.assertEqual(failed["nodes"], [{"id": "work", "title": "Do the work", "state": "failed"}])
        self.assertEqual(failed["why"], "“Do the work” failed: HTTP 503: maintenance until 14:04.")
        self.assertEqual(failed["says"], {"code": "failed", "title": "Do the work", "reason": "HTTP 503: maintenance until 14:04", "reasonCode": "HTTP_503"})
        self.assertEqual(failed["visits"], 2)
        self.assertEqual(items[runs["ask"]]["why"], "“Ask the boss” waits for a person.")
        self.assertEqual(items[runs["ask"]]["says"], {"code": "person", "title": "Ask the boss"})
        self.assertEqual(items[runs["cancelled"]]["why"], "Cancelled: not needed.")
        self.assertEqual(items[runs["cancelled"]]["says"], {"code": "cancelled", "reason": "not needed"})
        self.assertEqual((items[runs["end"]]["why"], items[runs["end"]]["nodes"]), ("", []))
        self.assertNotIn("says", items[runs["end"]])
        self.assertIn("endedAt", items[runs["end"]])

    def test_a_list_and_the_page_of_a_run_name_the_worker(self):
        kind = self.fresh("job")
        name = self.upload([{**service("work", "end", kind), "name": "Do it"}, end()])
        runs = [self.start(name)["id"] for _ in range(2)]
        held = self.take(kind, worker="anna", maxJobs=1)["instanceId"]
        items = {item["id"]: item for item in self.list(definitionId=name)["items"]}
        whys = {run: item["why"] for run, item in items.items()}
        for run in runs:
            says = {"code": "worker-has", "names": ["anna"]} if run == held else {"code": "worker", "names": [kind]}
            self.assertEqual((items[run]["says"], self.run_of(run)["why"][0]["says"]), ({"title": "Do it", **says},) * 2)
            said = "is with the worker “anna”." if run == held else f"waits for a worker that does “{kind}”."
            self.assertEqual((whys[run], self.run_of(run)["why"][0]["text"]), ("“Do it” " + said,) * 2)
            self.assertIn('is with worker "anna"' if run == held else "waits for a worker", self.get(f"/v1/instances/{run}/explain").json["tokens"][0]["why"])
        groups = self.get(f"/api/instances/groups?definitionId={name}").json["groups"]
        self.assertEqual([(group["count"], group["sentence"]) for group in groups], [(2, "“Do it” is with a worker, or waits for one.")])

    def test_filters_that_look_into_the_run(self):
        name, runs = self.one_of_each()
        cases = [
            ({"failedAt": "work"}, ["failed"]), ({"failedAt": "ask"}, []), ({"waitingAt": "rest"}, ["rest"]),
            ({"waitingAt": "work"}, ["work"]), ({"waitingFor": "person"}, ["ask"]), ({"waitingFor": "job"}, ["work"]),
            ({"waitingFor": "signal"}, ["signal", "rest"]), ({"reason": "HTTP 503: maintenance until 14:04"}, ["failed"]),
            ({"reason": "HTTP #: maintenance until #:#"}, ["failed"]), ({"reason": "another"}, []),
            ({"reasonContains": "MAINTENANCE until"}, ["failed"]), ({"reasonContains": "until 15"}, []), ({"reasonContains": "http", "status": "running"}, []),
            ({"failedAt": "do THE work"}, ["failed"]), ({"failedAt": "do the"}, []), ({"waitingAt": "ask the boss"}, ["ask"]), ({"waitingAt": "Do the work"}, ["work"]),
            ({"step": "do the work"}, ["failed", "work"]), ({"step": "work"}, ["failed", "work"]), ({"step": "rest", "status": "failed"}, []),
            ({"status": "completed", "waitingFor": "person"}, []), ({"version": 2}, []), ({"version": 1, "status": "failed"}, ["failed"]),
        ]
        for filters, want in cases:
            self.assertEqual(self.ids(definitionId=name, **filters), [runs[one] for one in want], filters)

    def test_a_key_an_id_and_the_beginning_of_a_key(self):
        name, start = self.upload([person("p", "end"), end()]), self.fresh("INV")
        runs = [self.start(name, businessKey=f"{start}-{i}")["id"] for i in range(5)]
        self.assertEqual(self.ids(businessKey=f"{start}-3"), [runs[3]])
        self.assertEqual(self.ids(keyword=runs[2]), [runs[2]])
        self.assertEqual(self.ids(keyword=start + "-"), runs)
        self.assertEqual(self.ids(keyword=start + "-", status="completed"), [])
        first = self.list(keyword=start + "-", pageSize=2)
        second = self.list(keyword=start + "-", pageSize=2, cursor=first["nextCursor"])
        third = self.list(keyword=start + "-", pageSize=2, cursor=second["nextCursor"])
        self.assertEqual([item["id"] for page in (first, second, third) for item in page["items"]], runs)
        self.assertNotIn("nextCursor", third)

    def test_times(self):
        name = self.upload([person("p", "end"), end()])
        runs = [self.start(name) for _ in range(3)]
        times = [run["startedAt"] for run in runs]
        ids = [run["id"] for run in runs][::-1]
        self.assertEqual(self.ids(definitionId=name, startedAfter=times[0]), ids)
        self.assertEqual(self.ids(definitionId=name, startedBefore=times[0]), [])
        self.assertEqual(self.ids(definitionId=name, startedAfter="2020-01-01T00:00:00Z", startedBefore="2100-01-01T00:00:00Z"), ids)
        self.assertEqual(self.ids(definitionId=name, startedAfter="2100-01-01T00:00:00Z"), [])

    def test_pages_hold_each_run_once(self):
        name = self.upload([person("p", "end"), end()])
        runs = [self.start(name)["id"] for _ in range(7)]
        for filters in ({"definitionId": name}, {"definitionId": name, "status": "person"}):
            found, cursor = [], None
            while True:
                page = self.list(pageSize=3, **filters, **({"cursor": cursor} if cursor else {}))
                found += [item["id"] for item in page["items"]]
                cursor = page.get("nextCursor")
                if not cursor:
                    break
            self.assertEqual(found, runs[::-1])

    def test_what_makes_no_sense_is_refused(self):
        for query, text in (("status=broken", "status is one or several of"), ("waitingFor=love", "waitingFor is one or several of"),
                            ("version=x", "version must be"), ("startedAfter=noon", "startedAfter must be a time"),
                            ("cursor=x", "cursor must be"), ("cursor=1.zz", "cursor must be")):
            answer = self.get(f"/api/instances?{query}")
            self.refused(answer, 400, text)
            self.assertEqual(answer.json["status"], 400)
        self.refused(self.get("/api/instances?keyword=" + "x" * 5000), 413, "business key")


class OneRun(Runs):
    def test_a_run_that_failed(self):
        kind = self.fresh("job")
        name = self.upload([
            {**transform("set", "split", {"total": "${n + 1}"}), "name": "Add up"}, fork("split", ["post", "goods"], "both"),
            {**service("post", "both", kind, retryCount=1), "name": "Post to ledger"}, {**wait("goods", "both"), "name": "Goods received"},
            join("both", "end"), end()])
        run = self.start(name, {"n": 1}, businessKey="PO-5518")["id"]
        self.fail_job(self.take(kind), "HTTP 503", retryable=True)
        self.fail_job(self.take(kind), "HTTP 503: maintenance", retryable=True)
        got = self.run_of(run)
        self.assertEqual((got["status"], got["businessKey"], got["visits"], got["newestVersion"]), ("failed", "PO-5518", 4, 1))
        self.assertEqual(got["why"][0]["text"], "“Post to ledger” failed: HTTP 503: maintenance.")
        self.assertEqual(got["why"][1]["text"], "“Goods received” stands still because the run failed; it waits for a signal.")
        self.assertEqual([why["state"] for why in got["why"]], ["failed", "waiting"])
        nodes = {node: (one["state"], one["visits"], one.get("badge")) for node, one in got["nodes"].items()}
        self.assertEqual(nodes["post"], ("failed", 1, "Failed, 2 tries"))
        self.assertEqual(nodes["set"], ("done", 1, None))
        self.assertTrue(nodes["goods"][2].startswith("Waits "), nodes)
        self.assertEqual([(edge["from"], edge["to"], edge["count"]) for edge in got["edges"]],
                         [("set", "split", 1), ("split", "post", 1), ("split", "goods", 1)])
        self.assertEqual(got["actions"], ["retry", "cancel", "modify"])
        self.assertEqual(got["variables"], {"n": 1, "total": 2})
        self.upload([end()], id=name)
        self.assertEqual(self.run_of(run)["newestVersion"], 2)

    def test_every_branch_that_comes_to_a_join_is_a_way(self):
        kind = self.fresh("job")
        name = self.upload([fork("split", ["a", "b", "c"], "both"), service("a", "both", kind), service("b", "both", kind), service("c", "both", kind),
                            join("both", "end"), end()])
        run = self.start(name)["id"]
        for job in self.poll(kind, maxJobs=3):
            self.complete(job)
        got = self.run_of(run)
        ways = {(edge["from"], edge["to"]): edge["count"] for edge in got["edges"]}
        self.assertEqual(ways, {("split", "a"): 1, ("split", "b"): 1, ("split", "c"): 1, ("a", "both"): 1, ("b", "both"): 1, ("c", "both"): 1, ("both", "end"): 1})
        self.assertEqual((got["status"], got["why"], got["actions"]), ("completed", [], []))

    def test_what_may_be_done(self):
        name = self.upload([fork("split", ["ask", "goods"], "both"), person("ask", "both"), wait("goods", "both"), join("both", "end"), end()])
        run = self.start(name)["id"]
        actions = self.run_of(run)["actions"]
        task = next(action.split(":")[1] for action in actions if action.startswith("complete:"))
        self.assertEqual([action for action in actions if ":" not in action], ["cancel", "modify"])
        self.assertIn("signal:goods", actions)
        self.assertEqual(self.post(f"/api/tasks/{task}/complete", {"answer": {}}).status, 204)
        self.assertEqual(self.run_of(run)["actions"], ["signal:goods", "cancel", "modify"])

    def test_children_and_parents(self):
        kind = self.fresh("job")
        child = self.upload([service("work", "end", kind), end()])
        parent = self.upload_workflow(subflow("Other flow", child))
        run = self.start(parent)["id"]
        job = self.take(kind)
        got = self.run_of(run)
        self.assertEqual([(one["id"], one["definitionId"], one["status"]) for one in got["children"]], [(job["instanceId"], child, "running")])
        self.assertEqual(got["why"][0]["text"], f"“Other flow” waits for a run of “{child}”.")
        self.assertEqual(self.run_of(job["instanceId"])["parent"]["id"], run)
        self.assertEqual(self.ids(definitionId=parent, waitingFor="child"), [run])
        self.complete(job)

    def test_an_unknown_run(self):
        for path in ("", "/visits", "/visits/1"):
            self.refused(self.get(f"/api/instances/nobody{path}"), 404, "not found")


class Visits(Runs):
    def test_pages_of_visits_with_their_tries(self):
        kind = self.fresh("job")
        name = self.upload([transform("set", "work", {"m": "${n + 1}"}), {**service("work", "ask", kind, retryCount=1), "name": "Do it"}, person("ask", "end"), end()])
        run = self.start(name, {"n": 1})["id"]
        self.fail_job(self.take(kind, worker="anna", maxJobs=1), "not yet", retryable=True, worker="anna")
        self.complete(self.take(kind), {"done": True})
        first = self.visits_of(run, pageSize=2)
        rest = self.visits_of(run, pageSize=2, cursor=first["nextCursor"])
        self.assertNotIn("nextCursor", rest)
        visits = first["items"] + rest["items"]
        self.assertEqual([(v["nodeId"], v["kind"], v["status"]) for v in visits],
                         [("set", "set", "done"), ("work", "task", "done"), ("ask", "person", "running")])
        self.assertEqual([(t["number"], t["outcome"], t.get("error"), t["worker"]) for t in visits[1]["tries"]],
                         [(1, "failed", "not yet", "anna"), (2, "completed", None, "w")])
        self.assertEqual(visits[1]["title"], "Do it")
        last = self.visits_of(run, pageSize=2, order="newest")
        before = self.visits_of(run, pageSize=2, order="newest", cursor=last["nextCursor"])
        self.assertNotIn("nextCursor", before)
        self.assertEqual(last["items"] + before["items"], visits[::-1])
        self.assertEqual({node: told["lastVisit"] for node, told in self.run_of(run)["nodes"].items()}, {v["nodeId"]: v["number"] for v in visits})
        self.refused(self.get(f"/api/instances/{run}/visits?order=sideways"), 400, "order must be oldest or newest")

    def test_what_went_in_and_out_and_what_changed(self):
        kind = self.fresh("job")
        name = self.upload([service("work", "set", kind), transform("set", "end", {"sum": "${order.total + 1}"}), end()])
        run = self.start(name, {"order": {"total": 1, "tax": 2}, "old": 1})["id"]
        self.complete(self.take(kind), {"order": {"total": 5, "tax": 2}, "paid": True})
        work = self.visit(run, "work")
        self.assertEqual(work["in"], {"order": {"total": 1, "tax": 2}, "old": 1})
        self.assertEqual(work["out"], {"order": {"total": 5, "tax": 2}, "paid": True})
        self.assertEqual(work["changes"], [{"op": "~", "path": "order.total", "before": 1, "after": 5}, {"op": "+", "path": "paid", "after": True}])
        self.assertEqual(self.visit(run, "set")["changes"], [{"op": "+", "path": "sum", "after": 6}])
        self.assertEqual(self.visit(run, "end")["changes"], [])
        self.refused(self.get(f"/api/instances/{run}/visits/999"), 404, "no visit 999")
        self.refused(self.get(f"/api/instances/{run}/visits/x"), 404, "no visit")

    def test_a_flow_graph_shows_what_a_node_brought(self):
        graphs = Graphs(self.server)
        name = self.fresh("graph")
        run = graphs.run(one_call(name, {"type": "set_variables", "label": "Note it", "config": {"values": {"greeting": "hello"}}}))["id"]
        got = self.run_of(run)
        self.assertEqual((got["dialect"], got["status"], got["statusWord"]), ("graph", "completed", "completed"))
        self.assertEqual({node: one["state"] for node, one in got["nodes"].items()}, {"t": "done", "call": "done", "end": "done"})
        visit = self.visit(run, "call")
        self.assertEqual(visit["out"], {"assigned": {"greeting": "hello"}})
        changes = visit["changes"]
        self.assertIn({"op": "+", "path": "vars.greeting", "after": "hello"}, changes)


class Engine(Runs):
    """The engine as a whole. Other tests run beside: numbers may only grow."""

    def overview(self):
        answer = self.get("/api/overview")
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def health(self, name):
        return next(one for one in self.overview()["health"] if one["name"] == name)

    def last_hour(self):
        """Of several nodes each remembers what it has done."""
        hours = [answer.json["lastHour"] for answer in self.ask_all("/api/overview")]
        return {key: sum(hour[key] for hour in hours) for key in hours[0]}

    def test_counts_follow_the_runs(self):
        kind, before, hour = self.fresh("job"), self.overview(), self.last_hour()
        name = self.upload([fork("split", ["ask", "goods"], "both"), person("ask", "both", dueDate="2020-01-01T00:00:00Z"), wait("goods", "both"), join("both", "end"), end()])
        self.start(name)
        work = self.upload([service("work", "end", kind), end()])
        self.start(work), self.start(work)
        self.fail_job(self.take(kind, maxJobs=1))
        self.start(self.upload([end()]))
        after = self.overview()
        grown = {key: after["counts"][key] - before["counts"][key] for key in after["counts"]}
        self.assertEqual(grown, {"failed": 1, "person": 1, "waiting": 0, "running": 1})
        self.assertEqual({key: number - hour[key] for key, number in self.last_hour().items()},
                         {"started": 4, "completed": 1, "failed": 1, "cancelled": 0})
        self.assertEqual({key: after["tasks"][key] - before["tasks"][key] for key in ("open", "late")}, {"open": 1, "late": 1})
        self.assertEqual([one["name"] for one in after["health"]], ["queue", "store", "disk", "timers", "workers", *["nodes"] * ON_POSTGRES])
        self.assertRegex(self.health("store")["sentence"], r"^Commits in [0-9.]+ ms \(95 of 100\)$")
        disk = r"^The store is not on a disk of the engine$" if ON_POSTGRES else r"^[0-9]+ % full, [0-9.]+ GB are free$"
        self.assertRegex(self.health("disk")["sentence"], disk)
        self.assertRegex(self.health("queue")["sentence"], r"^(1 job is|[0-9]+ jobs are) ready, the oldest for [0-9.]+ s$")
        self.assertEqual(after["engine"]["store"], "postgresql" if ON_POSTGRES else "sqlite")
        self.assertIs(after["engine"]["paused"], False)

    def test_definitions_with_warnings_are_counted_when_all_are_known(self):
        def known():
            self.until(lambda: "definitionsWithWarnings" in self.overview())
            return self.overview()["definitionsWithWarnings"]
        before = known()
        self.upload([decide("a", {"x": "b", "true": "end"}), service("b"), end()])  # A dead end.
        self.assertEqual(known(), before + 1)
        for _ in range(6):
            self.upload([end()])
        self.assertEqual(known(), before + 1)

    def test_the_last_hour_by_the_minute(self):
        def totals():
            total = {}
            for answer in self.ask_all("/api/series"):
                for name, numbers in answer.json["series"].items():
                    total[name] = total.get(name, 0) + sum(number or 0 for number in numbers)
            return total
        before = totals()
        self.start(self.upload([end()]))
        series, total = self.get("/api/series").json, totals()
        self.assertEqual(series["stepSeconds"], 60)
        self.assertGreaterEqual(total["started"] - before["started"], 1)
        self.assertGreater(total["commitMs95"], 0)
        self.assertIsNone(series["series"]["started"][0])  # The engine has not run for an hour.

    @needs_one_node  # Polls and workers are in the memory of their node.
    def test_who_does_the_jobs(self):
        kind = self.fresh("job")
        name = self.upload([service("work", "end", kind, retryCount=1), end()])
        for _ in range(4):
            self.start(name)
        self.complete(self.take(kind, worker="anna", maxJobs=1), worker="anna")
        self.fail_job(self.take(kind, worker="ben", maxJobs=1), worker="ben")
        self.take(kind, worker="anna", maxJobs=1)
        workers = self.get("/api/workers").json
        mine = next(one for one in workers["jobTypes"] if one["jobType"] == kind)
        self.assertEqual((mine["open"], mine["leased"], mine["pollers"], mine["doneLastHour"], mine["failedLastHour"]), (2, 1, 0, 1, 1))
        self.assertIn("oldestAt", mine)
        self.assertEqual({one["workerId"]: one["leased"] for one in mine["workers"]}, {"anna": 1, "ben": 0})
        self.assertEqual([one["name"] for one in workers["performers"]], ["http", "emit", "sql", "email", "compute"])
        other = self.fresh("job")
        poll = self.client.later("/v1/jobs/poll", {"workerId": "cleo", "jobTypes": [other], "waitSeconds": 20})
        self.until(lambda: any(one["jobType"] == other and one["pollers"] == 1 for one in self.get("/api/workers").json["jobTypes"]))
        self.start(self.upload([service("work", "end", other), end()]))
        self.assertEqual(len(poll().json["jobs"]), 1)


class Reasons(Runs):
    def test_a_group_has_a_headline_a_place_and_bars(self):
        kind = self.fresh("job")
        name = self.upload([{**service("work", "end", kind), "name": "Post to ledger"}, end()])
        for _ in range(2):
            self.start(name)
            self.fail_job(self.take(kind), "the web service answered with status 503")
        group = self.get(f"/v1/instances/reasons?definitionId={name}").json["groups"][0]
        self.assertEqual(group["sentence"], "The web service did not answer (503)")
        self.assertEqual((group["definitionId"], group["definitionName"], group["definitionVersion"]), (name, "A flow", 1))
        self.assertEqual((group["nodeId"], group["nodeTitle"], group["count"]), ("work", "Post to ledger", 2))
        self.assertEqual(sum(group["bars"]), 2)
        self.assertEqual(sum(group["bars"][-2:]), 2)

    def test_a_failure_of_the_engine_has_a_code_and_its_headline(self):
        name = self.fresh("graph")
        call = {"type": "action_http", "retry": {"maxAttempts": 1}, "config": {"url": "http://127.0.0.1:9/"}}
        run = Graphs(self.server).run(one_call(name, call))
        self.assertEqual(run["status"], "FAILED")
        headline = "The address is in a network that calls may not reach"
        failed = [group for group in self.get(f"/api/instances/groups?definitionId={name}").json["groups"] if group["status"] == "failed"]
        self.assertEqual([group["sentence"] for group in failed], [headline])
        self.assertEqual(self.get(f"/v1/instances/reasons?definitionId={name}").json["groups"][0]["sentence"], headline)
        self.assertEqual(self.get(f"/api/definitions/{name}").json["lastFailure"]["sentence"], headline)
        events = self.get(f"/v1/instances/{run['id']}/events").body
        self.assertIn(b'{"kind":"code","text":"ADDRESS_REFUSED"}', events)

    def test_a_group_of_several_definitions_names_none(self):
        reason, kind = self.fresh("BROKEN"), self.fresh("job")
        for _ in range(2):
            self.start(self.upload([service("work", "end", kind), end()]))
            self.fail_job(self.take(kind), f"{reason} for good")
        groups = self.get("/v1/instances/reasons").json["groups"]
        group = next(one for one in groups if one["exampleReason"] == f"{reason} for good")
        self.assertNotIn("definitionId", group)
        self.assertNotIn("nodeTitle", group)
        self.assertEqual(sum(group["bars"]), 2)


if __name__ == "__main__":
    main()
