"""E-mails about people's tasks: reminders and escalations, sent to a real SMTP server."""

import email
import email.policy
import shutil
import tempfile
import threading
import time

from accounts import ROOT, Accounts
from harness import PATIENCE, Case, Client, Server, main, needs_one_node
from mail import MailServer
from steps import end, person
from test_email import Hold

QUICK = [{"after": "10ms"}]


def until(holds):
    """Asks again and again; each time is a request."""
    last = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < last, "this did not happen"
    return found


def read(mail):
    return email.message_from_string(mail.text, policy=email.policy.default)


def body_of(mail):
    return read(mail).get_body(("plain",)).get_content()


class Reminders(Accounts):
    mails = MailServer()
    arguments = (*Accounts.arguments, "--allow-private-calls", "--smtp", f"smtp://127.0.0.1:{mails.port}?from=pawl%40shop.example",
                 "--public-url", "http://pawl.example")

    def setUp(self):
        super().setUp()
        with self.mails.changed:
            self.mails.mails.clear()
            self.mails.answers.clear()

    def with_mail(self, *groups):
        name = self.user("person", groups=list(groups))
        self.assertEqual(self.ask("PATCH", f"/api/users/{name}", {"email": f"{name}@mail.example"}).status, 200)
        return name

    def open(self, headers=ROOT, **fields):
        name = self.fresh("asked")
        document = {"id": name, "name": name, "steps": [person("p", "end", **fields), end()]}
        self.assertEqual(self.ask("POST", "/v1/definitions", document, headers).status, 201)
        instance = self.ask("POST", "/v1/instances", {"definitionId": name}, headers).json["id"]
        return until(lambda: self.ask("GET", f"/api/tasks?instanceId={instance}", headers=headers).json["items"])[0]

    def story(self, task, what, headers=ROOT):
        """The task, once this happened to it."""
        def shown():
            told = self.ask("GET", f"/api/tasks/{task['id']}", headers=headers).json
            return told if any(note["what"] == what for note in told["history"]) else None
        return until(shown)

    def not_sent(self, task):
        """Why nothing was sent. The history and the task are read one after the other, so one may know of it before the other."""
        self.story(task, "not emailed")
        return until(lambda: self.ask("GET", f"/api/tasks/{task['id']}").json.get("notSent"))

    def comments(self, told, what):
        return [note["comment"] for note in told["history"] if note["what"] == what]

    def test_the_person_who_has_the_task_gets_an_e_mail(self):
        ada = self.with_mail()
        task = self.open(assignee=ada, reminders=QUICK, dueDate="2030-01-02T03:04:05Z")
        mail, = self.mails.wait(1)
        self.assertEqual((mail.sender, mail.recipients), ("pawl@shop.example", [f"{ada}@mail.example"]))
        message = read(mail)
        self.assertEqual((str(message["Subject"]), str(message["To"])), ("Reminder: p", f"{ada}@mail.example"))
        self.assertIn(f"http://pawl.example/ui/inbox/{task['id']}", body_of(mail))
        self.assertIn("2030-01-02T03:04:05", body_of(mail))
        told = self.story(task, "emailed")
        self.assertEqual(self.comments(told, "emailed"), [f"to {ada}"])
        self.assertEqual(told["reminded"], 1)
        self.assertNotIn("notSent", told)

    def test_members_of_groups_get_it_and_do_not_see_each_other(self):
        group, other = self.fresh("team"), self.fresh("other")
        first, second, third = self.with_mail(group), self.with_mail(other, group), self.with_mail(other)
        silent = self.user("person", groups=[group])
        task = self.open(candidateUsers=[first], candidateGroups=[group], reminders=QUICK)
        mail, = self.mails.wait(1)
        self.assertEqual(sorted(mail.recipients), sorted(f"{name}@mail.example" for name in (first, second)))
        self.assertNotIn("@mail.example", mail.text)
        comment, = self.comments(self.story(task, "emailed"), "emailed")
        self.assertIn(f"no address: {silent}", comment)
        self.assertNotIn(third, comment)

    def test_a_name_that_is_an_address_needs_no_user(self):
        self.open(assignee="ann@customers.example", reminders=QUICK)
        self.assertEqual(self.mails.wait(1)[0].recipients, ["ann@customers.example"])

    def test_an_escalation_writes_to_the_others(self):
        ada, boss = self.with_mail(), self.with_mail()
        task = self.open(assignee=ada, escalation={"after": "10ms", "assignee": boss})
        mail, = self.mails.wait(1)
        self.assertEqual((mail.recipients, str(read(mail)["Subject"])), ([f"{boss}@mail.example"], "For you now: p"))
        self.assertEqual(self.comments(self.story(task, "emailed"), "emailed"), [f"to {boss}"])

    def test_each_reminder_has_a_message_id_of_its_own(self):
        ada = self.with_mail()
        task = self.open(assignee=ada, reminders=["10ms"], escalation={"after": "PT1S", "priority": 90})
        mails = self.mails.wait(2)
        self.assertEqual(len({read(mail)["Message-ID"] for mail in mails}), 2)
        until(lambda: len(self.comments(self.story(task, "emailed"), "emailed")) == 2)

    def test_nobody_with_an_address(self):
        silent = self.user("person")
        self.assertIn(f"no e-mail address is known of {silent}", self.not_sent(self.open(assignee=silent, reminders=QUICK)))
        self.assertIn("the task asks nobody by name", self.not_sent(self.open(reminders=QUICK)))
        self.assertEqual(self.mails.mails, [])

    def test_one_refused_address_does_not_keep_it_from_the_others(self):
        group = self.fresh("team")
        self.with_mail(group), self.with_mail(group)
        self.mails.answers["RCPT"] = ["550 no such user"]
        task = self.open(candidateGroups=[group], reminders=QUICK)
        self.assertEqual(len(self.mails.wait(1)[0].recipients), 1)
        self.assertIn("the server refused one: 550 no such user", self.comments(self.story(task, "emailed"), "emailed")[0])

    def test_a_line_end_in_the_title_begins_no_header(self):
        ada = self.with_mail()
        name = self.fresh("titled")
        document = {"dialect": "graph/1", "definitionId": name, "name": name, "edges": [{"from": "t", "to": "h"}, {"from": "h", "to": "e"}],
                    "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "e", "type": "end"},
                              {"id": "h", "type": "human_task", "config": {"title": "Pay\r\nBcc: eve@e.example", "assignees": [ada], "reminders": ["10ms"]}}]}
        self.assertEqual(self.ask("POST", "/v1/definitions", document).status, 201)
        self.ask("POST", "/v1/instances", {"definitionId": name})
        mail, = self.mails.wait(1)
        self.assertEqual(mail.recipients, [f"{ada}@mail.example"])
        self.assertIsNone(read(mail)["Bcc"])
        self.assertIn("Pay", str(read(mail)["Subject"]))

    def test_users_of_another_tenant_are_not_written_to(self):
        tenant = self.fresh("tenant").lower()
        self.assertEqual(self.ask("POST", "/api/tenants", {"name": tenant}).status, 201)
        there = {**ROOT, "X-Pawl-Tenant": tenant}
        group = self.fresh("team")
        outside, inside = self.with_mail(group), self.with_mail(group)
        self.assertEqual(self.ask("POST", "/api/grants", {"to": f"user:{inside}", "role": "person", "tenant": tenant}, there).status, 201)
        task = self.open(headers=there, candidateUsers=[outside], candidateGroups=[group], reminders=QUICK)
        self.assertEqual(self.mails.wait(1)[0].recipients, [f"{inside}@mail.example"])
        comment, = self.comments(self.story(task, "emailed", there), "emailed")
        self.assertEqual(comment, f"to {inside}; no address: {outside}")

    def test_the_run_goes_on_while_the_server_is_slow(self):
        ada = self.with_mail()
        self.mails.answers["DATA"] = ["450 later"] * 3
        task = self.open(assignee=ada, reminders=QUICK)
        why = until(lambda: [token for token in self.ask("GET", f"/v1/instances/{task['instanceId']}/explain").json["tokens"]
                             if "attempt 2" in token["why"]])
        self.assertIn("an e-mail about it is on its way", why[0]["why"])
        self.assertEqual(self.ask("POST", f"/api/tasks/{task['id']}/complete", {"by": ada}, {**ROOT, "X-Actor": ada}).status, 204)
        self.assertEqual(self.ask("GET", f"/v1/instances/{task['instanceId']}").json["status"], "COMPLETED")


