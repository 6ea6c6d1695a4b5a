"""Every attack in its full size, and a table of what it did.

usage: campaign.py [--seconds N] [--sources same,spread] [ATTACK...]

The attackers hold on for N seconds: the time-outs of heads (10 s) and of bodies (30 s) pass meanwhile. Waits are the longest ones. The last line
is "N passed, N failed".
"""

import argparse
import sys

from attacks import ATTACKS
from siege import Siege

WAIT_MAX = 1.0  # Seconds, for a start and for a probe.
COLUMNS = (("attack", 18), ("from", 7), ("connections", 11), ("start s", 8), ("probe s", 8), ("peak MiB", 9), ("left MiB", 9), ("after s", 8), ("verdict", 7))


def show(cells):
    print("  ".join(str(cell).ljust(width) if i < 2 else str(cell).rjust(width) for i, (cell, (_, width)) in enumerate(zip(cells, COLUMNS))), flush=True)


def run(name, sources, seconds):
    """Whether the engine withstood."""
    report = Siege(name, ATTACKS[name].connections, sources, seconds, gives_up=False).run()
    wrong = report.judge(WAIT_MAX)
    show((name, sources, report.connections, f"{report.start:.2f}", f"{report.probe:.2f}", report.peak >> 20, report.left >> 20,
          f"{report.left_after:.0f}", "ok" if not wrong else "FAIL"))
    for line in sorted({line.split(" after ")[0] for line in wrong})[:8]:
        print(f"      {line[:200]}")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attack", nargs="*", default=list(ATTACKS), metavar="ATTACK")
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--sources", default="same,spread")
    options = parser.parse_args()
    show(title for title, _ in COLUMNS)
    results = [run(name, sources, options.seconds) for name in options.attack for sources in options.sources.split(",")]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
