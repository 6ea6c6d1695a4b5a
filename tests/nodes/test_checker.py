"""The checker of histories must see what is wrong: hand-made histories, right ones and wrong ones, and what it says about them."""

import unittest

import entities
import keys
import linear
import model
import rules
import twins
import vault


def op(name, call, end, outcome=None, **more):
    """An operation; `end` None: it has no answer."""
    return {"op": name, "call": call, "return": end, "outcome": outcome or ("unknown" if end is None else "ok"), **more}


def start(call=0, end=1, definition="order", marker="m0", instance="I1", **more):
    return op("start", call, end, definition=definition, marker=marker, instance=instance,
              variables={"tag": marker, "count": 0}, **more)


def complete(step, call, end, marker, count, visit=1, **more):
    return op("complete", call, end, step=step, visit=visit, marker=marker, variables={marker: step, "count": count}, **more)


def poll(step, call, end, visit=1, **variables):
    return op("poll", call, end, step=step, visit=visit, variables={"tag": "m0", "count": 0, **variables})


def read(call, end, status, steps, **variables):
    return op("read", call, end, status=status, steps=steps, variables={"tag": "m0", "count": 0, **variables})


class OneEntity(unittest.TestCase):
    def accepted(self, *operations):
        self.assertIsNone(linear.check(operations, entities.apply))

    def refused(self, sentence, *operations):
        why = linear.check(operations, entities.apply)
        self.assertIsNotNone(why, "the checker saw nothing")
        self.assertIn(sentence, why)

    @staticmethod
    def write(by, call, end, expects=None, transition=None, **more):
        return op("write", call, end, by=by, expects=expects, transition=transition, **more)

    def test_of_two_who_have_seen_the_same_one_succeeds(self):
        created = op("create", 0, 1, by="m0")
        first, second = self.write("m1", 2, 9, "m0"), self.write("m2", 3, 8, "m0")
        self.accepted(created, first, {**second, "outcome": "no", "refusal": "ENTITY_MODIFIED"}, op("see", 10, 11, by="m1", state="OPEN"))
        self.refused("was accepted, and it expects m0", created, first, second)

    def test_a_refusal_needs_a_reason(self):
        created = op("create", 0, 1, by="m0")
        self.refused("refused as ENTITY_MODIFIED", created, self.write("m1", 2, 3, "m0", outcome="no", refusal="ENTITY_MODIFIED"))
        self.refused("refused as TRANSITION_NOT_FOUND", created,
                     self.write("m1", 2, 3, transition="lock", outcome="no", refusal="TRANSITION_NOT_FOUND"))
        self.accepted(created, self.write("m1", 2, 3, transition="unlock", outcome="no", refusal="TRANSITION_NOT_FOUND"))

    def test_a_write_that_was_acknowledged_is_seen(self):
        created = op("create", 0, 1, by="m0")
        locked = self.write("m1", 2, 3, "m0", "lock")
        self.accepted(created, locked, op("see", 4, 5, by="m1", state="LOCKED"))
        self.refused("the read shows m0 OPEN", created, locked, op("see", 4, 5, by="m0", state="OPEN"))
        self.accepted(created, {**locked, "return": None, "outcome": "unknown"}, op("see", 4, 5, by="m0", state="OPEN"))


