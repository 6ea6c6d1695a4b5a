"""Plays a collector of OpenTelemetry: keeps every message, decoded by the published schema, and answers as it was told to.

A span is a dict: trace, id, parent (hexadecimal digits), name, kind, start, end (nanoseconds), attributes, links, status, and the
attributes of its resource. Both encodings give the same dicts.
"""

import gzip
import json
import os
import subprocess
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

from functions import Functions, Reply


def load_messages():
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["protoc", f"-I{here}", f"--descriptor_set_out={file.name}", "otlp.proto"], check=True)
        described = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for one in described.file:
        pool.Add(one)
    return pool, message_factory.MessageFactory(pool)


POOL, FACTORY = load_messages()


def message_of(name, body):
    """The bytes as a message of the schema; fields that it does not know are a mistake."""
    message = FACTORY.GetPrototype(POOL.FindMessageTypeByName("otlp." + name)).FromString(body)
    again = message.__class__.FromString(message.SerializeToString())
    again.DiscardUnknownFields()
    assert again.ByteSize() == len(body), "fields that the schema does not have"
    return message


def from_bytes(body, name="ExportTraceServiceRequest"):
    """The message in the JSON form of Protocol Buffers, with ids in hexadecimal digits as OTLP wants them."""
    message = message_of(name, body)
    value = json_format.MessageToDict(message, use_integers_for_enums=True)
    for resource, shown in zip(message.resource_spans, value.get("resourceSpans", ())):
        for scope, shown_scope in zip(resource.scope_spans, shown["scopeSpans"]):
            for span, shown_span in zip(scope.spans, shown_scope["spans"]):
                put_ids(span, shown_span, (("trace_id", "traceId"), ("span_id", "spanId"), ("parent_span_id", "parentSpanId")))
                for link, shown_link in zip(span.links, shown_span.get("links", ())):
                    put_ids(link, shown_link, (("trace_id", "traceId"), ("span_id", "spanId")))
    return value


def put_ids(message, shown, names):
    for name, shown_name in names:
        if getattr(message, name):
            shown[shown_name] = getattr(message, name).hex()


def attributes(items):
    found = {}
    for item in items or ():
        value, = item["value"].items()
        assert item["key"] not in found, items
        found[item["key"]] = int(value[1]) if value[0] == "intValue" else value[1]
    return found


def spans_of(message):
    return [{
        "trace": span["traceId"], "id": span["spanId"], "parent": span.get("parentSpanId", ""), "name": span["name"], "kind": span["kind"],
        "start": int(span["startTimeUnixNano"]), "end": int(span["endTimeUnixNano"]), "attributes": attributes(span["attributes"]),
        "links": [(link["traceId"], link["spanId"], attributes(link["attributes"])["pawl.link"]) for link in span.get("links", ())],
        "status": span["status"].get("code", 0), "resource": attributes(resource["resource"].get("attributes")),
    } for resource in message["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]]


class Collector(Functions):
    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.answer("/v1/traces", Reply(200, b"", "application/x-protobuf"))

    def messages(self, path="/v1/traces"):
        """The accepted messages, as dicts of OTLP's JSON form."""
        return [self.read(call) for call in self.to(path)]

    @staticmethod
    def read(call):
        body = call.body
        if call.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return json.loads(body) if call.headers["Content-Type"] == "application/json" else from_bytes(body)

    def spans(self):
        return [span for message in self.messages() for span in spans_of(message)]
