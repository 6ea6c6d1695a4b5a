"""A tenant that has one of everything, and every call that could be about it. test_crossing.py makes the calls as another tenant.

Words in braces stand for something that the tenant has (populate). A row of a table is (status for another tenant, status for the tenant itself, the call).
A status of the tenant itself that is None: the call is not made, because its outcome says nothing about tenants.
"""

import http.client
import json
import re
import uuid

import entities
import harness
from graphs import edge, graph, node
from oidc_provider import FIRST
from steps import end, person, service, table, wait
from workflows import event, on, operation, subflow, trigger

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CLOUD = {"Content-Type": "application/cloudevents+json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def steps(name, *all_steps):
    return {"id": name, "name": name, "steps": [*all_steps, end()]}


def hook(name, path, **more):
    return graph(node("h", "trigger_http", path=path, method="POST"), node("ask", "human_task", title="May I?", decisions=["yes"]), node("z", "end"),
                 edges=[edge("h", "ask"), edge("ask", "z", "yes")], name=name, definitionId=name, **more)


def tool(name, **arguments):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


FLOW_NODES = (node("m", "trigger_manual"), node("c", "trigger_cron", cron="0 9 1 1 *"), node("ask", "human_task", title="May I?", decisions=["yes"]), node("z", "end"))
FLOW_EDGES = (edge("m", "ask"), edge("c", "ask"), edge("ask", "z", "yes"))


class Tenant:
    """Requests with one key. Other tests hold the same answers against the contract."""

    def __init__(self, server, name, key, mark=None):
        self.name, self.key, self.mark = name, key, mark
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=2 * harness.PATIENCE)

    def ask(self, method, path, body=None, headers=None):
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.connection.request(method, path, body, {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}", **(headers or {})})
        response = self.connection.getresponse()
        return harness.Answer(response.status, response.headers, response.read())

    def made(self, method, path, body=None, headers=None):
        answer = self.ask(method, path, body, headers)
        assert answer.status < 300, (method, path, answer)
        return answer.json if answer.body else None

    def until(self, condition):
        while not condition():
            pass


def populate(tenant):
    """What the tenant has, by the words that the tables use. The mark of the tenant is in every name."""
    has = {word: f"{tenant.mark}-{word}" for word in ("waits", "moving", "quick", "people", "grouped", "works", "fails", "flow", "parent", "child", "listens", "rules", "hooked", "draft", "secret", "order", "loose", "spare", "new", "kind",
                                               "group", "type", "source", "hook", "key", "once")}
    has.update(tenant=tenant.name, mark=tenant.mark)
    definitions(tenant, has)
    instances(tenant, has)
    things(tenant, has)
    of_entities(tenant, has)
    of_access(tenant, has)
    return has


def definitions(tenant, has):
    documents = [steps(has["waits"], wait("w", "end")), steps(has["quick"]), steps(has["people"], person("ask", "end")), steps(has["grouped"], person("ask", "end", candidateGroups=[has["group"]])),
                 steps(has["works"], service("s", "end", has["kind"])),
                 steps(has["fails"], service("s", "end", has["kind"] + "-f")), steps(has["rules"], table("t", "end", [{"when": {}, "outputs": {"x": 1}}])),
                 {"id": has["child"], "name": "Child", "startsAt": "A", "states": [operation("A", "w")], "functions": [{"name": "w", "type": "worker"}]},
                 {"id": has["listens"], "name": "Listens", "startsAt": "E", "states": [event("E", on("t"))], "triggers": [trigger("t", has["source"], has["type"] + "-taken")]},
                 {"id": has["parent"], "name": "Parent", "startsAt": "S", "states": [subflow("S", has["child"])]},
                 hook(has["hooked"], "/" + has["hook"])]
    for document in documents:
        tenant.made("POST", "/v1/definitions", document)
    for version in ("1", "2"):
        tenant.made("POST", "/v1/definitions", steps(has["moving"], wait("w", version), wait(version, "end")))
    has["graph"] = tenant.made("POST", "/api/workflows", graph(*FLOW_NODES, edges=FLOW_EDGES, name=has["flow"], definitionId=has["flow"]))["definitionId"]


def instances(tenant, has):
    def start(name, **more):
        return tenant.made("POST", "/v1/instances", {"definitionId": has[name], "variables": {"seen": tenant.mark}, **more})["id"]

    for number in range(1, 8):
        has[f"wait{number}"] = start("waits", businessKey=f"{has['key']}-{number}")
    has["done"], has["cancelled"], has["parent1"], has["grouped1"] = start("quick"), start("waits"), start("parent"), start("grouped")
    tenant.made("POST", f"/v1/instances/{has['cancelled']}/cancel", {})
    for number in range(1, 8):
        has[f"person{number}"] = start("people")
        has[f"task{number}"] = tenant.made("GET", f"/api/tasks?instanceId={has[f'person{number}']}")["items"][0]["id"]
    tenant.made("POST", f"/api/tasks/{has['task3']}/claim", {})
    for number in range(1, 7):
        has[f"work{number}"] = start("works")
    taken = tenant.made("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": [has["kind"]], "maxJobs": 5, "leaseSeconds": 3600})["jobs"]
    has.update({f"job{number}": job["id"] for number, job in enumerate(taken, 1)})
    for number in range(1, 5):
        has[f"failed{number}"] = start("fails")
        (job,) = tenant.made("POST", "/v1/jobs/poll", {"workerId": "w", "jobTypes": [has["kind"] + "-f"]})["jobs"]
        tenant.made("POST", f"/v1/jobs/{job['id']}/fail", {"workerId": "w", "errorMessage": f"{tenant.mark} broke", "retryable": False})
    for number in range(1, 5):
        has[f"run{number}"] = tenant.made("POST", f"/api/workflows/{has['flow']}/start", {"input": {"seen": tenant.mark}})["instanceId"]
    has["arrived"] = tenant.made("POST", f"/hooks/{has['hook']}", {"seen": tenant.mark})["instanceId"]


def things(tenant, has):
    tenant.made("PUT", f"/api/workflows/{has['draft']}/draft", {"half": "done"})
    tenant.made("PUT", f"/api/secrets/{has['secret']}", {"value": f"{tenant.mark} tells nobody"})
    has["bulk"] = tenant.made("POST", "/v1/bulk", {"action": "cancel", "filter": {"ids": [has["wait7"]]}})["id"]
    tenant.until(lambda: tenant.made("GET", f"/v1/bulk/{has['bulk']}")["state"] != "running")
    tenant.ask("POST", "/v1/events", {"specversion": "1.0", "id": has["once"], "source": has["source"], "type": has["type"]}, CLOUD)
    has["unmatched"] = str(tenant.made("GET", "/v1/events/unmatched")["items"][0]["number"])
    tenant.made("POST", "/v1/instances", {"definitionId": has["waits"]}, {"Idempotency-Key": has["once"]})