class OneSecret(unittest.TestCase):
    """m1, m2: values. In the end each node says what is there."""

    def judged(self, operations, *seen):
        verdict = rules.Verdict([])
        vault.linearise(operations, [{"secret": "s", "at": f"node{n}", **last} for n, last in enumerate(seen)], verdict)
        return verdict.problems

    def accepted(self, operations, *seen):
        self.assertEqual(self.judged(operations, *seen), [])

    def refused(self, sentence, operations, *seen):
        problems = self.judged(operations, *seen)
        self.assertTrue(any(sentence in problem for problem in problems), problems)

    @staticmethod
    def put(value, call, end, status=201, **more):
        return op("put-secret", call, end, secret="s", value=value, status=status, **more)

    @staticmethod
    def remove(call, end, **more):
        return op("remove-secret", call, end, secret="s", **more)

    @staticmethod
    def use(value, call, end, outcome="ok"):
        return op("use-secret", call, end, outcome, secret="s", value=value)

    @staticmethod
    def listed(call, end, there):
        return op("list-secret", call, end, secret="s", listed=there)

    def test_what_was_set_is_there_at_all_nodes(self):
        there, gone = {"listed": True, "value": "m1"}, {"listed": False, "value": None}
        self.accepted([self.put("m1", 0, 1)], there, there)
        self.refused("None opens in the end, and the secret is m1", [self.put("m1", 0, 1)], gone)
        self.refused("None opens in the end, and the secret is m1", [self.put("m1", 0, 1)], there, gone)
        self.refused("m1 opens in the end, and the secret is m2", [self.put("m1", 0, 1), self.put("m2", 2, 3, 200)], there)

    def test_what_is_listed_must_open(self):
        self.refused("it is listed, and none of its values opens", [self.put("m1", 0, 1)], {"listed": True, "value": None})
        self.refused("it is not listed, and the secret is m1", [self.put("m1", 0, 1)], {"listed": False, "value": "m1"})

    def test_what_was_removed_is_gone(self):
        both = [self.put("m1", 0, 1), self.remove(2, 3)]
        self.accepted(both, {"listed": False, "value": None})
        self.refused("m1 opens in the end, and the secret is None", both, {"listed": True, "value": "m1"})
        self.refused("m1 was let in, and the secret is None", [*both, self.use("m1", 4, 5)])
        self.refused("it is listed, and the secret is None", [*both, self.listed(4, 5, True)])

    def test_what_has_no_answer_may_have_happened_or_not(self):
        there, gone, newer = ({"listed": bool(value), "value": value} for value in ("m1", None, "m2"))
        for seen in (there, newer):
            self.accepted([self.put("m1", 0, 1), self.put("m2", 2, None)], seen, seen)
        for seen in (there, gone):
            self.accepted([self.put("m1", 0, 1), self.remove(2, None)], seen)
        self.refused("the nodes do not agree in the end", [self.put("m1", 0, 1), self.put("m2", 2, None)], there, newer)

    def test_an_engine_that_refused_has_done_nothing(self):
        self.accepted([self.put("m1", 0, 1), self.put("m2", 2, 3, 409, outcome="no", busy=True)], {"listed": True, "value": "m1"})

    def test_answers_tell_whether_it_was_there(self):
        self.refused("answered with 200, and the secret is None", [self.put("m1", 0, 1, 200)])
        self.refused("answered with 201, and the secret is m1", [self.put("m1", 0, 1), self.put("m2", 2, 3)])
        self.refused("it was removed, and it was not there", [self.remove(0, 1)])
        self.refused("the removal found nothing, and the secret is m1", [self.put("m1", 0, 1), self.remove(2, 3, outcome="no")])
        self.refused("m1 was kept out, and the secret is m1", [self.put("m1", 0, 1), self.use("m1", 2, 3, "no")])
        self.refused("it is not listed, and the secret is m1", [self.put("m1", 0, 1), self.listed(2, 3, False)])


