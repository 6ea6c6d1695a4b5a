"""Named locks: steps of all runs of a tenant that do not happen at the same time."""

from harness import Case, main
from test_limits import limits


def flow(name, lock, **more):
    return {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": [
        {"id": "t", "type": "trigger_manual"},
        {"id": "ask", "type": "human_task", "config": {"title": "Ask"}, "lock": lock, **more}],
        "edges": [{"from": "t", "to": "ask"}]}


class Locked(Case):
    def publish(self, lock, **more):
        name = self.fresh("locked")
        answer = self.post("/v1/definitions", flow(name, lock, **more))
        self.assertEqual(answer.status, 201, answer)
        return name

    def begin(self, name):
        return self.start(name)["id"]

    def seats(self, lock, word):
        items = self.get(f"/api/locks?name={lock}").json["items"]
        return [seat["instanceId"] for seat in items[0][word]] if items else []

    def has(self, lock, holders, waiters):
        self.until(lambda: (self.seats(lock, "holders"), self.seats(lock, "waiters")) == (holders, waiters))

    def answer(self, instance):
        self.assertEqual(self.post(f"/api/workflows/{instance}/resume", {"decision": "done"}).status, 200)


class Locks(Locked):
    def test_runs_of_two_definitions_come_one_after_the_other(self):
        lock = self.fresh("lock")
        one, two = self.publish(lock), self.publish("{{ trigger.payload.lock | default(\"" + lock + "\") }}")
        first = self.begin(one)
        self.has(lock, [first], [])
        second = self.begin(two)
        third = self.begin(one)
        self.has(lock, [first], [second, third])
        self.assertEqual(self.get(f"/api/runs/{second}").json["status"], "suspended")
        why = self.get(f"/api/instances/{third}").json["why"][0]["text"]
        for part in (f"waits for the lock “{lock}”", f"held by instance {first} (\"ask\" of {one})", "place 2 of 2"):
            self.assertIn(part, why)
        self.assertIn(f"held by instance {first}", self.get(f"/v1/instances/{third}/explain").json["tokens"][0]["why"])
        self.answer(first)
        self.has(lock, [second], [third])
        self.assertEqual(self.post(f"/v1/instances/{second}/cancel", {}).status, 200)
        self.has(lock, [third], [])
        self.answer(third)
        self.has(lock, [], [])

    def test_a_pool_lets_so_many_in(self):
        lock = self.fresh("pool")
        name = self.publish(lock, lockSize=2)
        runs = [self.begin(name) for _ in range(4)]
        self.until(lambda: len(self.seats(lock, "holders")) == 2)
        self.has(lock, runs[:2], runs[2:])
        self.answer(runs[1])
        self.has(lock, [runs[0], runs[2]], runs[3:])

    def test_a_list_has_pages_and_one_lock(self):
        locks = [self.fresh("listed") for _ in range(3)]
        for lock in locks:
            self.begin(self.publish(lock))
        for lock in locks:
            self.until(lambda lock=lock: len(self.seats(lock, "holders")) == 1)
        found, cursor = [], ""
        while cursor is not None:
            page = self.get(f"/api/locks?pageSize=1&cursor={cursor}" if cursor else "/api/locks?pageSize=1").json
            self.assertEqual(len(page["items"]), 1)
            found.append(page["items"][0]["name"])
            cursor = page.get("nextCursor")
        self.assertEqual([name for name in found if name in locks], sorted(locks))
        self.assertEqual(len(found), len(set(found)))
        (only,) = self.get(f"/api/locks?name={locks[1]}").json["items"]
        self.assertEqual((only["name"], only["held"], only["waiting"]), (locks[1], 1, 0))
        self.assertEqual(self.get(f"/api/locks?name={locks[1]}-2").json["items"], [])

    def test_a_document_that_is_wrong_is_refused(self):
        for more, place in (({"lockSize": 0}, "/nodes/1/lockSize"), ({"lockTimeout": "soon"}, "/nodes/1/lockTimeout"), ({"lock": 7}, "/nodes/1/lock")):
            answer = self.post("/v1/definitions", flow(self.fresh("wrong"), "x") | {"nodes": [
                {"id": "t", "type": "trigger_manual"}, {"id": "ask", "type": "human_task", "config": {"title": "Ask"}, "lock": "x", **more}]})
            self.assertEqual(answer.status, 400, answer)
            self.assertIn(place, str(answer.json))


