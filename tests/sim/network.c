#include "network.h"

#include "runtime/bulk/bulk.h"

#include "access.h"
#include "checker.h"
#include "server.h"

#include <inttypes.h>
#include <stdlib.h>

struct network {
    LIST(struct request *) requests; /* By op - 1. */
    struct copy *spare;
    LIST(struct copy *) copies; /* All there ever were, for the end. */
    size_t travelling;          /* Copies and answers on their way. */
};

void network_begin(struct world *world) { world->network = arena_make(&world->arena, struct network); }

void network_end(struct world *world)
{
    struct network *network = world->network;
    for (size_t i = 0; i < network->copies.count; i++) {
        struct copy *copy = network->copies.item[i];
        if (copy->call && copy->call->program_) program_unref(copy->call->program_);
        gate_forget(copy);
        arena_done(&copy->arena);
    }
}

uint32_t network_number(struct world *world, struct request *request)
{
    *list_push(&world->arena, &world->network->requests) = request;
    return (uint32_t)world->network->requests.count;
}

struct request *network_request(struct world *world, enum call_kind kind)
{
    struct request *request = arena_make(&world->arena, struct request);
    request->kind = kind;
    request->op = network_number(world, request);
    request->status = -1;
    request->tries_left = 3;
    return request;
}

struct request *network_find(struct world *world, uint32_t op)
{
    struct network *network = world->network;
    return op && op <= network->requests.count ? network->requests.item[op - 1] : NULL;
}

size_t network_count(const struct world *world) { return world->network->requests.count; }

/* ---- copies ---- */

static struct copy *new_copy(struct world *world, struct request *request)
{
    struct network *network = world->network;
    struct copy *copy = network->spare;
    if (copy) {
        network->spare = copy->spare;
        struct arena arena = copy->arena;
        *copy = (struct copy){ .arena = arena };
    } else {
        copy = arena_make(&world->arena, struct copy);
        arena_init(&copy->arena, 0);
        *list_push(&world->arena, &network->copies) = copy;
    }
    copy->request = request;
    return copy;
}

static void end_copy(struct world *world, struct copy *copy)
{
    if (copy->call->program_) program_unref(copy->call->program_);
    gate_forget(copy);
    copy->call = NULL;
    arena_reset(&copy->arena);
    copy->spare = world->network->spare;
    world->network->spare = copy;
}

static void fill_items(struct call *call, const struct request *request)
{
    call->as.batch.item = arena_make_n(call->arena, struct call, request->report_count);
    call->as.batch.item_count = request->report_count;
    for (size_t i = 0; i < request->report_count; i++) {
        const struct job_report *report = &request->report[i];
        struct call *item = &call->as.batch.item[i];
        item->kind = report->fails ? CALL_FAIL_JOB : CALL_COMPLETE_JOB;
        item->arena = call->arena;
        item->ns = call->ns;
        item->as.job.id = report->id;
        item->as.job.worker = request->worker;
        item->performs = request->performs;
        item->as.job.data = report->data;
        item->as.job.failure = report->failure;
        item->as.job.retryable = report->retryable;
        if (report->fails) item->as.job.text = arena_printf(call->arena, "op-%u", report->op);
    }
}

static void fill_arrive(struct call *call, const struct request *request)
{
    call->as.arrive = (struct call_arrive){ .event = { .type = ARRIVAL_HTTP,
                                                       .method = STR("POST"),
                                                       .path = request->text,
                                                       .payload = request->data },
                                            .idempotency_key = request->key };
    if (!request->by_hand) return;
    call->as.arrive.event =
        (struct arrival_event){ .type = ARRIVAL_MANUAL, .payload = request->data, .actor = request->worker };
    call->as.arrive.definition_id = request->definition_id;
    call->as.arrive.trigger = request->node;
}

static void fill_events(struct call *call, const struct request *request)
{
    call->as.events.event = arena_make_n(call->arena, struct call_event, request->event_count);
    call->as.events.event_count = request->event_count;
    for (size_t i = 0; i < request->event_count; i++) call->as.events.event[i].event = request->event[i];
}

