"""Rows of the audit: one for each login, the way in, refusals of a minute, and the file that follows them."""

import json
import os

from harness import Killed, main
from steps import end, wait

ROOT = {"Authorization": "Bearer s3cret-token-of-the-engine"}
PAGE = {"Sec-Fetch-Site": "same-origin"}
PASSWORD = "correct horse battery"


class AuditRows(Killed):
    def setUp(self):
        super().setUp()
        self.ask("POST", "/api/users", {"name": "ada", "password": PASSWORD, "roles": ["viewer"]})

    def again(self):
        if not self.flags:
            path = os.path.join(self.directory, "token")
            with open(path, "w", encoding="utf-8") as file:
                file.write("s3cret-token-of-the-engine")
            os.chmod(path, 0o600)
            self.flags = ("--auth-token-file", path, "--audit-file", os.path.join(self.directory, "audit.jsonl"))
        super().again()

    def stop_and_start(self):
        self.client.close()
        self.server.stop()
        self.server = None
        self.again()

    def ask(self, method, path, body=None, headers=ROOT):
        return self.client.request(method, path, body, headers)

    def rows(self, query=""):
        return self.ask("GET", f"/api/audit?pageSize=1000&{query}").json["items"]

    def login(self, password, headers=None):
        return self.ask("POST", "/api/session", {"name": "ada", "password": password}, headers or {})

    def test_a_login_is_one_row_and_refusals_of_a_minute_are_one_for_each_principal(self):
        answer = self.login(PASSWORD, {**PAGE, "X-Request-Id": "r7"})
        cookie = {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}
        for _ in range(3):
            self.assertEqual(self.login("wrong").status, 401)
            self.assertEqual(self.ask("POST", "/v1/definitions", {}, {**cookie, **PAGE}).status, 403)
            self.assertEqual(self.ask("GET", "/v1/definitions", None, {}).status, 401)
        self.ask("POST", "/api/session", {"name": "my secret pass word", "password": "x"}, {})
        rows = self.rows("action=session.login")
        self.assertEqual([(row["principal"], row["way"], row["outcome"], row["requestId"]) for row in rows], [("user:ada", "ui", "done", "r7")])
        self.assertEqual(self.rows("action=access.refused"), [])  # The minute is not over.
        self.stop_and_start()
        refused = {(row["action"], row["principal"], row["way"]): row.get("count", 1) for row in self.rows("outcome=refused")}
        self.assertEqual(refused, {("session.login", "user:ada", "rest"): 3, ("access.refused", "user:ada", "ui"): 3,
                                   ("access.refused", "nobody", "rest"): 3, ("session.login", "nobody", "rest"): 1})
        self.assertNotIn("my secret", str(self.rows()))
        self.assertTrue(self.ask("POST", "/api/audit/verify").json["whole"])

    def test_the_way_in_is_told(self):
        self.ask("POST", "/v1/definitions", {"id": "flow", "name": "flow", "steps": [wait("w", "end"), end()]})
        for headers, way in (({}, "rest"), ({"User-Agent": "pawl/1"}, "cli"), (PAGE, "ui")):
            run = self.ask("POST", "/v1/instances", {"definitionId": "flow"}).json["id"]
            self.assertEqual(self.ask("POST", f"/v1/instances/{run}/cancel", {}, {**ROOT, **headers}).status, 200)
            self.assertEqual([row["way"] for row in self.rows(f"object={run}")], [way])

    def lines(self, name="audit.jsonl"):
        return [row["id"] for row in self.file_rows(name)]

    def file_rows(self, name="audit.jsonl"):
        path = os.path.join(self.directory, name)
        if not os.path.exists(path):  # The first row makes it.
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_the_file_has_each_row_once(self):
        self.ask("POST", "/api/tenants", {"name": "acme"})
        ids = []

        def act():
            for tenant in ("default", "acme"):
                self.assertEqual(self.ask("POST", "/api/keys", {"name": "k", "roles": []}, {**ROOT, "X-Pawl-Tenant": tenant}).status, 201)
            ids[:] = [row["id"] for row in self.rows() + self.ask("GET", "/api/audit?pageSize=1000", None, {**ROOT, "X-Pawl-Tenant": "acme"}).json["items"]]
        for end in (self.again, self.stop_and_start, self.again):
            for _ in range(3):
                act()
            end()  # Killed or stopped: the next engine adds whatever is missing.
            self.assertEqual(sorted(self.lines()), sorted(ids))
        path = os.path.join(self.directory, "audit.jsonl")
        with open(path, "a", encoding="utf-8") as file:  # A crash left half a line.
            file.write('{"tenantNumber":1,"id":"')
        self.again()
        self.assertEqual(sorted(self.lines()), sorted(ids))
        os.rename(path, path + ".1")
        act()
        self.stop_and_start()
        self.assertEqual(sorted(self.lines("audit.jsonl.1") + self.lines()), sorted(ids))
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)

    def test_rows_of_a_tenant_that_goes_are_in_the_file(self):
        for name, path, end in (("gone", "?with=everything&confirm=gone", None), ("empty", "", None), ("crash", "?with=everything&confirm=crash", self.again), ("halt", "", self.stop_and_start)):
            with self.subTest(name):
                there = {**ROOT, "X-Pawl-Tenant": name}
                self.assertEqual(self.ask("POST", "/api/tenants", {"name": name}).status, 201)
                keys = [self.ask("POST", "/api/keys", {"name": "k", "roles": []}, there).json["id"] for _ in range(3)]
                for key in keys:
                    self.assertEqual(self.ask("DELETE", f"/api/keys/{key}", None, there).status, 204)
                ids = [row["id"] for row in self.ask("GET", "/api/audit?pageSize=1000", None, there).json["items"]]
                self.assertGreaterEqual(len(ids), 6)
                self.assertEqual(self.ask("DELETE", f"/api/tenants/{name}{path}").status, 204)
                if end:
                    end()
                self.until(lambda: set(self.lines()) >= set(ids))
                rows = [row for row in self.file_rows() if row["id"] in ids]
                self.assertEqual((len(rows), {row.get("tenant") for row in rows}), (len(ids), {name}))
                while self.ask("GET", f"/api/tenants/{name}").status != 404:
                    pass  # The rows are in the file, so the removal goes on.

    def test_a_removal_waits_for_a_file_that_takes_nothing(self):
        there, path = {**ROOT, "X-Pawl-Tenant": "full"}, os.path.join(self.directory, "audit.jsonl")
        if self.lines():
            os.rename(path, path + ".before")
        os.symlink("/dev/full", path)
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": "full"}).status, 201)
        key = self.ask("POST", "/api/keys", {"name": "k", "roles": []}, there).json["id"]
        self.assertEqual(self.ask("DELETE", f"/api/keys/{key}", None, there).status, 204)
        ids = {row["id"] for row in self.ask("GET", "/api/audit", None, there).json["items"]}
        self.assertEqual(self.ask("DELETE", "/api/tenants/full?with=everything&confirm=full").status, 204)
        for _ in range(100):
            self.assertEqual(self.ask("GET", "/api/tenants/full").json["state"], "removing")
        os.unlink(path)
        self.until(lambda: set(self.lines()) >= ids)
        self.until(lambda: self.ask("GET", "/api/tenants/full").status == 404)


if __name__ == "__main__":
    main()