class OneKey(unittest.TestCase):
    NODE2 = "10.71.1.12"

    def problems(self, revoked, use, faults=()):
        """Of a key that was revoked then, and a use of it: (when, whether it was accepted)."""
        ring = keys.Ring()
        ring.add("K1", "secret")
        ring.keys[0]["revoked"] = revoked
        ring.note({"key": "K1", "at": self.NODE2, "call": use[0], "return": use[0] + 0.1, "accepted": use[1]})
        return keys.judge(ring, list(faults))[0]

    def test_a_revoked_key_is_refused_soon(self):
        revoked = [{"call": 1, "return": 2}]
        self.assertEqual(self.problems(revoked, (1.5, True)), [])
        self.assertEqual(self.problems(revoked, (2 + keys.HEARD_SECONDS, True)), [])
        self.assertIn("accepted", self.problems(revoked, (2.1 + keys.HEARD_SECONDS, True))[0])
        self.assertEqual(self.problems(revoked, (3, False)), [])

    def test_a_node_that_was_cut_off_hears_of_it_when_it_is_back(self):
        revoked, cut = [{"call": 1, "return": 2}], ("no-database", 2, 1, 6)
        self.assertEqual(self.problems(revoked, (6 + keys.BACK_SECONDS, True), [cut]), [])
        self.assertIn("accepted", self.problems(revoked, (6.1 + keys.BACK_SECONDS, True), [cut])[0])
        self.assertIn("accepted", self.problems(revoked, (6, True), [("no-database", 1, 1, 6)])[0])
        self.assertIn("accepted", self.problems(revoked, (6, True), [("no-clients", 2, 1, 6)])[0])

    def test_a_key_that_nobody_revoked_counts(self):
        self.assertIn("nobody had revoked", self.problems([], (3, False))[0])
        self.assertIn("nobody had revoked", self.problems([{"call": 4, "return": 5}], (3, False))[0])

    def test_a_revocation_without_an_answer_may_have_happened_or_not(self):
        revoked = [{"call": 1, "return": None}]
        self.assertEqual(self.problems(revoked, (100, True)), [])
        self.assertEqual(self.problems(revoked, (2, False)), [])


class OneAddress(unittest.TestCase):
    def judged(self, operations, *seen):
        verdict = rules.Verdict([])
        twins.linearise(operations, [{"path": "p", "holder": holder, "there": there} for holder, there in seen], verdict)
        return verdict.problems

    def refused(self, sentence, operations, *seen):
        problems = self.judged(operations, *seen)
        self.assertTrue(any(sentence in problem for problem in problems), problems)

    @staticmethod
    def publish(definition, call, end, outcome=None, leaves=False):
        return op("publish", call, end, outcome, path="p", definition=definition, leaves=leaves)

    def test_one_of_two_gets_it(self):
        first, second, refused = self.publish("d0", 0, 5), self.publish("d1", 1, 4), self.publish("d1", 1, 4, "no")
        self.assertEqual(self.judged([first, refused], ("d0", ["d0"])), [])
        self.refused("the definition was accepted, and the address belongs to", [first, second])
        self.refused("the definition was refused, and the address belongs to None", [refused])
        self.refused("the definition was refused, and the address belongs to d1", [self.publish("d1", 0, 1), self.publish("d1", 2, 3, "no")])

    def test_who_was_refused_has_left_nothing(self):
        both = [self.publish("d0", 0, 5), self.publish("d1", 1, 4, "no")]
        self.refused("d1 answers, and the address belongs to d0", both, ("d1", ["d1"]))
        self.refused("the definitions ['d0', 'd1'] exist, and those that were accepted are ['d0']", both, ("d0", ["d0", "d1"]))
        self.refused("None answers, and the address belongs to d0", both, ("d0", ["d0"]), (None, []))
        self.refused("d1 answers, and the address belongs to d0", [*both, op("call-hook", 6, 7, path="p", holder="d1")])

    def test_who_leaves_makes_room(self):
        left = [self.publish("d0", 0, 1), self.publish("d0", 2, 3, leaves=True)]
        self.assertEqual(self.judged([*left, self.publish("d1", 4, 5)], ("d1", ["d0", "d1"])), [])
        self.refused("the definition was refused, and the address belongs to None", [*left, self.publish("d1", 4, 5, "no")])
        self.refused("d0 answers, and the address belongs to None", left, ("d0", ["d0"]))
        self.refused("the definition was refused", [self.publish("d0", 0, 1), self.publish("d1", 2, 3, "no", leaves=True)])
        self.refused("None answers, and the address belongs to d0", [self.publish("d0", 0, 1), self.publish("d1", 2, 3, leaves=True)], (None, ["d0", "d1"]))

    def test_without_answers_either_may_have_it_but_one_at_all_nodes(self):
        both = [self.publish("d0", 0, None), self.publish("d1", 0, None)]
        for seen in ((None, []), ("d0", ["d0"]), ("d1", ["d1"])):
            self.assertEqual(self.judged(both, seen, seen), [])
        self.refused("the nodes do not agree in the end", both, (None, []), ("d1", ["d1"]))
        self.refused("no order explains", both, ("d0", ["d0", "d1"]))