class WithoutAServer(Case):
    def test_the_task_says_that_nothing_was_sent(self):
        name = self.upload([person("p", "end", assignee="ann@a.example", reminders=QUICK), end()])
        instance = self.start(name)["id"]
        told = until(lambda: [task for task in self.get(f"/api/tasks?instanceId={instance}").json["items"] if "notSent" in task])[0]
        self.assertIn("there is no mail server", told["notSent"])
        self.assertIn("there is no mail server", self.get(f"/v1/instances/{instance}/explain").json["tokens"][0]["why"])

    def test_what_a_reminder_may_not_say(self):
        for reminder, where in (({"after": "P1D", "every": "PT59S"}, "/every"), ({"every": "P1D"}, "/after"), ({"after": "P1D", "by": "sms"}, ""),
                                ({"after": "P1D", "email": "no"}, ""), ({"after": "P1D", "every": 5}, "/every"), (7, "")):
            answer = self.post("/v1/definitions", {"id": self.fresh(), "name": "f", "steps": [person("p", "end", reminders=[reminder]), end()]})
            self.assertEqual((answer.status, answer.json["problems"][0]["pointer"]), (400, f"/steps/0/reminders/0{where}"), answer)
        self.upload([person("p", "end", reminders=[{"after": "P1D", "every": "PT1M"}]), end()])


class AfterAKill(Case):
    @needs_one_node
    def test_a_reminder_is_sent_once_across_a_crash(self):
        directory = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, directory, True)
        mails = MailServer()
        self.addCleanup(mails.close)
        arguments = ("--allow-private-calls", "--smtp", f"smtp://127.0.0.1:{mails.port}?from=pawl%40shop.example")
        held, arrived = threading.Event(), threading.Event()
        self.addCleanup(held.set)
        mails.answers["DATA."] = Hold(held, arrived)  # The message was read, and its confirmation does not come.
        server = Server(arguments, data=directory)
        client = Client(server)
        client.post("/v1/definitions", {"id": "f", "name": "f", "steps": [person("p", "end", assignee="ann@a.example", reminders=QUICK), end()]})
        instance = client.post("/v1/instances", {"definitionId": "f"}).json["id"]
        self.assertTrue(arrived.wait(PATIENCE))
        client.close()
        server.kill()
        held.set()
        server = Server(arguments, data=directory)
        self.addCleanup(server.kill)
        client = Client(server)
        mails.wait(1)
        task = client.get(f"/api/tasks?instanceId={instance}").json["items"][0]["id"]
        notes = until(lambda: [note for note in client.get(f"/api/tasks/{task}").json["history"] if note["what"] in ("reminded", "emailed")][1:])
        self.assertEqual([note["what"] for note in notes], ["emailed"])
        self.assertEqual(len(mails.mails), 1)
        client.close()
        server.stop()


if __name__ == "__main__":
    main()
