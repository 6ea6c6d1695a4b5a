"""The only message that a calculation node and the engine exchange: a CloudEvent with JSON in it.

Its class is made from contract/proto, by the protobuf compiler that the build needs, too.
"""

import json
import os
import subprocess
import uuid

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "contract", "proto")


def load():
    command = ["protoc", "-I" + PROTO, "-I/usr/include", "--include_imports", "--descriptor_set_out=/dev/stdout", "io/cloudevents/v1/cloudevents.proto"]
    made = subprocess.run(command, check=True, capture_output=True).stdout
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(made).file:
        pool.Add(file)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("io.cloudevents.v1.CloudEvent"))


CloudEvent = load()


def make(kind, **data):
    data = {"id": str(uuid.uuid4()), **data}
    return CloudEvent(id=data["id"], source="orders", spec_version="1.0", type=kind, text_data=json.dumps(data))
