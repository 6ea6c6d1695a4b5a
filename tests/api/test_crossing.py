"""Nothing crosses from one tenant to another: every call of every way in, made about things of one tenant with the key of another one.

The tables of calls are in crossing.py. A route, a method, a kind of event, a topic or a verb that is in the program and not in its table fails here.
Each call is made four ways:

    the other tenant, about things of the owner    404, an empty list, or something of its own; nothing of the owner changes
    the other tenant, about things of nobody       the same answer, word for word
    the other tenant, before the owner had any     the same lists
    the owner                                      works, else the others prove nothing
"""

import collections
import json
import os
import shutil
import re
import sqlite3
import subprocess
import tempfile

import grpc

import crossing
import members
from crossing import Tenant, absent, filled
from grpc_client import GrpcClient, Refused, port_of
from harness import BINARY, ON_POSTGRES, PATIENCE, Case, main
from test_live import Live
from test_worklists import Watch

ROOT = {"Authorization": "Bearer s3cret-token-of-the-engine"}
PASSWORD = "correct horse battery"
OWNERS = {"stripes": "zebra", "default": "koala"}  # Tenants, and what stands in every name there.
COUNTS = collections.Counter()
AUDIT_HEAD = 37  # Its number in the store (src/store/record_kind.h), which never changes.


def plain(text, has):
    """An answer without what was asked for, times and new ids, so that two answers can be compared."""
    for value in sorted(has.values(), key=len, reverse=True):
        if len(value) > 2:
            text = re.sub(rf"(?<![\w-]){value}(?![\w-])" if value.isdigit() else re.escape(value), "…", text)  # Random ids have digits inside.
    text = re.sub(r"data [0-9a-f]{16}", "data", text)  # The fence around what a tool tells.
    text = re.sub(r"(?<=[\[,])(null|0\.000)(?=[,\]])", "0", text)  # A minute of a series may begin between two answers: it counts nothing.
    text = re.sub(r'"lastUsed":"[^"]*",', "", text)  # Written now and then.
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)", "TIME", text)
    return re.sub(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|[0-9a-f]{8}-[0-9a-f-]{27}|pawl_\w+|\"(id|clientId|clientSecret|client_id|client_secret|userId|name)\":\"[\w-]+\"|event (\d+|…)|\d+ % full, [\d.]+ \w+|key \w{10} made", "ID", text)


