"""Flow graphs: an interpreter written from the contract alone (sections 2.3 to 2.9 of contracts/graph.md).

A token sits on a node of a scope; executing the node consumes it and puts one on each chosen edge. Whatever may
happen at one instant (tokens that can move, answers that are due) happens in an order that is a parameter,
because the contract rarely orders such things: a case whose end depends on it is not a case. Where the contract
does not say what happens the model raises Undecided.
"""

import heapq
import itertools
import random
import re

from graph_parts import Failure, Graph, Scope, Token, Visit
from values import Undecided, same

FIRST_MS, FACTOR, ATTEMPTS = 2000, 2, 3
STEPS_MAX = 4000  # A case that takes more comes near the engine's limits.
GATEWAYS = ("decision", "parallel", "match")


def milliseconds(text):
    if text in (0, "0"):
        return 0
    parts = re.findall(r"(\d+)(ms|s|m|h|d)", text)
    assert "".join(number + unit for number, unit in parts) == text, text
    return sum(int(number) * {"ms": 1, "s": 1000, "m": 60000, "h": 3600000, "d": 86400000}[unit] for number, unit in parts)


class Run:
    """One instance, from its start until nothing is left to do."""

    def __init__(self, document, payload, mocks, order="first"):
        self.graph, self.mocks, self.payload = Graph(document), mocks, payload
        self.vars = dict(document.get("variables", {}))
        self.now, self.status, self.error = 0, "running", None
        self.ready, self.timers, self.counter = [], [], itertools.count()
        self.tokens, self.firing, self.unsaid, self.steps = [], [], set(), 0
        self.random = random.Random(order) if isinstance(order, int) else None
        self.order_of_choice, self.crowded = order, False
        self.executions, self.completed, self.inputs, self.calls = {}, [], {}, {}
        self.compensation, self.compensation_failed, self.compensated = [], [], False
        self.compensation_inputs = []
        self.handled, self.results = False, []
        self.top = Scope(names={"trigger": {"payload": payload}})
        self.used, self.visits, self.called_at, self.unsaid_inputs = {}, {}, {}, set()
        self.visits_max = self.graph.settings.get("maxNodeVisits", 1000)

    # Time and order

    def soon(self, action, *arguments):
        self.ready.append((action, arguments))

    def later(self, ms, action, *arguments):
        if ms <= 0:
            self.soon(action, *arguments)
        else:
            heapq.heappush(self.timers, (self.now + ms, next(self.counter), action, arguments))

    def pick(self):
        self.crowded = self.crowded or len(self.ready) > 1
        if self.random:
            return self.ready.pop(self.random.randrange(len(self.ready)))
        return self.ready.pop(0 if self.order_of_choice == "first" else -1)

    def play(self):
        start = next(node for node in self.graph.order if self.graph.type(node) == "trigger_manual")
        self.put(start, self.top)
        while self.status == "running":
            if self.ready:
                self.steps += 1
                if self.steps > STEPS_MAX:
                    raise Undecided("a long run")
                action, arguments = self.pick()
                action(*arguments)
                self.look_at_joins()
            elif self.timers:
                self.now = self.timers[0][0]
                while self.timers and self.timers[0][0] == self.now:
                    _, _, action, arguments = heapq.heappop(self.timers)
                    self.soon(action, *arguments)
            elif self.rescue():
                self.look_at_joins()
            else:
                break
        return self

    # Tokens

    def put(self, node, scope, edge=None, handling=False, resume=None, passed=frozenset()):
        token = Token(node, scope, edge, handling, resume)
        token.passed = passed
        self.tokens.append(token)
        scope.live += 1
        if edge and self.graph.is_join(node):
            self.arrive(token)
        else:
            self.soon(self.enter, token)
        return token

    def remove(self, token):
        if not token.gone:
            token.gone = True
            token.scope.live -= 1
            self.tokens.remove(token)

    def follow(self, token, edges):
        """The token is consumed; one goes on along each edge."""
        for edge in edges:
            self.put(edge["to"], token.scope, edge, token.handling, token.resume, token.passed)
        self.remove(token)
        self.end_scope(token.scope)

    def end_scope(self, scope):
        if scope.live or scope.over:
            return
        scope.over = True
        if scope is self.top:
            self.status = "completed"
        else:
            self.soon(self.end_iteration, scope)  # Others may move before it is noticed.

    def drop_scope(self, scope):
        """Everything in the scope, and in the scopes inside, is cancelled."""
        scope.over = True
        for token in [one for one in self.tokens if self.is_inside(one.scope, scope)]:
            token.scope.over = True
            self.remove(token)

    @staticmethod
    def is_inside(scope, outer):
        while scope:
            if scope is outer:
                return True
            scope = scope.around
        return False

    # Joins

    def arrive(self, token):
        scope, key = token.scope, (token.node, token.edge["number"])
        scope.arrived[key] = scope.arrived.get(key, 0) + 1
        if sum(count for (node, _), count in scope.arrived.items() if node == token.node) > self.visits_max:
            raise Undecided("whether tokens that wait at a join are visits of it")
        mode = self.graph.config(token.node).get("join", {}).get("mode", "all")
        again = scope.arrived[key] > 1 or key not in scope.absorbing or token.node in token.passed
        if token.node in scope.fired and again:
            raise Undecided(f"a second round of a join of mode {mode}")
        if key in scope.absorbing:
            self.remove(token)
            self.soon(self.end_scope, scope)
            return
        scope.parked.setdefault(token.node, {}).setdefault(token.edge["number"], []).append(token)

    def scopes(self):
        seen = []
        for token in self.tokens:
            if token.scope not in seen:
                seen.append(token.scope)
        return seen

    def look_at_joins(self):
        """Joins that can fire do so sooner or later, beside whatever else can move."""
        for scope in self.scopes():
            for node in self.graph.order:
                if scope.parked.get(node) and (node, scope) not in self.firing and self.may_fire(node, scope):
                    self.firing.append((node, scope))
                    self.soon(self.try_fire, node, scope)
            if scope is not self.top and self.is_stuck(scope):
                raise Undecided("joins that wait for each other inside a loop")

    def is_stuck(self, scope):
        """All its tokens wait at joins, none of which can fire. It is not said whether the iteration fails at once, or when
        nothing else in the instance can move."""
        waiting = sum(len(tokens) for edges in scope.parked.values() for tokens in edges.values())
        waiting += sum(token.went_on for token in self.tokens if token.scope is scope)
        return waiting == scope.live and not any(self.may_fire(node, scope) for node in scope.parked)

    def try_fire(self, node, scope):
        self.firing.remove((node, scope))
        if not scope.over and self.may_fire(node, scope):
            self.fire(node, scope)

    @staticmethod
    def filled(node, scope):
        return [edge for edge, tokens in scope.parked.get(node, {}).items() if tokens]

    def may_fire(self, node, scope):
        filled, edges = self.filled(node, scope), self.graph.into[node]
        if not filled:
            return False
        if self.graph.type(node) == "parallel":
            join = self.graph.config(node).get("join", {})
            mode = join.get("mode", "all")
            return len(filled) >= {"all": len(edges), "any": 1}.get(mode, join.get("count"))
        occupied = {other.node for other in self.tokens if other.scope is scope and other.node != node and not other.went_on}
        return not any(edge["number"] not in filled and self.graph.reaching(edge, node) & occupied for edge in edges)

    def fire(self, node, scope):
        filled = self.filled(node, scope)
        taken = [scope.parked[node][edge].pop(0) for edge in filled]
        last = max(taken, key=self.tokens.index)  # The last that came goes on, with what it carries.
        rest = [token for token in taken if token is not last]
        last.passed = last.passed.union(*(token.passed for token in rest))
        if self.handler() and any(token.handling != last.handling for token in rest):
            raise Undecided("a handler's token at a join with others")
        join = self.graph.config(node).get("join", {})
        if self.graph.type(node) == "parallel" and join.get("mode", "all") != "all":
            if any(scope.parked[node].values()):
                raise Undecided("surplus tokens at a join that does not wait for all")
            missing = [edge for edge in self.graph.into[node] if edge["number"] not in filled]
            scope.fired.add(node)
            last.passed |= {node}
            if join.get("cancelRemaining", not join.get("blocking")):
                self.cancel_reaching(node, scope, taken)
            else:
                for edge in missing:
                    scope.absorbing[node, edge["number"]] = True
        for token in rest:
            self.remove(token)
        if self.visit(last):
            self.count(node)
            self.leave_gateway(last)

    def cancel_reaching(self, node, scope, taken):
        reach = set().union(*(self.graph.reaching(edge, node) for edge in self.graph.into[node]), set())
        for token in [one for one in self.tokens if one.scope is scope and one not in taken]:
            if token.node in reach and not token.went_on:
                for tokens in scope.parked.get(token.node, {}).values():
                    if token in tokens:
                        tokens.remove(token)
                self.cancel_token(token)

    def cancel_token(self, token):
        """With the iterations that it waits for."""
        for scope in [one for one in self.scopes() if one is not token.scope and self.is_inside(one, token.scope)]:
            if scope.host and scope.host.token is token:
                scope.host.over = True
                self.drop_scope(scope)
        self.remove(token)

    def rescue(self):
        """Nothing else can move: an inclusive join fires, or the tokens that are left are stuck."""
        waiting = [(node, scope) for node in self.graph.order for scope in self.scopes() if self.filled(node, scope)]
        for node, scope in waiting:
            if self.graph.type(node) == "match":
                self.fire(node, scope)
                return True
        if not waiting:
            return False
        if self.compensates(waiting[0][0]) or self.handler():
            raise Undecided("a handler of a deadlock")
        self.unsaid |= {node for node, _ in waiting}  # Nor whether such a join was.
        self.fail(Failure("JOIN_DEADLOCK"))
        return True

    # Nodes

    def count(self, node):
        self.executions[node] = self.executions.get(node, 0) + 1

    def visit(self, token):
        """False: it was one visit too many."""
        name = token.node
        self.visits[name] = self.visits.get(name, 0) + 1
        if self.visits[name] <= self.visits_max:
            return True
        if not self.graph.is_on_a_circle(name):
            raise Undecided("whether visits of a node count that is on no circle")
        if token.scope is not self.top or self.handler() or self.compensates(name) or self.graph.ways(name, "error"):
            raise Undecided("whether anything handles LOOP_LIMIT, and what counts inside a loop")
        self.unsaid.add(name)
        self.unsaid_inputs = {called for called, moment in self.called_at.items() if moment == self.now}  # Whether they left.
        self.fail(Failure("LOOP_LIMIT", node=name))
        return False

    def enter(self, token):
        if token.gone or self.status != "running" or not self.visit(token):
            return
        node = self.graph.nodes[token.node]
        try:
            getattr(self, "run_" + node["type"])(token, node.get("config", {}))
        except Failure as failure:
            failure.node = failure.node or token.node
            self.raised(token, failure)

    def run_trigger_manual(self, token, _):
        self.top.outputs[token.node] = {"payload": self.payload}
        self.count(token.node)
        self.follow(token, self.graph.ways(token.node))

    def run_set_variables(self, token, config):
        assigned = self.render(config["values"], token.scope)
        self.vars.update(assigned)
        token.scope.outputs[token.node] = {"assigned": assigned}
        self.done(token)
        self.follow(token, self.graph.ways(token.node))

    def run_delay(self, token, config):
        ms = milliseconds(config["duration"])
        self.later(ms, self.delayed, token)

    def delayed(self, token):
        if token.gone:
            return
        token.scope.outputs[token.node] = {}
        self.count(token.node)
        self.follow(token, self.graph.ways(token.node))

    def run_end(self, token, config):
        if config.get("status") == "failed":
            self.count(token.node)
            failure = Failure(config["errorCode"], node=token.node)
            if token.scope is not self.top:
                self.item_failed(token.scope, failure)
            else:
                self.fail(failure)
            return
        self.count(token.node)
        if "result" in config:
            self.results.append(self.render(config["result"], token.scope))
        if config.get("terminate"):
            scope = token.scope
            for other in [one for one in self.tokens if self.is_inside(one.scope, scope) and one is not token]:
                if not other.gone:
                    self.remove(other)
            scope.parked = {}
        self.follow(token, [])

    def run_decision(self, token, _):
        self.count(token.node)
        self.leave_gateway(token)

    run_parallel = run_match = run_decision

    def leave_gateway(self, token):
        try:
            edges = self.chosen(token)
        except Failure as failure:
            failure.node = token.node
            # raised() counts the visit.
            self.executions[token.node] -= 1
            if not self.executions[token.node]:
                del self.executions[token.node]
            self.raised(token, failure)
            return
        self.follow(token, edges)

    def chosen(self, token):
        kind, config, edges = self.graph.type(token.node), self.graph.config(token.node), self.graph.ways(token.node)
        if kind == "parallel" or not edges:
            return edges
        strict = config.get("strict", True)
        if len(edges) == 1 and "condition" not in edges[0]:
            token.scope.outputs[token.node] = {}
            return edges
        taken = []
        for edge in edges:
            if edge.get("default") or (kind == "decision" and taken):
                continue
            if self.holds(edge["condition"], token.scope, strict):
                taken.append(edge)
        if not taken:
            taken = [edge for edge in edges if edge.get("default")]
        if not taken:
            raise Failure("GATEWAY_NO_MATCH")
        names = [edge.get("id") for edge in taken]
        token.scope.outputs[token.node] = {"taken": names[0] if kind == "decision" else names}
        return taken

    # People

    def run_human_task(self, token, config):
        result = self.mocked(token.node)
        wait = milliseconds(result.get("delay", "0"))
        limit = milliseconds(config["timeout"]) if "timeout" in config else None
        if limit == wait:
            raise Undecided("an answer in the moment of the timeout")
        if limit is not None and limit < wait:
            self.later(limit, self.expired, token)
        else:
            self.later(wait, self.decided, token, result["ok"])

    def expired(self, token):
        if not token.gone:
            self.count(token.node)
            self.follow(token, self.graph.ways(token.node, "timeout"))

    def decided(self, token, body):
        if token.gone:
            return
        token.resume = body
        token.scope.outputs[token.node] = {"decision": body["decision"], "payload": body}
        self.done(token)
        ways = self.graph.ways(token.node, body["decision"])
        self.follow(token, ways or self.graph.ways(token.node))

    # Calls

    def run_action_http(self, token, config):
        self.call(token.node, config, token.scope, self.policy(token.node), token,
                  lambda answer, given: self.answered(token, answer, given),
                  lambda failure: self.raised(token, failure), {"__resume": token.resume})

    def call(self, name, config, scope, policy, token, on_answer, on_failure, extra=None):
        """Calls until it answers, fails for good or has been tried often enough."""
        given = self.render({key: value for key, value in config.items() if key != "testOutput"}, scope, extra)
        tries = itertools.count(1)

        def attempt():
            if token and token.gone or self.status not in ("running", "undoing"):
                return
            self.inputs.setdefault(name, []).append(given)
            self.called_at[name] = self.now
            result = self.mocked(name)
            self.later(milliseconds(result.get("delay", "0")), finish, result, next(tries))

        def finish(result, number):
            if token and token.gone or self.status not in ("running", "undoing"):
                return
            if "fail" not in result:
                on_answer({"status_code": 200, "headers": {}, "body": {}, **result["ok"]}, given)
            elif result["fail"] == "transient" and number < policy["attempts"]:
                self.later(policy["delay"](number), attempt)
            else:
                said = result.get("message") if result["fail"] == "permanent" else None  # Of the last of several: "Max retries exceeded".
                on_failure(Failure(result["code"], said, name))

        attempt()

    def mocked(self, name):
        results = self.mocks.get(name, [{"ok": {}}])
        used = self.used.get(name, 0)
        self.used[name] = used + 1
        return results[min(used, len(results) - 1)]

    def policy(self, node):
        given = self.graph.nodes[node].get("retry") or self.graph.document.get("defaultRetryPolicy") or {}
        if not given:
            return {"attempts": ATTEMPTS, "delay": lambda number: FIRST_MS * FACTOR ** (number - 1)}
        first = milliseconds(given.get("initialDelay", "1s"))
        most = milliseconds(given.get("maxDelay", "5m"))
        strategy, factor = given.get("backoffStrategy", "Exponential"), given.get("factor", 2)
        delay = {"None": lambda number: 0, "Fixed": lambda number: first, "Linear": lambda number: first * number,
                 "Exponential": lambda number: first * factor ** (number - 1)}[strategy]
        return {"attempts": given.get("maxAttempts", 1), "delay": lambda number: min(delay(number), most)}

    def answered(self, token, answer, given):
        if token.gone:
            return
        token.scope.outputs[token.node] = answer
        self.done(token, given)
        self.follow(token, self.graph.ways(token.node))

    def done(self, token, given=None):
        self.count(token.node)
        self.remember(token, given)

    def remember(self, token, given=None):
        if "compensation" in self.graph.nodes[token.node]:
            self.completed.append((token.node, token.scope, given, token.scope.outputs[token.node]))

    # Loops

    def run_for_each(self, token, config):
        items = self.render(config["items"], token.scope)
        if not isinstance(items, list):
            self.unsaid.add(token.node)
            raise Failure("FOR_EACH_NOT_ARRAY")
        visit = Visit(token, items)
        if not items:
            self.end_loop(visit)
            return
        self.open_iterations(visit)

    def open_iterations(self, visit):
        config = self.graph.config(visit.token.node)
        window = config.get("maxConcurrency", 10) if config.get("mode") == "parallel" else 1
        while not visit.over and len(visit.open) < window and visit.next < len(visit.items):
            index = visit.next
            visit.next += 1
            names = {config.get("itemVar", "item"): visit.items[index], config.get("indexVar", "index"): index}
            scope = Scope(visit.token.scope, names, visit, index)
            visit.open.append(scope)
            ways = self.graph.ways(visit.token.node, "body")
            for edge in ways:
                self.put(edge["to"], scope, edge, visit.token.handling)  # Iterations have a __resume of their own.
            if not ways:
                raise Undecided("a loop without a body")

    def end_iteration(self, scope):
        visit = scope.host
        if visit.over or scope not in visit.open:
            return
        visit.open.remove(scope)
        config = self.graph.config(visit.token.node)
        visit.results[scope.index] = self.render(config["result"], scope) if "result" in config else None
        visit.succeeded += 1
        self.go_on(visit, not visit.token.went_on and self.has_enough(visit, scope, scope))

    def has_enough(self, visit, scope, seen):
        """Does the flow go on behind the item that has just ended?"""
        config = self.graph.config(visit.token.node)
        if visit.succeeded >= config.get("quorum", len(visit.items) + 1):
            return True
        return "until" in config and self.holds(config["until"], seen, True, {"loop": self.loop_of(visit, scope)})

    def loop_of(self, visit, scope):
        return {"index": scope.index, "item": visit.items[scope.index], "result": visit.results[scope.index], "count": len(visit.items),
                "succeeded": visit.succeeded, "failed": visit.failed, "results": list(visit.results)}

    def go_on(self, visit, stop=False):
        if stop and not self.graph.config(visit.token.node).get("cancelRemaining", True) and visit.is_left():
            self.leave_rest(visit)
        elif stop:
            for scope in visit.open:
                self.drop_scope(scope)
            visit.open = []
            self.end_loop(visit)
        elif visit.next < len(visit.items):
            self.open_iterations(visit)
        elif not visit.open:
            self.end_loop(visit)

    def leave_rest(self, visit):
        """The flow goes on; the items that are left finish, and nobody waits for them."""
        token = visit.token
        if self.handler():
            raise Undecided("a handler beside items that are left")
        self.put_results(visit)
        self.remember(token)
        token.went_on = True
        for edge in self.graph.ways(token.node, "done"):
            self.put(edge["to"], token.scope, edge, token.handling, token.resume, token.passed)
        self.open_iterations(visit)

    def end_loop(self, visit):
        visit.over = True
        token = visit.token
        if token.went_on:
            self.count(token.node)
            self.follow(token, [])
            return
        self.put_results(visit)
        self.done(token)
        self.follow(token, self.graph.ways(token.node, "done"))

    def put_results(self, visit):
        token = visit.token
        token.scope.outputs[token.node] = {"count": len(visit.items), "succeeded": visit.succeeded, "failed": visit.failed,
                                           "results": list(visit.results)}
        if [error["index"] for error in visit.errors] == sorted(error["index"] for error in visit.errors):  # Their order is not said.
            token.scope.outputs[token.node]["errors"] = list(visit.errors)

    def item_failed(self, scope, failure):
        """An error that nothing in the iteration handles."""
        visit = scope.host
        if visit.over:
            return
        self.drop_scope(scope)
        if scope in visit.open:
            visit.open.remove(scope)
        if self.graph.config(visit.token.node).get("onItemError", "fail") == "continue" or visit.token.went_on:
            visit.failed += 1
            error = {"index": scope.index, "errorCode": failure.code}
            visit.errors.append(error if failure.from_loop else {**error, "nodeId": failure.node})
            self.go_on(visit, not visit.token.went_on and self.has_enough(visit, scope, visit.token.scope))
            return
        visit.over = True
        self.unsaid.add(visit.token.node)  # Whether a loop that fails was visited is not said.
        for other in visit.open:
            self.drop_scope(other)
        visit.open = []
        failure.from_loop = True
        self.raised(visit.token, failure)

    # Errors

    def handler(self):
        return self.graph.document.get("globalErrorHandler")

    def compensates(self, node, failure=None):
        modes = {self.graph.nodes.get(name, {}).get("onFailure") or self.graph.settings.get("onFailure", "fail")
                 for name in (node, failure.node if failure else node)}
        if len(modes) > 1:
            raise Undecided("whose onFailure counts, the loop's or that of the node inside")
        return modes == {"compensate"}

    def raised(self, token, failure):
        if token.gone or self.status != "running":
            return
        self.count(token.node)
        ways = self.graph.ways(token.node, "error")
        if ways:
            token.scope.outputs[token.node] = {"error": {"code": failure.code, "nodeId": failure.node}}
            self.follow(token, ways)
            return
        if token.scope is not self.top:
            self.item_failed(token.scope, failure)
            return
        if self.handler() and not token.handling:
            self.handled = True
            self.vars["__error"] = {"code": failure.code}
            if not failure.from_loop:
                self.vars["__error"]["nodeId"] = failure.node
                if failure.message:
                    self.vars["__error"]["message"] = failure.message
            self.put(self.handler(), token.scope, None, True, token.resume, token.passed)
            self.remove(token)
            return
        if token.handling and self.compensates(token.node, failure):
            raise Undecided("whether an error of a handler undoes")
        if self.compensates(token.node, failure):
            self.undo(failure)
            return
        self.fail(failure)

    def fail(self, failure):
        self.status, self.error = "failed", failure
        for token in list(self.tokens):
            self.remove(token)

    def undo(self, failure):
        for token in list(self.tokens):
            self.remove(token)
        self.ready, self.timers, self.status = [], [], "undoing"
        left = list(reversed(self.completed))
        self.compensated = True

        def next_one():
            if not left:
                self.status, self.error = "failed", failure
                return
            node, scope, given, output = left.pop(0)
            handler = self.graph.nodes[node]["compensation"]
            name = node + "~comp"
            self.compensation.append(name)
            count = len(self.inputs.get(name, []))
            extra = {"self": {"input": given, "output": output}, "error": {"code": failure.code}}

            def failed(_):
                self.compensation_failed.append(name)
                self.soon(next_one)

            self.call(name, handler["config"], scope, {"attempts": ATTEMPTS, "delay": lambda number: FIRST_MS * FACTOR ** (number - 1)},
                      None, lambda answer, _: self.soon(next_one), failed, extra)
            self.compensation_inputs.append(self.inputs[name][count])

        next_one()
        while self.status == "undoing":
            if self.ready:
                action, arguments = self.ready.pop(0)
                action(*arguments)
            else:
                self.now, _, action, arguments = heapq.heappop(self.timers)
                action(*arguments)

    # Templates and conditions: no more than generated cases use.

    def read(self, path, scope, extra=None):
        names = re.findall(r"[A-Za-z_][A-Za-z0-9_]*", path)
        root, rest = names[0], names[1:]
        if root == "nodes":
            value, rest = scope.output(rest[0]), rest[1:]
        elif root == "vars":
            value = self.vars
        elif extra and root in extra:
            value = extra[root]
        else:
            value = scope.find(root)
        for name in rest:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def render(self, value, scope, extra=None):
        if isinstance(value, dict):
            return {key: self.render(one, scope, extra) for key, one in value.items()}
        if isinstance(value, list):
            return [self.render(one, scope, extra) for one in value]
        if not isinstance(value, str):
            return value
        whole = re.fullmatch(r"{{ ([^}]*) }}", value)
        if whole:
            return self.read(whole.group(1), scope, extra)
        return re.sub(r"{{ ([^}]*) }}", lambda found: as_text(self.read(found.group(1), scope, extra)), value)

    def holds(self, condition, scope, strict, extra=None):
        if "all" in condition:
            return all(self.holds(one, scope, strict, extra) for one in condition["all"])
        if "any" in condition:
            return any(self.holds(one, scope, strict, extra) for one in condition["any"])
        if "not" in condition:
            return not self.holds(condition["not"], scope, strict, extra)
        left, right = self.render(condition["left"], scope, extra), self.render(condition.get("right"), scope, extra)
        return compare(condition["op"], left, right, strict)


def as_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, str)):
        return str(value)
    raise Undecided("the text of an object")


def compare(op, left, right, strict):
    if op in ("gt", "gte", "lt", "lte"):
        numbers = all(isinstance(side, (int, float)) and not isinstance(side, bool) for side in (left, right))
        if not numbers and not (isinstance(left, str) and isinstance(right, str)):
            if strict:
                raise Failure("EXPRESSION_ERROR")
            return False
        return {"gt": left > right, "gte": left >= right, "lt": left < right, "lte": left <= right}[op]
    if op == "eq":
        return same(left, right)
    if op == "neq":
        return not same(left, right)
    if op == "contains":
        return isinstance(left, list) and any(same(one, right) for one in left)
    if op == "exists":
        return left is not None
    raise AssertionError(op)