def of_entities(tenant, has):
    for name in ("order", "loose"):
        tenant.made("POST", f"/api/model/import/JSON/SAMPLE_DATA/{has[name]}/1", {**entities.SAMPLE, "customer": tenant.mark})
    tenant.made("POST", f"/api/model/{has['order']}/1/workflow/import", {"importMode": "MERGE", "workflows": [entities.WORKFLOW]})
    tenant.made("PUT", f"/api/model/{has['order']}/1/unique-keys", {"uniqueKeys": [{"id": "customer", "fields": ["$.customer"]}]})
    tenant.made("PUT", f"/api/model/{has['order']}/1/lock")
    for number in range(1, 10):
        made = tenant.made("POST", f"/api/entity/JSON/{has['order']}/1", {**entities.SAMPLE, "customer": f"{tenant.mark}-{number}"})[0]
        has[f"entity{number}"], has[f"write{number}"] = made["entityIds"][0], made["transactionId"]
    has["search"] = tenant.made("POST", f"/api/search/async/{has['order']}/1", {"type": "group", "operator": "AND", "conditions": []})
    tenant.until(lambda: tenant.made("GET", f"/api/search/async/{has['search']}/status")["searchJobStatus"] != "RUNNING")


TRUSTED = FIRST.jwk()


def of_access(tenant, has):
    has["keyid"] = tenant.made("POST", "/api/keys", {"name": has["key"], "roles": ["viewer"]})["id"]
    has["keyid2"] = tenant.made("POST", "/api/keys", {"name": has["key"] + "2", "roles": ["viewer"]})["id"]
    has["grant"] = tenant.made("POST", "/api/grants", {"to": f"group:{has['group']}", "role": "person"})["id"]
    client = tenant.made("POST", "/api/clients")
    has["client"], has["clientsecret"] = client["clientId"], client["clientSecret"]
    has["client2"] = tenant.made("POST", "/api/clients")["clientId"]
    has["provider"] = tenant.made("POST", "/api/oauth/oidc/providers", {"wellKnownConfigUri": f"https://{has['key']}.example/.well-known/openid-configuration"})["id"]
    has["trusted"] = has["key"] + "-trusted"
    tenant.made("POST", "/api/oauth/keys/trusted", {"keyId": has["trusted"], "jwk": {**TRUSTED, "kid": has["trusted"]}})


def absent(value, mark):
    """What nobody has, in the same form."""
    if re.fullmatch(f"[{CROCKFORD}]{{26}}", value):
        number = 0
        for char in value:
            number = number * 32 + CROCKFORD.index(char)
        number += 1 << (36 + 20)
        return "".join(CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))
    if re.fullmatch(r"[0-9a-f-]{36}", value):
        return str(uuid.UUID(int=uuid.UUID(value).int + (1 << 20)))
    if value.isdigit():
        return str(int(value) + 1000)
    return value.replace(mark, mark[::-1]) if mark in value else value[::-1]


def filled(template, has):
    """The template with the words in braces replaced, also in the values and names of a body."""
    if isinstance(template, str):
        return re.sub(r"{(\w+)}", lambda match: has[match[1]], template)
    if isinstance(template, dict):
        return {filled(name, has): filled(value, has) for name, value in template.items()}
    if isinstance(template, (list, tuple)):
        return [filled(value, has) for value in template]
    return template


EVERY = {"type": "group", "operator": "AND", "conditions": []}
DOCUMENT = {**entities.SAMPLE, "customer": "{new}"}
NEW = steps("{new}", wait("w", "end"))
PAGE = {200, 404}  # Depends on how the program was built.
DOCS, GZIP = {200, 308}, {200, 406}  # So do these; the client takes no gzip.

