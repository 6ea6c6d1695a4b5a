"""The engine against an independent reading of the contract of the Serverless Workflow dialect.

    PAWL_BINARY        the program to test (default: build/pawl)
    PAWL_MODEL_SEEDS   how many generated cases (default 300)
    PAWL_MODEL_FIRST   the first seed (default 1)

A difference is printed as the smallest case that still shows it, ready for a scenario file, with
what the model expects and what the engine did.
"""

import json
import os
import subprocess
import tempfile
import unittest

from generate import generate
from outcome import Unsettled, settle, views
from scenario_model import World
from shrink import shrink
from values import Unknown, same

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.path.abspath(os.environ.get("PAWL_BINARY", os.path.join(ROOT, "build", "pawl")))
SCENARIOS = [os.path.join(ROOT, "tests", "scenario", name) for name in ("serverless.json", "serverless_found.json")]
SEEDS = int(os.environ.get("PAWL_MODEL_SEEDS", "300"))
FIRST = int(os.environ.get("PAWL_MODEL_FIRST", "1"))
BATCH = 500
SHOWN_MAX = 10
# A few orders tell that simultaneous things matter nearly always; before we accuse, we ask more.
MANY_ORDERS = ("last", *range(1, 150))


def covers(wanted, seen):
    """Objects match as subsets, arrays exactly, types strictly."""
    if wanted == {"$absent": 1}:
        return seen is None
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(covers(value, seen.get(key)) for key, value in wanted.items())
    if isinstance(wanted, list):
        return isinstance(seen, list) and len(wanted) == len(seen) and all(map(covers, wanted, seen))
    return not isinstance(seen, Unknown) and same(wanted, seen)


def instance_meets(wanted, seen):
    output_counts = "output" in wanted and wanted.get("outputMatch") != "subset"
    if output_counts and not same(wanted["output"], seen.get("output")):
        return False
    return covers({key: value for key, value in wanted.items() if key != "outputMatch"}, seen)


def meets(wanted, world):
    """What of an expectation the model's world does not meet."""
    if wanted.get("rejected", False) != world.rejected:
        return ["rejected"]
    seen = views(world)
    wrong = [name for name, view in wanted.get("instances", {}).items() if not instance_meets(view, seen.get(name, {}))]
    calls = [{"function": function, "args": request} for function, request in world.calls]
    if "calls" in wanted and not covers(wanted["calls"], calls):
        wrong.append("calls")
    made = {name: sum(call["function"] == name for call in calls) for name in wanted.get("callCount", {})}
    if made != wanted.get("callCount", {}):
        wrong.append("callCount")
    if "instanceCount" in wanted and wanted["instanceCount"] != sum(not one.parent for one in world.instances):
        wrong.append("instanceCount")
    return wrong


class Engine:
    def __init__(self, directory):
        self.path = os.path.join(directory, "cases.json")

    def play(self, cases):
        """The engine's differences from each case's expectation."""
        if not cases:
            return []
        numbered = [{**case, "name": str(number)} for number, case in enumerate(cases)]
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"clockStart": "2026-01-01T00:00:00Z", "cases": numbered}, file)
        done = subprocess.run([BINARY, "test", self.path, "--json"], capture_output=True, text=True)
        assert done.returncode in (0, 1), f"exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        return [differences_of(case) for case in json.loads(done.stdout)["cases"]]

    def differing(self, cases):
        return [bool(differences) for differences in self.play(cases)]


def differences_of(case):
    """What the runner has against a case; what kept it from comparing at all counts, too."""
    if case["passed"]:
        return []
    return case["differences"] or [{"where": "the case", "expected": "to be played", "actual": case.get("problem")}]


def settled(seeds):
    """The cases of these seeds that the contract settles, with its expectation."""
    for seed in seeds:
        try:
            yield settle(generate(seed))
        except Unsettled:
            pass


def surely_settled(case):
    try:
        settle(case, MANY_ORDERS)
        return True
    except Unsettled:
        return False


class ModelTest(unittest.TestCase):
    maxDiff = None

    def test_the_model_passes_the_scenarios_of_the_dialect(self):
        for path in filter(os.path.exists, SCENARIOS):
            with open(path, encoding="utf-8") as file:
                cases = json.load(file)["cases"]
            for case in cases:
                with self.subTest(case["name"]):
                    self.assertEqual(meets(case["expect"], World().play(case)), [])

    def test_the_engine_does_what_the_model_expects(self):
        with tempfile.TemporaryDirectory(prefix="pawl-model-") as directory:
            engine = Engine(directory)
            shown = settled_count = 0
            for first in range(FIRST, FIRST + SEEDS, BATCH):
                cases = list(settled(range(first, min(first + BATCH, FIRST + SEEDS))))
                settled_count += len(cases)
                for case, differs in zip(cases, engine.differing(cases)):
                    if differs and shown < SHOWN_MAX and surely_settled(case):
                        shown += 1
                        self.show(case, engine)
        self.assertEqual(shown, 0, "the engine differs from the model; see above")
        self.assertGreater(settled_count, SEEDS // 2, "too few cases are settled to tell anything")

    @staticmethod
    def show(case, engine):
        small = shrink(case, engine.differing)
        print(f"\n{case['name']}, shrunk:")
        print(json.dumps({key: value for key, value in small.items() if key != "expect"}))
        print("model: ", json.dumps(small["expect"]))
        for difference in engine.play([small])[0]:
            print(f"engine: {difference['where']}: expected {difference['expected']}, but got {difference['actual']}")


if __name__ == "__main__":
    unittest.main()
