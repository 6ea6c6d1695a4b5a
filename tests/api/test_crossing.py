"""Nothing crosses from one tenant to another: every call of every way in, made about things of one tenant with the key of another one.

The tables of calls are in crossing.py. A route, a method, a kind of event, a topic or a verb that is in the program and not in its table fails here.
Each call is made four ways:

    the other tenant, about things of the owner    404, an empty list, or something of its own; nothing of the owner changes
    the other tenant, about things of nobody       the same answer, word for word
    the other tenant, before the owner had any     the same lists
    the owner                                      works, else the others prove nothing
"""

import collections
import os
import re
import sqlite3
import tempfile

import crossing
from crossing import Tenant, absent, filled
from harness import ON_POSTGRES, Case, main

ROOT = {"Authorization": "Bearer s3cret-token-of-the-engine"}
PASSWORD = "correct horse battery"
OWNERS = {"stripes": "zebra", "default": "koala"}  # Tenants, and what stands in every name there.
COUNTS = collections.Counter()
CHANGING = re.compile(r'"(at|now|startedAt|uptime\w*|lastSeenAt|lastUsedAt)":("[^"]*"|[\d.]+)')


def plain(text, has):
    """An answer without what was asked for, times and new ids, so that two answers can be compared."""
    for value in sorted(has.values(), key=len, reverse=True):
        if len(value) > 2:
            text = text.replace(value, "…")
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)", "TIME", text)
    return re.sub(r"\b[0-9A-HJKMNP-TV-Z]{26}\b|[0-9a-f]{8}-[0-9a-f-]{27}|pawl_\w+|\"(id|clientId|clientSecret|userId|name)\":\"[\w-]+\"|event (\d+|…)", "ID", text)


def rows_of(directory, tenant):
    """The rows of the store that belong to a tenant, or to all."""
    of_instance, found = "{} IN (SELECT id FROM instance WHERE ns = :ns)", set()
    where = {"history": of_instance.format("instance"), "timer": of_instance.format("instance"), "child": of_instance.format("parent"),
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
    arguments = ("--auth-token-file", path, "--grpc", "127.0.0.1:0")
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
        user, issuer = "elsewhere", "provider"
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

    def test_9_owners(self):
        """Last, because things end."""
        for owner in self.owners:
            for route, row in self.rows():
                with self.subTest(route=route, call=row[2], owner=owner.name):
                    answer = owner.ask(*self.request(route, row, owner.has))
                    self.assertIn(answer.status, row[1] if isinstance(row[1], set) else {row[1]}, answer)


if __name__ == "__main__":
    main()