# Another tenant gets 404, its own thing of that name, or a list without anything of the tenant. 403: it is for admins of all tenants.
ROUTES = {
    "GET /v1/jobs": [(200, 200, "/v1/jobs"), (200, 200, "/v1/jobs?instanceId={work1}"), (200, 200, "/v1/jobs?jobType={kind}")],
    "GET /v1/instances": [(200, 200, "/v1/instances"), (200, 200, "/v1/instances?definitionId={waits}"), (200, 200, "/v1/instances?businessKey={key}-1"), (200, 200, "/v1/instances?cursor={wait2}")],
    "GET /v1/instances/reasons": [(200, 200, "/v1/instances/reasons"), (200, 200, "/v1/instances/reasons?definitionId={fails}")],
    "GET /v1/instances/{id}": [(404, 200, "/v1/instances/{" + word + "}") for word in ("wait1", "done", "cancelled", "failed1", "parent1", "run1", "arrived", "work1")],
    "GET /v1/instances/{id}/history": [(404, 200, "/v1/instances/{wait1}/history")],
    "GET /v1/instances/{id}/events": [(404, 200, "/v1/instances/{done}/events")],
    "GET /v1/instances/{id}/explain": [(404, 200, "/v1/instances/{wait1}/explain")],
    "GET /v1/bulk": [(200, 200, "/v1/bulk"), (200, 200, "/v1/bulk?cursor={bulk}")],
    "GET /v1/bulk/{id}": [(404, 200, "/v1/bulk/{bulk}")],
    "GET /v1/bulk/{id}/results": [(404, 200, "/v1/bulk/{bulk}/results")],
    "GET /v1/user-tasks": [(200, 200, "/v1/user-tasks"), (200, 200, "/v1/user-tasks?instanceId={person1}"), (200, 200, "/v1/user-tasks?definitionId={people}")],
    "GET /v1/definitions": [(200, 200, "/v1/definitions"), (200, 200, "/v1/definitions?keyword={waits}")],
    "GET /v1/definitions/{id}": [(404, 200, "/v1/definitions/{" + word + "}") for word in ("waits", "child", "graph", "hooked")],
    "GET /v1/definitions/{id}/versions/{version}": [(404, 200, "/v1/definitions/{waits}/versions/1")],
    "GET /v1/events/unmatched": [(200, 200, "/v1/events/unmatched")],
    "GET /api/triggers": [(200, 200, "/api/triggers"), (200, 200, "/api/triggers?definitionId={hooked}")],
    "GET /api/arrivals": [(200, 200, "/api/arrivals"), (200, 200, "/api/arrivals?definitionId={hooked}")],
    "GET /api/tasks": [(200, 200, "/api/tasks"), (200, 200, "/api/tasks?instanceId={person1}"), (200, 200, "/api/tasks?group={group}"), (200, 200, "/api/tasks?keyword=ask")],
    "GET /api/tasks/stream": [(None, None, "its own test: test_streams_of_tasks")],
    "GET /api/tasks/{id}": [(404, 200, "/api/tasks/{task1}")],
    "GET /api/overview": [(200, 200, "/api/overview")],
    "GET /api/series": [(200, 200, "/api/series")],
    "GET /api/workers": [(200, 200, "/api/workers")],
    "GET /api/locks": [(200, 200, "/api/locks")],
    "GET /api/instances": [(200, 200, "/api/instances"), (200, 200, "/api/instances?definitionId={waits}"), (200, 200, "/api/instances?keyword={key}"), (200, 200, "/api/instances?reason={fails}")],
    "GET /api/instances/groups": [(200, 200, "/api/instances/groups"), (200, 200, "/api/instances/groups?definitionId={fails}")],
    "GET /api/instances/{id}": [(404, 200, "/api/instances/{wait1}"), (404, 200, "/api/instances/{parent1}")],
    "GET /api/instances/{id}/visits": [(404, 200, "/api/instances/{done}/visits")],
    "GET /api/instances/{id}/visits/{number}": [(404, 200, "/api/instances/{done}/visits/1")],
    "GET /api/instances/{id}/scenario": [(404, 200, "/api/instances/{done}/scenario")],
    "GET /api/templates": [(200, 200, "/api/templates")],
    "GET /api/tables": [(200, 200, "/api/tables"), (200, 200, "/api/tables?keyword={rules}")],
    "GET /api/triggers/{definition}/{trigger}/ticks": [(404, 200, "/api/triggers/{graph}/c/ticks")],
    "GET /api/definitions/{id}/compare": [(404, 200, "/api/definitions/{waits}/compare?from=1&to=1")],
    "GET /api/definitions": [(200, 200, "/api/definitions"), (200, 200, "/api/definitions?keyword={waits}")],
    "GET /api/definitions/{id}": [(404, 200, "/api/definitions/{waits}")],
    "GET /api/definitions/{id}/versions/{version}/picture": [(404, 200, "/api/definitions/{waits}/versions/1/picture")],
    "GET /api/node-types": [(200, 200, "/api/node-types")],
    "GET /api/workflows": [(200, 200, "/api/workflows")],
    "GET /api/workflows/drafts": [(200, 200, "/api/workflows/drafts"), (200, 200, "/api/workflows/drafts?after={child}")],
    "GET /api/runs/{id}": [(404, 200, "/api/runs/{run1}")],
    "GET /api/runs/{id}/history": [(404, 200, "/api/runs/{run1}/history")],
    "GET /api/runs/{id}/trace": [(404, 200, "/api/runs/{run1}/trace")],
    "GET /api/runs/{id}/explain": [(404, 200, "/api/runs/{run1}/explain")],
    "GET /api/runs/{id}/events": [(404, 200, "/api/runs/{done}/events")],
    "GET /api/workflows/{id}": [(404, 200, "/api/workflows/{graph}")],
    "GET /api/workflows/{id}/runs": [(200, 200, "/api/workflows/{graph}/runs")],
    "GET /api/workflows/{id}/versions": [(404, 200, "/api/workflows/{graph}/versions")],
    "GET /api/workflows/{id}/versions/{version}": [(404, 200, "/api/workflows/{graph}/versions/1")],
    "GET /api/workflows/{id}/draft": [(404, 200, "/api/workflows/{draft}/draft")],
    "GET /api/secrets": [(200, 200, "/api/secrets")],
    "GET /api/connections": [(200, 200, "/api/connections")],
    "GET /api/compute/members": [(200, 200, "/api/compute/members")],
    "GET /api/model": [(200, 200, "/api/model")],
    "GET /api/model/": [(200, 200, "/api/model/")],
    "GET /api/model/{a}/{b}/{c}/{d}": [(404, 200, "/api/model/export/SIMPLE_VIEW/{order}/1"), (404, 200, "/api/model/{order}/1/workflow/export")],
    "GET /api/model/{name}/{version}/indexes": [(404, 200, "/api/model/{order}/1/indexes")],
    "GET /api/model/{name}/{version}/unique-keys": [(404, 200, "/api/model/{order}/1/unique-keys")],
    "GET /api/entity/stats": [(200, 200, "/api/entity/stats")],
    "GET /api/entity/stats/states": [(200, 200, "/api/entity/stats/states")],
    "GET /api/entity/stats/{name}/{version}": [(404, 200, "/api/entity/stats/{order}/1")],
    "GET /api/entity/stats/states/{name}/{version}": [(404, 200, "/api/entity/stats/states/{order}/1")],
    "GET /api/entity/{id}": [(404, 200, "/api/entity/{entity1}"), (404, 200, "/api/entity/{entity1}?transactionId={write1}")],
    "GET /api/entity/{id}/transitions": [(404, 200, "/api/entity/{entity1}/transitions")],
    "GET /api/entity/{id}/changes": [(404, 200, "/api/entity/{entity1}/changes")],
    "GET /api/entity/{name}/{version}": [(404, 200, "/api/entity/{order}/1")],
    "GET /api/audit/entity/{id}": [(404, 200, "/api/audit/entity/{entity1}")],
    "GET /api/audit/entity/{id}/workflow/{transaction}/finished": [(404, 200, "/api/audit/entity/{entity1}/workflow/{write1}/finished")],
    "GET /api/search/async/{job}": [(404, 200, "/api/search/async/{search}")],
    "GET /api/search/async/{job}/status": [(404, 200, "/api/search/async/{search}/status")],
    "GET /api/platform-api/entity/fetch/transitions": [(404, 200, "/api/platform-api/entity/fetch/transitions?entityClass={order}.1&entityId={entity1}")],
    "GET /api/help": [(200, 200, "/api/help")],
    "GET /api/help/{topic*}": [(404, 404, "/api/help/{order}")],
    "GET /api/health": [(200, 200, "/api/health")],
    "GET /api/live": [(None, None, "its own test: test_live_topics")],
    "GET /api/login": [(200, 200, "/api/login")],
    "GET /api/sessions": [(403, 403, "/api/sessions"), (403, 403, "/api/sessions?user={user}")],
    "GET /api/me": [(200, 200, "/api/me")],
    "GET /api/users": [(403, 403, "/api/users")],
    "GET /api/users/{name}": [(403, 403, "/api/users/{user}")],
    "GET /api/keys": [(200, 200, "/api/keys")],
    "GET /api/keys/{id}": [(404, 200, "/api/keys/{keyid}")],
    "GET /api/grants": [(200, 200, "/api/grants"), (200, 200, "/api/grants?to=group:{group}"), (200, 200, "/api/grants?to=key:{keyid}")],
    "GET /api/grants/{id}": [(404, 200, "/api/grants/{grant}")],
    "GET /api/issuers": [(403, 403, "/api/issuers")],
    "GET /api/issuers/{name}": [(403, 403, "/api/issuers/{issuer}")],
    "GET /api/tenants": [(200, 200, "/api/tenants")],
    "GET /api/tenants/{name}": [(404, 200, "/api/tenants/{tenant}")],
    "GET /api/audit": [(200, 200, "/api/audit"), (200, 200, "/api/audit?object={keyid}"), (200, 200, "/api/audit?principal=key:{keyid}")],
    "GET /api/access/explain": [(200, 200, "/api/access/explain?principal=key:{keyid}&permission=jobs:work"), (200, 200, "/api/access/explain?principal={user}&permission=jobs:work"), (200, 200, "/api/access/explain?principal=group:{group}&permission=jobs:work"),
                                (404, 200, "/api/access/explain?method=GET&path=/t/{tenant}/v1/jobs")],
    "GET /api/access/refusals": [(200, 200, "/api/access/refusals")],
    "GET /api/access/routes": [(200, 200, "/api/access/routes")],
    "GET /api/clients": [(200, 200, "/api/clients")],
    "GET /api/oauth/oidc/providers": [(200, 200, "/api/oauth/oidc/providers")],
    "POST /api/oauth/oidc/providers": [(400, 400, "/api/oauth/oidc/providers", {"wellKnownConfigUri": "none"})],
    "POST /api/oauth/oidc/providers/reload": [(200, 200, "/api/oauth/oidc/providers/reload")],
    "PATCH /api/oauth/oidc/providers/{id}": [(404, 200, "/api/oauth/oidc/providers/{provider}", {"audiences": ["a"]})],
    "POST /api/oauth/oidc/providers/{id}/invalidate": [(404, 200, "/api/oauth/oidc/providers/{provider}/invalidate")],
    "POST /api/oauth/oidc/providers/{id}/reactivate": [(404, 200, "/api/oauth/oidc/providers/{provider}/reactivate")],
    "DELETE /api/oauth/oidc/providers/{id}": [(404, {200, 204}, "/api/oauth/oidc/providers/{provider}")],
    "GET /api/oauth/keys/trusted": [(200, 200, "/api/oauth/keys/trusted")],
    "POST /api/oauth/keys/trusted": [(400, 400, "/api/oauth/keys/trusted", {"keyId": "{trusted}"})],
    "POST /api/oauth/keys/trusted/{keyId}/invalidate": [(404, 200, "/api/oauth/keys/trusted/{trusted}/invalidate")],
    "POST /api/oauth/keys/trusted/{keyId}/reactivate": [(404, 200, "/api/oauth/keys/trusted/{trusted}/reactivate", {"validTo": "2099-01-01T00:00:00Z"})],
    "DELETE /api/oauth/keys/trusted/{keyId}": [(404, 200, "/api/oauth/keys/trusted/{trusted}")],
    "GET /api/oauth/keys/keypair/current": [(403, 403, "/api/oauth/keys/keypair/current")],
    "POST /api/oauth/keys/keypair": [(403, 403, "/api/oauth/keys/keypair", {"algorithm": "RS256"})],
    "POST /api/oauth/keys/keypair/{keyId}/invalidate": [(403, 403, "/api/oauth/keys/keypair/{trusted}/invalidate")],
    "POST /api/oauth/keys/keypair/{keyId}/reactivate": [(403, 403, "/api/oauth/keys/keypair/{trusted}/reactivate", {"validTo": "2099-01-01T00:00:00Z"})],
    "DELETE /api/oauth/keys/keypair/{keyId}": [(403, 403, "/api/oauth/keys/keypair/{trusted}")],
    "GET /api/oidc/{name}/start": [(404, 404, "/api/oidc/{issuer}/start")],
    "GET /api/oidc/{name}/callback": [(None, None, "a provider sends it; test_oidc.py")],
    "GET /api/.well-known/jwks.json": [(200, 200, "/api/.well-known/jwks.json")],
    "GET /ui/": [(PAGE, PAGE, "/ui/")], "GET /ui/{path*}": [(PAGE, PAGE, "/ui/{wait1}")], "GET /ui": [(308, 308, "/ui")], "GET /": [(404, 404, "/")],
    "POST /": [(404, 404, "/", {})], "PUT /": [(404, 404, "/", {})], "PATCH /": [(404, 404, "/", {})], "DELETE /": [(404, 404, "/")],
    "GET /healthz": [(200, 200, "/healthz")], "GET /livez": [(200, 200, "/livez")], "GET /readyz": [(200, 200, "/readyz")],
    "GET /metrics": [(200, 200, "/metrics")],
    "GET /openapi.json": [(200, 200, "/openapi.json")], "GET /docs": [(DOCS, DOCS, "/docs")], "GET /docs/": [(GZIP, GZIP, "/docs/")], "GET /docs/{page}": [(200, 200, "/docs/steps.md"), (404, 404, "/docs/{waits}")], "GET /llms.txt": [(200, 200, "/llms.txt")],
    "GET /.well-known/oauth-protected-resource": [(200, 200, "/.well-known/oauth-protected-resource")], "GET /.well-known/oauth-protected-resource/mcp": [(200, 200, "/.well-known/oauth-protected-resource/mcp")],
    "GET /schemas/{name}": [(404, 404, "/schemas/{order}")],

    # ---- questions with a body ----
    "POST /api/checks": [(200, 200, "/api/checks", NEW)],
    "POST /api/apply": [(200, 200, "/api/apply", {"documents": [{"file": "new.json", "document": NEW}]})],
    "POST /api/pictures": [(200, 200, "/api/pictures", NEW)],
    "POST /api/ticks": [(200, 200, "/api/ticks", {"cron": "0 9 * * *"})],
    "POST /api/tables/try": [(200, 200, "/api/tables/try", {"table": {"rules": [{"when": {}, "outputs": {"x": 1}}]}, "rows": [{"variables": {}}]})],
    "POST /api/workflows/validate": [(200, 200, "/api/workflows/validate", graph(*FLOW_NODES, edges=FLOW_EDGES, name="{new}"))],
    "POST /api/trials": [(200, 200, "/api/trials", {"document": {"id": "{new}", "name": "x", "startsAt": "S", "states": [subflow("S", "{child}")]}})],
    "POST /api/model/validate/{name}/{version}": [(404, 200, "/api/model/validate/{order}/1", DOCUMENT)],
    "POST /api/entity/stats/{name}/{version}/query": [(404, 200, "/api/entity/stats/{order}/1/query", {"groupBy": ["$.customer"]})],
    "POST /api/search/direct/{name}/{version}": [(404, 200, "/api/search/direct/{order}/1", EVERY)],
    "POST /api/search/page/{name}/{version}": [(404, 200, "/api/search/page/{order}/1", {"type": "simple", "jsonPath": "$.customer", "operatorType": "EQUALS", "value": "{mark}-1"})],
    "POST /api/audit/verify": [(200, 200, "/api/audit/verify", {})],

    "POST /mcp": [(200, 200, "/mcp", tool("get_run", runId="{wait1}")), (200, 200, "/mcp", tool("list_runs", keyword="{key}")), (200, 200, "/mcp", tool("get_definition", definitionId="{waits}"))],

    "GET /api/tools": [(200, 200, "/api/tools")],

    # ---- changes ----
    "POST /v1/jobs/poll": [(200, 200, "/v1/jobs/poll", {"workerId": "w", "jobTypes": ["{kind}", "w"]})],
    "POST /v1/jobs/batch": [(200, 200, "/v1/jobs/batch", {"workerId": "w", "complete": [{"id": "{job4}"}], "poll": {"jobTypes": ["{kind}"]}})],
    "POST /v1/jobs/{id}/extend": [(404, 200, "/v1/jobs/{job3}/extend", {"workerId": "w", "leaseSeconds": 60})],
    "POST /v1/jobs/{id}/complete": [(404, 204, "/v1/jobs/{job1}/complete", {"workerId": "w"})],
    "POST /v1/jobs/{id}/fail": [(404, 204, "/v1/jobs/{job2}/fail", {"workerId": "w", "errorMessage": "x", "retryable": False})],
    "POST /v1/instances": [(404, 201, "/v1/instances", {"definitionId": "{waits}"})],
    "POST /v1/definitions/{id}/instances": [(404, 201, "/v1/definitions/{waits}/instances", {})],
    "POST /v1/definitions/{id}/signals/{stepId}": [(404, 204, "/v1/definitions/{waits}/signals/w?businessKey={key}-5", {})],
    "POST /v1/instances/{id}/signals/{stepId}": [(404, 204, "/v1/instances/{wait1}/signals/w", {})],
    "POST /v1/instances/{id}/modify": [(404, 200, "/v1/instances/{wait2}/modify", {"set": {"n": 1}}), (404, 200, "/v1/instances/{wait2}/modify?dryRun=true", {"set": {"n": 1}})],
    "POST /v1/instances/{id}/cancel": [(404, 200, "/v1/instances/{wait3}/cancel", {})],
    "POST /v1/instances/{id}/retry": [(404, 200, "/v1/instances/{failed1}/retry", {})],
    "POST /v1/instances/{id}/steps/{stepId}/retry": [(404, 200, "/v1/instances/{failed2}/steps/s/retry", {})],
    "POST /v1/instances/{id}/user-tasks/{stepId}/complete": [(404, 204, "/v1/instances/{person1}/user-tasks/ask/complete", {})],
    "POST /v1/user-tasks/{id}/complete": [(404, 204, "/v1/user-tasks/{task2}/complete", {})],
    "POST /v1/bulk": [(202, 202, "/v1/bulk", {"action": "cancel", "filter": {"ids": ["{wait4}"]}}), (200, 200, "/v1/bulk", {"action": "retry", "filter": {"definitionId": "{fails}"}, "dryRun": True})],
    "POST /v1/bulk/{id}/cancel": [(404, 200, "/v1/bulk/{bulk}/cancel", {})],
    "POST /v1/bulk/{id}/pause": [(404, 200, "/v1/bulk/{bulk}/pause", {})],
    "POST /v1/bulk/{id}/resume": [(404, 200, "/v1/bulk/{bulk}/resume", {})],
    "POST /v1/bulk/{id}/undo": [(404, 409, "/v1/bulk/{bulk}/undo", {})],
    "POST /api/migrations": [(404, 200, "/api/migrations", {"definitionId": "{moving}", "from": 1, "to": 2, "dryRun": True})],
    "POST /v1/definitions": [(201, 201, "/v1/definitions", NEW), (201, 201, "/v1/definitions", steps("{waits}", wait("w", "end"))), (201, 409, "/v1/definitions", hook("{new}-2", "/{hook}"))],
    "POST /v1/events": [(202, 202, "/v1/events", {"specversion": "1.0", "id": "1", "source": "{source}", "type": "{type}-taken"}, CLOUD)],
    "POST /v1/events/unmatched/{number}/resend": [(404, 202, "/v1/events/unmatched/{unmatched}/resend", {})],
    "POST /api/triggers/{definition}/{trigger}/pause": [(404, 200, "/api/triggers/{hooked}/h/pause", {})],
    "POST /api/triggers/{definition}/{trigger}/resume": [(404, 200, "/api/triggers/{hooked}/h/resume", {})],
    "POST /api/triggers/{definition}/{trigger}/fire": [(404, 202, "/api/triggers/{hooked}/h/fire", {})],
    "POST /api/engine/pause": [(403, 403, "/api/engine/pause", {})],
    "POST /api/engine/resume": [(403, 403, "/api/engine/resume", {})],
    "POST /api/tasks/{id}/claim": [(404, 200, "/api/tasks/{task4}/claim", {})],
    "POST /api/tasks/{id}/unclaim": [(404, 200, "/api/tasks/{task3}/unclaim", {})],
    "POST /api/tasks/{id}/comment": [(404, 200, "/api/tasks/{task4}/comment", {"comment": "x"})],
    "POST /api/tasks/{id}/assign": [(404, 200, "/api/tasks/{task5}/assign", {"assignee": "ann"})],
    "POST /api/tasks/{id}/complete": [(404, 204, "/api/tasks/{task4}/complete", {})],
    "POST /api/workflows": [(201, 201, "/api/workflows", graph(*FLOW_NODES, edges=FLOW_EDGES, name="{new}-g", definitionId="{new}-g"))],
    "POST /api/definitions/{id}/retire": [(404, 200, "/api/definitions/{rules}/retire")],
    "DELETE /api/definitions/{id}": [(404, 409, "/api/definitions/{waits}?with=ended")],
    "POST /api/definitions/{id}/versions/{version}/restore": [(404, 200, "/api/definitions/{quick}/versions/1/restore")],
    "POST /api/workflows/{id}/start": [(404, 201, "/api/workflows/{graph}/start", {"input": {}})],
    "POST /api/workflows/{id}/resume": [(404, 200, "/api/workflows/{run1}/resume", {"decision": "yes"})],
    "POST /api/workflows/{id}/cancel": [(404, 200, "/api/workflows/{run2}/cancel", {})],
    "POST /api/workflows/{id}/replay": [(404, 201, "/api/workflows/{run1}/replay", {})],
    "PUT /api/workflows/{id}/draft": [(201, 200, "/api/workflows/{draft}/draft", {"of": "another"})],
    "DELETE /api/workflows/{id}/draft": [(204, 204, "/api/workflows/{draft}/draft")],
    "POST /api/secrets/rekey": [(403, 403, "/api/secrets/rekey", {})],
    "POST /api/connections/{name}/test": [(404, 200, "/api/connections/{secret}/test", {"kind": "broker"})],
    "PUT /api/secrets/{name}": [(201, 200, "/api/secrets/{secret}", {"value": "another one"})],
    "DELETE /api/secrets/{name}": [(204, 204, "/api/secrets/{secret}")],
    "POST /api/model/{name}/{version}/workflow/import": [(404, 200, "/api/model/{loose}/1/workflow/import", {"importMode": "MERGE", "workflows": [entities.WORKFLOW]})],
    "PUT /api/model/{name}/{version}/lock": [(404, 200, "/api/model/{loose}/1/lock")],
    "PUT /api/model/{name}/{version}/unlock": [(404, 200, "/api/model/{loose}/1/unlock")],
    "PUT /api/model/{name}/{version}/indexes": [(404, 200, "/api/model/{order}/1/indexes", {"fields": []})],
    "PUT /api/model/{name}/{version}/unique-keys": [(404, 200, "/api/model/{loose}/1/unique-keys", {"uniqueKeys": []})],
    "POST /api/model/{name}/{version}/changeLevel/{level}": [(404, 200, "/api/model/{order}/1/changeLevel/TYPE")],
    "POST /api/entity/{format}/{name}/{version}": [(404, 200, "/api/entity/JSON/{order}/1", DOCUMENT)],
    "POST /api/entity/{format}": [(404, 200, "/api/entity/JSON", [{"model": {"name": "{order}", "version": 1}, "payload": json.dumps({"customer": "y"})}])],
    "PUT /api/entity/{format}": [(404, 200, "/api/entity/JSON", [{"id": "{entity2}", "payload": json.dumps({"customer": "z"})}])],
    "PUT /api/entity/{format}/{id}": [(404, 200, "/api/entity/JSON/{entity3}", DOCUMENT | {"customer": "{new}-3"})],
    "PATCH /api/entity/{format}/{id}": [(404, 200, "/api/entity/JSON/{entity3}", {"amount": 7}, {"If-Match": "*"})],
    "PUT /api/entity/{format}/{id}/{transition}": [(404, 200, "/api/entity/JSON/{entity4}/PAY", DOCUMENT | {"customer": "{new}-4"})],
    "PATCH /api/entity/{format}/{id}/{transition}": [(404, 200, "/api/entity/JSON/{entity5}/PAY", {"amount": 7}, {"If-Match": "*"})],
    "DELETE /api/entity/{id}": [(404, 200, "/api/entity/{entity6}")],
    "POST /api/search/async/{name}/{version}": [(404, 200, "/api/search/async/{order}/1", EVERY)],
    "PUT /api/search/async/{job}/cancel": [(404, 400, "/api/search/async/{search}/cancel")],
    "POST /api/keys": [(201, 201, "/api/keys", {"name": "{key}", "roles": ["viewer"]}), (404, 201, "/api/keys", {"name": "k", "roles": ["viewer"], "tenant": "{tenant}"})],
    "PATCH /api/keys/{id}": [(404, 200, "/api/keys/{keyid}", {"note": "x"})],
    "POST /api/keys/{id}/rotate": [(404, 201, "/api/keys/{keyid}/rotate", {})],
    "POST /api/grants": [(400, 201, "/api/grants", {"to": "key:{keyid}", "role": "worker"}), (404, 201, "/api/grants", {"to": "group:{group}", "role": "worker", "tenant": "{tenant}"})],
    "POST /api/access/apply": [(404, 200, "/api/access/apply", {"remove": [{"kind": "key", "name": "{keyid2}", "tenant": "{tenant}"}]})],
    "POST /api/clients": [(200, 200, "/api/clients")],
    "PUT /api/clients/{clientId}/secret": [(404, 200, "/api/clients/{client}/secret")],
    "POST /api/oauth/token": [(401, 401, "/api/oauth/token", b"grant_type=client_credentials", FORM)],
    "POST /api/users": [(403, 403, "/api/users", {"name": "eve"})],
    "PATCH /api/users/{name}": [(403, 403, "/api/users/{user}", {"displayName": "x"})],
    "DELETE /api/users/{name}": [(403, 403, "/api/users/{user}")],
    "POST /api/users/{name}/password": [(403, 403, "/api/users/{user}/password", {"password": "correct horse battery"})],
    "POST /api/users/{name}/end-sessions": [(403, 403, "/api/users/{user}/end-sessions", {})],
    "DELETE /api/sessions/{id}": [(404, 404, "/api/sessions/{session}")],
    "POST /api/issuers": [(403, 403, "/api/issuers", {"name": "x"})],
    "PATCH /api/issuers/{name}": [(403, 403, "/api/issuers/{issuer}", {"label": "x"})],
    "DELETE /api/issuers/{name}": [(403, 403, "/api/issuers/{issuer}")],
    "POST /api/issuers/{name}/test": [(403, 403, "/api/issuers/{issuer}/test", {})],
    "POST /api/tenants": [(403, 403, "/api/tenants", {"name": "{tenant}"})],
    "PATCH /api/tenants/{name}": [(403, 403, "/api/tenants/{tenant}", {"label": "x"})],
    "DELETE /api/tenants/{name}": [(403, 403, "/api/tenants/{tenant}"), (403, 403, "/api/tenants/{tenant}?with=everything&confirm={tenant}")],
    "POST /api/setup": [(None, None, "of no tenant: test_access.py")],
    "POST /api/session": [(None, None, "of no tenant: test_access.py")],
    "DELETE /api/session": [(400, 400, "/api/session")],
    "POST /api/oidc/{name}/session": [(None, None, "of no tenant: test_oidc.py")],
    "POST /hooks/{path*}": [(404, 202, "/hooks/{hook}", {})],
    "GET /hooks/{path*}": [(404, 405, "/hooks/{hook}")],
    "PUT /hooks/{path*}": [(404, 405, "/hooks/{hook}", {})],
    "DELETE /hooks/{path*}": [(404, 405, "/hooks/{hook}")],
    "GET /forms/{definition}": [(404, 200, "/t/{tenant}/forms/{flow}")],
    "GET /forms/{definition}/{trigger}": [(404, 404, "/t/{tenant}/forms/{flow}/none")],
    "POST /forms/{definition}": [(404, {201, 400}, "/t/{tenant}/forms/{flow}", b"", FORM)],
    "POST /forms/{definition}/{trigger}": [(404, 404, "/t/{tenant}/forms/{flow}/none", b"", FORM)],
    "GET /forms.css": [(200, 200, "/forms.css")],

    # ---- the end of things ----
    "DELETE /api/entity/{name}/{version}": [(404, 200, "/api/entity/{order}/1")],
    "DELETE /api/model/{name}/{version}": [(404, 200, "/api/model/{loose}/1")],
    "POST /api/model/import/{format}/{kind}/{name}/{version}": [(200, 200, "/api/model/import/JSON/SAMPLE_DATA/{spare}/1", entities.SAMPLE), (200, 409, "/api/model/import/JSON/SAMPLE_DATA/{order}/1", {"other": 1})],
    "DELETE /api/clients/{clientId}": [(404, 200, "/api/clients/{client2}")],
    "DELETE /api/grants/{id}": [(404, 204, "/api/grants/{grant}")],
    "DELETE /api/keys/{id}": [(404, 204, "/api/keys/{keyid}")],
}

