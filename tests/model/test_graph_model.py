"""The engine against an independent reading of the contract of flow graphs.

    PAWL_BINARY        the program to test (default: build/pawl)
    PAWL_MODEL_SEEDS   how many generated cases (default 300)
    PAWL_MODEL_FIRST   the first seed (default 1)

A difference is printed as the smallest case that still shows it, ready for a scenario file, with what the model
expects and what the engine did.
"""

import json
import os
import tempfile
import unittest

from graph_generate import generate
from graph_outcome import MANY_ORDERS, settle
from graph_shrink import shrink
from outcome import Unsettled
from test_model import Engine

SEEDS = int(os.environ.get("PAWL_MODEL_SEEDS", "300"))
FIRST = int(os.environ.get("PAWL_MODEL_FIRST", "1"))
BATCH = 500
SHOWN_MAX = 5


def settled(seeds):
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


class GraphModelTest(unittest.TestCase):
    def test_the_engine_does_what_the_model_expects(self):
        with tempfile.TemporaryDirectory(prefix="pawl-graphs-") as directory:
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
