"""Definitions at the limits: compiling any of them costs little time and memory.

Processor time is what is held against a bound, not the clock on the wall: the machine may be busy. The
bound is about ten times what these documents take."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

from harness import Case, main  # noqa: E402
from steps import end, fork, join, service, table, wait  # noqa: E402

SECONDS_MAX = 2.5
MEMORY_MAX = 512 << 10  # KiB


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_peak(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))


class Large(Case):
    def costs_little(self, document, status):
        before = processor_seconds(self.server.process.pid)
        answer = self.post("/v1/definitions", document)
        took = processor_seconds(self.server.process.pid) - before
        self.assertEqual(answer.status, status, answer)
        self.assertLess(took, SECONDS_MAX)
        self.assertLess(memory_peak(self.server.process.pid), MEMORY_MAX)
        return answer.json

    def document(self, *steps):
        return {"id": self.fresh("large"), "name": "n", "steps": list(steps)}

    def test_a_table_of_thousands_of_rules(self):
        rules = [{"when": {"a": f"a == {4400 - i}.12345678901234567890"}, "outputs": {"r": i}} for i in range(4400)]
        for policy in ("F", "U"):
            told = self.costs_little(self.document(table("t", "end", rules, hitPolicy=policy), end()), 201)
            self.assertEqual([problem["code"] for problem in told["warnings"]], ["TABLE_GAP"])

    def test_two_hundred_thousand_references_to_nothing(self):
        branches = ["longer_step_name_x"] * 180_000
        others = [{**end(), "id": f"longer_step_name_{i:02}"} for i in range(1990)]
        self.costs_little(self.document(fork("f", branches, "j"), *others, join("j", "end"), end()), 400)

    def test_a_million_boundary_events(self):
        self.costs_little(self.document({**wait("w", "end"), "boundaryEvents": [{}] * 1_000_000}, end()), 400)

    def test_a_million_rules(self):
        tables = [table(f"t{i}", f"t{i + 1}" if i < 199 else "end", [{}] * 5000) for i in range(200)]
        self.costs_little(self.document(*tables, end()), 201)

    def test_forty_thousand_event_conditions_over_two_thousand_triggers(self):
        document = {
            "id": self.fresh("large"), "name": "n", "startsAt": "s",
            "triggers": [{"name": f"t{i}", "source": "s", "type": "y"} for i in range(2000)],
            "states": [{"name": "s", "type": "EVENT", "end": True,
                        "eventActions": [{"condition": f"t{i % 2000}", "actions": []} for i in range(40_000)]}],
        }
        self.costs_little(document, 400)

    def test_a_fork_of_many_branches_over_many_steps(self):
        steps = [service(f"s{i}", f"s{i + 1}" if i < 1989 else "j") for i in range(1990)]
        self.costs_little(self.document(fork("f", ["s0"] * 150_000, "j"), *steps, join("j", "end"), end()), 201)


if __name__ == "__main__":
    main()