static void fill_bulk(struct call *call, const struct request *request)
{
    struct bulk_request *bulk = arena_make(call->arena, struct bulk_request);
    must(bulk_request_read(request->bulk, call->arena, bulk, NULL) == ST_OK);
    call->as.bulk.request = bulk;
}

static struct call_poll poll_of(const struct request *request)
{
    return (struct call_poll){ .worker = request->worker,
                               .type = request->type,
                               .type_count = request->type_count,
                               .max = request->max,
                               .lease_ms = request->lease_ms,
                               .wait_ms = request->wait_ms };
}

static void fill_start(struct call *call, const struct request *request)
{
    call->as.start = (struct call_start){ .definition_id = request->definition_id,
                                          .version = request->version,
                                          .business_key = request->business_key,
                                          .data = request->data,
                                          .actor = request->worker,
                                          .trigger = request->node,
                                          .may_queue = request->may_queue,
                                          .wait_ms = request->wait_ms };
}

static void fill_job(struct call *call, const struct request *request)
{
    call->as.job = (struct call_job){ .id = request->id,
                                      .worker = request->worker,
                                      .data = request->data,
                                      .text = request->text,
                                      .retryable = request->retryable,
                                      .lease_ms = request->lease_ms };
    if (request->kind == CALL_FAIL_JOB) call->as.job.failure = request->report->failure;
}

static void fill_instance(struct call *call, const struct request *request)
{
    call->as.instance = (struct call_instance){ .id = request->id,
                                                .definition_id = request->definition_id,
                                                .business_key = request->business_key,
                                                .node = request->node,
                                                .data = request->data,
                                                .text = request->text,
                                                .actor = request->worker,
                                                .early = request->early,
                                                .failed_too = request->failed_too,
                                                .alone = request->alone };
}

static void fill_modify(struct call *call, const struct request *request)
{
    call->as.modify = (struct call_modify){ .id = request->id,
                                            .data = request->data,
                                            .unset = request->unset,
                                            .modification = request->modification,
                                            .modification_count = request->modification_count,
                                            .text = request->text,
                                            .actor = request->worker };
}

static void fill_list(struct call *call, const struct request *request)
{
    call->as.instances.filter.status = request->status;
    call->as.instances.filter.definition_id = request->definition_id;
    call->as.instances.filter.max = request->max;
    call->as.instances.with_total = true;
}

static void fill_tasks(struct call *call, const struct request *request)
{
    call->as.tasks.filter.max = request->max;
    call->as.tasks.with_total = true;
}

static void fill_entities(struct call *call, const struct request *request)
{
    call->as.entities =
        (struct call_entities){ .item = arena_make_n(call->arena, struct entity_item, request->item_count),
                                .count = request->item_count,
                                .transaction = request->worker,
                                .actor = request->worker,
                                .token = request->token };
    memcpy(call->as.entities.item, request->item, request->item_count * sizeof *request->item);
}

static void fill_model(struct call *call, const struct request *request)
{
    call->as.model = (struct call_model){ .name = STR("m"), .version = 1, .action = request->action };
    call->as.model.sample = call->as.model.list = request->data;
}

