"""The examples of flow graphs, with real parts around them, on an engine that is killed in the middle.

Each cycle runs an example once and kills the engine at one moment: while a call is under way, while a person's task is open,
while something is undone, between two messages. In the end nothing is missing, and nothing has happened twice but what may.

    EXAMPLE_CYCLES   cycles for each example; the first has the moment that says most (default: 1)
    CRASH_SEED       as in test_kill.py
"""

import email
import email.policy
import hashlib
import hmac
import json
import os
import random
import unittest

from engine import check_store
from parts import PATIENCE, ROOT, Broker, Life, Mailbox, PostgresLedger, Shop, SqliteLedger

from mail import MailServer  # parts.py knows where it is.

CYCLES = int(os.environ.get("EXAMPLE_CYCLES", "1"))
SEED = int(os.environ.get("CRASH_SEED", "20260419"))
DELAY_MAX = 0.05  # Seconds between the moment and the kill in later cycles: the engine is somewhere behind the moment then.


def example(name, **replacements):
    with open(os.path.join(ROOT, "examples", "graph", name + ".json"), encoding="utf-8") as file:
        text = file.read()
    for old, new in replacements.items():
        assert old in text, old
        text = text.replace(old, new)
    return json.loads(text)


class Example(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.life = Life("--allow-private-calls")
        self.addCleanup(self.life.remove)
        self.addCleanup(self.life.close)
        self.call, self.trap = self.life.call, self.life.trap

    def secret(self, name, value):
        self.call("PUT", f"/api/secrets/{name}", {"value": value if isinstance(value, str) else json.dumps(value)})

    def deploy(self, document):
        self.call("POST", "/v1/definitions", document)

    def cycles(self, cycle, first, moments):
        """Runs a cycle for each kill; a moment is a name, or a name and which passing of it."""
        chance = random.Random(f"{SEED} {self.id()}")
        for number in range(CYCLES):
            moment = first if not number else moments[number % len(moments)]
            name, nth = (moment, 1) if isinstance(moment, str) else moment
            delay = chance.random() * DELAY_MAX if number and chance.random() < 0.7 else 0
            with self.subTest(cycle=number, moment=moment, delay=delay):
                self.trap.set(self.life.server.process, name, nth, delay)
                kills = self.life.kills
                check = cycle(number)
                self.assertIsNone(self.trap.moment, f"this moment did not come: {self.trap.seen}")
                if self.life.kills == kills:  # The kill comes after all that the cycle did.
                    self.life.revive()
                check()
        self.life.close()
        instances = check_store(os.path.join(self.life.directory, "data"))
        print(f"{self.id()}: {self.life.kills} kills, {instances} instances")

    def decide(self, task, by, decision, moment="decision", **answer):
        """Answers a task, as a member of its groups. If the answer was there and the engine was killed before it said so, the same answer comes again."""
        body = {"by": by, "groups": task.get("groups", []), "decision": decision, "answer": answer}
        self.call("POST", f"/api/tasks/{task['id']}/complete", body, moment)


class LeaveRequest(Example):
    def test_the_manager_decides_and_the_employee_is_told(self):
        mail = MailServer()
        self.addCleanup(mail.close)
        Mailbox.watch(mail, self.trap)
        self.secret("mail", {"url": f"smtp://localhost:{mail.port}", "from": "leave@example.org"})
        self.deploy(example("leave-request"))

        def cycle(number):
            employee, granted = f"ann{number}@example.org", number % 2 == 0
            run = self.call("POST", "/api/workflows/leave-request/start", {"input": {
                "employee": employee, "manager": "bob", "days": 5, "from": "2026-02-02", "reason": "skiing"}}, "start").json["instanceId"]
            task = self.life.task(run, "manager")
            self.trap.passing("task seen")
            self.assertEqual(task["title"], f"Leave of {employee}: 5 days from 2026-02-02")
            self.call("POST", f"/api/tasks/{task['id']}/complete", {"by": "eve", "decision": "approve"}, statuses=(403,))
            self.decide(task, "bob", "approve" if granted else "reject", comment=f"no. {number}")
            self.life.run(run, "completed")

            def check():
                self.assertEqual(self.life.run(run, "completed")["result"], {"granted": granted})
                mails = [message for message in mail.mails if message.recipients == [employee]]
                self.assertGreaterEqual(len(mails), 1)
                self.assertEqual(len({str(self.read(message)["Message-ID"]) for message in mails}), 1)
                for message in mails:
                    self.assertEqual(self.read(message).get_content().strip(), f"Granted: {str(granted).lower()}. no. {number}")
                self.assertEqual(self.life.get(f"/api/tasks?instanceId={run}")["items"], [])
            return check

        self.cycles(cycle, "mail taken", ["start sent", "start answered", "task seen", "decision sent", "decision answered", "mail begins",
                                          "mail offered", "mail written", "mail taken"])

    @staticmethod
    def read(message):
        return email.message_from_string(message.text, policy=email.policy.default)


class InvoiceApproval(Example):
    def send(self, number, amount):
        body = json.dumps({"number": number, "amount": amount}).encode()
        signature = "sha256=" + hmac.new(b"k", body, hashlib.sha256).hexdigest()
        return self.call("POST", "/hooks/invoices", body, "invoice", headers={"X-Signature": signature}).json

    def check_ledger(self, ledger):
        self.addCleanup(ledger.close)
        self.secret("ledger", ledger.reference)
        self.secret("invoice_key", "k")
        self.deploy(example("invoice-approval"))
        expected = {}

        def cycle(number):
            name, amount = f"R-{number}", (20000, 1000)[number % 2]
            slow = self.trap.moment == "booking"
            if slow:
                ledger.dawdle(True)
            run = self.send(name, amount)["instanceId"]
            nodes = ("department", "finance") if amount == 20000 else ("one",)
            for node in nodes:
                task = self.life.task(run, node)
                self.trap.passing("task seen")
                self.assertIn(name, task["title"])
                self.decide(task, "carl", "approve")
            if slow:
                try:
                    self.life.until(lambda: ledger.busy() or self.fail_if_over(run))
                    self.trap.passing("booking")
                    self.life.server.process.wait(PATIENCE)
                finally:
                    ledger.dawdle(False)
            self.life.until(lambda: any(row[0] == name for row in ledger.bookings()) or self.fail_if_over(run))
            self.trap.passing("booked")
            expected[name] = amount

            def check():
                self.assertEqual(self.life.run(run, "completed", "failed", "waiting_for_human")["result"], {"booked": True})
                rows = ledger.bookings()
                self.assertEqual({invoice: amount for invoice, amount, _ in rows}, expected)
                visits = [visit for invoice, _, visit in rows if invoice == name]
                self.assertEqual(len(visits), 1)
                self.assertTrue(visits[0].startswith(run), visits)
                again = self.send(name, amount)
                self.assertEqual((again["outcome"], again.get("instanceId", run)), ("duplicate", run))
            return check

        self.cycles(cycle, "booking", ["invoice sent", "invoice answered", "task seen", "decision sent", "decision answered", "booking", "booked"])

    def fail_if_over(self, run):
        run = self.life.get(f"/api/runs/{run}")
        self.assertNotIn(run["status"], ("failed", "terminated"), run)
        return False

    def test_each_invoice_is_booked_once_in_sqlite(self):
        self.check_ledger(SqliteLedger())

    @unittest.skipIf(CYCLES < 2, "a database server takes seconds to start; make crash has it")
    def test_each_invoice_is_booked_once_in_postgresql(self):
        self.check_ledger(PostgresLedger())


class Order(Example):
    def test_what_is_not_sent_is_undone_and_what_is_sent_is_paid(self):
        shop = Shop(self.trap)
        self.addCleanup(shop.close)
        self.secret("shop_token", "t0ken")
        self.deploy(example("order", **{f"https://{name}.example.org": shop.url for name in ("stock", "pay", "parcels")}))
        skus = ["cup", "pot", "tea"]

        def cycle(number):
            address = f"street {number}"
            fails = number % 2 == 0 or self.trap.moment.split()[0] in ("refund", "release")
            if fails:
                shop.sold_out.add(address)
            before = {name: set(shop.keys(name)) for name in ("reserve", "charge", "send", "refund", "release")}
            first = len(shop.calls)
            run = self.call("POST", "/api/workflows/graph-order/start", {"input": {
                "items": [{"sku": sku, "quantity": 1} for sku in skus], "total": 30, "address": address}}, "start").json["instanceId"]
            self.life.run(run, "completed", "failed")

            def check():
                end = self.life.run(run, "completed", "failed")
                made = {name: {key: asked for key, asked in shop.keys(name).items() if key not in before[name]} for name in before}
                for name, keys in made.items():
                    for key, asked in keys.items():
                        self.assertEqual(len(asked), 1, f"{name}: other requests with the same key: {asked}")
                        self.assertTrue(key.startswith(run), key)
                self.assertEqual([len(made[name]) for name in ("reserve", "charge", "send")], [3, 1, 1])
                reserved = sorted(shop.known[key][1]["reservation"] for key in made["reserve"])
                self.assertEqual(sorted(shop.reserved[number] for number in reserved), skus)
                charge, = (shop.known[key][1]["charge"] for key in made["charge"])
                self.assertEqual(sorted(shop.charged[charge]["reservations"]), reserved)
                self.assertEqual([shop.reserved[number] for number in shop.charged[charge]["reservations"]], skus)
                if not fails:
                    tracking, = (shop.known[key][1]["tracking"] for key in made["send"])
                    self.assertEqual((end["status"], end["result"]), ("completed", {"tracking": tracking}))
                    self.assertEqual((made["refund"], made["release"]), ({}, {}))
                    return
                self.assertEqual((end["status"], end["errorCode"], end["compensated"]), ("failed", "HTTP_409", True), end)
                self.assertEqual(shop.refunded.count(charge), 1)
                self.assertEqual([shop.released.count(number) for number in reserved], [1, 1, 1])
                order = [name for name, *_ in shop.calls[first:] if name in ("refund", "release")]
                self.assertEqual(order, sorted(order), "the charge is undone before the reservations")
                self.assertNotIn(address, shop.sent.values())
            return check

        self.cycles(cycle, "refund done", [
            "start sent", "start answered", ("reserve asked", 1), ("reserve asked", 3), ("reserve done", 2), ("reserve answered", 1), ("reserve answered", 3),
            "charge asked", "charge done", "charge answered", "send asked", "send done", "send answered", "refund asked", "refund done", "refund answered",
            ("release asked", 1), ("release asked", 2), ("release done", 1), ("release done", 3), ("release answered", 1), ("release answered", 3)])


class SensorAlarm(Example):
    def test_every_hot_sensor_has_its_alarm(self):
        broker = Broker()
        self.addCleanup(broker.close)
        self.secret("broker", {"host": "127.0.0.1", "port": broker.port})
        self.deploy(example("sensor-alarm"))
        # The same for sensors of the hall, where nobody waits for long.
        self.deploy(example("sensor-alarm", **{'"sensor-alarm"': '"hall-alarm"', "sensors/+/": "hall/+/", '"15m"': '"100ms"'}))
        for place in ("sensors", "hall"):  # A retained message arrives as soon as there is a subscription.
            broker.publish(f"{place}/first/reading", {"celsius": 81}, retain=True)
        for name in ("sensor-alarm", "hall-alarm"):
            self.life.until(lambda name=name: self.alarms(name, "first"))

        def cycle(number):
            well, hot, hall = f"well{number}", f"hot{number}", f"hall{number}"
            for topic, value in ((f"sensors/{well}/reading", {"celsius": 85}), (f"sensors/{hot}/reading", {"celsius": 20}),
                                 (f"sensors/{hot}/reading", {"celsius": 90}), (f"hall/{hall}/reading", {"celsius": 99}),
                                 (f"sensors/{well}/reading", {"celsius": 95}), (f"sensors/{hot}/reading", {"celsius": 92}),
                                 (f"sensors/{hot}/reading", {"celsius": 80}), (f"sensors/{well}/clear", {})):
                broker.publish(topic, value)
                self.trap.passing("published")
            if self.life.server.process.poll() is not None:
                self.life.revive()
            self.life.until(lambda: (alarm := self.alarm("sensor-alarm", hot)) and alarm["vars"]["hottest"] == 92)
            self.life.until(lambda: self.alarms("sensor-alarm", well))
            self.life.until(lambda: not self.alarm("sensor-alarm", well))
            alarm = self.life.until(lambda: self.alarm("hall-alarm", hall))
            task = self.life.task(alarm["instanceId"], "call")
            self.trap.passing("task seen")
            self.assertEqual(task["title"], f"Sensor hall/{hall}/reading: 99 °C")
            self.decide(task, "tom", "fixed")

            def check():
                self.assertEqual(self.life.run(alarm["instanceId"], "completed")["result"], {"hottest": 99})
                # Messages may come again after a kill, in their order: then the alarm of a sensor that is well was opened and ended again.
                self.life.until(lambda: not self.alarm("sensor-alarm", well))
                self.assertEqual({run["status"] for run in self.alarms("sensor-alarm", well)}, {"completed"})
                self.assertEqual(self.alarms("sensor-alarm", well)[0]["result"], {"hottest": 95})
                self.assertEqual([run["vars"]["hottest"] for run in self.alarms("sensor-alarm", hot)], [92])
                self.assertEqual({run["status"] for run in self.alarms("sensor-alarm", hot)}, {"suspended"})
                broker.publish(f"sensors/{hot}/clear", {})
                self.life.until(lambda: not self.alarm("sensor-alarm", hot))
            return check

        self.cycles(cycle, ("published", 4), [*(("published", n) for n in range(1, 9)), "task seen", "decision sent", "decision answered"])

    def alarms(self, definition, sensor):
        """The alarms of a sensor, the newest first."""
        listed = self.life.get(f"/v1/instances?definitionId={definition}&businessKey={sensor}")["items"]
        return [self.life.get(f"/api/runs/{item['id']}") for item in listed]

    def alarm(self, definition, sensor):
        """The one that is open, or None."""
        return next((run for run in self.alarms(definition, sensor) if run["status"] not in ("completed", "failed", "terminated")), None)


if __name__ == "__main__":
    unittest.main()
