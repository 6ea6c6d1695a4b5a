"""Named locks: steps of all runs of a tenant that do not happen at the same time."""

from harness import Case, main


def flow(name, lock, **more):
    return {"dialect": "graph/1", "definitionId": name, "name": name, "nodes": [
        {"id": "t", "type": "trigger_manual"},
        {"id": "ask", "type": "human_task", "config": {"title": "Ask"}, "lock": lock, **more}],
        "edges": [{"from": "t", "to": "ask"}]}


class Locks(Case):
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


if __name__ == "__main__":
    main()
