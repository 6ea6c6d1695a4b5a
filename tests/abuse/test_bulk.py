"""One command for thousands of instances: nobody else may notice.

Instances are started by events, a thousand in a request. While bulks look for them and work through them, an
unrelated start has to be quick, and memory must not follow the number of instances."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from harness import BINARY, Case, main  # noqa: E402
from steps import end, wait  # noqa: E402
from stopwatch import Stopwatch  # noqa: E402
from workflows import event, on, trigger  # noqa: E402

MIB = 1 << 20
CALM_SECONDS = 1.0
MEASURES = not any(word in BINARY for word in ("asan", "tsan"))
MANY = 6000 if MEASURES else 500
AT_ONCE = 500


class Many(Case):
    def memory(self):
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:"))

    def start_many(self):
        """Instances that wait, the definition's id."""
        source = "/" + self.fresh("source")
        name = self.upload_workflow(event("Placed", on("placed", "Paid")), event("Paid", on("paid")),
                                    triggers=[trigger("placed", source, "placed", "$.data.n"), trigger("paid", source, "paid", "$.data.n")])
        for first in range(0, MANY, AT_ONCE):
            batch = [{"specversion": "1.0", "id": str(n), "source": source, "type": "placed", "data": {"n": n}} for n in range(first, first + AT_ONCE)]
            answer = self.post("/v1/events", batch, {"Content-Type": "application/cloudevents-batch+json"})
            self.assertEqual({item["outcome"] for item in answer.json["events"]}, {"started"})
        return name


class Bulks(Many):
    def test_starts_stay_quick_beside_a_bulk(self):
        many, other = self.start_many(), self.upload([wait("w", "end"), end()])
        before, longest, starts = self.memory(), 0.0, 0
        answer = self.post("/v1/bulk", {"action": "cancel", "filter": {"definitionId": many}})
        self.assertEqual((answer.status, answer.json["found"]), (202, MANY))
        bulk = answer.json
        while bulk["state"] == "running":
            watch = Stopwatch(self.server.process.pid)
            self.start(other)
            longest, starts = max(longest, watch.seconds()), starts + 1
            bulk = self.get(f"/v1/bulk/{bulk['id']}").json
        self.assertEqual((bulk["state"], bulk["succeeded"]), ("done", MANY))
        self.assertGreater(starts, 1)
        self.assertEqual(self.get(f"/v1/instances?definitionId={many}&status=CANCELLED").json["total"], MANY)
        self.assertEqual(self.get(f"/v1/instances?definitionId={other}&status=WAITING").json["total"], starts)
        if MEASURES:
            self.assertLess(longest, CALM_SECONDS)
            self.assertLess(self.memory() - before, 64 * MIB)

    def test_previews_do_not_hold_up_other_queries(self):
        """Many previews at once, each of which reads the state of every instance."""
        many = self.start_many()
        body = {"action": "cancel", "filter": {"definitionId": many, "step": "Paid"}, "dryRun": True}
        finish = [self.client.later("/v1/bulk", body) for _ in range(8)]
        longest = 0.0
        for _ in range(20):
            watch = Stopwatch(self.server.process.pid)
            self.assertEqual(self.get("/v1/instances?pageSize=1").status, 200)
            longest = max(longest, watch.seconds())
        self.assertEqual({one().json["found"] for one in finish}, {MANY})
        if MEASURES:
            self.assertLess(longest, CALM_SECONDS)


class Crowd(Many):
    """Bulks that take long, and more of them than may go on at the same time."""

    arguments = ("--limit", "bulk_turn_max=1", "--limit", "bulks_running_max=3")

    def test_only_so_many_go_on(self):
        """The others are told to come back."""
        many = self.start_many()
        answers = [self.post("/v1/bulk", {"action": "signal", "filter": {"definitionId": many}, "step": "Nowhere"}) for _ in range(6)]
        self.assertEqual([answer.status for answer in answers], [202] * 3 + [429] * 3)
        for answer in answers:
            if answer.status == 429:
                self.assertEqual(answer.headers["Retry-After"], "1")
                continue
            self.assertEqual(self.post(f"/v1/bulk/{answer.json['id']}/cancel").status, 200)
        self.assertEqual({bulk["state"] for bulk in self.get("/v1/bulk").json["items"]} - {"done", "cancelled"}, set())


if __name__ == "__main__":
    main()