# ---- gRPC: (code for another tenant, code for the tenant, request) ----

METHODS = {
    "GetDefinition": [("NOT_FOUND", "OK", {"id": "{waits}"}), ("NOT_FOUND", "OK", {"id": "{waits}", "version": 1})],
    "ListDefinitions": [("OK", "OK", {}), ("OK", "OK", {"keyword": "{waits}"})],
    "StartInstance": [("NOT_FOUND", "OK", {"definition_id": "{waits}"})],
    "GetInstance": [("NOT_FOUND", "OK", {"id": "{wait1}"})],
    "GetInstanceHistory": [("NOT_FOUND", "OK", {"id": "{wait1}"})],
    "CancelInstance": [("NOT_FOUND", "OK", {"id": "{wait6}"})],
    "ListInstances": [("OK", "OK", {}), ("OK", "OK", {"definition_id": "{waits}"}), ("OK", "OK", {"business_key": "{key}-1"})],
    "PollJobs": [("OK", "OK", {"worker_id": "w", "job_types": ["{kind}-g"]})],
    "CompleteJob": [("NOT_FOUND", "OK", {"job_id": "{job5}", "worker_id": "w"})],
    "FailJob": [("NOT_FOUND", None, {"job_id": "{job3}", "worker_id": "w", "error_message": "x"})],
    "CompleteUserTask": [("NOT_FOUND", "OK", {"instance_id": "{person6}", "user_task_step_id": "ask"})],
    "SignalWait": [("NOT_FOUND", None, {"instance_id": "{wait1}", "wait_step_id": "w"})],
    "RetryStep": [("NOT_FOUND", "OK", {"instance_id": "{failed3}", "step_id": "s"})],
    "UploadDefinition": [("OK", "OK", {"document": json.dumps(steps("{new}-r", wait("w", "end")))})],
}

