"""A calculation node that answers every request at once, for `questions/processors.py`: node.py HOST:PORT"""

import json
import os
import queue
import sys

import grpc

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "order-payment"))
from cloud_event import CloudEvent, make  # noqa: E402


def main():
    outbox = queue.SimpleQueue()
    outbox.put(make("CalculationMemberJoinEvent", tags=["bench"]))
    with grpc.insecure_channel(sys.argv[1]) as channel:
        stream = channel.stream_stream("/org.cyoda.cloud.api.grpc.CloudEventsService/startStreaming",
                                       CloudEvent.SerializeToString, CloudEvent.FromString)(iter(outbox.get, None))
        for event in stream:
            if event.type == "CalculationMemberGreetEvent":
                print("connected", flush=True)
            elif event.type == "EntityProcessorCalculationRequest":
                asked = json.loads(event.text_data)
                text = '{"id":"%s","requestId":"%s","entityId":"%s","success":true}' % (asked["requestId"], asked["requestId"], asked["entityId"])
                outbox.put(CloudEvent(id=asked["requestId"], source="bench", spec_version="1.0", type="EntityProcessorCalculationResponse", text_data=text))


if __name__ == "__main__":
    try:
        main()
    except (grpc.RpcError, KeyboardInterrupt):
        os._exit(0)