def graph(name, *nodes, edges):
    return {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": [{"id": "t", "type": "trigger_manual"}, *nodes],
            "edges": [{"from": one, "to": two, **({"fromPort": port} if port else {})} for one, two, port in edges]}


def person(name, **more):
    return {"id": name, "type": "human_task", "config": {"title": name}, **more}


class Circles(Locked):
    """Each run has a lock while one person answers, and then needs the lock of the next run."""

    def both(self, holds, needs):
        name = self.fresh("both")
        answer = self.post("/v1/definitions", graph(
            name, {"id": "each", "type": "for_each", "config": {"items": [1]}, "lock": holds}, person("first", parent="each"),
            person("second", parent="each", lock=needs), edges=[("t", "each", ""), ("each", "first", "body"), ("first", "second", "")]))
        self.assertEqual(answer.status, 201, answer)
        return self.begin(name)

    def circle(self, lock):
        items = self.get(f"/api/locks?name={lock}").json["items"]
        return [(link["instanceId"], link["holds"], link["waitsFor"]) for link in items[0].get("circle", [])] if items else []

    def names(self, count):
        stem = self.fresh("circle")
        return [f"{stem}-{i}" for i in range(count)]

    def ring(self, names):
        """Run i has lock i and waits for lock i + 1; all at once, so that none of them gets two."""
        runs = [self.both(name, names[(i + 1) % len(names)]) for i, name in enumerate(names)]
        for name, run in zip(names, runs):
            self.until(lambda name=name, run=run: self.seats(name, "holders") == [run])
        return runs

    def test_two_runs_that_wait_for_each_other_are_named(self):
        x, y = self.names(2)
        one, two = self.ring([x, y])
        self.answer(one)
        self.until(lambda: self.seats(y, "waiters") == [one])
        self.assertEqual((self.circle(x), self.circle(y)), ([], []))  # The second one has only to be answered.
        why = self.get(f"/v1/instances/{one}/explain").json["tokens"][0]["why"]
        self.assertNotIn("in a circle", why)
        self.answer(two)
        self.until(lambda: self.seats(x, "waiters") == [two])
        self.assertEqual(self.circle(x), [(one, x, y), (two, y, x)])
        self.assertEqual(self.circle(y), [(two, y, x), (one, x, y)])
        words = f"in a circle, and none of them can go on: instance {two} holds \"{y}\" and waits for \"{x}\", instance {one} holds \"{x}\" and waits for \"{y}\""
        self.assertIn(words, self.get(f"/v1/instances/{one}/explain").json["tokens"][0]["why"])
        self.assertIn(words, self.get(f"/api/instances/{one}").json["why"][0]["text"])
        self.assertEqual(self.post(f"/v1/instances/{two}/cancel", {}).status, 200)
        self.until(lambda: self.seats(y, "holders") == [one])
        self.assertEqual(self.circle(x) + self.circle(y), [])

    def test_a_third_one_waits_behind_the_circle(self):
        names = self.names(3)
        runs = self.ring(names)
        behind = self.begin(self.publish(names[0]))
        for run in runs:
            self.answer(run)
        self.until(lambda: self.seats(names[0], "waiters") == [behind, runs[2]])
        found = self.circle(names[0])
        self.assertEqual(found, [(run, names[i], names[(i + 1) % 3]) for i, run in enumerate(runs)])
        self.assertIn("in a circle", self.get(f"/v1/instances/{behind}/explain").json["tokens"][0]["why"])
        self.assertEqual(self.post(f"/v1/instances/{runs[1]}/cancel", {}).status, 200)

    def test_a_circle_goes_through_a_run_that_another_one_waits_for(self):
        x, y = self.names(2)
        inner, outer = self.fresh("inner"), self.fresh("outer")
        for document in (graph(inner, person("first"), person("second", lock=y), edges=[("t", "first", ""), ("first", "second", "")]),
                         graph(outer, {"id": "go", "type": "action_subflow", "config": {"definition": inner}, "lock": x}, edges=[("t", "go", "")])):
            self.assertEqual(self.post("/v1/definitions", document).status, 201)
        one = self.begin(outer)
        self.until(lambda: self.seats(x, "holders") == [one])
        two = self.both(y, x)
        self.until(lambda: self.seats(y, "holders") == [two])
        self.answer(two)
        self.until(lambda: self.seats(x, "waiters") == [two])
        self.assertEqual(self.circle(x), [])
        (child,) = [task["instanceId"] for task in self.get("/api/tasks?definitionId=" + inner).json["items"]]
        self.answer(child)
        self.until(lambda: self.seats(y, "waiters") == [child])
        self.assertEqual(self.circle(x), [(one, x, y), (two, y, x)])
        self.assertEqual(self.post(f"/v1/instances/{one}/cancel", {}).status, 200)

    def test_a_pool_is_stuck_when_all_its_holders_are(self):
        x, y = self.names(2)
        pooled, needs = self.fresh("pooled"), self.fresh("needs")
        for document in (graph(pooled, {"id": "each", "type": "for_each", "config": {"items": [1]}, "lock": x, "lockSize": 2},
                               person("first", parent="each"), person("second", parent="each", lock=y),
                               edges=[("t", "each", ""), ("each", "first", "body"), ("first", "second", "")]),
                         graph(needs, {"id": "each", "type": "for_each", "config": {"items": [1]}, "lock": y},
                               person("second", parent="each", lock=x, lockSize=2), edges=[("t", "each", ""), ("each", "second", "body")])):
            self.assertEqual(self.post("/v1/definitions", document).status, 201)
        one, other = self.begin(pooled), self.begin(pooled)
        self.until(lambda: sorted(self.seats(x, "holders")) == sorted([one, other]))
        two = self.begin(needs)
        self.until(lambda: self.seats(x, "waiters") == [two])
        self.answer(one)
        self.until(lambda: self.seats(y, "waiters") == [one])
        self.assertEqual(self.circle(x) + self.circle(y), [])  # The other holder of the pool has only to be answered.
        self.answer(other)
        self.until(lambda: self.seats(y, "waiters") == [one, other])
        self.assertEqual(self.circle(y), [(two, y, x), (one, x, y)])
        for run in (one, other, two):
            self.assertEqual(self.post(f"/v1/instances/{run}/cancel", {}).status, 200)


