#!/usr/bin/python3
"""Starts an engine and a calculation node, sells some tea, and shows what became of it: run.py BINARY"""

import os
import re
import subprocess
import sys
import tempfile

import customer
import web

HERE = os.path.dirname(os.path.abspath(__file__))


def start_engine(binary, data):
    """The process, the address of its API and that of gRPC."""
    engine = subprocess.Popen([binary, "serve", "--listen", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--data", data], stdout=subprocess.PIPE, text=True)
    banner = engine.stdout.readline()
    base, address = re.search(r"listening on (\S+) \(gRPC on ([^,]+)", banner).groups()
    return engine, base, address


def start_node(base, address, ledger, *more, **pipes):
    node = subprocess.Popen([sys.executable, os.path.join(HERE, "node.py"), "--engine", base, "--grpc", address, "--ledger", ledger, *more],
                            stdout=subprocess.PIPE, text=True, **pipes)
    assert node.stdout.readline() == "connected\n", "the node does not connect"
    return node


def main():
    with tempfile.TemporaryDirectory(prefix="pawl-orders-") as directory:
        engine, base, address = start_engine(sys.argv[1], os.path.join(directory, "data"))
        node = None
        try:
            customer.prepare(base)
            ledger = os.path.join(directory, "ledger.jsonl")
            node = start_node(base, address, ledger)
            bought, payment = customer.buy(base, "order-1", [{"item": "tea", "count": 2, "price": 12.25}], print)
            for entity in (payment, bought):
                print("%s %s" % web.entity(base, entity))
            with open(ledger, encoding="utf-8") as file:
                print("charged:", file.read().strip())
            refused, _ = customer.buy(base, "order-2", [{"item": "gold", "count": 1, "price": 1000}], print)
            print("%s %s" % web.entity(base, refused))
        finally:
            for process in (node, engine):
                if process:
                    process.terminate()
                    process.wait()


if __name__ == "__main__":
    main()
