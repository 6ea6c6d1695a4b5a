"""How long does one command take, and the whole chain, alone and at half load?"""

from documents import CHAIN, CHAIN_LOAD, PARKED, PARKED_START
from measure import Answer, Figures, median, milliseconds, ms, spread

TEXT = """Time from a request's sending to its answer, and from a workflow's start to the answer to its last completion. At half load,
workflows are started at a fixed rate, half of what the same workers reached when more was always waiting, and their time counts from
when they were due."""
COLUMNS = (("p50 ms", "p50Us", ms), ("p99 ms", "p99Us", ms), ("spread of p50", "p50Us", spread))


def chain(bench, workflows, **options):
    with bench.engine() as engine:
        engine.deploy(CHAIN)
        return bench.load(engine, **CHAIN_LOAD, workflows=workflows, **options)


def start(bench, **options):
    with bench.engine() as engine:
        engine.deploy(PARKED)
        return bench.shoot(engine, **{"path": "/v1/instances", "body": PARKED_START, **options})


def signal(bench, **options):
    """To one instance, which goes on to wait again."""
    ids = bench.out / "bench-ids.txt"
    ids.unlink(missing_ok=True)
    with bench.engine() as engine:
        engine.deploy(PARKED)
        bench.shoot(engine, path="/v1/instances", body=PARKED_START, count=1, keep=ids)
        result = bench.shoot(engine, path="/v1/instances/{id}/signals/wait", body='{"seen":{n}}', ids=ids, **options)
    ids.unlink()
    return result


def one_round(bench):
    """References and figures in turns: what disturbs one disturbs the other."""
    alone = bench.pick(500, 3000)
    sync = bench.floor(1)
    most = chain(bench, bench.pick(4000, 20000), mode="longpoll", in_flight=64)["perSecond"]
    rate = int(most / 2)
    return {
        "sync": {"p50Us": sync["syncUs"], "p99Us": sync["syncP99Us"], "inPlaceUs": sync["inPlaceUs"]},
        "request": start(bench, method="GET", path="/livez", count=alone),
        "command": start(bench, count=alone),
        "signal": signal(bench, count=alone),
        "chain": chain(bench, alone, mode="single", in_flight=1),
        "polled": chain(bench, alone, mode="longpoll", in_flight=1),
        "half": {**chain(bench, rate * bench.pick(2, 8), mode="longpoll", in_flight=64, rate=rate), "rate": rate},
    }


def ask(bench):
    answer = Answer("Latency", TEXT)
    rounds = [one_round(bench) for _ in range(bench.repetitions)]
    figures = {name: Figures([one[name] for one in rounds]) for name in rounds[0]}
    p50 = {name: figure.median("p50Us") for name, figure in figures.items()}
    ideal_us = 4 * p50["sync"] + 7 * p50["request"]
    table = answer.table(["what", "against the reference"], COLUMNS)
    for name, what, against in (
            ("sync", "appending 650 bytes and fdatasync (reference)", f"{ms(figures['sync'], 'inPlaceUs')} ms if the file need not grow"),
            ("request", "a request without work, GET /livez (reference)", ""),
            ("command", "one durable command, alone: a start", f"{p50['command'] / p50['sync']:.1f} × a sync, "
                                                               f"{p50['command'] / (p50['sync'] + p50['request']):.1f} × a sync and a request"),
            ("signal", "another, alone: a signal", f"{p50['signal'] / p50['sync']:.1f} × a sync, "
                                                   f"{p50['signal'] / (p50['sync'] + p50['request']):.1f} × a sync and a request"),
            ("chain", "three-step chain, alone, single calls", f"{p50['chain'] / ideal_us:.1f} × 4 syncs and 7 requests"),
            ("polled", "three-step chain, alone, long polling", f"{p50['polled'] / ideal_us:.1f} × 4 syncs and 7 requests"),
            ("half", f"three-step chain, half load ({median(figures['half'], 'rate')}/s)", "")):
        answer.keep(name, figures[name])
        table.add([what, against], figures[name])
    answer.budget("one durable command, unloaded", f"p50 ≤ 2 × fdatasync = {2 * p50['sync']:.0f} µs",
                  f"a start {p50['command']:.0f} µs, a signal {p50['signal']:.0f} µs", max(p50["command"], p50["signal"]) <= 2 * p50["sync"])
    answer.budget("the three-step chain, unloaded", "p50 ≤ 1 ms", f"{milliseconds(p50['chain'])} ms", p50["chain"] <= 1000)
    return answer
