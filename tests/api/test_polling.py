"""Polling triggers: rows of a URL and of a database become instances, once each."""

import os
import sqlite3
import tempfile
import unittest

from functions import Functions, Reply
from harness import Case


class Polling(Case):
    arguments = ("--allow-private-calls",)

    def setUp(self):
        super().setUp()
        self.source = Functions()
        self.addCleanup(self.source.close)

    def secret(self, name, value):
        answer = self.client.request("PUT", f"/api/secrets/{name}", {"value": value})
        self.assertIn(answer.status, (200, 201), answer)

    def polled(self, **trigger):
        """A definition that opens one job for each row; the type of the jobs."""
        job_type = self.fresh("row")
        self.upload([{"id": "work", "name": "W", "type": "SERVICE_TASK", "jobType": job_type, "nextStep": "end"},
                     {"id": "end", "name": "E", "type": "END"}],
                    triggers=[{"id": "p", "type": "poll", "pollingInterval": 1, "pollingUnit": "Seconds", **trigger}])
        return job_type

    def rows(self, job_type, count):
        """The payloads of so many arrivals, in order of their id."""
        found = []
        while len(found) < count:
            for job in self.poll(job_type, waitSeconds=30, maxJobs=count - len(found)):
                found.append(job["variables"]["trigger"]["payload"])
                self.complete(job)
        return sorted(found, key=lambda row: row["id"])

    def test_a_row_counts_once_and_again_when_it_has_changed(self):
        first, changed = [{"id": 1, "n": "a"}, {"id": 2, "n": "b"}], [{"id": 1, "n": "a"}, {"id": 2, "n": "c"}]
        self.source.answer("/rows", Reply(body=first), Reply(body=first), Reply(body=changed))
        job_type = self.polled(url=self.source.url + "/rows", deduplicationKey="$.id")
        self.assertEqual(self.rows(job_type, 2), first)
        self.assertEqual(self.rows(job_type, 1), [{"id": 2, "n": "c"}])
        seen = len(self.source.to("/rows"))
        self.source.wait("/rows", seen + 2)
        self.assertEqual(self.poll(job_type), [])
        # Rows that have not changed are counted, and the log does not tell of them each time.
        trigger, = [item for item in self.get("/api/triggers?pageSize=100").json["items"] if item.get("config", {}).get("poll", {}).get("url") == self.source.url + "/rows"]
        self.assertGreater(trigger["counts"]["duplicate"], 2)
        told = self.get(f"/api/arrivals?definitionId={trigger['definitionId']}").json["items"]
        self.assertEqual([item["outcome"] for item in told], ["created"] * 3)

    def test_a_row_that_comes_to_nothing_is_told_once(self):
        self.source.answer("/vain", Reply(body=[{"id": 1}, {"id": 2}]))
        self.polled(url=self.source.url + "/vain", filter="payload.id > 5")
        self.source.wait("/vain", 3)
        items = self.get("/api/arrivals?outcome=filtered&pageSize=100").json["items"]
        self.assertEqual(len(items), 2, items)

    def test_a_paused_trigger_does_not_ask_its_source(self):
        self.source.answer("/still", Reply(body=[]))
        self.source.answer("/busy", Reply(body=[]))
        self.polled(url=self.source.url + "/still")
        self.source.wait("/still", 1)
        trigger, = [item for item in self.get("/api/triggers?pageSize=100").json["items"] if item.get("config", {}).get("poll", {}).get("url") == self.source.url + "/still"]
        path = f"/api/triggers/{trigger['definitionId']}/p"
        self.assertEqual(self.post(path + "/pause").status, 200)
        # A trigger that is published later is asked: then the list has been read again.
        self.polled(url=self.source.url + "/busy")
        self.source.wait("/busy", 1)
        before = len(self.source.to("/still"))
        self.source.wait("/busy", 3)
        self.assertEqual(len(self.source.to("/still")), before)
        self.assertEqual(self.post(path + "/resume").status, 200)
        self.source.wait("/still", before + 1)

    def test_a_path_selects_the_rows_and_a_secret_brings_headers(self):
        self.source.answer("/list", Reply(body={"items": [{"id": 1}, {"id": 2}, {"id": 3}], "total": 3}))
        self.secret("feed", '{"url": "%s/list", "headers": {"X-Token": "let-me-in"}}' % self.source.url)
        job_type = self.polled(connectionRef="vault:feed", sourceType="RestApi", query="$.items[?@.id > 1]",
                               deduplicationKey="$.id")
        self.assertEqual(self.rows(job_type, 2), [{"id": 2}, {"id": 3}])
        self.assertEqual(self.source.to("/list")[0].headers["X-Token"], "let-me-in")

    def test_a_source_that_fails_is_asked_again(self):
        self.source.answer("/flaky", Reply(503), Reply(body="no json", type="text/plain"), Reply(body=[{"id": 7}]))
        job_type = self.polled(url=self.source.url + "/flaky", query="$[*]", deduplicationKey="$.id")
        self.assertEqual(self.rows(job_type, 1), [{"id": 7}])

    def test_rows_of_a_database(self):
        folder = tempfile.TemporaryDirectory(prefix="pawl-polling-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "shop.db")
        with sqlite3.connect(path) as database:
            database.execute("create table parcel(id integer primary key, state text)")
            database.execute("insert into parcel values(1, 'new'), (2, 'new')")
        self.secret("shop", f"sqlite:{path}")
        job_type = self.polled(sourceType="SqlDatabase", connectionRef="vault:shop",
                               query="select id, state from parcel order by id", deduplicationKey="$.id")
        self.assertEqual(self.rows(job_type, 2), [{"id": 1, "state": "new"}, {"id": 2, "state": "new"}])
        with sqlite3.connect(path) as database:
            database.execute("update parcel set state = 'sent' where id = 2")
            database.execute("insert into parcel values(3, 'new')")
        self.assertEqual(self.rows(job_type, 2), [{"id": 2, "state": "sent"}, {"id": 3, "state": "new"}])

    def test_a_new_version_without_the_trigger_asks_no_more(self):
        self.source.answer("/once", Reply(body=[]))
        definition = {"id": self.fresh(), "name": "v1", "steps": [{"id": "e", "name": "E", "type": "END"}],
                      "triggers": [{"id": "p", "type": "poll", "url": self.source.url + "/once",
                                    "pollingInterval": 1, "pollingUnit": "Seconds"}]}
        self.assertEqual(self.post("/v1/definitions", definition).status, 201)
        self.source.wait("/once", 1)
        self.assertEqual(self.post("/v1/definitions", {**definition, "name": "v2", "triggers": []}).status, 201)
        # Another source is asked several times; then the list has been read.
        self.source.answer("/other", Reply(body=[]))
        self.polled(url=self.source.url + "/other")
        self.source.wait("/other", 2)
        before = len(self.source.to("/once"))
        self.source.wait("/other", 4)
        self.assertEqual(len(self.source.to("/once")), before)


if __name__ == "__main__":
    unittest.main()
