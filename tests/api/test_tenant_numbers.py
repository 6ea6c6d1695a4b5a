"""Each tenant sees its own numbers: the last hour, the health, workers and what performers did."""

from accounts import Accounts, ROOT
from harness import main
from steps import end, service, timer, wait
from workflows import operation


class Numbers(Accounts):
    def tenant(self):
        name = self.fresh("tenant").lower()
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": name}).status, 201)
        return {**ROOT, "X-Pawl-Tenant": name}

    def get_json(self, path, there):
        answer = self.ask("GET", path, None, there)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def totals(self, there):
        """The sums of the series of all nodes."""
        total = {}
        for answer in self.ask_all("/api/series", headers=there):
            for name, numbers in answer.json["series"].items():
                self.assertIsNotNone(numbers[-1], name)
                total[name] = total.get(name, 0) + sum(number or 0 for number in numbers)
        return total

    def last_hour(self, there):
        hours = [answer.json["lastHour"] for answer in self.ask_all("/api/overview", headers=there)]
        return {key: sum(hour[key] for hour in hours) for key in hours[0]}

    def health(self, there):
        return {one["name"]: one for one in self.get_json("/api/overview", there)["health"]}

    def upload(self, there, *steps, **more):
        name = self.fresh()
        answer = self.ask("POST", "/v1/definitions", {"id": name, "name": name, "steps": [*steps, end()], **more}, there)
        self.assertEqual(answer.status, 201, answer)
        return name

    def start(self, there, name):
        answer = self.ask("POST", "/v1/instances", {"definitionId": name}, there)
        self.assertEqual(answer.status, 201, answer)
        return answer.json["id"]

    def test_the_last_hour_is_the_tenants_own(self):
        here, other, before = self.tenant(), self.tenant(), self.totals(ROOT)
        kind = self.fresh("job")
        work = self.upload(here, service("work", "end", kind))
        done = self.upload(here)
        for name in (work, work, done):
            self.start(here, name)
        jobs = self.ask("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": [kind], "maxJobs": 2, "waitSeconds": 5}, here).json["jobs"]
        self.assertEqual(self.ask("POST", f"/v1/jobs/{jobs[0]['id']}/complete", {"workerId": "w"}, here).status, 204)
        self.ask("POST", f"/hooks/{self.fresh()}", {}, here)  # No trigger has the path.
        own = self.totals(here)
        self.assertEqual({key: own[key] for key in ("started", "completed", "failed", "cancelled", "jobsDone")},
                         {"started": 3, "completed": 2, "failed": 0, "cancelled": 0, "jobsDone": 1})
        self.assertEqual(own["arrivals"], 1)
        self.assertGreater(own["commitMs95"], 0)
        self.assertEqual(self.last_hour(here), {"started": 3, "completed": 2, "failed": 0, "cancelled": 0})
        self.assertEqual(set(self.totals(other).values()), {0})
        self.assertEqual(self.last_hour(other), {"started": 0, "completed": 0, "failed": 0, "cancelled": 0})
        now = self.totals(ROOT)
        for key in ("started", "completed", "jobsDone", "arrivals"):
            self.assertEqual(now[key], before[key], key)

    def test_the_health_is_the_tenants_own(self):
        here, other = self.tenant(), self.tenant()
        for name, sentence in (("timers", "On time, none comes soon"), ("store", "Nothing was written in the last minutes")):
            self.assertEqual(self.health(here)[name], {"name": name, "state": "well", "sentence": sentence})
        self.start(here, self.upload(here, wait("rest", "end", boundaryEvents=[timer("PT20S", "end")])))
        self.assertRegex(self.health(here)["timers"]["sentence"], r"^On time, the next one in [0-9.]+ s")
        self.assertRegex(self.health(here)["store"]["sentence"], r"^Commits in ")
        for name, sentence in (("timers", "On time, none comes soon"), ("store", "Nothing was written in the last minutes")):
            self.assertEqual(self.health(other)[name]["sentence"], sentence)
        self.assertNotIn("uncounted", self.get_json("/api/overview", here))

    def performed(self, there):
        answers = self.ask_all("/api/workers", headers=there)
        return sum(one["done"] + one["failed"] for answer in answers for one in answer.json["performers"])

    def test_performers_are_counted_for_the_tenant(self):
        here, before = self.tenant(), self.performed(ROOT)
        call = {"name": "send", "type": "http", "resource": "http://127.0.0.1:9/"}  # Private addresses are refused.
        document = {"id": self.fresh("workflow"), "name": "w", "startsAt": "A", "states": [operation("A", "send")], "functions": [call]}
        self.assertEqual(self.ask("POST", "/v1/definitions", document, here).status, 201)
        self.start(here, document["id"])
        self.until(lambda: self.performed(here))
        self.assertEqual(self.performed(ROOT), before)


if __name__ == "__main__":
    main()
