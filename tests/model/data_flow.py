"""Filters, parameters and merging (1.4), and the ways a state can be left (1.12)."""

from jsonpath import path_of
from values import NOTHING, UNKNOWN, Filtering, Partial, combine, combine_change, place


class Failure(Exception):
    """An error a handler may take."""

    def __init__(self, name, message=UNKNOWN, **more):
        super().__init__(name)
        self.name, self.members = name, {"message": message, **more}

    def object(self):
        return Partial(name=self.name, **self.members)

    def without_place(self):
        """As it is seen outside of the branch or child where it happened."""
        return Failure(self.name, self.members["message"])


class Halt(Exception):
    """A restricted transition was denied; no handler takes it."""


class RetryExit(Exception):
    """A retry policy is exhausted and says where to go."""

    def __init__(self, transition, failure=None, output=None):
        super().__init__("retry")
        self.transition, self.failure, self.output = transition, failure, output


def filtered(filter_, which, data):
    path = (filter_ or {}).get(which)
    if path is None:
        return data
    selected = path_of(path).select(data)
    return data if selected is NOTHING else selected


def placed(base, path, value):
    """place() of the contract: without a path, combine."""
    return combine(base, value) if path is None else place(base, path_of(path).steps, value)


def resolved(parameters, data):
    """Parameters with the paths in them replaced by what they select."""
    if isinstance(parameters, dict):
        return {key: resolved(value, data) for key, value in parameters.items()}
    if isinstance(parameters, list):
        return [resolved(value, data) for value in parameters]
    if not isinstance(parameters, str):
        return parameters
    if parameters == "$" or parameters.startswith(("$.", "$[")):
        selected = path_of(parameters).select(data)
        return None if selected is NOTHING else selected
    return parameters[1:] if parameters.startswith("$$") else parameters


def merged_outputs(data, outputs):
    """S with the outputs of concurrent actions merged in, in definition order."""
    merged = data
    for output in outputs:
        if not isinstance(output, dict):
            raise Filtering("a result that is no object")
        merged = combine_change(data, merged, output)
    return merged
