"""The verbs of access: on a store without an engine, and at a running one."""

import json
import os
import stat
import unittest

from program import Case, needs_file

PASSWORD = "correct horse battery"


class Access(Case):
    def pawl(self, *arguments, **more):
        more.setdefault("XDG_CONFIG_HOME", self.directory)
        return self.run_pawl(*arguments, **more)

    def on_store(self, *arguments, **more):
        return self.pawl(*arguments, "--store", os.path.join(self.directory, "data"), **more)

    @needs_file
    def test_from_nothing_through_the_store(self):
        """The first admin, and one who is locked out, need no engine; the audit names the store."""
        self.assertIn("no directory", self.on_store("user", "list", code=3).err)
        self.assertIn("12 characters", self.on_store("user", "add", "ada", "--password", stdin="short", code=2).err)
        self.assertEqual(self.on_store("user", "add", "ada", "--role", "admin", "--password", stdin=PASSWORD).out,
                         "user ada added\n")
        self.assertIn("already", self.on_store("user", "add", "ada", code=4).err)
        self.on_store("tenant", "add", "acme", "--quota", "keys=5")
        self.on_store("user", "add", "bob", "--role", "person", "--tenant", "acme")
        self.assertIn("user:bob", self.on_store("grant", "list", "--tenant", "acme").out)
        key = self.on_store("key", "add", "stock", "--role", "worker", "--scope", "jobs:work:reserve-*").out.strip()
        self.assertRegex(key, r"^pawl_\w{10}_\w{49}$")
        self.assertNotIn(key, self.on_store("key", "list", "--json").out)
        rows = json.loads(self.on_store("audit", "--json").out)["items"]
        self.assertIn(("store", "user.create", "ada"), [(row["principal"], row["action"], row["object"]) for row in rows])
        self.assertNotIn(PASSWORD, json.dumps(rows))
        self.assertIn("none is changed or missing", self.on_store("audit", "--verify").out)
        engine = self.serve()
        self.assertIn("another process is using", self.on_store("user", "list", code=4).err)
        self.check_logins(engine)
        engine.stop()
        self.on_store("user", "password", "ada", stdin="another horse battery\n")

    def processor_seconds(self, keys):
        """To apply a file of so many keys of a tenant with a quota, that are all there already and all stay."""
        items = [{"id": f"K{i:09}", "hash": f"{i:064x}", "name": "k", "tenant": "acme", "roles": ["worker"]}
                 for i in range(1, keys + 1)]
        file = self.file(f"{keys}.json", json.dumps({"tenants": [{"name": "acme", "quotas": {"keys": keys}}],
                                                      "keys": items}))
        store = os.path.join(self.directory, f"{keys}.db")
        self.assertEqual(self.pawl("access", "apply", file, "--store", store).code, 0)
        before = os.times()
        again = self.pawl("access", "apply", file, "--store", store, "--prune")
        after = os.times()
        self.assertEqual((again.code, again.out), (0, "nothing changes\n"), again.err)
        return after.children_user - before.children_user

    @needs_file
    def test_a_file_takes_time_by_its_length(self):
        few, many = self.processor_seconds(4000), self.processor_seconds(16000)
        self.assertLess(many, 8 * few + 0.1, "four times as many keys")

    def test_the_first_user_must_be_an_admin(self):
        """Else the caller, who has no credential, would be out."""
        engine = self.serve()
        for words in (("person",), ("viewer", "--tenant", "default")):
            refused = self.pawl("user", "add", "bob", "--role", *words, PAWL_SERVER=engine.url, code=4).err
            self.assertIn("the first user must be an admin", refused)
        self.assertEqual(json.loads(self.pawl("user", "list", "--json", PAWL_SERVER=engine.url).out)["items"], [])
        self.pawl("user", "add", "ada", "--role", "admin", "--password", stdin=PASSWORD, PAWL_SERVER=engine.url)
        self.pawl("login", "ada", stdin=PASSWORD + "\n", PAWL_SERVER=engine.url)
        self.pawl("user", "add", "bob", "--role", "person", PAWL_SERVER=engine.url)

    def check_logins(self, engine):
        def pawl(*arguments, **more):
            return self.pawl(*arguments, PAWL_SERVER=engine.url, **more)
        self.assertIn("pawl login", pawl("ps", code=5).err)
        self.assertEqual(pawl("login", "ada", stdin="wrong horse battery", code=5).out, "")
        self.assertIn("you are  user ada", pawl("login", "ada", stdin=PASSWORD + "\n").out)
        kept = os.path.join(self.directory, "pawl", "credentials.json")
        self.assertEqual(stat.S_IMODE(os.stat(kept).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(kept)).st_mode), 0o700)
        with open(kept, encoding="utf-8") as file:
            self.assertNotIn(PASSWORD, file.read())
        # The last login chooses the server, and a session may write.
        self.assertIn("tenant   acme", self.pawl("whoami", "--tenant", "acme").out)
        self.assertRegex(self.pawl("whoami").out, r"(?m)^tenants  \* \(.*default.*\)$")
        self.check_records(pawl)
        self.check_file(pawl)
        os.chmod(kept, 0o640)
        self.assertIn("others can read", pawl("ps", code=5).err)
        self.assertEqual(pawl("ps", PAWL_TOKEN="pawl_wrong", code=5).out, "")
        os.chmod(kept, 0o600)
        self.assertIn("signed out", pawl("logout").out)
        self.assertEqual(pawl("logout").out, "you were not signed in\n")
        pawl("whoami", code=5)

    def check_records(self, pawl):
        self.assertIn("--role has no effect", pawl("user", "list", "--role", "admin", code=2).err)
        pawl("user", "add", "eve", "--role", "viewer", "--name", "Eve E")
        pawl("user", "set", "eve", "--group", "sales", "--group", "night")
        self.assertRegex(pawl("user", "show", "eve").out, r"groups +sales,night")
        self.assertIn("no user", pawl("user", "remove", "mallory", code=3).err)
        made = pawl("key", "add", "portal", "--role", "worker", "--expires", "90d", "--json").out
        key, name = json.loads(made)["key"], json.loads(made)["id"]
        self.assertIn("key portal", pawl("whoami", PAWL_TOKEN=key).out)
        for who in ("portal", "key:portal", f"key:{name}"):  # A key has a name for people.
            self.assertRegex(pawl("access", "explain", who, "GET", "/v1/instances").out, rf"(?s)^yes: .*who +key:{name}\n")
        twin = pawl("key", "add", "portal", "--role", "worker", "--scope", "jobs:work:reserve-*", "--json").out
        self.assertIn("give one of the ids", pawl("access", "explain", "key:portal", "GET", "/v1/instances", code=4).err)
        self.assertIn("only     jobs:work:reserve-*\n", pawl("whoami", PAWL_TOKEN=json.loads(twin)["key"]).out)
        self.assertRegex(pawl("access", "explain", "nobody-has-this", "GET", "/v1/instances").out, r"^no: no such user\n")
        refused = pawl("user", "list", PAWL_TOKEN=key, code=5).err
        self.assertIn("global:admin", refused)
        self.assertIn("global:admin", pawl("access", "refusals").out)
        self.assertTrue(pawl("key", "rotate", name).out.startswith(f"pawl_{name}_"))
        pawl("whoami", PAWL_TOKEN=key)  # The old secret counts for a day.
        pawl("key", "revoke", name)
        pawl("whoami", PAWL_TOKEN=key, code=5)
        given = pawl("grant", "add", "group:sales", "operator", "--scope", "instances:operate:SHOP::*").out
        self.assertIn("group:sales is operator in default", given)
        self.assertIn("operator", pawl("grant", "list", "group:sales").out)
        explained = pawl("access", "explain", "user:eve", "POST", "/v1/instances/X/cancel").out
        self.assertIn("instances:operate", explained)
        pawl("grant", "remove", given.split()[1])
        pawl("issuer", "add", "idp", "--issuer", "https://id.example.com", "--audience", "pawl", "--roles-claim", "$.roles",
             "--map", "admin=pawl-admins")
        self.assertIn("https://id.example.com", pawl("issuer", "list").out)
        pawl("issuer", "remove", "idp")
        pawl("tenant", "set", "acme", "--state", "suspended")
        self.assertIn('{"keys":5}', pawl("tenant", "list").out)
        self.assertIn("--confirm acme", pawl("tenant", "remove", "acme", "--with-everything", code=2).err)
        self.assertIn("user.create", pawl("audit", "--action", "user.*").out)
        self.assertIn("none is changed", pawl("audit", "--verify").out)

    def check_file(self, pawl):
        """A file is applied once; the second time nothing changes."""
        path = self.file("access.yaml", """
            tenants: [{name: north, label: North}]
            users: [{name: eve, roles: [operator]}, {name: dan, roles: [viewer]}]
            keys: [{id: 7HqZ3bTw9K, name: feed, tenant: north, roles: [sender], hash: "%s"}]
            grants: [{to: group:sre, role: operator, tenant: "*"}]
        """ % ("ab" * 32))
        dry = pawl("access", "apply", path, "--dry-run").out
        self.assertIn("+ user dan\n", dry)
        self.assertIn('~ user eve\n    roles: ["viewer"] -> ["operator"]\n', dry)
        self.assertIn("would be made", dry)
        self.assertIn("+ key 7HqZ3bTw9K\n", pawl("access", "apply", path).out)
        self.assertEqual(pawl("access", "apply", path).out, "nothing changes\n")
        exported = json.loads(pawl("access", "export").out)
        self.assertIn("dan", [user["name"] for user in exported["users"]])
        self.assertNotIn("ab" * 32, json.dumps(exported))
        self.assertIn("admin of all tenants", pawl("access", "apply", path, "--prune", code=4).err)
        path = self.file("all.yaml", """
            tenants: [{name: acme}]
            users: [{name: ada, roles: [admin]}]
            grants: [{to: user:ada, role: admin, tenant: "*"}]
        """)
        pruned = pawl("access", "apply", path, "--prune", "--dry-run").out
        for line in ("- user bob\n", "- key 7HqZ3bTw9K\n", "- tenant north\n"):
            self.assertIn(line, pruned)
        self.assertNotIn("user ada", pruned)
        pawl("access", "apply", path, "--prune")
        self.assertEqual(pawl("user", "list", "--quiet").out, "ada\n")
        bad = self.file("bad.json", '{"users": [{"name": "x", "rolls": []}]}')
        self.assertIn("/users/0/rolls", pawl("access", "apply", bad, code=2).err)


if __name__ == "__main__":
    unittest.main()