# Of the other services. None: it has nothing of tenants. Kinds of events have rows of their own, and the stream of a calculation node a test.
SERVICES = {"grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch", "grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
            *("org.cyoda.cloud.api.grpc.CloudEventsService/" + name for name in ("startStreaming", "entityModelManage", "entityManage", "entityManageCollection", "entitySearch", "entitySearchCollection"))}

MODEL, LOOSE = {"name": "{order}", "version": 1}, {"name": "{loose}", "version": 1}

# Kinds of events: (code in the answer for another tenant, for the tenant, method, data). "": it succeeds. None: it ends things, and the routes do so later.
EVENTS = {
    "EntityModelExportRequest": [("MODEL_NOT_FOUND", "", "entityModelManage", {"model": MODEL, "converter": "SIMPLE_VIEW"})],
    "EntityModelTransitionRequest": [("MODEL_NOT_FOUND", "MODEL_ALREADY_LOCKED", "entityModelManage", {"model": MODEL, "transition": "LOCK"})],
    "EntityModelDeleteRequest": [("MODEL_NOT_FOUND", None, "entityModelManage", {"model": LOOSE})],
    "EntityModelSetUniqueKeysRequest": [("MODEL_NOT_FOUND", None, "entityModelManage", {"model": LOOSE, "uniqueKeys": []})],
    "EntityModelGetAllRequest": [("", "", "entityModelManage", {})],
    "EntityCreateRequest": [("MODEL_NOT_FOUND", "", "entityManage", {"dataFormat": "JSON", "payload": {"model": MODEL, "data": {"customer": "{new}-e1"}}})],
    "EntityUpdateRequest": [("ENTITY_NOT_FOUND", "", "entityManage", {"dataFormat": "JSON", "payload": {"entityId": "{entity7}", "data": {"customer": "{new}-e2"}}})],
    "EntityPatchRequest": [("ENTITY_NOT_FOUND", "", "entityManage", {"payload": {"entityId": "{entity7}", "patch": {"amount": 2}, "ifMatch": "*"}})],
    "EntityTransitionRequest": [("ENTITY_NOT_FOUND", "", "entityManage", {"entityId": "{entity8}", "transition": "PAY"})],
    "EntityDeleteRequest": [("ENTITY_NOT_FOUND", "", "entityManage", {"entityId": "{entity9}"})],
    "EntityDeleteAllRequest": [("MODEL_NOT_FOUND", None, "entityManage", {"model": MODEL}), ("MODEL_NOT_FOUND", None, "entityManageCollection", {"model": MODEL})],
    "EntityCreateCollectionRequest": [("MODEL_NOT_FOUND", "", "entityManageCollection", {"dataFormat": "JSON", "payloads": [{"model": MODEL, "data": {"customer": "{new}-e3"}}]})],
    "EntityUpdateCollectionRequest": [("ENTITY_NOT_FOUND", "", "entityManageCollection", {"dataFormat": "JSON", "payloads": [{"entityId": "{entity7}", "data": {"customer": "{new}-e4"}}]})],
    "EntityGetRequest": [("ENTITY_NOT_FOUND", "", "entitySearch", {"entityId": "{entity1}"})],
    "EntitySnapshotSearchRequest": [("MODEL_NOT_FOUND", "", "entitySearch", {"model": MODEL, "condition": EVERY})],
    "SnapshotGetStatusRequest": [("SEARCH_JOB_NOT_FOUND", "", "entitySearch", {"snapshotId": "{search}"})],
    "SnapshotCancelRequest": [("SEARCH_JOB_NOT_FOUND", "SEARCH_JOB_ALREADY_TERMINAL", "entitySearch", {"snapshotId": "{search}"})],
    "EntityGetAllRequest": [("MODEL_NOT_FOUND", "", "entitySearchCollection", {"model": MODEL, "pageSize": 20})],
    "EntityStatsGetRequest": [("", "", "entitySearchCollection", {}), ("MODEL_NOT_FOUND", "", "entitySearchCollection", {"model": MODEL})],
    "EntityStatsByStateGetRequest": [("", "", "entitySearchCollection", {}), ("MODEL_NOT_FOUND", "", "entitySearchCollection", {"model": MODEL})],
    "SnapshotGetRequest": [("SEARCH_JOB_NOT_FOUND", "", "entitySearchCollection", {"snapshotId": "{search}"})],
    "EntitySearchRequest": [("MODEL_NOT_FOUND", "", "entitySearchCollection", {"model": MODEL, "condition": EVERY})],
    "EntityChangesMetadataGetRequest": [("ENTITY_NOT_FOUND", "", "entitySearchCollection", {"entityId": "{entity1}"})],
    "EntityModelImportRequest": [("", "", "entityModelManage", {"model": {"name": "{spare}-e", "version": 1}, "dataFormat": "JSON", "converter": "SAMPLE_DATA", "payload": {"a": 1}})],
}