class OneInstance(unittest.TestCase):
    def accepted(self, *operations):
        self.assertIsNone(linear.check(operations, model.apply))

    def refused(self, sentence, *operations):
        why = linear.check(operations, model.apply)
        self.assertIsNotNone(why, "the checker saw nothing")
        self.assertIn(sentence, why)

    def test_a_right_history_is_accepted(self):
        self.accepted(start(), poll("a", 2, 3), complete("a", 4, 5, "m1", 1), read(6, 7, "WAITING", ["b"], m1="a", count=1),
                      poll("b", 6, 8, m1="a", count=1), complete("b", 9, 10, "m2", 2),
                      complete("c", 11, 12, "m3", 3), read(13, 14, "COMPLETED", [], m1="a", m2="b", m3="c", count=3))

    def test_a_read_that_lacks_what_was_acknowledged_is_refused(self):
        self.refused("the read lacks {count: 1, m1: a} and has {count: 0} more",
                     start(), complete("a", 2, 3, "m1", 1), read(4, 5, "WAITING", ["a"]))

    def test_a_read_during_a_completion_may_see_either(self):
        self.accepted(start(), complete("a", 2, 5, "m1", 1), read(3, 4, "WAITING", ["a"]))
        self.accepted(start(), complete("a", 2, 5, "m1", 1), read(3, 4, "WAITING", ["b"], m1="a", count=1))

    def test_reads_do_not_go_back(self):
        self.refused("the read lacks", start(), complete("a", 2, 9, "m1", 1),
                     read(3, 4, "WAITING", ["b"], m1="a", count=1), read(5, 6, "WAITING", ["a"]))

    def test_an_engine_that_was_busy_has_done_nothing(self):
        signal = op("signal", 2, 3, "no", step="hear", variables={"m1": "hear"})
        begun, seen = start(definition="talk"), read(4, 5, "WAITING", ["hear"])
        self.refused("refused, and the step waits for it", begun, signal, seen)
        self.accepted(begun, {**signal, "busy": True}, seen)

    def test_what_has_no_answer_may_have_happened_or_not(self):
        self.accepted(start(), complete("a", 2, None, "m1", 1), read(4, 5, "WAITING", ["a"]))
        self.accepted(start(), complete("a", 2, None, "m1", 1), read(4, 5, "WAITING", ["b"], m1="a", count=1))

    def test_what_has_no_answer_does_not_happen_before_it_was_asked_for(self):
        self.refused("the read lacks {count: 0} and has {count: 1, m1: a} more",
                     start(), read(2, 3, "WAITING", ["b"], m1="a", count=1), complete("a", 4, None, "m1", 1))

    def test_what_happened_without_an_answer_is_not_undone(self):
        self.refused("the read", start(), complete("a", 2, None, "m1", 1),
                     read(4, 5, "WAITING", ["b"], m1="a", count=1), read(6, 7, "WAITING", ["a"]))

    def test_a_job_that_was_done_is_not_handed_out_again(self):
        self.refused("job a#1 was handed out, and it is not open", start(), complete("a", 2, 3, "m1", 1), poll("a", 4, 5))

    def test_a_job_is_not_handed_out_before_its_step_was_entered(self):
        self.refused("job b#1 was handed out, and it is not open", start(), poll("b", 2, 3, m1="a", count=1), complete("a", 4, 5, "m1", 1))

    def test_a_job_has_the_variables_of_its_moment(self):
        self.refused("has the variables {count: 0, tag: m0}, and the step was entered with {count: 1, m1: a, tag: m0}",
                     start(), complete("a", 2, 3, "m1", 1), poll("b", 4, 5))

    def test_of_two_results_one_counts(self):
        both = (start(), complete("a", 2, 3, "m1", 1), complete("a", 4, 5, "m2", 1))
        self.accepted(*both, read(6, 7, "WAITING", ["b"], m1="a", count=1))
        self.refused("the read lacks", *both, read(6, 7, "WAITING", ["b"], m2="a", count=1))
        self.refused("the read lacks", *both, read(6, 7, "WAITING", ["b"], m1="a", m2="a", count=1))

    def test_a_lease_is_extended_only_while_the_job_is_open(self):
        self.accepted(start(), op("extend", 2, 3, step="a", visit=1), complete("a", 4, 5, "m1", 1))
        self.refused("was extended, and it is not open", start(), complete("a", 2, 3, "m1", 1), op("extend", 4, 5, step="a", visit=1))

    def test_one_of_two_signals_counts(self):
        def signal(call, end, marker, outcome="ok"):
            return op("signal", call, end, outcome, step="hear", marker=marker, variables={marker: "hear"})
        talk = start(definition="talk")
        self.accepted(talk, signal(2, 5, "m1"), signal(3, 4, "m2", "no"))
        self.refused("was accepted, and the step does not wait for it", talk, signal(2, 5, "m1"), signal(3, 4, "m2"))
        self.refused("was refused, and the step waits for it", talk, signal(2, 3, "m1", "no"), signal(4, 5, "m2"))

    def test_a_cancelled_instance_takes_nothing(self):
        vote = start(definition="vote")
        task = op("task", 4, 5, step="ballot", marker="m2", variables={"m2": "ballot"})
        self.refused("was accepted, and the step does not wait for it", vote, op("cancel", 2, 3, marker="m1"), task)
        self.refused("the cancellation was accepted, and it had ended", vote, {**task, "call": 2, "return": 3}, op("cancel", 4, 5, marker="m1"))
        self.refused("the cancellation was refused, and it has not ended", vote, op("cancel", 2, 3, "no", marker="m1"), task)

    def test_branches_meet_once(self):
        def branch(step, call, end, marker, counter, count):
            return op("complete", call, end, step=step, visit=1, marker=marker, variables={marker: step, counter: count})
        split = (start(definition="split"), branch("left", 2, 9, "m1", "left_count", 1), branch("right", 3, 8, "m2", "right_count", 1),
                 branch("left2", 10, 11, "m3", "left_count", 2))
        done = {"m1": "left", "m2": "right", "m3": "left2", "left_count": 2, "right_count": 1}
        self.accepted(*split, read(12, 13, "WAITING", ["after"], **done))
        self.refused("the read shows COMPLETED", *split, read(12, 13, "COMPLETED", [], **done))

    def test_a_step_that_comes_again_is_another_visit(self):
        circle = (start(definition="circle"), complete("turn", 2, 3, "m1", 1))
        self.accepted(*circle, poll("turn", 4, 5, visit=2, m1="turn", count=1))
        self.refused("job turn#1 was handed out", *circle, poll("turn", 4, 5, visit=1))

    def test_a_timer_fires_when_it_likes_but_not_early_and_not_twice(self):
        nap = start(definition="nap")
        fire = op("fire", 3, None, step="sleep")
        self.accepted(nap, fire, poll("woke", 4, 5))
        self.accepted(nap, fire, read(4, 5, "WAITING", ["sleep"]))
        self.refused("job woke#1 was handed out", nap, fire, poll("woke", 1, 2))
        self.refused("job woke#1 was handed out", nap, fire, poll("woke", 4, 5), complete("woke", 6, 7, "m1", 1), poll("woke", 8, 9))

    def test_nothing_happens_to_an_instance_before_its_start(self):
        self.refused("the instance does not exist yet", start(5, 6), read(1, 2, "WAITING", ["a"]))

    def test_a_start_without_an_answer_may_have_happened(self):
        self.accepted(start(0, None), poll("a", 2, 3))

    def test_a_failure_for_good_may_count_or_not(self):
        risky = (start(definition="risky"), op("fail", 2, 3, step="try", visit=1, retryable=False, marker="m1"))
        self.accepted(*risky, read(4, 5, "FAILED", []))
        self.accepted(*risky, read(4, 5, "WAITING", ["try"]))
        self.refused("job try#1 was handed out", *risky, read(4, 5, "FAILED", []), poll("try", 6, 7))

    def test_a_failure_that_is_tried_again_makes_a_new_job(self):
        def again(call, end):
            return op("fail", call, end, step="a", visit=1, retryable=True, marker="m8")
        second = {**poll("a", 4, 5), "attempt": 1}
        self.accepted(start(), again(2, 3), second)
        self.accepted(start(), again(2, 3), poll("a", 4, 5))
        self.refused("job a#1 (attempt 2) was handed out, and it is not open", start(), poll("a", 2, 3), second)
        self.refused("job a#1 was handed out, and it is not open", start(), again(2, 3), second, poll("a", 6, 7))
        # A result of the job that failed changes nothing.
        late = complete("a", 6, 7, "m1", 1)
        self.accepted(start(), again(2, 3), second, late, read(8, 9, "WAITING", ["a"]))
        self.refused("the read", start(), again(2, 3), second, late, read(8, 9, "WAITING", ["b"], m1="a", count=1))

    def test_the_longest_order_is_told(self):
        why = linear.check([start(), complete("a", 2, 3, "m1", 1), read(4, 5, "WAITING", ["a"])], model.apply)
        self.assertIn("the longest one has 2 of 3:\n    [0.000 … 1.000] start ok", why)
        self.assertIn("then it is order open [b#1]", why)

    def test_many_operations_without_an_answer_are_decided_quickly(self):
        lost = [complete("a", 2, None, f"x{n}", 1) for n in range(60)]
        self.accepted(start(), *lost, read(90, 91, "WAITING", ["b"], x59="a", count=1))
        self.refused("the read", start(), *lost, read(90, 91, "WAITING", ["b"], y="a", count=1))

    def test_a_search_that_is_too_long_is_not_a_verdict(self):
        lost = [complete("turn", 2, None, f"x{n}", 0, visit=v) for n in range(20) for v in (1, 2, 3)]
        with self.assertRaises(linear.Undecided):
            linear.check([start(definition="circle"), *lost, read(90, 91, "WAITING", [])], model.apply, limit=1000)


