"""How fast do messages of a broker update instances, each durable before it is acknowledged?"""

import json
import os
import shutil
import subprocess
import tempfile
import time

from measure import ROOT, Answer, median, number, spread

SERVICE = ROOT / "tests" / "services" / "mosquitto"
BUDGET = 10000
KEYS = 100
TEXT = """Messages of QoS 1 wait at a mosquitto broker on this machine. The engine connects, finds the instance of each message by a key of its
payload, lets a waiting token go on to a node that sets a variable and back to the wait, commits, and acknowledges. The broker's own work is on the same
processors. Floor: a record for each message, 64 to a sync."""
COLUMNS = (("messages/s", "perSecond", median), ("spread", "perSecond", spread), ("engine CPU µs", "cpuUs", median), ("syncs a message", "syncs", median),
           ("floor messages/s", "floorPerSecond", median))
GRAPH = {
    "dialect": "graph/1", "definitionId": "sensor", "name": "Sensor", "settings": {"maxNodeVisits": 1000000},
    "nodes": [
        {"id": "message", "type": "trigger_mqtt", "config": {"brokerRef": "vault:broker", "topic": "readings", "correlationExpression": "$.k"}},
        {"id": "wait", "type": "wait_event", "config": {"trigger": "message"}},
        {"id": "keep", "type": "set_variables", "config": {"values": {"last": "{{ trigger.payload.v }}"}}}],
    "edges": [{"from": "message", "to": "wait"}, {"from": "wait", "to": "keep"}, {"from": "keep", "to": "wait"}]}


def updated(engine):
    return engine.metric('pawl_arrivals_total{outcome="updated"}')


def publish(port, lines):
    subprocess.run(["mosquitto_pub", "-p", str(port), "-t", "readings", "-q", "1", "-l"], check=True, text=True,
                   input="".join(json.dumps(line) + "\n" for line in lines))


def until(condition):
    while not condition():
        time.sleep(0.005)


def run(bench, count):
    directory = tempfile.mkdtemp(prefix="pawl-bench-mqtt-")
    with open(os.path.join(directory, "more"), "w", encoding="utf-8") as more:
        more.write("log_type subscribe\n")
    port = int(subprocess.run([SERVICE, "start", directory], check=True, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True).stdout)
    os.environ["PAWL_SECRET_BROKER"] = json.dumps({"host": "127.0.0.1", "port": port})
    try:
        with bench.engine("--allow-private-calls") as engine:
            engine.deploy(GRAPH)
            until(lambda: "readings" in broker_log(directory))
            publish(port, ({"k": k, "v": 0} for k in range(KEYS)))
            until(lambda: engine.metric('pawl_arrivals_total{outcome="created"}') >= KEYS)
            engine.stop()
            publish(port, ({"k": n % KEYS, "v": n} for n in range(count)))
            engine.start()
            began = time.monotonic()
            result = bench.costed(engine, count, lambda: until(lambda: updated(engine) >= count) or {})
            result["perSecond"] = count / (time.monotonic() - began)
            return {**result, **bench.floor(64)}
    finally:
        subprocess.run([SERVICE, "kill", directory], check=True)
        shutil.rmtree(directory)
        del os.environ["PAWL_SECRET_BROKER"]


def broker_log(directory):
    """What the broker has written: it logs subscriptions."""
    with open(os.path.join(directory, "log"), encoding="utf-8") as log:
        return log.read()


def ask(bench):
    answer = Answer("Messages of an MQTT broker", TEXT)
    table = answer.table(["messages", "instances"], COLUMNS)
    # A broker numbers the messages of a session with 16 bits: with more of them waiting, mosquitto loses count and stops.
    count = bench.pick(5000, 50000)
    figures = bench.repeat(lambda: run(bench, count))
    answer.keep(str(count), figures)
    table.add([number(count), KEYS], figures)
    rate = figures.median("perSecond")
    answer.budget("MQTT QoS 1 to updated instance", f"≥ {BUDGET:,}/s", f"{rate:,.0f}/s", rate >= BUDGET)
    return answer