class Short(Locked):
    """So many wait for one lock, and the next one has an error that its definition can take."""
    arguments = limits(lock_waiters_max=2)

    def test_one_more_than_may_wait(self):
        lock = self.fresh("short")
        name = self.publish(lock)
        runs = [self.begin(name) for _ in range(3)]
        self.has(lock, runs[:1], runs[1:])
        last = self.begin(name)
        self.until(lambda: self.get(f"/v1/instances/{last}").json["status"] == "FAILED")
        failed = self.get(f"/v1/instances/{last}").json["failureReason"]
        self.assertIn(f"LOCK_FULL: 2 wait for the lock \"{lock}\", and more may not (lock_waiters_max)", failed)
        self.has(lock, runs[:1], runs[1:])
        self.answer(runs[0])
        self.has(lock, runs[1:2], runs[2:])
        self.assertEqual(self.post(f"/v1/instances/{last}/retry", {}).status, 200)
        self.has(lock, runs[1:2], [runs[2], last])

    def test_a_definition_takes_the_error(self):
        lock, name = self.fresh("short"), self.fresh("taken")
        answer = self.post("/v1/definitions", graph(
            name, {"id": "each", "type": "for_each", "config": {"items": [1]}, "lock": lock}, person("ask", parent="each"), person("else"),
            {"id": "done", "type": "end", "config": {"result": "{{ nodes.each.error.code }}"}},
            edges=[("t", "each", ""), ("each", "ask", "body"), ("each", "else", "error"), ("else", "done", "")]))
        self.assertEqual(answer.status, 201, answer)
        runs = [self.begin(name) for _ in range(4)]
        self.until(lambda: self.get(f"/v1/instances/{runs[3]}").json["currentStepIds"] == ["else"])
        self.has(lock, runs[:1], runs[1:3])
        self.answer(runs[3])
        self.assertEqual(self.ended(runs[3])["status"], "COMPLETED")
        self.assertEqual(self.get(f"/api/runs/{runs[3]}").json["result"], "LOCK_FULL")


if __name__ == "__main__":
    main()
