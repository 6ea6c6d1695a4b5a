"""What does a search cost among a thousand to a million entities, and what does an index cost?

Each size has a store of its own. A customer has twenty orders on average, so a search by customer finds twenty.
"""

import json
import time
import urllib.request

from measure import Answer, Figures, median, ms, number, spread
from svg import curves

BATCH = 100
HITS = 20  # Of a search by customer, on average.
SCANNED = 1000  # Entities that a scan is measured on.
MODEL = {"customer": "c1", "amount": 12, "note": "x", "lines": [{"sku": "s1", "count": 1}]}
ORDER = {"customer": "c{r}", "amount": "{r}", "note": "note {r}", "lines": [{"sku": "s{r}", "count": 2}, {"sku": "s{r}", "count": 3}]}
BODY = json.dumps(ORDER, separators=(",", ":")).replace('"{r}"', "{r}")
FIELDS = ["$.customer", "$.amount"]
TEXT = """Orders of about 100 bytes, created in lists of 100 by 8 connections; a search is asked by one connection, again and again with another value. *By customer* finds
20 entities on average through the index of one field; *by number* as many through that of a number; *with a second condition* adds one on a field without an index;
*by state and customer* has two indexes to choose from. *One more index* is what a field adds to the cost of a create. Reference: the smallest store, and a scan of a thousand entities without an index."""


def request(engine, method, path, body=None):
    made = urllib.request.Request(engine.url + path, json.dumps(body).encode() if body is not None else None, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(made) as answer:
        return json.load(answer)


def prepare(engine, name, fields):
    request(engine, "POST", f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", MODEL)
    request(engine, "PUT", f"/api/model/{name}/1/indexes", {"fields": fields})
    request(engine, "PUT", f"/api/model/{name}/1/lock")


def fill(bench, engine, name, size, below):
    return bench.shoot(engine, path=f"/api/entity/JSON/{name}/1", body=BODY, count=size // BATCH, batch=BATCH, connections=8, below=below)


def simple(path, op, value):
    return {"type": "simple", "jsonPath": path, "operatorType": op, "value": value}


def both(*conditions):
    return {"type": "group", "operator": "AND", "conditions": list(conditions)}


def conditions():
    customer = simple("$.customer", "EQUALS", "c{r}")
    return {"by customer": customer, "by number": simple("$.amount", "EQUALS", "{r}"),
            "with a second condition": both(customer, simple("$.note", "STARTS_WITH", "note")),
            "by state and customer": both({"type": "lifecycle", "field": "state", "operatorType": "EQUALS", "value": "CREATED"}, customer)}


def search(bench, engine, name, condition, count, below):
    body = json.dumps(condition, separators=(",", ":")).replace('"{r}"', "{r}")
    return bench.costed(engine, count, lambda: bench.shoot(engine, path=f"/api/search/direct/{name}/1", body=body, count=count, below=below))


def hits(engine, name):
    """What ten of these searches find, on average."""
    found = 0
    for n in range(10):
        made = urllib.request.Request(f"{engine.url}/api/search/direct/{name}/1", json.dumps(simple("$.customer", "EQUALS", f"c{n}")).encode(),
                                      {"Content-Type": "application/json"})
        with urllib.request.urlopen(made) as answer:
            found += len(answer.read().splitlines())
    return found / 10


def build(engine, name, field):
    """Seconds that one more index takes while nothing else is done."""
    began = time.monotonic()
    request(engine, "PUT", f"/api/model/{name}/1/indexes", {"fields": [*FIELDS, field]})
    while any(index["state"] != "READY" for index in request(engine, "GET", f"/api/model/{name}/1/indexes")["indexes"]):
        time.sleep(0.01)
    return time.monotonic() - began


def measure_size(bench, size):
    customers, count = size // HITS, bench.pick(50, 500)
    with bench.engine() as engine:
        prepare(engine, "plain", [])
        prepare(engine, "orders", FIELDS)
        part = min(size, 20000)
        fill(bench, engine, "plain", SCANNED, customers)
        plain = bench.costed(engine, part, lambda: fill(bench, engine, "plain", part, customers))["cpuUs"]
        indexed = bench.costed(engine, size, lambda: fill(bench, engine, "orders", size, customers))["cpuUs"]
        found = {"createUs": plain, "indexUs": (indexed - plain) / len(FIELDS), "hits": hits(engine, "orders"), "buildSeconds": build(engine, "orders", "$.lines[*].sku")}
        for kind, condition in conditions().items():
            search(bench, engine, "orders", condition, count // 10, customers)
            found[kind] = bench.repeat(lambda condition=condition: search(bench, engine, "orders", condition, count, customers))
    bench.say(f"{number(size)}: " + ", ".join(f"{kind} {ms(found[kind], 'p50Us')} ms" for kind in conditions()))
    return found


def scan(bench):
    """A thousand entities without an index."""
    with bench.engine() as engine:
        prepare(engine, "scanned", [])
        fill(bench, engine, "scanned", SCANNED, SCANNED // HITS)
        condition = simple("$.customer", "EQUALS", "c{r}")
        return bench.repeat(lambda: search(bench, engine, "scanned", condition, bench.pick(10, 100), SCANNED // HITS))


def ask(bench):
    answer = Answer("Searches", TEXT)
    sizes = bench.pick((1000, 10000), (1000, 100000, 1000000))
    found = {size: measure_size(bench, size) for size in sizes}
    table = answer.table(["entities", *(f"{kind}: {what}" for kind in conditions() for what in ("p50 ms", "CPU µs", "spread")), "create, no index: CPU µs",
                          "one more index: CPU µs", "an index is built, entities/s"])
    for size, at in found.items():
        table.add([number(size), *(how(at[kind], name) for kind in conditions() for name, how in (("p50Us", ms), ("cpuUs", median), ("cpuUs", spread))),
                   number(at["createUs"]), number(at["indexUs"]), number(size / at["buildSeconds"])])
        for kind in conditions():
            answer.keep(f"{kind} at {size}", at[kind])
        answer.keep(f"writes at {size}", Figures([{name: at[name] for name in ("createUs", "indexUs", "buildSeconds", "hits")}]))
    reference = scan(bench)
    answer.keep("scan of 1000", reference)
    table.add([f"{number(SCANNED)}, no index (reference)", ms(reference, "p50Us"), median(reference, "cpuUs"), spread(reference, "cpuUs"), *[""] * 12])
    most = max(found)
    slowest = found[most]["by customer"].median("p50Us") / 1000
    answer.budget(f"a search through an index, {found[most]['hits']:.0f} hits among {number(most)}", "≤ 5 ms", f"{slowest:.2f} ms", slowest <= 5)
    answer.pictures["growth-searches"] = curves(
        "A search of 20 by the number of entities", "entities in the store", "p50, ms",
        {kind: [(size, at[kind].median("p50Us") / 1000) for size, at in found.items()] for kind in conditions()})
    return answer