# ---- live topics: what the tenant does, and the other tenant must not hear of ----

TOPICS = {
    "overview": None, "workers": None,  # They come when anything changes, and say nothing.
    "instances": ("POST", "/v1/instances", {"definitionId": "{waits}"}),
    "entities": ("PUT", "/api/entity/JSON/{entity1}", DOCUMENT | {"customer": "{new}-1"}),
    "definitions": ("POST", "/v1/definitions", steps("{new}-l", wait("w", "end"))),
    "drafts": ("PUT", "/api/workflows/{draft}-2/draft", {"half": "done"}),
    "tasks": ("POST", "/api/tasks/{task7}/comment", {"comment": "x"}),
    "triggers": ("POST", "/api/triggers/{hooked}/h/resume", {}),
    "arrivals": ("POST", "/hooks/{hook}", {}),
    "bulk": ("POST", "/v1/bulk", {"action": "cancel", "filter": {"ids": ["{wait7}"]}}),
    "models": ("POST", "/api/model/import/JSON/SAMPLE_DATA/{spare}-l/1", {"a": 1}),
}

# ---- commands: (exit code for another tenant, for the tenant or None, arguments). Verbs with actions have a row for each. ----

COMMANDS = {
    "deploy": [(0, None, "{file}")],
    "plan": [(0, None, "{folder}")],
    "apply": [(0, None, "{folder} --yes")],
    "export": [(0, 0, "out --overwrite")],
    "definitions": [(0, 0, "")],
    "definition": [(3, 0, "{waits}")],
    "rollback": [(3, 0, "{quick} 1")],
    "retire": [(3, None, "{rules}")],
    "delete": [(3, None, "{rules} --with-ended")],
    "start": [(3, None, "{waits}")],
    "ps": [(0, 0, ""), (0, 0, "--key {key}-1"), (0, 0, "--definition {waits}"), (0, 0, "--status FAILED --group reason")],
    "show": [(3, 0, "{wait1}")],
    "trace": [(3, 0, "{wait1}")],
    "follow": [(3, 0, "{done}")],
    "signal": [(3, None, "{wait1} w"), (3, None, "--definition {waits} --key {key}-5 w"), (0, None, "--where definition={waits} --step w --yes")],
    "event": [(0, None, "{cloud}")],
    "unmatched": [(0, 0, "")],
    "resend": [(3, None, "{unmatched}"), (0, None, "--where type={type} --yes")],
    "complete": [(3, None, "{person1} ask")],
    "cancel": [(3, None, "{wait3}"), (0, None, "--where definition={waits} --yes")],
    "retry": [(3, None, "{failed1}"), (0, None, "--where definition={fails} --yes")],
    "migrate": [(3, 0, "{moving} --from 1 --to 2 --dry-run"), (3, None, "{moving} --from 1 --to 2 --yes"), (3, None, "--undo {bulk} --yes")],
    "replay": [(0, None, "{waits} --with {file}")],
    "bulk list": [(0, 0, "")], "bulk show": [(3, 0, "{bulk}")], "bulk cancel": [(3, None, "{bulk}")], "bulk pause": [(3, None, "{bulk}")], "bulk resume": [(3, None, "{bulk}")],
    "modify": [(3, None, "{wait2} --set n=1"), (3, 0, "{wait2} --set n=1 --dry-run")],
    "jobs": [(0, 0, "")],
    "locks": [(0, 0, "")],
    "tasks": [(0, 0, "")],
    "task show": [(3, 0, "{task1}")], "task claim": [(3, None, "{task4}")], "task unclaim": [(3, None, "{task3}")], "task assign": [(3, None, "{task5} --to ann")],
    "task comment": [(3, None, "{task4} --comment x")], "task complete": [(3, None, "{task4}")],
    "triggers": [(0, 0, ""), (0, 0, "{hooked}")],
    "trigger pause": [(3, None, "{hooked} h")], "trigger resume": [(3, None, "{hooked} h")], "trigger fire": [(3, None, "{hooked} h")],
    "arrivals": [(0, 0, ""), (0, 0, "{hooked}"), (0, 0, "{hooked} h")],
    "secret set": [(0, None, "{secret} --file {value}")], "secret list": [(0, 0, "")], "secret remove": [(0, None, "{secret}")], "secret rekey": [(5, None, "")],
    "whoami": [(0, 0, ""), (3, 0, "--tenant {tenant}")],
    "user add": [(5, None, "eve")], "user list": [(5, None, "")], "user show": [(5, None, "{user}")], "user set": [(5, None, "{user} --name x")],
    "user password": [(2, None, "{user}")], "user remove": [(5, None, "{user}")],
    "key add": [(0, None, "{key} --role viewer"), (3, None, "{key} --role viewer --tenant {tenant}")], "key list": [(0, 0, ""), (3, 0, "--tenant {tenant}")],
    "key rotate": [(3, None, "{keyid}")], "key revoke": [(3, None, "{keyid}")],
    "grant add": [(2, None, "key:{keyid} viewer"), (3, None, "group:{group} viewer --tenant {tenant}")], "grant list": [(0, 0, ""), (0, 0, "group:{group}")], "grant remove": [(3, None, "{grant}")],
    "issuer add": [(5, None, "x --issuer https://x.example --audience a")], "issuer list": [(5, None, "")], "issuer test": [(5, None, "{issuer}")], "issuer remove": [(5, None, "{issuer}")],
    "tenant add": [(5, None, "{tenant}")], "tenant list": [(0, 0, "")], "tenant show": [(3, 0, "{tenant}")], "tenant set": [(3, None, "{tenant} --label x")], "tenant remove": [(5, None, "{tenant}")],
    "audit": [(0, 0, ""), (0, 0, "--principal key:{keyid}")],
    "access apply": [(5, None, "{access}")], "access export": [(5, None, "")], "access explain": [(0, 0, "key:{keyid} GET /v1/jobs")], "access refusals": [(0, 0, "")],
}

# These ask no engine, or open a store of their own: the permissions of the file system guard that.
ALONE = {"serve", "store", "doctor", "torture", "validate", "explain", "graph", "test", "run", "login", "logout", "help", "version"}
