"""A client of gRPC whose messages are made at run time, from the descriptors that the build has written."""

import json
import os
import re

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

import harness

SERVICE = "workflow.v1.WorkflowEngine"


def load_messages():
    path = os.path.join(os.path.dirname(os.path.abspath(harness.BINARY)), "gen", "proto", "descriptors.pb")
    with open(path, "rb") as file:
        files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool, message_factory.MessageFactory(pool)


POOL, FACTORY = load_messages()


def port_of(server):
    return int(re.search(r"gRPC on [^,]*:(\d+)", server.banner)[1])


class Refused(Exception):
    """An answer whose status is not OK."""

    def __init__(self, error):
        super().__init__(f"{error.code().name}: {error.details()}")
        self.code, self.text = error.code().name, error.details()


class GrpcClient:
    """One channel. A request is a dict in protobuf's JSON form or bytes; an answer is a dict with the fields' own names."""

    def __init__(self, port, metadata=()):
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.metadata = list(metadata)

    def close(self):
        self.channel.close()

    def begin(self, method, request=None, metadata=(), timeout=harness.PATIENCE):
        """Sends a request and returns its future."""
        described = POOL.FindServiceByName(SERVICE).methods_by_name[method]
        question = FACTORY.GetPrototype(described.input_type)
        answer = FACTORY.GetPrototype(described.output_type)
        if not isinstance(request, bytes):
            request = json_format.ParseDict(request or {}, question()).SerializeToString()
        call = self.channel.unary_unary(f"/{SERVICE}/{method}", response_deserializer=answer.FromString)
        return call.future(request, metadata=[*self.metadata, *metadata], timeout=timeout)

    def wait(self, future):
        try:
            message = future.result()
        except grpc.RpcError as error:
            raise Refused(error) from None
        return json_format.MessageToDict(message, preserving_proto_field_name=True)

    def __call__(self, method, request=None, metadata=(), timeout=harness.PATIENCE):
        return self.wait(self.begin(method, request, metadata, timeout))


def exact(message):
    """Variables of an instance or a job with all their digits."""
    if "variables_json" in message:
        return json.loads(message["variables_json"])
    return message.get("variables", {})
