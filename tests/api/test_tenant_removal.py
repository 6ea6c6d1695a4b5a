"""A tenant goes with everything in it: at once for everybody who asks, and row by row in the store."""

import os
import sqlite3
import tempfile

import crossing
from accounts import Stream
from crossing import Tenant
from harness import Case, Client, ON_POSTGRES, Server, main, needs_a_file, needs_one_node
from steps import end, service, wait

ROOT = {"Authorization": "Bearer s3cret-token-of-the-engine"}
MARK = "ocelot"


def rows_with(directory, number, *words):
    """Rows of the store that have the number of the tenant, or one of the words in them."""
    found = []
    store = sqlite3.connect(f"file:{directory}/data/pawl.db?mode=ro", uri=True)
    for (table,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
        for row in store.execute(f"SELECT * FROM {table}").fetchall():
            texts = [value if isinstance(value, bytes) else str(value).encode() for value in row]
            qualified = b"\2%d\2" % number
            if ("ns" in columns and row[columns.index("ns")] == number) or any(word in text for text in texts for word in (*words, qualified)):
                found.append((table, *row))
    store.close()
    return found


def number_of(directory, tenant):
    store = sqlite3.connect(f"file:{directory}/data/pawl.db?mode=ro", uri=True)
    (key,) = store.execute("SELECT key FROM record WHERE ns = 0 AND length(key) = 4 AND value = ?", (tenant.encode(),)).fetchone()
    store.close()
    return int.from_bytes(key, "big")


class Removal(Case):
    handle, path = tempfile.mkstemp(prefix="pawl-token-")
    os.write(handle, b"s3cret-token-of-the-engine")
    os.close(handle)
    arguments = ("--auth-token-file", path)

    def root(self, method, path, body=None, headers=None, client=None):
        return (client or self.client).request(method, path, body, {**ROOT, **(headers or {})})

    def tenant(self, name, mark=None, server=None, client=None):
        self.assertEqual(self.root("POST", "/api/tenants", {"name": name}, client=client).status, 201)
        key = self.root("POST", "/api/keys", {"name": name, "roles": ["admin"], "tenant": name}, client=client).json["key"]
        tenant = Tenant(server or self.server, name, key, mark)
        self.addCleanup(tenant.connection.close)
        return tenant

    def remove(self, name, client=None):
        answer = self.root("DELETE", f"/api/tenants/{name}?with=everything&confirm={name}", client=client)
        self.assertEqual(answer.status, 204, answer)

    def await_end(self, name, client=None):
        """Until the record of the tenant is gone: until then it says that it is being removed."""
        while (answer := self.root("GET", f"/api/tenants/{name}", client=client)).status != 404:
            self.assertEqual(answer.json["state"], "removing")

    @needs_one_node
    def test_a_tenant_goes_with_everything_and_its_name_can_be_used_again(self):
        acme, other = self.tenant("acme", MARK), self.tenant("other", "lynx")
        crossing.populate(acme)
        crossing.populate(other)
        number = None if ON_POSTGRES else number_of(self.server.directory, "acme")
        if number:
            others = len(rows_with(self.server.directory, number_of(self.server.directory, "other"), b"lynx"))
            self.assertGreater(len(rows_with(self.server.directory, number, MARK.encode())), 100)
        with Stream(self.server, "/api/live?topics=instances", {**ROOT, "X-Pawl-Tenant": "acme"}) as stream:
            self.assertEqual(stream.response.status, 200)
            self.remove("acme")
            self.assertIsNone(stream.next("never"))
        for headers in ({"X-Pawl-Tenant": "acme"}, {"X-Pawl-Tenant": "nowhere"}):
            answer = self.root("GET", "/api/me", headers=headers)
            self.assertEqual((answer.status, answer.json["message"]), (404, "there is no tenant of this name"))
        self.assertEqual(acme.ask("GET", "/v1/instances").status, 401)
        hooks = [acme.ask("POST", f"/t/{name}/hooks/{MARK}-hook", {}, ROOT) for name in ("acme", "nowhere")]
        self.assertEqual([(answer.status, answer.json["outcome"]) for answer in hooks], [(404, "no_route")] * 2)
        self.await_end("acme")
        if number:
            left = rows_with(self.server.directory, number, MARK.encode())
            self.assertEqual(left, [])
            # The audit has grown meanwhile, and nothing is missing.
            self.assertGreaterEqual(len(rows_with(self.server.directory, number_of(self.server.directory, "other"), b"lynx")), others)
        rows = [row for row in self.root("GET", "/api/audit?action=tenant.remove").json["items"] if row["object"] == "acme"]
        self.assertEqual([(row["principal"], row["details"]) for row in rows], [("key:root", {"with": "everything"})])
        self.assertTrue(self.root("POST", "/api/audit/verify").json["whole"])
        again = self.tenant("acme")
        for path in ("/v1/instances", "/v1/definitions", "/api/secrets", "/api/tasks", "/v1/events/unmatched", "/v1/bulk"):
            self.assertNotIn(MARK, again.ask("GET", path).body.decode())
        self.assertEqual(again.made("GET", "/v1/instances")["items"], [])
        self.assertGreater(len(other.made("GET", "/v1/instances")["items"]), 10)

    def test_a_tenant_goes_with_jobs_that_several_nodes_hold(self):
        """Each poll may go to another node, which then holds or leases jobs of the tenant."""
        name = self.fresh("held").lower()
        tenant = self.tenant(name)
        tenant.made("POST", "/v1/definitions", {"id": "s", "name": "s", "steps": [service("s", "end", f"{name}-kind"), end()]})
        for _ in range(60):
            tenant.made("POST", "/v1/instances", {"definitionId": "s"})
            tenant.made("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": [f"{name}-kind"], "maxJobs": 1, "leaseSeconds": 3600})
        self.remove(name)
        self.await_end(name)
        again = self.tenant(name)
        for path in ("/v1/instances", "/v1/definitions"):
            self.assertEqual(again.made("GET", path)["items"], [])
        self.assertEqual(again.made("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": [f"{name}-kind"]})["jobs"], [])

    def test_a_tenant_that_goes_cannot_be_changed_and_its_name_is_taken(self):
        name = self.fresh("going").lower()
        tenant = self.tenant(name)
        tenant.made("POST", "/v1/definitions", {"id": "w", "name": "w", "steps": [wait("w", "end"), end()]})
        for _ in range(300):
            tenant.made("POST", "/v1/instances", {"definitionId": "w"})
        self.remove(name)
        seen = set()
        for method, path, body in (("POST", "/api/tenants", {"name": name}), ("PATCH", f"/api/tenants/{name}", {"label": "x"}), ("DELETE", f"/api/tenants/{name}", None)):
            answer = self.root(method, path, body)
            seen.add((answer.status, answer.json["error"] if answer.status == 409 else None))
        self.assertIn((409, "tenant-removing"), seen)
        self.await_end(name)

    def test_an_inhabited_tenant_is_refused_with_what_it_still_has(self):
        name = self.fresh("full").lower()
        tenant = self.tenant(name)
        tenant.made("PUT", "/api/secrets/s", {"value": "hidden"})
        tenant.made("POST", "/v1/definitions", {"id": "w", "name": "w", "steps": [end()]})
        answer = self.root("DELETE", f"/api/tenants/{name}")
        self.assertEqual((answer.status, answer.json["error"]), (409, "tenant-not-empty"))
        self.assertIn("still has keys, secrets and definitions", answer.json["message"])
        answer = self.root("DELETE", "/api/tenants/default?with=everything&confirm=default")
        self.assertEqual(answer.status, 409)

    @needs_a_file
    def test_a_removal_goes_on_after_a_crash(self):
        """Killed again and again, after each answer that says that it goes on."""
        server = Server(self.arguments)
        directory, crashes = server.directory, 0
        server.owns_directory = False
        client = Client(server)
        self.addCleanup(lambda: client.connection.close())
        tenant = self.tenant("acme", MARK, server, client)
        tenant.made("POST", "/v1/definitions", {"id": f"{MARK}-w", "name": "w", "steps": [wait("w", "end"), end()]})
        for _ in range(700):
            tenant.made("POST", "/v1/instances", {"definitionId": f"{MARK}-w"})
        number = number_of(directory, "acme")
        self.remove("acme", client)
        while self.root("GET", "/api/tenants/acme", client=client).status != 404:
            server.kill()
            client.connection.close()
            server = Server(self.arguments, data=directory)
            client, crashes = Client(server), crashes + 1
        self.assertEqual(rows_with(directory, number, MARK.encode()), [])
        self.assertGreater(crashes, 0)
        server.owns_directory = True
        server.stop()


if __name__ == "__main__":
    main()