static void fill(struct call *call, const struct request *request)
{
    switch (request->kind) {
    case CALL_DEPLOY: call->as.deploy.text = request->text; break;
    case CALL_WRITE_ENTITIES: fill_entities(call, request); break;
    case CALL_GET_ENTITY: call->as.entity.id = request->item->id; break;
    case CALL_CHANGE_MODEL: fill_model(call, request); break;
    case CALL_SEARCH:
        call->as.search = (struct call_search){
            .name = STR("m"), .version = 1, .condition = request->data, .limit = request->max
        };
        break;
    case CALL_START: fill_start(call, request); break;
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
    case CALL_EXTEND_JOB: fill_job(call, request); break;
    case CALL_POLL_JOBS: call->as.poll = poll_of(request); break;
    case CALL_BATCH:
        fill_items(call, request);
        call->as.batch.poll = poll_of(request);
        break;
    case CALL_COMPLETE_TASK:
    case CALL_SIGNAL:
    case CALL_CANCEL:
    case CALL_RETRY: fill_instance(call, request); break;
    case CALL_MODIFY: fill_modify(call, request); break;
    case CALL_EVENTS: fill_events(call, request); break;
    case CALL_ARRIVE: fill_arrive(call, request); break;
    case CALL_EXPLAIN:
    case CALL_GET_INSTANCE:
    case CALL_GET_HISTORY:
        call->as.read = (struct call_read){ .id = request->id, .with_children = true };
        break;
    case CALL_WATCH:
        call->as.watch =
            (struct call_watch){ .id = request->id, .after = request->after, .wait_ms = request->wait_ms };
        break;
    case CALL_LIST_INSTANCES: fill_list(call, request); break;
    case CALL_LIST_TASKS: fill_tasks(call, request); break;
    case CALL_LIST_JOBS:
        call->as.jobs = (struct call_jobs){ .instance = request->id.instance, .max = request->max };
        break;
    case CALL_GET_DEFINITION:
        call->as.definition =
            (struct call_definition){ .id = request->definition_id, .version = request->version };
        break;
    case CALL_RETIRE: call->as.definition.id = request->definition_id; break;
    case CALL_DELETE_DEFINITION:
        call->as.deletion =
            (struct call_deletion){ .id = request->definition_id, .with_ended = request->with_ended };
        break;
    case CALL_LIST_UNMATCHED:
        call->as.unmatched = (struct call_unmatched){ .max = request->max, .with_total = true };
        break;
    case CALL_LIST_ARRIVALS:
        call->as.arrivals = (struct call_arrivals){ .outcome = -1, .max = request->max };
        break;
    case CALL_BULK: fill_bulk(call, request); break;
    case CALL_CANCEL_BULK: call->as.bulks.id = request->id; break;
    case CALL_SET_SECRET:
    case CALL_REMOVE_SECRET: call->as.secret = (struct call_secret){ request->node, request->text }; break;
    case CALL_LIST_SECRETS: call->as.secrets.max = request->max; break;
    case CALL_REKEY_SECRETS:
    case CALL_STATISTICS: break;
    default: must(!"no actor asks for this");
    }
}

/* Statistics are of the whole engine, and only the default tenant sees them. */
static int32_t tenant_of(const struct world *world, const struct request *request)
{
    bool is_default = request->strays || request->kind == CALL_STATISTICS;
    return is_default ? TENANT_DEFAULT : world->tenant;
}

static struct call *make_call(const struct world *world, struct copy *copy)
{
    const struct request *request = copy->request;
    struct call *call = call_new(request->kind, &copy->arena, NULL, copy);
    if (request->kind != CALL_ARRIVE) call->idempotency_key = request->key; /* Its trigger remembers it. */
    call->request_hash = request->op;
    call->ns = tenant_of(world, request);
    call->performs = request->performs;
    if (request->deed || request->visit) access_fill(world, call, request);
    else fill(call, request);
    return call;
}

static void arrive(struct world *world, void *subject)
{
    struct copy *copy = subject;
    struct request *request = copy->request;
    world->network->travelling--;
    if (server_arrive(world, copy)) {
        request->inside_count++;
        return;
    }
    trace(world, "net: op %u finds nobody", request->op);
    end_copy(world, copy);
}

static int64_t travel_ms(struct world *world)
{
    return world_fault(world, world->profile.slow) ? world_between(world, 1000, 20000)
                                                   : world_between(world, 1, 20);
}

static void send_copy(struct world *world, struct request *request)
{
    if (world_fault(world, world->profile.drop)) {
        trace(world, "net: op %u is lost", request->op);
        return;
    }
    struct copy *copy = new_copy(world, request);
    copy->call = make_call(world, copy);
    world->network->travelling++;
    world_after(world, travel_ms(world), arrive, copy);
}

