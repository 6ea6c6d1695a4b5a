"""A customer: orders, pays, and waits for the parcel. Each request has a key, so that it can be repeated."""

import json
import os
import time

import web

HERE = os.path.dirname(os.path.abspath(__file__))


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


def prepare(base):
    """Imports models and workflows."""
    for name in ("order", "payment"):
        document = read(name + ".json")
        web.call(base, "POST", f"/api/model/import/JSON/SAMPLE_DATA/{name}/1", document["sample"])
        web.call(base, "POST", f"/api/model/{name}/1/workflow/import", {"importMode": "REPLACE", "workflows": document["workflows"]})
        web.call(base, "PUT", f"/api/model/{name}/1/lock")


def order(base, key, lines, card="4242"):
    """Orders something; the order's id."""
    document = {"customer": "Ada", "card": card, "lines": lines}
    return web.call(base, "POST", "/api/entity/JSON/order/1", document, key=key)[0]["entityIds"][0]


def fire(base, entity_id, transition, key=None):
    """Fires a transition, if the entity has it now."""
    _, document = web.entity(base, entity_id)
    try:
        web.call(base, "PUT", f"/api/entity/JSON/{entity_id}/{transition}", document, key=key)
    except web.Refused as refused:
        if refused.code not in ("TRANSITION_NOT_FOUND", "CONFLICT"):
            raise


def wait_for(base, entity_id, *states, again=None):
    """Waits until the entity is in one of the states. It rests before that if its node was lost while it worked: `again` lets it go on."""
    deadline = time.monotonic() + web.PATIENCE
    last, since = None, time.monotonic()
    while True:
        state, document = web.entity(base, entity_id)
        if state in states:
            return state, document
        if time.monotonic() > deadline:
            raise TimeoutError(f"the entity {entity_id} is still in {state}")
        if state != last:
            last, since = state, time.monotonic()
        elif again and time.monotonic() - since > 1:
            fire(base, entity_id, again)
            since = time.monotonic()
        time.sleep(0.02)


def buy(base, key, lines, tell=lambda what: None):
    """The whole journey of an order; the order and its payment at the end."""
    bought = order(base, key, lines)
    tell(f"the order {bought} is {web.entity(base, bought)[0]}")
    state, document = wait_for(base, bought, "AWAITING_PAYMENT", "OUT_OF_STOCK", again="TRY_AGAIN")
    if state == "OUT_OF_STOCK":
        return bought, None
    payment = document["payment"]
    tell(f"the payment {payment} is {web.entity(base, payment)[0]}")
    fire(base, payment, "CAPTURE", key + "-pay")
    wait_for(base, payment, "CAPTURED", "SETTLED", again="CAPTURE")
    wait_for(base, payment, "SETTLED", again="TRY_AGAIN")
    wait_for(base, bought, "SHIPPED")
    return bought, payment