def rows_of(directory, tenant):
    """The rows of the store that belong to a tenant, or to all."""
    of_instance, found = "{} IN (SELECT id FROM instance WHERE ns = :ns)", set()
    # Blocks of the audit are rows of the history, and groups of them in `record` only say where: they come as others call. So does the end of
    # the chain, which is written a minute later.
    where = {"history": of_instance.format("instance") + " OR instance = 0 AND prev = :ns", "record": f"ns = :ns AND at >= 0 AND kind <> {AUDIT_HEAD}", "timer": of_instance.format("instance"), "child": of_instance.format("parent"),
             "subscription": of_instance.format("instance"), "tally": "definition IN (SELECT number FROM definition WHERE ns = :ns)",
             "bulk_part": "bulk IN (SELECT id FROM bulk WHERE ns = :ns)", "meta": None, "namespace": None, "sqlite_sequence": None}
    store = sqlite3.connect(f"file:{directory}/data/pawl.db?mode=ro", uri=True)
    number = next(int.from_bytes(key, "big") for (key,) in store.execute("SELECT key FROM record WHERE ns = 0 AND length(key) = 4 AND value = ?", (tenant.encode(),))) if tenant != "default" else 1
    for (table,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        condition = where.get(table, "ns = :ns")
        if condition:
            found.update((table, *row) for row in store.execute(f"SELECT * FROM {table} WHERE {condition}", {"ns": number}))
    # Keys of shared records begin with the number of their tenant, unless that is `default`.
    found -= {row for row in found if row[0] == "record" and row[3].startswith(b"\2")}
    found.update(("record", *row) for row in store.execute("SELECT * FROM record WHERE ns = 1") if row[2].startswith(b"\2%d\2" % number))
    store.close()
    return found


class Crossing(Case):
    handle, path = tempfile.mkstemp(prefix="pawl-token-")
    os.write(handle, b"s3cret-token-of-the-engine")
    os.close(handle)
    arguments = ("--auth-token-file", path, "--grpc", "127.0.0.1:0", "--mcp")
    owners = None

    @classmethod
    def tearDownClass(cls):
        os.unlink(cls.path)
        for tenant in (*cls.owners, cls.other):
            tenant.connection.close()
        print("calls made as another tenant:", ", ".join(f"{count} {way}" for way, count in COUNTS.items()))

    def setUp(self):
        super().setUp()
        if not Crossing.owners:
            self.prepare()
        elif "routes" not in self.id():
            self.other = self.tenant(self.fresh("other"))  # It has nothing yet.
            self.addCleanup(self.other.connection.close)
            self.renew()

    def prepare(self):
        Crossing.other = self.tenant("other")
        self.of_all()
        Crossing.before = {route: self.other.ask(*self.request(route, row, {})) for route, row in self.rows() if self.is_bare(route, row)}
        Crossing.owners = [self.tenant(name, mark) for name, mark in OWNERS.items()]
        for owner in self.owners:
            owner.has = {**crossing.populate(owner), **self.people}
            owner.nobodys = {word: absent(value, owner.mark) for word, value in owner.has.items()}
            if not ON_POSTGRES:
                owner.rows = rows_of(self.server.directory, owner.name)

    def root(self, method, path, body=None):
        answer = self.client.request(method, path, body, ROOT)
        self.assertLess(answer.status, 300, answer)
        return answer.json if answer.body else None

    def tenant(self, name, mark=None):
        if name != "default":
            self.root("POST", "/api/tenants", {"name": name})
        key = self.root("POST", "/api/keys", {"name": name, "roles": ["admin"], "tenant": name})["key"]
        return Tenant(self.server, name, key, mark)

    def of_all(self):
        """What belongs to no tenant: people and issuers."""
        user, issuer = "elsewhere", "zookeeper"
        self.root("POST", "/api/users", {"name": user, "password": PASSWORD})
        self.root("POST", "/api/issuers", {"name": issuer, "issuer": "https://idp.example", "audience": "pawl", "jwks": {"keys": []}})
        cookie = self.client.request("POST", "/api/session", {"name": user, "password": PASSWORD}).headers["Set-Cookie"].split(";")[0]
        session = self.client.request("GET", "/api/sessions", None, {"Cookie": cookie}).json["items"][0]["id"]
        Crossing.people = {"user": user, "issuer": issuer, "session": session}

    # ---- calls ----

    @staticmethod
    def rows():
        return [(route, row) for route, rows in crossing.ROUTES.items() for row in rows if row[0]]

    @staticmethod
    def request(route, row, has):
        body, headers = (*row[3:], None, None)[:2]
        return route.split()[0], filled(row[2], has), body if isinstance(body, bytes) else filled(body, has), headers

    @staticmethod
    def is_bare(route, row):
        """Does it read without naming anything?"""
        return route.startswith("GET") and "{" not in row[2]

    def unchanged(self, what):
        for owner in self.owners if not ON_POSTGRES else ():
            gone, new = owner.rows - (now := rows_of(self.server.directory, owner.name)), now - owner.rows
            self.assertEqual((sorted(map(str, gone))[:3], sorted(map(str, new))[:3]), ([], []), f"{what} changed rows of {owner.name}")

    def try_row(self, owner, route, row):
        answer = self.other.ask(*self.request(route, row, owner.has))
        COUNTS["over REST"] += 1
        statuses = row[0] if isinstance(row[0], set) else {row[0]}
        self.assertIn(answer.status, statuses, f"{route} {row[2]}: {answer}")
        text = answer.body.decode()
        if self.is_bare(route, row):
            self.assertNotIn(owner.mark, text, route)
            if route != "GET /api/access/refusals":  # Its own ones.
                self.assertEqual(plain(text, {}), plain(self.before[route].body.decode(), {}), f"{route} shows what others do")
            return
        same = self.other.ask(*self.request(route, row, owner.nobodys))
        self.assertEqual((answer.status, plain(text, owner.has)), (same.status, plain(same.body.decode(), owner.nobodys)), f"{route} {row[2]} tells that it is there")

    def test_1_routes(self):
        """First the lists, then what is refused, then what makes something of the same name for the other tenant."""
        def order(of):
            route, row = of
            return 0 if self.is_bare(route, row) else 1 if route.startswith("GET") else 2 if isinstance(row[0], int) and row[0] >= 400 else 3
        for route, row in sorted(self.rows(), key=order):
            for owner in self.owners:
                with self.subTest(route=route, call=row[2], owner=owner.name):
                    self.try_row(owner, route, row)
        self.unchanged("a route")

    def test_0_every_way_in_has_a_row(self):
        program = self.root("GET", "/api/access/routes")
        self.assertEqual({f"{one['method']} {one['path']}" for one in program["routes"]}, set(crossing.ROUTES), "say in crossing.ROUTES how another tenant could call it")
        methods = {f"{one['service']}/{one['method']}" for one in program["calls"]}
        self.assertEqual(methods, crossing.SERVICES | {"workflow.v1.WorkflowEngine/" + name for name in crossing.METHODS})
        self.assertEqual({one["type"] for one in program["events"]}, set(crossing.EVENTS))
        self.assertEqual({one["topic"] for one in program["topics"]}, set(crossing.TOPICS))
        self.assertEqual(self.verbs(), set(crossing.COMMANDS) | crossing.ALONE)

    def verbs(self):
        """Every verb of the program, those with actions once for each."""
        def told(*arguments):
            return subprocess.run([BINARY, "help", *arguments], capture_output=True, text=True, check=True).stdout
        found = set()
        for verb in re.findall(r"^  ([a-z]+)  ", told(), re.MULTILINE):
            actions = "" if verb in crossing.ALONE else re.match(rf"usage: pawl {verb} ?(.*)", told(verb))[1].replace("[OPTIONS]", "")
            words = re.findall(r"(?:^|\|)([a-z-]+)(?=[ |]|$)", actions)
            found |= {f"{verb} {word}" for word in words} or {verb}
        return found

    # ---- gRPC ----

    def called(self, tenant, method, request):
        """The code, and the answer or the message."""
        call = GrpcClient(port_of(self.server), (("authorization", f"Bearer {tenant.key}"),))
        try:
            return "OK", json.dumps(call(method, request), sort_keys=True)
        except Refused as refused:
            return refused.code, refused.text
        finally:
            call.close()

    def sent(self, tenant, kind, method, data):
        """The code of the error in the first answer, and all answers."""
        with grpc.insecure_channel(f"127.0.0.1:{port_of(self.server)}") as channel:
            call = channel.unary_stream(members.METHOD + method, members.CloudEvent.SerializeToString, members.CloudEvent.FromString)
            answers = [json.loads(one.text_data) for one in call(members.event(kind, **data), metadata=(("authorization", f"Bearer {tenant.key}"),), timeout=PATIENCE)]
        failed = [one["error"]["message"].split(":")[0] for one in answers if not one.get("success", True)]
        return failed[0] if failed else "", json.dumps(answers, sort_keys=True)

    def try_call(self, owner, what, expected, call):
        """The call gets things and returns a code and a text."""
        code, text = call(self.other, owner.has)
        COUNTS["over gRPC"] += 1
        self.assertEqual(code, expected, f"{what}: {text}")
        self.assertEqual((code, plain(text, owner.has)), (lambda same: (same[0], plain(same[1], owner.nobodys)))(call(self.other, owner.nobodys)), f"{what} tells that it is there")

    def all_calls(self):
        for method, rows in crossing.METHODS.items():
            for other, own, request in rows:
                yield method, other, own, lambda tenant, has, method=method, request=request: self.called(tenant, method, filled(request, has))
        for kind, rows in crossing.EVENTS.items():
            for other, own, method, data in rows:
                yield kind, other, own, lambda tenant, has, kind=kind, method=method, data=data: self.sent(tenant, kind, method, filled(data, has))

    def test_2_calls_of_grpc(self):
        for what, other, own, call in self.all_calls():
            for owner in self.owners:
                with self.subTest(call=what, owner=owner.name):
                    self.try_call(owner, what, other, call)
        self.unchanged("a call of gRPC")
        for what, other, own, call in self.all_calls():
            for owner in self.owners if own is not None else ():
                with self.subTest(call=what, of=owner.name):
                    self.assertEqual(call(owner, owner.has)[0], own)
        self.renew()

    def renew(self):
        for owner in self.owners if not ON_POSTGRES else ():
            owner.rows = rows_of(self.server.directory, owner.name)

    # ---- live topics ----

    def test_3_live_topics(self):
        key = {"Authorization": f"Bearer {self.other.key}"}
        things = [f"{kind}/{owner.has[word]}" for owner in self.owners for kind, word in (("instances", "wait1"), ("entities", "entity1"))]
        mine = self.other.made("PUT", "/api/workflows/own/draft", {"half": "done"})["definitionId"]
        with Live(self.server, ",".join([*crossing.TOPICS, *things]) + "&draft=own", key) as live:
            self.assertEqual(live.next()[0], "ready")
            live.until({"kind": "drafts", "id": mine})
            # The same name of another tenant is another draft.
            for owner in self.owners:
                owner.made("PUT", "/api/workflows/own/draft", {"half": "done"})
                self.assertNotIn("openBy", owner.made("GET", "/api/workflows/own/draft"))
            self.assertIn("openBy", self.other.made("GET", "/api/workflows/own/draft"))
            for owner in self.owners:
                for topic, call in crossing.TOPICS.items():
                    COUNTS["topics"] += 1
                    if call:
                        self.assertLess(owner.ask(*filled(call, owner.has)).status, 300, topic)
            self.other.made("PUT", "/api/workflows/own/draft", {"more": "done"})
            heard = live.until({"kind": "drafts", "id": mine})
        self.assertEqual([one for one in heard[:-1] if one[1].get("kind") not in ("overview", "workers")], [])
        self.renew()

    def test_3_streams_of_tasks(self):
        key = {"Authorization": f"Bearer {self.other.key}"}
        self.other.made("POST", "/v1/definitions", crossing.steps("ask", crossing.person("ask", "end")))
        with Watch(self.server, "", headers=key) as live:
            self.assertEqual(live.next()[1], "ready")
            for owner in self.owners:
                self.assertEqual(owner.ask("POST", f"/api/tasks/{owner.has['task7']}/comment", {"comment": "x"}).status, 200)
                owner.made("POST", "/v1/instances", {"definitionId": owner.has["people"]})
            COUNTS["topics"] += 1
            run = self.other.made("POST", "/v1/instances", {"definitionId": "ask"})["id"]
            task = self.other.made("GET", f"/api/tasks?instanceId={run}")["items"][0]["id"]
            self.assertEqual(live.next()[2]["id"], task)
        self.renew()

    def test_3_calculation_nodes(self):
        """A node of another tenant gets no document, whatever its tags are."""
        workflow = members.one_transition(members.processor("p", "tag"))
        owner, model = self.owners[0], "computed"
        stranger = members.Member(port_of(self.server), ["tag"], metadata=(("authorization", f"Bearer {self.other.key}"),))
        own = members.Member(port_of(self.server), ["tag"], metadata=(("authorization", f"Bearer {owner.key}"),))
        for tenant in (owner, self.other):
            tenant.made("POST", f"/api/model/import/JSON/SAMPLE_DATA/{model}/1", {"a": 1})
            tenant.made("POST", f"/api/model/{model}/1/workflow/import", {"importMode": "MERGE", "workflows": [workflow]})
            tenant.made("PUT", f"/api/model/{model}/1/lock")
        theirs, mine = [tenant.made("POST", f"/api/entity/JSON/{model}/1", {"a": 1})[0]["entityIds"][0] for tenant in (owner, self.other)]
        COUNTS["over gRPC"] += 1
        self.assertEqual((own.asked()["entityId"], stranger.asked()["entityId"]), (theirs, mine))
        self.assertEqual([one["memberId"] for one in self.other.made("GET", "/api/compute/members")["members"]], [stranger.id])
        stranger.close(), own.close()
        self.renew()

    # ---- what answers tell besides ----

    def same_for_all(self, names, ask):
        """The answers for an existing and for a missing tenant, word for word."""
        answers = [ask(name) for name in names]
        texts = [(one.status, one.body.replace(name.encode(), b"NAME"), sorted((word, text) for word, text in one.headers.items() if word != "Date")) for one, name in zip(answers, names)]
        self.assertEqual(texts[0], texts[1])
        COUNTS["probes"] += 1
        return answers[0].status

    def test_5_nobody_learns_which_tenants_exist(self):
        names = ("stripes", "absents")
        bare, other = Tenant(self.server, "", "", None), {"Authorization": f"Bearer {self.other.key}"}
        self.addCleanup(bare.connection.close)
        for method, path, status in (("GET", "/ui/", {200, 404}), ("GET", "/ui/login", {200, 404}), ("GET", "/", {302, 404}), ("GET", "/api/login", {200}), ("GET", "/healthz", {200}), ("GET", "/docs/", {200, 406}),
                                     ("GET", "/api/help", {200}), ("POST", "/hooks/nothing", {404}), ("GET", "/hooks/nothing", {404}), ("HEAD", "/ui/", {200, 404}), ("OPTIONS", "/ui/", {401, 404, 405}),
                                     ("GET", "/v1/instances", {401}), ("HEAD", "/v1/instances", {401}), ("OPTIONS", "/v1/instances", {401, 405}), ("POST", "/v1/instances", {401}), ("GET", "/api/me", {401}),
                                     ("GET", "/nothing", {401, 404}), ("GET", "/api/oidc/none/start", {404}), ("POST", "/api/session", {400})):
            for headers in ({"Authorization": ""}, other):
                body = {} if method == "POST" else None
                for ask in (lambda name: bare.ask(method, f"/t/{name}{path}", body, headers), lambda name: bare.ask(method, path, body, {**headers, "X-Pawl-Tenant": name})):
                    with self.subTest(method=method, path=path, known=headers is other):
                        self.assertIn(self.same_for_all(names, ask), status | {404} if headers is other else status)
        for path in ("/t/stripes/t/default/v1/instances", "/t/stripes%2Fv1/instances", "/t%2Fstripes/v1/instances", "/t/stripes/../default/v1/instances", "/t//v1/instances", "//t/stripes/v1/instances", "/T/stripes/v1/instances"):
            self.assertIn(bare.ask("GET", path, None, other).status, (400, 404), path)
        self.assertEqual(bare.ask("GET", "/t/stripes/v1/instances", None, {**other, "X-Pawl-Tenant": "other"}).status, 400)

    def test_5_metadata_of_grpc_chooses_no_tenant_of_others(self):
        codes = []
        for name in ("stripes", "absents"):
            call = GrpcClient(port_of(self.server), (("authorization", f"Bearer {self.other.key}"), ("x-pawl-tenant", name)))
            self.addCleanup(call.close)
            with self.assertRaises(Refused) as refused:
                call("ListInstances", {})
            codes.append((refused.exception.code, refused.exception.text))
        self.assertEqual((codes[0], codes[0][0]), (codes[1], "NOT_FOUND"))

    def test_5_keys_of_requests_and_entities_are_the_tenants_own(self):
        """The same idempotency key, unique key, business key and webhook path in two tenants."""
        owner, once = self.owners[0], {"Idempotency-Key": self.owners[0].has["once"]}
        has = owner.has
        self.other.made("POST", "/v1/definitions", crossing.steps(has["waits"], crossing.wait("w", "end")))
        made = self.other.ask("POST", "/v1/instances", {"definitionId": has["waits"], "businessKey": has["key"] + "-1"}, once)
        self.assertEqual((made.status, made.headers.get("Idempotency-Replayed")), (201, None))
        self.assertEqual([one["id"] for one in self.other.made("GET", f"/v1/instances?businessKey={has['key']}-1")["items"]], [made.json["id"]])
        self.other.made("POST", f"/api/model/import/JSON/SAMPLE_DATA/{has['order']}/1", {"customer": "x"})
        self.other.made("PUT", f"/api/model/{has['order']}/1/unique-keys", {"uniqueKeys": [{"id": "customer", "fields": ["$.customer"]}]})
        self.other.made("PUT", f"/api/model/{has['order']}/1/lock")
        self.other.made("POST", f"/api/entity/JSON/{has['order']}/1", {"customer": f"{owner.mark}-1"})
        self.other.made("POST", "/v1/definitions", crossing.hook(has["hooked"], "/" + has["hook"]))
        run = self.other.made("POST", f"/hooks/{has['hook']}", {})["instanceId"]
        self.assertEqual((self.other.ask("GET", f"/v1/instances/{run}").status, owner.ask("GET", f"/v1/instances/{run}").status), (200, 404))
        self.unchanged("a key")

    # ---- commands ----

    def run_pawl(self, tenant, verb, arguments, has):
        """The exit code, and all that it says."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PAWL_")}
        environment |= {"PAWL_SERVER": f"http://127.0.0.1:{self.server.port}", "PAWL_TOKEN": tenant.key, "XDG_CONFIG_HOME": self.folder.name, "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run([BINARY, *verb.split(), *filled(arguments, has | self.files(has)).split()], capture_output=True, text=True, timeout=PATIENCE, cwd=self.folder.name, env=environment,
                              stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout + done.stderr

    def files(self, has):
        texts = {"file": json.dumps(crossing.steps(has["new"] + "-c", crossing.wait("w", "end"))), "value": "long enough", "access": json.dumps({"tenants": [{"name": has["tenant"], "label": "x"}]}),
                 "cloud": json.dumps({"specversion": "1.0", "id": "9", "source": has["source"], "type": has["type"] + "-taken"})}
        for name, text in texts.items():
            with open(os.path.join(self.folder.name, name + ".json"), "w", encoding="utf-8") as file:
                file.write(text)
        os.makedirs(os.path.join(self.folder.name, "flows"), exist_ok=True)
        shutil.copy(os.path.join(self.folder.name, "file.json"), os.path.join(self.folder.name, "flows"))
        return {name: name + ".json" for name in texts} | {"folder": "flows"}

    def test_4_commands(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pawl-crossing-")
        self.addCleanup(self.folder.cleanup)
        for verb, rows in crossing.COMMANDS.items():
            for other, own, arguments in rows:
                for owner in self.owners[:1]:
                    with self.subTest(verb=verb, arguments=arguments):
                        code, text = self.run_pawl(self.other, verb, arguments, owner.has)
                        COUNTS["commands"] += 1
                        self.assertEqual(code, other, text)
                        if "{" in arguments:
                            self.assertEqual(plain(text, owner.has), plain(self.run_pawl(self.other, verb, arguments, owner.nobodys)[1], owner.nobodys))
                        if own is not None:
                            self.assertEqual(self.run_pawl(owner, verb, arguments, owner.has)[0], own)
        self.unchanged("a command")

    def test_9_owners(self):
        """Last, because things end."""
        for owner in self.owners:
            for route, row in self.rows():
                with self.subTest(route=route, call=row[2], owner=owner.name):
                    answer = owner.ask(*self.request(route, row, owner.has))
                    self.assertIn(answer.status, row[1] if isinstance(row[1], set) else {row[1]}, answer)


if __name__ == "__main__":
    main()
