"""The engine against an independent reading of the contract of entities' workflows.

    PAWL_BINARY        the program to test (default: build/pawl)
    PAWL_MODEL_SEEDS   how many generated cases (default 300)
    PAWL_MODEL_FIRST   the first seed (default 1)

A difference is printed as the smallest case that still shows it, ready for a scenario file, with what the model
expects and what the engine did.
"""

import copy
import json
import os
import tempfile
import unittest

from entity_generate import generate
from entity_model import World
from outcome import Unsettled
from test_model import Engine

SEEDS = int(os.environ.get("PAWL_MODEL_SEEDS", "300"))
FIRST = int(os.environ.get("PAWL_MODEL_FIRST", "1"))
BATCH = 500
SHOWN_MAX = 5


def settle(case):
    return World().play(case)


def settled(seeds):
    for seed in seeds:
        try:
            yield settle(generate(seed))
        except Unsettled:
            pass


# ---- the smallest case ----


def lists_in(value):
    """Every list of the case from which an item can go, and every object from which an option can."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name in ("transition", "criterion", "schedule", "manual", "disabled", "active", "executionMode", "ifMatch", "body", "processors"):
                yield value, name
            yield from lists_in(part)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield value, index
            yield from lists_in(part)


def smaller(case):
    count = sum(1 for _ in lists_in(case))
    for number in range(count):
        made = copy.deepcopy(case)
        place, key = list(lists_in(made))[number]
        del place[key]
        try:
            if made["definitions"]:
                yield settle(made)
        except (KeyError, IndexError, Unsettled):  # It names what is gone.
            pass


def shrink(case, engine):
    while True:
        cases = list(smaller({key: case[key] for key in ("name", "definitions", "steps")}))
        less = next((one for one, differs in zip(cases, engine.differing(cases)) if differs), None)
        if less is None:
            return case
        case = less


class EntityModelTest(unittest.TestCase):
    def test_the_engine_does_what_the_model_expects(self):
        with tempfile.TemporaryDirectory(prefix="pawl-entities-") as directory:
            engine = Engine(directory)
            shown, seen = 0, {}
            for first in range(FIRST, FIRST + SEEDS, BATCH):
                cases = list(settled(range(first, min(first + BATCH, FIRST + SEEDS))))
                for case, differs in zip(cases, engine.differing(cases)):
                    self.count(case, seen)
                    if differs and shown < SHOWN_MAX:
                        shown += 1
                        self.show(case, engine)
        self.assertEqual(shown, 0, "the engine differs from the model; see above")
        for what in (200, 400, 404, 412, 503):
            self.assertGreater(seen.get(what, 0), SEEDS // 200, f"too few writes are answered with {what} to tell anything: {seen}")
        self.assertGreater(seen["calls"], SEEDS // 2, "too few calls of processors")

    @staticmethod
    def count(case, seen):
        for step in case["steps"]:
            seen[step.get("expectStatus")] = seen.get(step.get("expectStatus"), 0) + 1
        seen["calls"] = seen.get("calls", 0) + len(case["expect"].get("calls", []))

    @staticmethod
    def show(case, engine):
        small = shrink(case, engine)
        print(f"\n{case['name']}, shrunk:")
        print(json.dumps({key: value for key, value in small.items() if key != "expect"}))
        print("model: ", json.dumps(small["expect"]))
        for difference in engine.play([small])[0]:
            print(f"engine: {difference['where']}: expected {difference['expected']}, but got {difference['actual']}")


if __name__ == "__main__":
    unittest.main()
