"""Discrete events under virtual time: tasks are generators that yield what they wait for.

Everything that happens at one instant goes through one queue. The contract rarely orders such
things, so the order is a parameter: a case whose end depends on it is not a case.
"""

import heapq
import random


class Future:
    def __init__(self):
        self.done, self.value, self.error, self.watchers = False, None, None, []

    def resolve(self, value=None, error=None):
        if self.done:
            return
        self.done, self.value, self.error = True, value, error
        watchers, self.watchers = self.watchers, []
        for watcher in watchers:
            watcher(self)

    def watch(self, watcher):
        if self.done:
            watcher(self)
        else:
            self.watchers.append(watcher)


class Cancelled(Exception):
    """The error of a task that was cancelled."""


class Task(Future):
    def __init__(self, simulation, generator, owner):
        super().__init__()
        self.simulation, self.generator, self.owned, self.detached = simulation, generator, [], False
        if owner:
            owner.owned.append(self)
        simulation.soon(lambda: self.step(None))

    def step(self, future):
        if self.done:
            return
        self.simulation.current = self
        try:
            if future is not None and future.error is not None:
                waited = self.generator.throw(future.error)
            else:
                waited = self.generator.send(None if future is None else future.value)
        except StopIteration as stop:
            self.resolve(stop.value)
        except self.simulation.endings as error:
            self.resolve(error=error)
        else:
            waited.watch(lambda done: self.simulation.soon(lambda: self.step(done)))

    def cancel(self, detached_too=True):
        """Ends it and all it started."""
        for task in self.owned:
            if detached_too or not task.detached:
                task.cancel(detached_too)
        if not self.done:
            self.generator.close()
            self.resolve(error=Cancelled())


class Simulation:
    def __init__(self, order, endings):
        """order: "first", "last", or a seed: which of the things due at one instant is next.
        endings: the exceptions a task may end with; others are mistakes.
        """
        self.now, self.ready, self.timers, self.count = 0, [], [], 0
        self.endings, self.current = endings, None
        self.order, self.crowded = order, False  # Whether there ever was a choice.
        self.random = random.Random(order) if isinstance(order, int) else None

    def soon(self, action):
        self.ready.append(action)

    def next_ready(self):
        self.crowded = self.crowded or len(self.ready) > 1
        if self.random:
            return self.ready.pop(self.random.randrange(len(self.ready)))
        return self.ready.pop(0 if self.order == "first" else -1)

    def spawn(self, generator, owner=None):
        return Task(self, generator, owner)

    def sleep(self, ms):
        future = Future()
        if ms <= 0:
            self.soon(future.resolve)
            return future
        self.count += 1
        heapq.heappush(self.timers, (self.now + ms, self.count, future))
        return future

    def settle(self):
        while self.ready:
            self.next_ready()()

    def run_to(self, limit):
        """Moves time to the limit, or, if that is None, until nothing is due."""
        self.settle()
        while self.timers and (limit is None or self.timers[0][0] <= limit):
            self.now = self.timers[0][0]
            while self.timers and self.timers[0][0] == self.now:
                future = heapq.heappop(self.timers)[2]
                self.soon(future.resolve)
            self.settle()
        if limit is not None:
            self.now = max(self.now, limit)


def first_of(futures):
    """Resolves with the first of these that is done."""
    first = Future()
    for future in futures:
        future.watch(first.resolve)
    return first
