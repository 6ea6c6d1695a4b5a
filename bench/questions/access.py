"""What do credentials cost, and does it matter how many there are?"""

import hashlib
import http.client
import json
import os
import subprocess

from measure import Answer, median, number, spread
from tokens import Issuer

TEXT = """`GET /v1/definitions` by an engine that asks nobody, and by one that asks, with a key, the cookie of a session and a token of an issuer that the
engine has seen before. A new token (RS256, 2048 bits) is checked once, beside the engine's thread. Then the same key on stores with ten users, keys and
tenants, and with many: a start reads none of them. CPU is of the whole engine, when it has counted the bytes of the tenants, which it does after a start
and then once a minute at most."""
COLUMNS = (("CPU µs", "cpuUs", median), ("spread", "cpuUs", spread), ("more than open", "moreUs", median))
SIZES = (("CPU µs", "cpuUs", median), ("start ms", "startMs", median), ("spread", "startMs", spread))
PASSWORD = "correct horse battery"
AT_ONCE = 20000  # Records of one file.


def ask_api(engine, method, path, body, headers):
    connection = http.client.HTTPConnection("127.0.0.1", engine.port)
    connection.request(method, path, json.dumps(body), {"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status >= 300:
        raise SystemExit(f"access: {method} {path} is {answer.status}: {text}")
    return answer, json.loads(text) if text else None


def shot(bench, engine, count, header=None):
    """CPU of one request, after a few that fill the caches."""
    more = {"header": header} if header else {}

    def shoot(n):
        return bench.shoot(engine, method="GET", path="/v1/definitions", count=n, connections=8, **more)
    shoot(200)
    before = engine.cpu_us()
    shoot(count)
    return (engine.cpu_us() - before) / count


def credentials(engine, issuer, root):
    ask_api(engine, "POST", "/api/users", {"name": "ada", "password": PASSWORD, "roles": ["viewer"]}, root)
    ask_api(engine, "POST", "/api/issuers", issuer.record, root)
    key = ask_api(engine, "POST", "/api/keys", {"name": "k", "roles": ["viewer"]}, root)[1]["key"]
    cookie = ask_api(engine, "POST", "/api/session", {"name": "ada", "password": PASSWORD}, {})[0].headers["Set-Cookie"].split(";")[0]
    return {"key": f"Authorization: Bearer {key}", "session": f"Cookie: {cookie}", "token": f"Authorization: Bearer {issuer.token('ada')}"}


def new_tokens(engine, tokens):
    """CPU of a token's first request; the second costs as much as any."""
    connection = http.client.HTTPConnection("127.0.0.1", engine.port)
    cost = []
    for _ in range(2):
        before = engine.cpu_us()
        for token in tokens:
            connection.request("GET", "/v1/definitions", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            if answer.status != 200:
                raise SystemExit(f"access: a token is refused: {answer.status}")
        cost.append((engine.cpu_us() - before) / len(tokens))
    connection.close()
    return cost[0] - cost[1]


def with_root(bench):
    path = bench.out / "bench-root"
    path.write_text("s3cret-token-of-the-engine")
    os.chmod(path, 0o600)
    return ("--auth-token-file", path), {"Authorization": "Bearer s3cret-token-of-the-engine"}


def run_kinds(bench, count):
    options, root = with_root(bench)
    issuer = Issuer()
    with bench.engine() as engine:
        result = {"nobody": shot(bench, engine, count)}
    with bench.engine(*options) as engine:
        for kind, header in credentials(engine, issuer, root).items():
            ask_api(engine, "GET", "/v1/definitions", None, dict([header.split(": ", 1)]))
            result[kind] = shot(bench, engine, count, header)
        result["new token"] = new_tokens(engine, [issuer.token(f"user{n}") for n in range(bench.pick(20, 300))])
    return result


def apply(bench, engine, document):
    path = bench.out / "bench-access.json"
    path.write_text(json.dumps(document))
    subprocess.run([bench.out / "pawl", "access", "apply", path, "--store", engine.data], check=True, stdout=subprocess.DEVNULL)


def fill(bench, engine, users, keys, tenants):
    def in_parts(name, items):
        for first in range(0, len(items), AT_ONCE):
            apply(bench, engine, {name: items[first:first + AT_ONCE]})
    in_parts("tenants", [{"name": f"t{n}"} for n in range(tenants)])
    in_parts("users", [{"name": f"u{n}", "roles": ["viewer"]} for n in range(users)])
    in_parts("keys", [{"id": f"K{n:09d}", "name": f"k{n}", "tenant": f"t{n % tenants}", "roles": ["worker"],
                       "hash": hashlib.sha256(b"%d" % n).hexdigest()} for n in range(keys)])


def run_size(bench, engine, root, count):
    started = []
    for _ in range(3):
        engine.restart()
        started.append(engine.start_ms)
    key = ask_api(engine, "POST", "/api/keys", {"name": "k", "roles": ["viewer"]}, root)[1]["key"]
    engine.wait_until_quiet()
    return {"cpuUs": shot(bench, engine, count, f"Authorization: Bearer {key}"), "startMs": sorted(started)[1]}


def ask(bench):
    answer = Answer("Access", TEXT)
    count = bench.pick(2000, 60000)
    figures = bench.repeat(lambda: run_kinds(bench, count))
    kinds = answer.table(["credential"], COLUMNS)
    for kind in ("nobody", "key", "session", "token"):
        part = type(figures)([{"cpuUs": one[kind], "moreUs": one[kind] - one["nobody"]} for one in figures.runs])
        answer.keep(kind, part)
        kinds.add([kind], part)
        if kind != "nobody":
            more = part.median("moreUs")
            answer.budget(f"check of a known {kind}", "2 µs", f"{more:.1f} µs", more <= 2)
    fresh = figures.median("new token")
    answer.budget("check of a new RS256 token, with what it reads from the store", "150 µs", f"{fresh:.0f} µs", fresh <= 150)
    options, root = with_root(bench)
    sizes, medians = answer.table(["users", "keys", "tenants"], SIZES), []
    for size in ((10, 10, 10), bench.pick((1000, 1000, 100), (100000, 100000, 10000))):
        with bench.engine(*options) as engine:
            engine.stop()
            fill(bench, engine, *size)
            engine.start()
            figures = bench.repeat(lambda: run_size(bench, engine, root, count))
        answer.keep(f"{size[0]}", figures)
        sizes.add([number(part) for part in size], figures)
        medians.append(figures.medians())
    for name, what in (("cpuUs", "a request"), ("startMs", "a start")):
        part = medians[1][name] / medians[0][name] - 1
        answer.budget(f"{what} with 10⁵ users and keys, 10⁴ tenants", "± 25 %", f"{part * 100:+.0f} %", abs(part) <= 0.25)
    return answer
