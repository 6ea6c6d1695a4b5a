"""Is there an order of these operations that a single machine could have done them in?

The search is Wing and Gong's with Lowe's memory of configurations: a configuration is the set of operations that have been put in
order and the model's state behind them. From each one the next may be any operation that was called before every other open one
had returned. Operations without an answer may come at any time after their call, or never.
"""

import math

CONFIGURATIONS_MAX = 200_000


class Undecided(Exception):
    """Too many configurations."""


def check(operations, apply, limit=CONFIGURATIONS_MAX):
    """None if there is an order, else the explanation. An operation has `call` and `return` (None: it has no answer)."""
    search = Search(operations, apply, limit)
    return None if search.run() else search.explain()


class Search:
    def __init__(self, operations, apply, limit):
        self.operations = sorted(operations, key=lambda op: op["call"])
        self.apply, self.limit = apply, limit
        self.returns = [math.inf if op["return"] is None else op["return"] for op in self.operations]
        self.must = sum(1 << i for i, op in enumerate(self.operations) if op["return"] is not None)
        self.best = (-1, (), None, [])

    def candidates(self, done):
        """What may be next: called before the first return of what is not done yet."""
        horizon = min((self.returns[i] for i in range(len(self.operations)) if not done >> i & 1), default=math.inf)
        for i, op in enumerate(self.operations):
            if op["call"] > horizon:
                break
            if not done >> i & 1:
                yield i

    def run(self):
        stack = [(0, None, ())]      # What is done, the state, and the order as nested pairs.
        seen = {(0, None)}
        while stack:
            done, state, order = stack.pop()
            if done & self.must == self.must:
                return True
            refusals = []
            # The last one that is put on the stack is looked at first: what returned first has most likely happened first, and what has
            # no answer need not have happened at all.
            for i in sorted(self.candidates(done), key=lambda i: -self.returns[i]):
                op = self.operations[i]
                after = self.apply(state, op)
                if isinstance(after, str):
                    refusals.append((op, after))
                    continue
                for new in after:
                    # Something without an answer that changes nothing need not have happened.
                    if op["return"] is None and new == state:
                        continue
                    key = (done | 1 << i, new)
                    if key not in seen:
                        seen.add(key)
                        stack.append((*key, (order, op)))
            if len(seen) > self.limit:
                raise Undecided(f"more than {self.limit} configurations for {len(self.operations)} operations")
            self.remember(done, state, order, refusals)
        return False

    def remember(self, done, state, order, refusals):
        count = (done & self.must).bit_count()
        if count > self.best[0]:
            self.best = (count, order, state, refusals)

    def explain(self):
        """The longest order that was found, and why nothing could come next."""
        count, order, state, refusals = self.best
        steps = []
        while order:
            order, op = order
            steps.append(op)
        lines = [f"no order explains the answers; the longest one has {count} of {self.must.bit_count()}:"]
        lines += [f"    {describe(op)}" for op in reversed(steps)]
        lines.append(f"  then it is {state}, and next cannot be")
        lines += [f"    {describe(op)}: {why}" for op, why in refusals]
        return "\n".join(lines)


def judge(what, operations, apply, verdict):
    """Puts the operations on one thing in order and adds the result to the verdict."""
    try:
        why = check(operations, apply)
    except Undecided:
        verdict.undecided += 1
        return
    verdict.checked += 1
    if why:
        verdict.problems.append(f"{what}: {why}")


def agree(name, seen, verdict):
    """Long after the last request all nodes must say the same about each thing; `name` is what tells things apart."""
    said = {}
    for last in seen:
        about = {key: value for key, value in last.items() if key != "at"}
        if said.setdefault(last[name], about) != about:
            verdict.problems.append(f"the nodes do not agree in the end: {said[last[name]]}, and {last.get('at')}: {about}")


def describe(op):
    about = " ".join(f"{name}={op[name]}" for name in ("step", "visit", "attempt", "status", "steps", "variables", "marker", "by", "expects", "transition", "state", "secret", "value", "listed", "path", "definition", "leaves", "holder", "there", "at", "client")
                     if op.get(name) is not None)
    end = "no answer" if op["return"] is None else f"{op['return']:.3f}"
    return f"[{op['call']:.3f} … {end}] {op['op']} {op.get('outcome', '')} {about}"