static void try_again(struct world *world, void *subject);

/* Does the request name something by its number? */
static bool names_number(const struct request *request)
{
    switch (request->kind) {
    case CALL_COMPLETE_JOB:
    case CALL_FAIL_JOB:
    case CALL_EXTEND_JOB:
    case CALL_COMPLETE_TASK:
    case CALL_CANCEL:
    case CALL_RETRY:
    case CALL_GET_INSTANCE:
    case CALL_GET_HISTORY:
    case CALL_EXPLAIN:
    case CALL_WATCH: return !request->performs;
    case CALL_SIGNAL: return !request->definition_id.n;
    default: return false;
    }
}

static void send_stray(struct world *world, const struct request *request)
{
    enum { STRAYS_ONE_IN = 6 };
    if (world->tenant == TENANT_DEFAULT || !names_number(request) || world_below(world, STRAYS_ONE_IN))
        return;
    struct request *stray = arena_make(&world->arena, struct request);
    *stray = *request;
    stray->strays = stray->settled = true;
    stray->key = STR_NONE;
    stray->on_reply = NULL;
    stray->actor = NULL;
    stray->tries_left = stray->inside_count = stray->unknown_count = 0;
    stray->wait_ms = 0;
    send_copy(world, stray);
}

static void send_once(struct world *world, struct request *request)
{
    send_stray(world, request);
    send_copy(world, request);
    if (!request->once && world_fault(world, world->profile.duplicate)) {
        trace(world, "net: op %u is doubled", request->op);
        send_copy(world, request);
    }
    world_after(world, request->wait_ms + world_between(world, 1000, 4000), try_again, request);
}

static void try_again(struct world *world, void *subject)
{
    struct request *request = subject;
    if (request->settled) return;
    if (request->tries_left == 0) {
        trace(world, "client: gives up op %u", request->op);
        request->settled = true;
        if (request->on_reply) request->on_reply(world, request, NULL);
        return;
    }
    request->tries_left--;
    send_once(world, request);
}

void network_send(struct world *world, struct request *request) { send_once(world, request); }

/* ---- answers ---- */

static void hear(struct world *world, void *subject)
{
    struct copy *copy = subject;
    struct request *request = copy->request;
    world->network->travelling--;
    if (!request->settled) {
        request->settled = true;
        if (request->on_reply) request->on_reply(world, request, copy->call);
    }
    end_copy(world, copy);
}

void network_answered(struct world *world, struct copy *copy)
{
    copy->request->inside_count--;
    if (world_fault(world, world->profile.lose_reply)) {
        trace(world, "net: the answer to op %u is lost", copy->request->op);
        end_copy(world, copy);
        return;
    }
    /* A store that failed answers in vain: a client tries again. */
    if (status_retry(copy->call->status) && copy->request->tries_left) {
        end_copy(world, copy);
        return;
    }
    world->network->travelling++;
    world_after(world, travel_ms(world), hear, copy);
}

void network_lost(struct world *world, struct copy *copy)
{
    copy->request->inside_count--;
    copy->request->unknown_count++;
    end_copy(world, copy);
}

void network_abandon(struct world *world, const void *actor)
{
    for (size_t i = 0; i < world->inside.count; i++)
        if (world->inside.item[i]->request->actor == actor) world->inside.item[i]->call->abandoned = true;
}

bool network_idle(const struct world *world)
{
    if (world->network->travelling) return false;
    for (size_t i = 0; i < world->inside.count; i++)
        if (world->inside.item[i]->request->wait_ms == 0) return false;
    return true;
}

void network_not_idle(struct world *world)
{
    for (size_t i = 0; i < world->inside.count; i++) {
        const struct copy *copy = world->inside.item[i];
        if (copy->request->wait_ms == 0)
            violated(world, "op %u, which came to node %u at %lld ms, is never answered", copy->request->op,
                     copy->server->place, (long long)copy->arrived_ms);
    }
}