def book(definition="order", status="COMPLETED", marker="m0", visits=(), events=(), started="2026-01-01T00:00:00Z", reason=None, **variables):
    seen = {"definitionId": definition, "status": status, "currentStepIds": [], "startedAt": started,
            "variables": {"tag": marker, "count": 0, **variables}}
    if reason:
        seen["failureReason"] = reason
    return {"instance": seen, "visits": [{"id": f"V{n}", "stepId": s, "attemptNumber": 1, "stepType": "SERVICE_TASK", "status": "COMPLETED"}
                                         for n, s in enumerate(visits)], "events": [*events, ("end", {})]}


class All(unittest.TestCase):
    def judged(self, operations, books, **more):
        return rules.judge(rules.History(list(operations), books, **more)).problems

    def refused(self, sentence, operations, books, **more):
        problems = self.judged(operations, books, **more)
        self.assertTrue(any(sentence in problem for problem in problems), problems)

    def whole(self, name="I1", marker="m0", key=None, times=(0, 1)):
        """A vote from its start to its end."""
        begin = start(*times, definition="vote", marker=marker, instance=name, business_key=key)
        task = op("task", times[1] + 1, times[1] + 2, instance=name, step="ballot", marker=marker + "t", variables={marker + "t": "ballot"})
        return [begin, task], {name: book("vote", marker=marker, **{marker + "t": "ballot"})}

    def test_a_right_history_has_no_problems(self):
        operations, books = self.whole()
        self.assertEqual(self.judged(operations, books), [])

    def test_an_acknowledged_start_that_is_not_there_is_seen(self):
        operations, _ = self.whole()
        self.refused("an acknowledged start is lost", operations, {})

    def test_an_acknowledged_result_that_is_not_there_is_seen(self):
        operations, _ = self.whole()
        self.refused("instance I1: no order explains the answers", operations, {"I1": book("vote", "WAITING")})

    def test_two_answers_under_one_key_name_the_same(self):
        one, other = (op("twin", 0, 1, of="start", marker="m0", told=name) for name in ("I1", "I2"))
        operations, books = self.whole()
        self.assertEqual(self.judged([*operations, one, one], books), [])
        self.refused("one key, several answers: start m0: ['I1', 'I2']", [*operations, one, other], books)

    def test_an_entity_that_nobody_was_told_of_is_seen(self):
        told, lost = op("create", 0, 1, by="m0", entity="E1"), op("create", 0, None, by="m1")
        notes = {"E1": {"by": "m0", "state": "OPEN"}}
        self.assertEqual(self.judged([told, lost], {}, notes=notes, entities=[("E1", "m0"), ("E2", "m1")]), [])
        self.refused("an entity that nobody was told of: E2 by m0", [told], {}, notes=notes, entities=[("E1", "m0"), ("E2", "m0")])
        self.refused("an entity that nobody was told of: E3 by m1", [told, lost], {}, notes=notes, entities=[("E1", "m0"), ("E2", "m1"), ("E3", "m1")])
        self.refused("an entity that was created is not listed: E1", [told], {}, notes=notes, entities=[])

    def test_two_instances_of_one_start_are_seen(self):
        operations, books = self.whole()
        self.refused("one start, several instances", operations, {**books, "I2": books["I1"]})

    def test_an_instance_of_a_refused_start_is_seen(self):
        operations, books = self.whole()
        operations[0]["outcome"] = "no"
        self.refused("a refused start left an instance", operations, books)

    def test_an_instance_that_nobody_started_is_seen(self):
        self.refused("instances that nobody started: m7", [], {"I1": book(marker="m7")})

    def test_two_lives_with_one_business_key_are_seen(self):
        one, books = self.whole("I1", "m0", "k", (0, 1))
        other, more = self.whole("I2", "n0", "k", (0.5, 1.5))
        one[1].update(call=5, **{"return": 6})
        self.refused("vote k: I1 and I2 lived at the same time, from 1.500 to 2.500", one + other, {**books, **more})
        one[1].update(call=1.2, **{"return": 6})
        self.assertEqual(self.judged(one + other, {**books, **more}), [])

    def test_two_children_of_one_parent_and_none_are_seen(self):
        begin = start(definition="relay")
        done = op("complete", 2, 3, instance="I1", step="run", execution="V0", job="01M7JNV2NS00000240R00000G0", marker="m1", variables={"m1": "run", "count": 1})
        parent = book("relay", visits=["run"], m1="run", count=1)
        leg = book("leg")
        self.assertEqual(self.judged([begin, done], {"I1": parent, "I2": leg}), [])
        self.refused("2 children of one parent", [begin, done], {"I1": parent, "I2": leg, "I3": leg})
        self.refused("0 children of one parent", [begin, done], {"I1": parent})

    def test_a_slot_that_fires_twice_is_seen(self):
        tick = book("tick", trigger={"scheduled_for": "2026-01-01T00:00:01Z"})
        other = book("tick", trigger={"scheduled_for": "2026-01-01T00:00:02Z"})
        self.assertEqual(self.judged([], {"I1": tick, "I2": other}), [])
        self.refused("the slot 2026-01-01T00:00:01Z fired 2 times", [], {"I1": tick, "I2": tick})

    def test_events_that_count_twice_or_not_at_all_are_seen(self):
        def event(name, told="delivered", first=None):
            return op("event", 0, 1, parcel="p", event=name, told=told, first=first, instances=["I1"])
        parcel = book("parcel")
        parcel["instance"].update(correlation="p", output={"placed": "placed p", "paid": "paid p"})
        right = [event("placed", "started"), event("paid"), event("paid", "duplicate", "delivered")]
        self.assertEqual(self.judged(right, {"I1": parcel}), [])
        self.refused("the event paid of p counted 2 times", [*right, event("paid")], {"I1": parcel})
        self.refused("the event placed of p has 2 instances", right, {"I1": parcel, "I2": parcel})
        self.refused("the event placed of p has 0 instances", right, {})
        self.refused("the event called of p was not delivered: unmatched", [*right, event("called", "unmatched")], {"I1": parcel})
        self.refused("I1 has ended without the event called of p", [*right, event("called")], {"I1": parcel})
        self.refused("instances of an event that nobody sent", [], {"I1": parcel})

    def test_a_timer_that_fires_twice_or_early_is_seen(self):
        def fired(*seconds):
            return book("nap", events=[("fire_timer", {"revision": n + 1, "at": f"2026-01-01T00:00:0{s}Z"}) for n, s in enumerate(seconds)])
        self.refused("2 firings of one timer", [], {"I1": fired(1, 2)})
        self.refused("the timer of 0.7 s fired after 0.200 s", [], {"I1": fired(0.2)})
        self.assertFalse(any("timer" in p for p in self.judged([], {"I1": fired(0.2)}, skew=2)))

    def test_a_count_that_does_not_fit_is_seen(self):
        self.refused("count should be 3", [], {"I1": book(visits=["a", "b", "c"], count=2)})

    def test_a_gap_in_the_revisions_is_seen(self):
        self.refused("revisions do not count up by one: [1, 3]", [], {"I1": book(events=[("start", {"revision": 1}), ("x", {"revision": 3})])})

    def test_what_never_ends_is_seen(self):
        self.refused("never ended", [], {"I1": book(status="WAITING")})
        self.refused("still open: job J1", [], {}, left=["job J1"])

    def test_a_failure_that_nobody_reported_is_seen(self):
        self.refused("is FAILED, and nobody said so: broken", [], {"I1": book(status="FAILED", reason="broken")})

    def test_a_client_that_waits_for_ever_is_seen(self):
        slow = [{"what": "poll", "wait": 2.0, "call": 10.0, "end": 40.0, "status": 200}]
        self.refused("no answer within its time: poll asked to wait 2.0 s", [], {}, slow=slow)
        self.refused("it was cut off for 5.0 s", [], {}, slow=slow, faults=[("lost-bytes", 1, 5.0, 15.0)])
        self.refused("it was cut off for 0.0 s", [], {}, slow=slow, faults=[("lock", 0, 10.0, 40.0)])
        self.assertEqual(self.judged([], {}, slow=slow, faults=[("lost-bytes", 1, 9.0, 30.0)]), [])

    def test_jobs_of_a_visit_are_ordered_by_number_and_not_by_the_clock_of_a_node(self):
        first, second = "01M7JNV2NS00000240R00000G0", "01M7JNV0AA00000240R0000180"
        self.assertGreater(first, second)
        self.assertLess(rules.job_number(first), rules.job_number(second))
        self.assertEqual(rules.job_number(first), rules.job_number(first[:-1] + "3"))

    def test_a_job_of_an_unknown_visit_is_seen(self):
        operations, books = self.whole()
        job = op("poll", 2, 3, instance="I1", step="x", execution="V9", job="01M7JNV2NS00000240R00000G0", variables={})
        self.refused("a job of the visit 'V9' was handed out", [*operations, job], books)


if __name__ == "__main__":
    unittest.main()
