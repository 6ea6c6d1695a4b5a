"""Asks how fast the engine is, and writes down the answers.

usage: run.py OUT_DIR [--quick] [QUESTION…]

Without questions it asks all of them. Every answer has its floor or reference beside it, measured in the
same run; ratios are what counts, as machines and their load differ. OUT_DIR/bench.md and OUT_DIR/bench.json
get the answers, OUT_DIR/*.svg the curves. --quick: small numbers, one repetition; it shows that the questions
work, and no more.
"""

import importlib
import json
import pathlib
import sys
import time

import measure

# In this order: what matters most comes first.
QUESTIONS = ["chain", "latency", "loan", "pure", "states", "fanout", "events", "webhooks", "grpc", "mqtt", "timers", "schedules", "instances", "entities", "processors", "transitions", "searches", "definitions", "recovery", "access", "gate", "traces", "collector", "plan", "migrations", "postgres", "ui", "micro"]


def write(bench, answers, began_load):
    """Written anew after each question: what is known is kept if the rest fails."""
    how = "one short run" if bench.quick else f"median of {bench.repetitions}; spread is largest minus smallest, by the median"
    lines = [f"{measure.machine()}. Load before: {began_load:.1f}. {how[0].upper()}{how[1:]}.", ""]
    budgets = [row for answer in answers.values() for row in answer.budgets]
    if budgets:
        lines += ["| budget | allowed | measured | |", "|---|---|---|---|"]
        lines += [f"| {what} | {allowed} | {measured} | {'met' if met else '**missed**'} |" for what, allowed, measured, met in budgets]
        lines.append("")
    lines += [answer.markdown() for answer in answers.values()]
    (bench.out / "bench.md").write_text("\n".join(lines))
    (bench.out / "bench.json").write_text(json.dumps({
        "machine": measure.machine(), "load": began_load, "quick": bench.quick, "repetitions": bench.repetitions,
        "questions": {name: {"title": answer.title, "seconds": answer.seconds, "load": answer.load, "figures": answer.figures,
                             "budgets": [dict(zip(("what", "allowed", "measured", "met"), row)) for row in answer.budgets]}
                      for name, answer in answers.items()}}, indent=1) + "\n")
    for answer in answers.values():
        for name, picture in answer.pictures.items():
            (bench.out / f"{name}.svg").write_text(picture)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--quick"]
    bench = measure.Bench(arguments[0], "--quick" in sys.argv)
    asked = arguments[1:] or QUESTIONS
    unknown = [name for name in asked if name not in QUESTIONS]
    if unknown:
        raise SystemExit(f"no such question: {' '.join(unknown)}; there are {' '.join(QUESTIONS)}")
    began_load = measure.load_average()
    answers = {}
    for name in asked:
        print(name, file=sys.stderr, flush=True)
        load, began = measure.load_average(), time.monotonic()
        answer = importlib.import_module("questions." + name).ask(bench)
        answer.load, answer.seconds = round(load, 2), round(time.monotonic() - began, 1)
        answer.text += f" (Load {load:.1f}, {answer.seconds:.0f} s.)"
        answers[name] = answer
        write(bench, answers, began_load)
        print(answer.markdown(), flush=True)
    print(f"written to {pathlib.Path(bench.out / 'bench.md')}", file=sys.stderr)


if __name__ == "__main__":
    main()
