"""People's tasks of all dialects: claimed, handed over, commented on; listed by person, group and due time; watched."""

import http.client
import shutil
import tempfile
import threading

from graphs import edge, graph, node
from harness import NODES, PATIENCE, Case, Client, Events, Server, main
from steps import end, fork, join, person, service


class Watch(Events):
    """The stream of news of tasks."""

    def __init__(self, server, query="", last=None, headers=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        headers = {**(headers or {}), **({"Last-Event-ID": last} if last else {})}
        self.connection.request("GET", "/api/tasks/stream" + query, headers=headers)
        self.response = self.connection.getresponse()


class Tasks(Case):
    def open(self, count=1):
        """Opens tasks of a definition of their own; its id, and theirs."""
        name = self.upload([person("p", "end"), end()])
        for i in range(count):
            self.start(name, {"n": i})
        return name, [task["id"] for task in self.items(f"definitionId={name}")]

    def items(self, query, size=200):
        answer = self.get(f"/api/tasks?pageSize={size}&{query}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json["items"]

    def change(self, task, verb, body=None, headers=None):
        return self.post(f"/api/tasks/{task}/{verb}", body, headers)

    def assign(self, task, **body):
        answer = self.change(task, "assign", body)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def ids(self, query):
        return [task["id"] for task in self.items(query)]


class Claiming(Tasks):
    def test_a_task_is_claimed_given_back_and_completed(self):
        name, (task,) = self.open()
        claimed = self.change(task, "claim", {"by": "ada"})
        self.assertEqual((claimed.status, claimed.json["assignee"], claimed.json["priority"]), (200, "ada", 50))
        again = self.change(task, "claim", {"by": "ada"})
        self.assertEqual(again.json, claimed.json)
        other = self.change(task, "claim", {"by": "bob"})
        self.assertEqual((other.status, other.json["code"]), (409, "TASK_CLAIMED"))
        thief = self.change(task, "unclaim", {"by": "bob"})
        self.assertEqual((thief.status, thief.json["code"]), (403, "NOT_ASSIGNED"))
        back = self.change(task, "unclaim", {"by": "ada"})
        self.assertNotIn("assignee", back.json)
        self.assertEqual(self.change(task, "unclaim").json["code"], "TASK_NOT_CLAIMED")
        self.assertEqual(self.change(task, "claim", {"by": "bob"}).status, 200)
        self.assertEqual(self.change(task, "complete", {"by": "bob", "decision": "yes", "answer": {"x": 1}}).status, 204)
        done = self.get(f"/v1/instances?definitionId={name}").json["items"][0]
        self.assertEqual((done["status"], self.instance(done["id"])["variables"]), ("COMPLETED", {"n": 0, "x": 1, "decision": "yes"}))
        for verb in ("claim", "unclaim", "assign", "comment"):
            late = self.change(task, verb, {"by": "bob", "comment": "x"} if verb != "assign" else {"priority": 1})
            self.assertEqual((late.status, late.json["code"]), (409, "TASK_ALREADY_COMPLETED"), verb)
        ended = self.get(f"/api/tasks/{task}").json
        self.assertEqual((ended["state"], ended["endedBy"], ended["decision"], ended["title"]), ("completed", "bob", "yes", claimed.json["title"]))
        self.assertEqual((ended["instanceId"], ended["createdAt"]), (done["id"], claimed.json["createdAt"]))
        self.assertEqual([note["what"] for note in ended["history"]], ["opened", "claimed", "unclaimed", "claimed", "completed"])
        self.assertEqual(ended["history"][-1], {"at": ended["endedAt"], "what": "completed", "by": "bob"})

    def test_of_many_who_claim_at_once_one_gets_it(self):
        _, (task,) = self.open()
        statuses = []

        def claim(who):
            client = Client(self.server)
            statuses.append(client.post(f"/api/tasks/{task}/claim", {"by": who}).status)
            client.close()
        threads = [threading.Thread(target=claim, args=(f"p{i}",)) for i in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(statuses), [200] + [409] * 11)

    def test_a_task_of_certain_people_is_for_them(self):
        _, (task,) = self.open()
        self.assign(task, assignees=["ada", "eve"])
        self.assertEqual(self.change(task, "claim", {"by": "bob"}).json["code"], "NOT_ASSIGNED")
        self.assign(task, groups=["sales"])
        self.assertEqual(self.change(task, "claim", {"by": "bob", "groups": ["it"]}).status, 403)
        self.assertEqual(self.change(task, "claim", {"by": "bob", "groups": ["it", "sales"]}).status, 200)
        self.assertEqual(self.assign(task, assignee="eve", by="bob", comment="please")["assignee"], "eve")

    def test_a_task_of_a_group_is_for_its_members(self):
        name = self.upload([person("p", "end", candidateGroups=["sales", "heads"]), end()])

        def task():
            got = self.start(name)["id"]
            return got, self.items(f"instanceId={got}")[0]["id"]
        run, one = task()
        for verb in ("claim", "complete"):
            for body, headers in (({"by": "bob"}, {}), ({"by": "bob", "groups": []}, {}), ({"by": "bob", "groups": ["it"]}, {"X-Groups": "it, ,hr"})):
                answer = self.change(one, verb, body, headers)
                self.assertEqual((answer.status, answer.json["code"]), (403, "NOT_ASSIGNED"), (verb, body))
                self.assertIn('"sales" or of 1 other group', answer.json["message"])
        for path in (f"/v1/user-tasks/{one}/complete", f"/v1/instances/{run}/user-tasks/p/complete"):
            self.assertEqual(self.post(path, {"completedBy": "bob"}).status, 403, path)
        self.assertEqual(self.change(one, "claim", {}, {"X-Groups": "sales"}).status, 400)
        self.assertEqual(self.change(one, "claim", {}, {"X-Actor": "bob", "X-Groups": "it, heads"}).json["assignee"], "bob")
        self.assertEqual(self.change(one, "complete", {}, {"X-Actor": "eve", "X-Groups": "sales"}).status, 403)
        self.assertEqual(self.post(f"/v1/user-tasks/{one}/complete", {"completedBy": "bob"}).status, 204)
        run, one = task()
        self.assertEqual(self.post(f"/v1/instances/{run}/user-tasks/p/complete", {"completedBy": "ann"}, {"X-Groups": "sales"}).status, 204)
        run, one = task()
        self.assertEqual(self.change(one, "complete", {"by": "ann", "groups": ["it"]}, {"X-Groups": "sales", "X-Actor": "ann"}).status, 204)

    def test_who_acts_is_said_once(self):
        _, (task,) = self.open()
        for verb, body in (("claim", {"by": "bob"}), ("comment", {"by": "bob", "comment": "x"}), ("complete", {"by": "bob"})):
            answer = self.change(task, verb, body, {"X-Actor": "ada"})
            self.assertEqual(answer.status, 400, answer)
            self.assertIn("X-Actor", answer.json["message"])
        self.assertEqual(self.get("/api/tasks", {"X-Groups": "x" * 8193}).status, 400)
        self.assertEqual(self.change(task, "comment", {"comment": "x"}, {"X-Actor": "Zo\u00eb".encode().decode("latin-1")}).status, 200)
        self.assertEqual(self.get(f"/api/tasks/{task}").json["history"][-1]["by"], "Zo\u00eb")

    def test_items_of_a_loop_are_no_attempts(self):
        name = self.fresh()
        loop = graph(node("t", "trigger_manual"), node("each", "for_each", items=[1, 2, 3]),
                     node("note", "set_variables", "Note it", "each", values={"x": "{{ item }}"}), node("end", "end"),
                     edges=[edge("t", "each"), edge("each", "note", "body"), edge("each", "end", "done")], definitionId=name)
        self.assertEqual(self.post("/api/workflows", loop).status, 201)
        run = self.post(f"/v1/definitions/{name}/instances?wait=20", {}).json["id"]
        notes = [visit for visit in self.get(f"/v1/instances/{run}/history").json["items"] if visit["stepId"] == "note"]
        self.assertEqual([(visit["visitNumber"], visit["attemptNumber"], visit["stepName"]) for visit in notes], [(n, 1, "Note it") for n in (1, 2, 3)])

    def test_histories_tell_who_did_it(self):
        steps = [{**person("p", "work"), "name": "Ask them"}, service("work", "end", "acts-" + self.fresh()), end()]
        name = self.fresh()
        published = self.post("/v1/definitions", {"id": name, "name": "f", "steps": steps}, {"X-Actor": "author"})
        self.assertEqual((published.status, published.json["uploadedBy"]), (201, "author"))
        self.assertEqual(self.get(f"/api/definitions/{name}").json["versions"][0]["publishedBy"], "author")
        run = self.post("/v1/instances", {"definitionId": name}, {"X-Actor": "ada"}).json["id"]
        task = self.items(f"instanceId={run}")[0]["id"]
        self.change(task, "claim", {}, {"X-Actor": "bob"})
        self.change(task, "complete", {}, {"X-Actor": "bob"})
        self.assertEqual(len(self.post("/v1/jobs/poll", {"workerId": "w-1", "jobTypes": [steps[1]["jobType"]]}).json["jobs"]), 1)
        why = self.get(f"/api/instances/{run}").json["why"][0]
        self.assertEqual(why["worker"], "w-1")
        self.assertIn("is with the worker \u201cw-1\u201d", why["text"])
        self.assertIn('is with worker "w-1"', self.get(f"/v1/instances/{run}/explain").json["tokens"][0]["why"])
        self.post(f"/v1/instances/{run}/cancel", {}, {"X-Actor": "eve"})
        told = self.get(f"/v1/instances/{run}/history").json
        self.assertEqual([(visit["stepId"], visit["stepName"], visit.get("by")) for visit in told["items"]],
                         [("p", "Ask them", "bob"), ("work", steps[1]["name"], "eve")])
        acts = [("started", "ada", None), ("claimed", "bob", "p"), ("completed", "bob", "p"), ("cancelled", "eve", None)]
        self.assertEqual([(act["what"], act["by"], act.get("stepId")) for act in told["acts"]], acts)
        self.assertEqual([(act["what"], act["by"], act.get("nodeId")) for act in self.get(f"/api/instances/{run}").json["acts"]], acts)

    def test_the_same_key_takes_effect_once(self):
        _, (task,) = self.open()
        key = {"Idempotency-Key": self.fresh("key")}
        first = self.change(task, "comment", {"by": "ada", "comment": "once"}, key)
        second = self.change(task, "comment", {"by": "ada", "comment": "once"}, key)
        self.assertEqual((first.status, first.body), (200, second.body))
        self.assertEqual(self.change(task, "comment", {"by": "ada", "comment": "other"}, key).status, 422)
        story = self.get(f"/api/tasks/{task}").json["history"]
        self.assertEqual([note["what"] for note in story], ["opened", "commented"])

    def test_what_happened_is_told(self):
        _, (task,) = self.open()
        self.change(task, "claim", {"by": "ada"})
        self.change(task, "comment", {"by": "bob", "comment": "Is it urgent?"})
        self.assign(task, priority=90, by="ada", comment="yes")
        self.assign(task, assignee="bob", by="ada")
        self.change(task, "unclaim", {"by": "bob", "comment": "no time"})
        story = self.get(f"/api/tasks/{task}").json["history"]
        self.assertEqual([(note["what"], note.get("by"), note.get("comment")) for note in story], [
            ("opened", None, None), ("claimed", "ada", None), ("commented", "bob", "Is it urgent?"), ("commented", "ada", "yes"),
            ("assigned", "ada", None), ("unclaimed", "bob", "no time")])

    def graph(self, *nodes, edges):
        """Publishes a flow graph and starts it; the run, and its tasks by node."""
        name = self.fresh("graph")
        document = {"dialect": "graph/1", "definitionId": name, "name": name, "edges": edges,
                    "nodes": [{"id": "t", "type": "trigger_manual"}, *nodes, {"id": "end", "type": "end", "config": {"terminate": True}}]}
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        run = self.post(f"/api/workflows/{name}/start", {}).json["instanceId"]
        return run, {task["nodeId"]: task["id"] for task in self.items(f"instanceId={run}")}

    def state(self, task):
        shown = self.get(f"/api/tasks/{task}").json
        return shown["state"], shown.get("endedBy"), shown.get("decision")

    def test_tasks_that_have_ended_tell_how(self):
        ask = {"type": "human_task", "config": {"title": "Look", "decisions": ["yes", "no"], "groups": ["sales"]}}
        run, tasks = self.graph({"id": "both", "type": "parallel"}, {"id": "a", **ask}, {"id": "b", **ask},
                                edges=[{"from": "t", "to": "both"}, {"from": "both", "to": "a"}, {"from": "both", "to": "b"}, *({"from": one, "to": "end", "default": True} for one in "ab")])
        self.assertEqual(self.state(tasks["a"]), ("open", None, None))
        self.assertEqual(self.change(tasks["a"], "complete", {"by": "ada", "groups": ["sales"], "decision": "no"}).status, 204)
        self.assertEqual((self.state(tasks["a"]), self.state(tasks["b"])), (("completed", "ada", "no"), ("cancelled", "ada", None)))
        shown = self.get(f"/api/tasks/{tasks['b']}").json
        self.assertEqual((shown["title"], shown["groups"], shown["decisions"], shown["instanceId"]), ("Look", ["sales"], ["yes", "no"], run))

    def test_a_task_whose_time_is_over_has_expired(self):
        hasty = {"id": "a", "type": "human_task", "config": {"title": "Look", "timeout": "1s"}}
        run, tasks = self.graph(hasty, edges=[{"from": "t", "to": "a"}, {"from": "a", "to": "end"}, {"from": "a", "to": "end", "fromPort": "timeout"}])
        self.ended(run)
        self.assertEqual(self.state(tasks["a"]), ("expired", None, None))

    def test_a_task_of_a_cancelled_instance_and_of_none(self):
        name, (task,) = self.open()
        instance = self.get(f"/v1/instances?definitionId={name}").json["items"][0]["id"]
        self.assertEqual(self.post(f"/v1/instances/{instance}/cancel", {"reason": "x"}).status, 200)
        self.assertEqual(self.state(task)[0], "cancelled")
        # A visit that waits for nobody is no task.
        run = self.run_steps([end()])["id"]
        self.assertEqual(self.get(f"/api/tasks/{self.history(run)[0]['id']}").json["code"], "TASK_NOT_FOUND")

    def test_a_task_of_a_failed_instance_is_suspended(self):
        kind = self.fresh("job")
        name = self.upload([fork("f", ["p", "s"], "j"), person("p", "j"), service("s", "j", kind), join("j", "end"), end()])
        got = self.start(name)["id"]
        task, = self.ids(f"definitionId={name}")
        self.fail_job(self.take(kind))
        self.assertEqual(self.instance(got)["status"], "FAILED")
        self.assertEqual(self.state(task)[0], "suspended")
        self.assertEqual(self.post(f"/v1/instances/{got}/retry").status, 200)
        self.assertEqual(self.state(task)[0], "open")

    def test_what_is_refused(self):
        _, (task,) = self.open()
        for verb, body, status in (("claim", None, 400), ("claim", {"by": ""}, 400), ("claim", {"by": 3}, 400), ("claim", {"by": "x" * 257}, 413),
                                   ("claim", {"by": "a", "groups": "g"}, 400), ("claim", {"by": "a", "groups": [""]}, 400),
                                   ("assign", None, 400), ("assign", {"by": "a"}, 400), ("assign", {"owner": "a"}, 400),
                                   ("assign", {"assignee": ""}, 400), ("assign", {"assignees": "a"}, 400), ("assign", {"groups": [3]}, 400),
                                   ("assign", {"due": "soon"}, 400), ("assign", {"followUp": -7}, 400), ("assign", {"priority": 101}, 400),
                                   ("assign", {"priority": 1.5}, 400), ("comment", {}, 400), ("comment", {"comment": ""}, 400),
                                   ("comment", {"comment": "x" * 4097}, 413), ("complete", {"answer": []}, 400)):
            answer = self.change(task, verb, body)
            self.assertEqual(answer.status, status, (verb, body, answer))
        for path in ("/api/tasks/x", "/api/tasks/" + "0" * 26, f"/api/tasks/{task[:-2]}3{task[-1]}"):
            self.assertEqual(self.get(path).status, 404, path)
        self.assertEqual(self.change("0" * 26, "claim", {"by": "a"}).status, 404)
        for query in ("unassigned=maybe", "dueBefore=soon", "cursor=x", "cursor=1-x", "cursor=-1-" + task, "person=" + "x" * 257):
            self.assertIn(self.get("/api/tasks?" + query).status, (400, 413), query)
        self.assertEqual(self.get(f"/api/tasks?person=a&instanceId={task}").status, 400)


class Lists(Tasks):
    def test_lists_of_people_and_groups(self):
        _, (a, b, c, d) = self.open(4)
        ada, eve, team = self.fresh("ada"), self.fresh("eve"), self.fresh("team")
        self.assign(a, assignees=[ada, eve], due="2030-01-03T00:00:00Z")
        self.assign(b, groups=[team], due="2030-01-02T00:00:00Z")
        self.assign(c, assignees=[ada], groups=[team])
        self.assign(d, assignee=ada, groups=[team], due="2030-01-01T00:00:00Z")
        self.assertEqual(self.ids(f"person={ada}"), [d, a, c])
        self.assertEqual(self.ids(f"candidate={ada}"), [a, c])
        self.assertEqual(self.ids(f"assignee={ada}"), [d])
        self.assertEqual(self.ids(f"person={eve}"), [a])
        self.assertEqual(self.ids(f"group={team}"), [d, b, c])
        self.assertEqual(self.ids(f"group={team}&unassigned=true"), [b, c])
        self.assertEqual(self.ids(f"group={team}&person={ada}"), [d, c])
        self.assertEqual(self.ids(f"group={team}&dueBefore=2030-01-02T00:00:00Z"), [d])
        self.change(a, "claim", {"by": eve})
        self.assertEqual((self.ids(f"person={ada}"), self.ids(f"person={eve}")), ([d, c], [a]))
        self.assign(d, assignee=None)
        self.assertEqual((self.ids(f"assignee={ada}"), self.ids(f"group={team}&unassigned=true")), ([], [d, b, c]))
        self.change(b, "complete", headers={"X-Groups": team})
        self.assertEqual(self.ids(f"group={team}"), [d, c])

    def test_pages_have_everything_once(self):
        name, tasks = self.open(25)
        who, team = self.fresh("who"), self.fresh("team")
        for i, task in enumerate(tasks):
            self.assign(task, groups=[team], **({"assignee": who} if i % 3 == 0 else {"assignees": [who]}),
                        **({"due": f"2031-01-{i % 9 + 1:02}T00:00:00Z"} if i % 2 else {}))
        for query in (f"person={who}", f"group={team}", f"definitionId={name}", f"definitionId={name}&unassigned=true", f"group={team}&unassigned=true",
                      f"group={team}&definitionId={name}"):
            want, got, cursor = self.ids(query), [], ""
            while True:
                page = self.get(f"/api/tasks?pageSize=4&{query}{cursor}").json
                got += [task["id"] for task in page["items"]]
                if "nextCursor" not in page:
                    break
                cursor = "&cursor=" + page["nextCursor"]
            self.assertEqual(got, want, query)
            self.assertEqual(len(set(got)), len(got))

    def test_a_task_of_old_has_the_views_of_both(self):
        name, (task,) = self.open()
        old, new = self.get(f"/v1/user-tasks?definitionId={name}").json["items"][0], self.items(f"definitionId={name}")[0]
        self.assertEqual({**{k: old[k] for k in ("id", "instanceId", "definitionId", "definitionVersion", "createdAt")},
                          "nodeId": old["stepId"], "title": old["name"], "assignees": [], "groups": [], "priority": 50}, new)
        self.assign(task, assignee="ada")
        self.assertEqual(self.get(f"/v1/user-tasks?definitionId={name}").json["items"][0], old)


class News(Tasks):
    def test_people_hear_of_their_tasks(self):
        _, (task,) = self.open()
        ada, bob, team = self.fresh("ada"), self.fresh("bob"), self.fresh("team")
        with Watch(self.server, f"?person={ada}") as hers, Watch(self.server, f"?person={bob}&group=x,{team}") as his:
            self.assertEqual((hers.next()[1], his.next()[1]), ("ready", "ready"))
            self.assign(task, assignees=[ada], groups=[team], due="2030-01-01T00:00:00Z", priority=7)
            for stream in (hers, his):
                _, event, news = stream.next()
                self.assertEqual((event, news["id"], news["what"], news["assignees"], news["groups"], news["priority"]),
                                 ("task", task, "changed", [ada], [team], 7))
            self.assign(task, assignees=[bob], groups=None)
            self.assertEqual([stream.next()[2]["assignees"] for stream in (hers, his)], [[bob], [bob]])
            self.change(task, "complete", {"by": bob})
            last, _, news = his.next()
            self.assertEqual((news["id"], news["what"]), (task, "closed"))
            # She was not told of that one.
            _, (other,) = self.open()
            self.assign(other, assignee=ada)
            self.assertEqual(hers.next()[2]["id"], other)
        epoch, number = last.split("-")
        with Watch(self.server, f"?person={bob}", f"{epoch}-{int(number) - 1}") as his:
            first = his.next()[1]
            if NODES > 1 and first == "reset":  # Another node: its news have other numbers.
                return
            self.assertEqual((first, his.next()[0]), ("ready", last))
        for missed in ("x", "1-1", f"{epoch}-{10 ** 12}", f"{int(epoch) + 1}-{number}"):
            with Watch(self.server, "", missed) as stream:
                self.assertEqual(stream.next()[1], "reset", missed)

    def test_a_watcher_of_nobody_hears_everything(self):
        with Watch(self.server) as stream:
            stream.next()
            name, (task,) = self.open()
            _, event, news = stream.next()
            self.assertEqual((event, news["id"], news["what"], news["definitionId"]), ("task", task, "opened", name))


class Definitions(Tasks):
    def test_steps_say_whom_a_task_is_for(self):
        clerk, team = self.fresh("clerk"), self.fresh("team")
        form = {"type": "object", "required": ["approved"], "properties": {"approved": {"type": "boolean"}}}
        name = self.upload([person("p", "end", candidateUsers=["{{ order.clerk }}", "eve"], candidateGroups=[team], dueDate="P1D",
                                   followUpDate="2030-01-01T00:00:00Z", priority=70, formSchema=form), end()])
        self.start(name, {"order": {"clerk": clerk}})
        task, = self.items(f"candidate={clerk}")
        self.assertEqual((task["assignees"], task["groups"], task["priority"], task["followUp"]),
                         ([clerk, "eve"], [team], 70, "2030-01-01T00:00:00.000000Z"))
        self.assertIn("due", task)
        self.assertNotIn("formSchema", task)
        self.assertEqual(self.get(f"/api/tasks/{task['id']}").json["formSchema"], form)
        for body, status, code in (({"by": "bob", "answer": {"approved": True}}, 403, "NOT_ASSIGNED"),
                                   ({"by": clerk, "answer": {"approved": "yes"}}, 422, "VALIDATION_FAILED"), ({"by": clerk}, 422, "VALIDATION_FAILED")):
            answer = self.change(task["id"], "complete", body)
            self.assertEqual((answer.status, answer.json["code"]), (status, code), body)
        self.assertEqual(self.change(task["id"], "claim", {"by": "bob", "groups": [team]}).status, 200)
        self.assertEqual(self.change(task["id"], "complete", {"by": clerk, "answer": {"approved": True}}).status, 403)
        self.assertEqual(self.change(task["id"], "complete", {"by": "bob", "answer": {"approved": True}}).status, 204)

    def test_a_part_of_a_title_or_key_finds_tasks(self):
        word, key = self.fresh("Word"), self.fresh("KEY")
        name = self.upload([{**person("p", "end"), "name": f"Approve {word} now"}, end()])
        self.start(name)
        self.start(self.upload([person("p", "end"), end()]), businessKey=key)
        self.assertEqual([task["title"] for task in self.items(f"keyword={word.lower()}")], [f"Approve {word} now"])
        self.assertEqual([task["businessKey"] for task in self.items(f"keyword={key[1:].lower()}")], [key])
        self.assertEqual(self.items(f"keyword={self.fresh('none')}"), [])
        for query in ("keyword=a&person=ada", "keyword=" + "a" * 300):
            self.assertIn(self.get(f"/api/tasks?{query}").status, (400, 413), query)

    def test_a_task_says_what_happens_if_nobody_answers(self):
        name = self.upload([person("p", "q", reminders=["P2D"], escalation={"after": "P5D", "groups": ["heads"]}), person("q", "end"), end()])
        instance = self.start(name)["id"]
        task, = self.items(f"instanceId={instance}")
        self.assertNotIn("ifUnanswered", task)
        self.assertEqual(self.get(f"/api/tasks/{task['id']}").json["ifUnanswered"],
                         "If nobody answers, a reminder goes out after 2 days, and after 5 days it is passed on to heads.")
        self.assertEqual(self.change(task["id"], "complete").status, 204)
        self.assertNotIn("ifUnanswered", self.get(f"/api/tasks/{task['id']}").json)
        task, = self.items(f"instanceId={instance}")
        self.assertNotIn("ifUnanswered", self.get(f"/api/tasks/{task['id']}").json)

    def test_a_strict_form_takes_the_decisions_of_its_task(self):
        form = {"type": "object", "required": ["note"], "additionalProperties": False, "properties": {"note": {"type": "string"}}}
        name = self.fresh("strict")
        document = {"dialect": "graph/1", "definitionId": name, "name": name,
                    "nodes": [{"id": "t", "type": "trigger_manual"}, {"id": "e", "type": "end"},
                              {"id": "h", "type": "human_task", "config": {"decisions": ["approve", "decline"], "formSchema": form}}],
                    "edges": [{"from": "t", "to": "h"}, {"from": "h", "to": "e", "fromPort": "approve"}, {"from": "h", "to": "e", "fromPort": "decline"}]}
        self.assertEqual(self.post("/v1/definitions", document).status, 201)
        instance = self.start(name)["id"]
        task, = self.items(f"instanceId={instance}")
        for body in ({"decision": "approve"}, {"decision": "approve", "answer": {"note": "x", "more": 1}}, {"decision": "other", "answer": {"note": "x"}}):
            self.assertEqual(self.change(task["id"], "complete", {"by": "ada", **body}).status, 422, body)
        self.assertEqual(self.change(task["id"], "complete", {"by": "ada", "decision": "approve", "answer": {"note": "x"}}).status, 204)
        self.assertEqual(self.get(f"/api/tasks/{task['id']}").json["decision"], "approve")

    def test_what_a_step_may_not_say(self):
        for fields, where in (({"dueDate": "soon"}, "/steps/0/dueDate"), ({"priority": 101}, "/steps/0/priority"), ({"candidateUsers": [1]}, "/steps/0/candidateUsers"),
                              ({"formSchema": {"type": "text"}}, "/steps/0/formSchema/type"), ({"assignee": "{{ }}"}, "/steps/0/assignee"),
                              ({"reminders": ["P1D", "soon"]}, "/steps/0/reminders/1"), ({"reminders": ["P0D"]}, "/steps/0/reminders/0"),
                              ({"escalation": {"groups": ["a"]}}, "/steps/0/escalation/after"), ({"escalation": {"after": "P1D"}}, "/steps/0/escalation"),
                              ({"escalation": {"after": "P1D", "colour": "red"}}, "/steps/0/escalation"), ({"reminders": ["P1D"] * 21}, "/steps/0/reminders")):
            answer = self.post("/v1/definitions", {"id": self.fresh(), "name": "f", "steps": [person("p", "end", **fields), end()]})
            self.assertEqual((answer.status, [problem["pointer"] for problem in answer.json["problems"]]), (400, [where]), (fields, answer))

    def test_people_are_reminded_and_the_task_goes_to_others(self):
        ada, heads = self.fresh("ada"), self.fresh("heads")
        name = self.upload([person("p", "end", assignee=ada, reminders=[{"after": "20ms", "email": False}, {"after": "40ms", "email": False}],
                                   escalation={"after": "60ms", "email": False, "assignee": None, "groups": [heads], "priority": 99}), end()])
        with Watch(self.server, f"?person={ada}") as hers:
            hers.next()
            self.start(name)
            told = [hers.next()[2]]
            while told[-1].get("groups") != [heads]:
                told.append(hers.next()[2])
        # Changes of one turn are told once.
        self.assertIn(len(told), (2, 3, 4))
        self.assertEqual([news["what"] for news in told], ["opened", *["changed"] * (len(told) - 1)])
        task, = self.items(f"group={heads}")
        self.assertEqual((task["reminded"], task["priority"], task.get("assignee")), (2, 99, None))
        self.assertEqual([note["what"] for note in self.get(f"/api/tasks/{task['id']}").json["history"]],
                         ["opened", "reminded", "reminded", "escalated"])
        self.assertEqual(self.ids(f"person={ada}"), [])
        self.assertEqual(self.change(task["id"], "complete").json["code"], "NOT_ASSIGNED")
        self.assertEqual(self.change(task["id"], "complete", {"groups": [heads]}).status, 204)


class AfterAKill(Case):
    def test_a_claim_and_its_lists_survive(self):
        directory = tempfile.mkdtemp(prefix="pawl-test-")
        self.addCleanup(shutil.rmtree, directory, True)
        server = Server(data=directory)
        client = Client(server)
        client.post("/v1/definitions", {"id": "f", "name": "f", "steps": [person("p", "end"), end()]})
        for _ in range(20):
            client.post("/v1/instances", {"definitionId": "f"})
        tasks = [task["id"] for task in client.get("/api/tasks?pageSize=50").json["items"]]
        for i, task in enumerate(tasks):
            self.assertEqual(client.post(f"/api/tasks/{task}/claim", {"by": f"p{i % 2}", "comment": "mine"}).status, 200)
        client.close()
        server.kill()
        server = Server(data=directory)
        self.addCleanup(server.kill)
        client = Client(server)
        for who in (0, 1):
            got = client.get(f"/api/tasks?pageSize=50&assignee=p{who}").json["items"]
            self.assertEqual([task["id"] for task in got], tasks[who::2])
        story = client.get(f"/api/tasks/{tasks[0]}").json["history"]
        self.assertEqual(story[-1]["comment"], "mine")
        self.assertEqual(client.post(f"/api/tasks/{tasks[0]}/claim", {"by": "other"}).status, 409)
        client.close()
        server.stop()


if __name__ == "__main__":
    main()
