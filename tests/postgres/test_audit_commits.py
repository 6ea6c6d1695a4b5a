"""A row of the audit and its change commit together: if the database refuses the row, there is neither.

A trigger of the database refuses rows of the audit while its switch is on. Each action of the audit is tried with the switch on and then off.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api"))

import crossing  # noqa: E402
from harness import ROOT, Server, main  # noqa: E402

POSTGRES = os.path.join(ROOT, "tests", "services", "postgres")
TOKEN = "s3cret-token-of-the-engine"
PASSWORD = {"password": "correct horse battery"}
LATER = {"validTo": "2099-01-01T00:00:00Z"}
# Counters, and what nodes tell of themselves, whatever is asked for.
RESTLESS = {"meta", "node", "node_turn", "node_gone", "news", "errand", "notice", "job", "refuses"}

SWITCH = """
CREATE TABLE refuses(now bool);
INSERT INTO refuses VALUES (false);
CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN
    IF (SELECT now FROM refuses) THEN RAISE EXCEPTION 'no row'; END IF;
    RETURN NEW;
END $$ LANGUAGE plpgsql;
CREATE TRIGGER refuse BEFORE INSERT ON record FOR EACH ROW WHEN (NEW.kind = {kind}) EXECUTE FUNCTION refuse();
"""

# Each action, in an order in which the calls work; words in braces are of crossing.populate() and of further() below.
ACTIONS = [
    ("definition.deploy", "POST", "/v1/definitions", crossing.NEW),
    ("definition.deploy", "POST", "/v1/definitions", crossing.steps("{waits}", crossing.wait("other", "end"))),
    ("definition.restore", "POST", "/api/definitions/{waits}/versions/1/restore", {}),
    ("definition.retire", "POST", "/api/definitions/{new}/retire", {}),
    ("definition.delete", "DELETE", "/api/definitions/{new}?with=ended", None),
    ("task.claim", "POST", "/api/tasks/{task1}/claim", {}),
    ("task.release", "POST", "/api/tasks/{task1}/unclaim", {}),
    ("task.assign", "POST", "/api/tasks/{task1}/assign", {"assignee": "ann"}),
    ("task.complete", "POST", "/v1/user-tasks/{task2}/complete", {}),
    ("instance.modify", "POST", "/v1/instances/{wait1}/modify", {"set": {"n": 1}}),
    ("instance.cancel", "POST", "/v1/instances/{wait1}/cancel", {}),
    ("instance.retry", "POST", "/v1/instances/{failed1}/retry", {}),
    ("trigger.pause", "POST", "/api/triggers/{hooked}/h/pause", {}),
    ("trigger.resume", "POST", "/api/triggers/{hooked}/h/resume", {}),
    ("engine.pause", "POST", "/api/engine/pause", {}),
    ("engine.resume", "POST", "/api/engine/resume", {}),
    ("bulk.begin", "POST", "/v1/bulk", {"action": "cancel", "filter": {"ids": ["{wait2}"]}}),
    ("bulk.pause", "POST", "/v1/bulk/{bulk}/pause", {}),
    ("bulk.resume", "POST", "/v1/bulk/{bulk}/resume", {}),
    ("bulk.cancel", "POST", "/v1/bulk/{bulk}/cancel", {}),
    ("secret.set", "PUT", "/api/secrets/{new}", {"value": "v"}),
    ("connection.test", "POST", "/api/connections/{new}/test", {"kind": "broker"}),
    ("secret.rekey", "POST", "/api/secrets/rekey", {}),
    ("secret.remove", "DELETE", "/api/secrets/{new}", None),
    ("model.change", "PUT", "/api/model/{loose}/1/lock", None),
    ("entity.remove", "DELETE", "/api/entity/{order}/1", None),
    ("user.create", "POST", "/api/users", {"name": "eve", "roles": ["viewer"]}),
    ("user.change", "PATCH", "/api/users/eve", {"displayName": "Eve"}),
    ("user.password", "POST", "/api/users/eve/password", PASSWORD),
    ("session.login", "POST", "/api/session", {"name": "eve", **PASSWORD}),
    ("session.end", "DELETE", "/api/sessions/{session}", None),
    ("session.login", "POST", "/api/session", {"name": "eve", **PASSWORD}),
    ("session.end", "POST", "/api/users/eve/end-sessions", {}),
    ("user.remove", "DELETE", "/api/users/eve", None),
    ("key.create", "POST", "/api/keys", {"name": "k", "roles": ["viewer"]}),
    ("key.change", "PATCH", "/api/keys/{keyid}", {"note": "x"}),
    ("key.rotate", "POST", "/api/keys/{keyid}/rotate", {}),
    ("key.reset", "PUT", "/api/clients/{client}/secret", None),
    ("key.remove", "DELETE", "/api/keys/{keyid}", None),
    ("grant.create", "POST", "/api/grants", {"to": "group:sre", "role": "operator"}),
    ("grant.remove", "DELETE", "/api/grants/{grant}", None),
    ("issuer.create", "POST", "/api/issuers", {"name": "idp", "issuer": "https://id.example", "audience": "a"}),
    ("issuer.change", "PATCH", "/api/issuers/idp", {"label": "I"}),
    ("issuer.remove", "DELETE", "/api/issuers/idp", None),
    ("tenant.create", "POST", "/api/tenants", {"name": "acme"}),
    ("tenant.change", "PATCH", "/api/tenants/acme", {"label": "Acme"}),
    ("tenant.remove", "DELETE", "/api/tenants/acme", None),
    ("provider.create", "POST", "/api/oauth/oidc/providers", {"wellKnownConfigUri": "https://new.example/.well-known/openid-configuration"}),
    ("provider.change", "PATCH", "/api/oauth/oidc/providers/{provider}", {"expectedAudiences": ["a"]}),
    ("provider.invalidate", "POST", "/api/oauth/oidc/providers/{provider}/invalidate", None),
    ("provider.reactivate", "POST", "/api/oauth/oidc/providers/{provider}/reactivate", None),
    ("provider.remove", "DELETE", "/api/oauth/oidc/providers/{provider}", None),
    ("trusted-key.create", "POST", "/api/oauth/keys/trusted", {"keyId": "other", "jwk": {**crossing.TRUSTED, "kid": "other"}}),
    ("trusted-key.invalidate", "POST", "/api/oauth/keys/trusted/{trusted}/invalidate", None),
    ("trusted-key.reactivate", "POST", "/api/oauth/keys/trusted/{trusted}/reactivate", LATER),
    ("trusted-key.remove", "DELETE", "/api/oauth/keys/trusted/{trusted}", None),
    ("key-pair.create", "POST", "/api/oauth/keys/keypair", {"algorithm": "RS256", "audience": "client"}),
    ("key-pair.invalidate", "POST", "/api/oauth/keys/keypair/{pair}/invalidate", None),
    ("key-pair.reactivate", "POST", "/api/oauth/keys/keypair/{pair}/reactivate", LATER),
    ("key-pair.remove", "DELETE", "/api/oauth/keys/keypair/{pair}", None),
]
OF_ACCESS = re.compile(r'XX\((\w+), +"([\w-]+)"')


def words(path, name):
    """The words of a list of macros in the source."""
    with open(os.path.join(ROOT, "src", path), encoding="utf-8") as file:
        return [word for _, word in OF_ACCESS.findall(file.read().split(f"#define {name}(XX)")[1].split("\n\n")[0].split("/* clang-format on")[0])]


class Commits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="pawl-audit-commits-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, True)
        os.chmod(cls.directory, 0o755)
        run = subprocess.run([POSTGRES, "start", cls.directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        cls.addClassCleanup(subprocess.run, [POSTGRES, "stop", cls.directory], check=True, stdin=subprocess.DEVNULL)
        cls.url = f"postgres://pawl:secret@127.0.0.1:{run.stdout.strip()}/postgres"
        token = os.path.join(cls.directory, "token")
        with open(token, "w", opener=lambda path, flags: os.open(path, flags, 0o600), encoding="utf-8") as file:
            file.write(TOKEN)
        cls.server = Server(["--store", cls.url, "--secrets-key", os.path.join(cls.directory, "key"), "--auth-token-file", token])
        cls.addClassCleanup(cls.server.kill)
        cls.psql = subprocess.Popen(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", cls.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.psql.communicate)
        cls.root = crossing.Tenant(cls.server, "default", TOKEN, "koala")
        cls.addClassCleanup(cls.root.connection.close)

    def sql(self, text):
        self.psql.stdin.write(text + ";\n\\echo THE END\n")
        self.psql.stdin.flush()
        return "".join(iter(self.psql.stdout.readline, "THE END\n")).strip()

    def further(self, has):
        """Things that crossing.populate() does not make, as they are needed."""
        if "session" not in has:
            found = self.root.made("GET", "/api/sessions?user=eve")["items"] if self.root.ask("GET", "/api/users/eve").status == 200 else []
            has.update({"session": one["id"] for one in found})
        self.root.until(lambda: all(one["state"] != "running" for one in self.root.made("GET", "/v1/bulk")["items"]))
        if "pair" not in has:
            has["pair"] = self.root.made("POST", "/api/oauth/keys/keypair", {"algorithm": "RS256", "audience": "human"})["keyId"]

    def contents(self):
        """All rows of all tables that do not change by themselves."""
        return self.sql(";".join(f"SELECT '{table}', md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {table} t" for table in self.tables)).split()

    def rows(self, action):
        return len(self.root.made("GET", f"/api/audit?action={action}&pageSize=200")["items"])

    def changes_nothing(self, call):
        """Now and then the engine writes something of its own meanwhile. A change of the call would be there each time."""
        before = self.contents()
        self.sql("UPDATE refuses SET now = true")
        refused = self.root.ask(*call)
        self.sql("UPDATE refuses SET now = false")
        self.assertEqual(refused.status, 503, refused)
        return self.contents() == before

    def test_a_change_whose_row_is_refused_has_not_happened(self):
        has = crossing.populate(self.root)
        self.kind = int(self.sql("SELECT DISTINCT kind FROM record WHERE position('key.create'::bytea IN value) > 0"))
        self.tables = {*self.sql("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'").split()} - RESTLESS
        self.sql(SWITCH.replace("{kind}", str(self.kind)))
        for action, method, path, body in ACTIONS:
            with self.subTest(action, path=path):
                self.further(has)
                call = (method, crossing.filled(path, has), crossing.filled(body, has))
                count = self.rows(action)
                self.assertTrue(any(self.changes_nothing(call) for _ in range(4)))
                self.assertEqual(self.rows(action), count)
                answer = self.root.ask(*call)
                self.assertLess(answer.status, 300, answer)
                self.assertGreater(self.rows(action), count)
        self.assertEqual(self.root.made("POST", "/api/audit/verify", {}).get("broken"), None)

    def test_each_action_of_the_source_is_tried(self):
        with open(os.path.join(ROOT, "src", "access", "record", "audit.h"), encoding="utf-8") as file:
            source = file.read()
        tried = {action for action, *_ in ACTIONS}
        of_calls = set(re.findall(r'XX\(\w+, "([\w.-]+)"\)', source))
        self.assertGreater(len(of_calls), 15)
        self.assertEqual(of_calls - tried, set())
        kinds, actions = words("access/record/record.h", "ACCESS_KIND_MAP"), words("access/record/change.h", "ACCESS_ACTION_MAP")
        self.assertEqual({kind for kind in kinds if not any(one.startswith(kind + ".") for one in tried)}, set())
        # A file that is applied creates or changes.
        self.assertEqual({action for action in actions if not any(one.endswith("." + action) for one in tried)}, {"put"})


if __name__ == "__main__":
    main()
