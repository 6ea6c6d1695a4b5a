"""EVENT states and the mailbox of an instance (1.8)."""

from conditions import fires, operands, parse_event_condition
from data_flow import Failure, placed
from durations import duration_ms
from jsonpath import path_of
from simulation import Future
from values import NOTHING, Undecided, combine, like


class Event:
    def __init__(self, message, order):
        self.message, self.order = message, order


class Waiter:
    """An EVENT state that waits: its live entries, in definition order."""

    def __init__(self, place_, entries, future):
        self.place, self.entries, self.future = place_, entries, future


class EventWaiting:
    """What an Instance does about events. Its mailbox holds (trigger name, event)."""

    def await_event(self, visit, data):
        state = visit.state
        entries = [[entry, parse_event_condition(entry["condition"], self.document["triggers"])]
                   for entry in state["eventActions"]]
        waiter = Waiter(self.order[id(state)], entries, Future())
        self.waiters = sorted(self.waiters + [waiter], key=lambda one: one.place)
        expiries = self.world.simulation.spawn(self.expire(waiter), self.world.simulation.current)
        try:
            self.serve(waiter)
            entry, events = yield waiter.future
        finally:
            if waiter in self.waiters:
                self.waiters.remove(waiter)
            expiries.cancel()
        visit.fired = entry
        for event in events:
            data = self.with_event(entry.get("filter"), data, event)
        visit.with_events = data
        if state.get("loop") is None:
            visit.data = data
        return (yield from self.run_actions(visit, entry, data))

    def expire(self, waiter):
        """Disables entries as their timeouts pass."""
        start = self.world.simulation.now
        limits = sorted((duration_ms(entry["timeout"]), number) for number, (entry, _) in enumerate(waiter.entries)
                        if entry.get("timeout") is not None)
        everything = list(waiter.entries)
        for limit, number in limits:
            yield self.world.simulation.sleep(start + limit - self.world.simulation.now)
            waiter.entries.remove(everything[number])
            if not waiter.entries:
                waiter.future.resolve(error=Failure("TimeoutException"))

    def serve(self, waiter):
        """Fires the waiter's first entry whose condition holds."""
        if waiter.future.done:
            return
        if self.world.open("events in the mailbox are replayed one by one"):
            horizons = sorted(event.order for _, event in self.mailbox)
        else:
            horizons = [None]
        for horizon in horizons:
            known = [(name, event) for name, event in self.mailbox if horizon is None or event.order <= horizon]
            received = {name for name, _ in known}
            for entry, tree in waiter.entries:
                if fires(tree, received):
                    waiter.future.resolve((entry, self.consume(tree, known)))
                    self.waiters.remove(waiter)
                    return

    def consume(self, tree, known):
        """The earliest unconsumed event of each trigger the condition mentions, in arrival order."""
        taken = []
        positive_only = self.world.open("triggers under a not are left alone")
        for names, positive in operands(tree):
            if positive_only and not positive:
                continue
            if self.world.open("an operand takes one event, not one of each trigger"):
                found = [item for item in known if item[0] in names][:1]
                taken += [item for item in found if item not in taken]
                continue
            for name in names:
                found = next((item for item in known if item[0] == name), None)
                if found and found not in taken:
                    taken.append(found)
        self.mailbox = [item for item in self.mailbox if item not in taken]
        return sorted(taken, key=lambda item: item[1].order)

    def with_event(self, filter_, data, item):
        name, event = item
        filter_ = filter_ or {}
        value = self.event_value(filter_.get("inputPath"), event.message)
        if filter_.get("resultPath") is not None:
            return placed(data, filter_["resultPath"], value)
        if isinstance(value, dict):
            return combine(data, value)
        if not isinstance(data, dict):
            raise Undecided("a value of an event beside data that is no object")
        return like(data, {**data, name: value})

    def event_value(self, path, message):
        if "data" not in message:
            raise Undecided("an event without data")
        if path is None:
            return message["data"]
        path = path_of(path)
        if path.definite:
            found = path.select(message["data"])
            found = path.select(message) if found is NOTHING else found
            return message["data"] if found is NOTHING else found
        found = path.select(message["data"])
        if not found and path.select(message):
            raise Undecided("a list of nodes found in the envelope only")
        return found

    def receive(self, name, event):
        self.mailbox.append((name, event))
        for waiter in list(self.waiters):
            self.serve(waiter)
