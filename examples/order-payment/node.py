#!/usr/bin/python3
"""A calculation node: it does the work of orders and payments.

    node.py --engine http://127.0.0.1:8080 --grpc 127.0.0.1:9090 --ledger ledger.jsonl [--step]

A processor gets the entity's document and returns the new one, or None to leave it as it is. A function returns
true or false. The engine sends a committed request again if one of the two was killed before the answer was stored. So
what must not happen twice has a key: a charge is written into the ledger under its payment's id, and a request to the
engine has an Idempotency-Key.
"""

import argparse
import json
import os
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc

import web
from cloud_event import CloudEvent, make

STOCK = {"tea": 100, "coffee": 100}


class Ledger:
    """A file that says what was done. A line is there whole or not at all."""

    def __init__(self, path):
        self.path, self.lock = path, threading.Lock()

    def lines(self):
        with open(self.path, "a+", encoding="utf-8") as file:
            file.seek(0)
            return [json.loads(line) for line in file if line.endswith("\n")]

    def once(self, payment, amount):
        """Charges, unless it was done before; the receipt."""
        with self.lock:
            for line in self.lines():
                if line["payment"] == payment:
                    return line["receipt"]
            entry = {"payment": payment, "amount": amount, "receipt": f"r-{payment[:8]}"}
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())
            return entry["receipt"]


class Shop:
    def __init__(self, engine, ledger):
        self.engine, self.ledger = engine, ledger
        self.processors = {"price": self.price, "reserve": self.reserve, "open-payment": self.open_payment, "thank": self.thank,
                           "charge": self.charge, "tell-order": self.tell_order}
        self.functions = {"in-stock": self.is_in_stock, "has-card": self.has_card}

    # Orders.

    def price(self, order, request):
        return {**order, "total": sum(line["count"] * line["price"] for line in order["lines"])}

    def is_in_stock(self, order, request):
        return all(STOCK.get(line["item"], 0) >= line["count"] for line in order["lines"])

    def reserve(self, order, request):
        return {**order, "reserved": True}

    def open_payment(self, order, request):
        payment = {"order": request["entityId"], "amount": order["total"], "card": order.get("card")}
        made = web.call(self.engine, "POST", "/api/entity/JSON/payment/1", payment, key="payment-of-" + request["entityId"])
        return {**order, "payment": made[0]["entityIds"][0]}

    def thank(self, order, request):
        raise RuntimeError("the mail server is down")  # Mode ASYNC_NEW_TX: the order is shipped all the same.

    # Payments.

    def has_card(self, payment, request):
        return bool(payment.get("card"))

    def charge(self, payment, request):
        return {**payment, "receipt": self.ledger.once(request["entityId"], payment["amount"])}

    def tell_order(self, payment, request):
        state, order = web.entity(self.engine, payment["order"])
        if state == "AWAITING_PAYMENT":
            web.call(self.engine, "PUT", f"/api/entity/JSON/{payment['order']}/PAID", order, key="paid-" + request["entityId"])

    def answer(self, request):
        """The fields of the answer to a request."""
        document = request["payload"]["data"]
        if "criteriaName" in request:
            return {"matches": self.functions[request["criteriaName"]](document, request)}
        changed = self.processors[request["processorName"]](document, request)
        return {"payload": {"type": "JSON", "data": changed}} if changed else {}


class Node:
    def __init__(self, shop, address, steps):
        self.shop, self.address, self.steps = shop, address, steps
        self.pool, self.stdin = ThreadPoolExecutor(8), threading.Lock()

    def work(self, kind, request, outbox):
        name = request.get("processorName") or request["criteriaName"]
        if self.steps:
            with self.stdin:
                print(f"asked {name}", flush=True)
                sys.stdin.readline()
        answer = {"requestId": request["requestId"], "entityId": request["entityId"], "success": True}
        try:
            answer.update(self.shop.answer(request))
        except Exception as problem:  # Whatever it is, the engine wants to know.
            answer.update(success=False, error={"code": "FAILED", "message": str(problem)})
        outbox.put(make(kind.replace("Request", "Response"), **answer))

    def serve(self):
        """One stream, from joining to its end."""
        outbox = queue.Queue()
        outbox.put(make("CalculationMemberJoinEvent", tags=["orders", "payments"]))
        with grpc.insecure_channel(self.address) as channel:
            stream = channel.stream_stream("/org.cyoda.cloud.api.grpc.CloudEventsService/startStreaming",
                                           CloudEvent.SerializeToString, CloudEvent.FromString)(iter(outbox.get, None))
            try:
                for event in stream:
                    data = json.loads(event.text_data)
                    if event.type == "CalculationMemberGreetEvent":
                        print("connected", flush=True)
                    elif event.type == "CalculationMemberKeepAliveEvent":
                        outbox.put(make("EventAckResponse", success=True, sourceEventId=data["id"]))
                    elif event.type.endswith("CalculationRequest"):
                        self.pool.submit(self.work, event.type, data, outbox)
            finally:
                outbox.put(None)

    def run(self):
        while True:
            try:
                self.serve()
            except grpc.RpcError:
                pass
            time.sleep(0.1)  # The engine is away: it will be back.


def main():
    parser = argparse.ArgumentParser(description="A calculation node for orders and payments.")
    parser.add_argument("--engine", default="http://127.0.0.1:8080")
    parser.add_argument("--grpc", default="127.0.0.1:9090")
    parser.add_argument("--ledger", default="ledger.jsonl")
    parser.add_argument("--step", action="store_true", help="wait for Enter before each answer")
    options = parser.parse_args()
    try:
        Node(Shop(options.engine, Ledger(options.ledger)), options.grpc, options.step).run()
    except KeyboardInterrupt:
        os._exit(0)


if __name__ == "__main__":
    main()
