/* tests/sim/actors_entity.c — clients that write entities, and members that compute for them. */
#include "actors.h"
#include "entity.h"

enum { KNOWN_MAX = 60, ITEMS_MAX = 3, LEASE_MS = 20000, PREPARED = 2 };

/* An entity that somebody has heard of. */
struct known_entity {
    struct uuid id;
    str transaction; /* The last one that was told. */
};

struct entity_client {
    uint32_t index;
    LIST(struct known_entity) known;
    uint32_t creates_left;
    uint32_t prepared; /* Steps that are done. */
    bool deployed;
};

/* A job in a member's hands. */
struct calculation {
    struct server *node; /* That has asked for it. */
    struct worker *member;
    uint64_t incarnation;
    struct id id;
    bool decides, again;
};

/* ---- clients ---- */

static void know(struct world *world, struct entity_client *client, struct uuid id, str transaction)
{
    for (size_t i = 0; i < client->known.count; i++)
        if (uuid_equal(client->known.item[i].id, id)) {
            client->known.item[i].transaction = transaction;
            return;
        }
    if (client->known.count < KNOWN_MAX)
        *list_push(&world->arena, &client->known) = (struct known_entity){ id, transaction };
}

static void on_written(struct world *world, struct request *request, const struct call *answer)
{
    if (!answer || answer->status != ST_OK) return;
    for (size_t i = 0; i < answer->as.entities.count; i++)
        know(world, request->actor, answer->as.entities.item[i].id,
             arena_printf(&world->arena, "op-%u", request->op));
}

static void on_deployed(struct world *world, struct request *request, const struct call *answer)
{
    (void)world;
    if (answer && answer->status == ST_OK) ((struct entity_client *)request->actor)->deployed = true;
}

static struct request *new_request(struct world *world, struct entity_client *client, enum call_kind kind,
                                   reply_fn *on_reply)
{
    struct request *request = network_request(world, kind);
    request->worker = arena_printf(&world->arena, "op-%u", request->op);
    request->actor = client;
    request->on_reply = on_reply;
    if (world_chance(world, world->profile.keyed))
        request->key = arena_printf(&world->arena, "key-%u", request->op);
    return request;
}

static struct entity_item create_item(struct world *world, uint32_t op)
{
    return (struct entity_item){
        .action = ENTITY_CREATE, .model = STR("m"), .version = 1, .data = entity_generate_data(world, op)
    };
}

static struct entity_item change_item(struct world *world, const struct known_entity *known, uint32_t op)
{
    struct entity_item item = { .action = ENTITY_UPDATE, .id = known->id };
    if (world_chance(world, world->profile.cancel)) item.action = ENTITY_DELETE;
    if (item.action == ENTITY_UPDATE && world_below(world, 5))
        item.transition = entity_generate_transition(world);
    if (item.action == ENTITY_UPDATE && (world_below(world, 3) || !item.transition.n))
        item.data = entity_generate_data(world, op);
    if (world_below(world, 3) == 0) item.if_match = known->transaction;
    return item;
}

/* Each entity once, new ones among them. */
static void write_some(struct world *world, struct entity_client *client)
{
    struct request *request = new_request(world, client, CALL_WRITE_ENTITIES, on_written);
    size_t count = world_below(world, 3) ? 1 : 1 + world_below(world, ITEMS_MAX);
    struct entity_item *item = arena_make_n(&world->arena, struct entity_item, count);
    size_t from = client->known.count ? world_below(world, (uint32_t)client->known.count) : 0;
    for (size_t i = 0; i < count; i++) {
        bool creates = client->creates_left && (world_below(world, 4) == 0 || i >= client->known.count);
        if (!creates && i >= client->known.count) return;
        client->creates_left -= creates;
        item[i] =
            creates ? create_item(world, request->op)
                    : change_item(world, &client->known.item[(from + i) % client->known.count], request->op);
        request->commits_early |= entity_commits_early(creates ? STR_NONE : item[i].transition);
    }
    request->item = item;
    request->item_count = count;
    for (size_t i = 0; i < count; i++) {
        static const char *const words[] = { "create", "update", "delete" };
        char id[UUID_CHARS + 1];
        uuid_print(item[i].id, id);
        trace(world, "client %u: op %u: %s %s by \"%.*s\"%s%.*s", client->index, request->op,
              words[item[i].action], item[i].action == ENTITY_CREATE ? "" : id, STR_ARG(item[i].transition),
              item[i].if_match.n ? " if " : "", STR_ARG(item[i].if_match));
    }
    network_send(world, request);
}

static void on_read(struct world *world, struct request *request, const struct call *answer)
{
    if (!answer || answer->status != ST_OK) return;
    const struct entity_view *view = answer->value.entities.view;
    const struct json *transaction = json_get(view->carried, STR("transactionId"));
    know(world, request->actor, view->id, arena_str(&world->arena, json_string(transaction)));
}

static void read_one(struct world *world, struct entity_client *client)
{
    if (!client->known.count) return;
    struct request *request = new_request(world, client, CALL_GET_ENTITY, on_read);
    struct entity_item *item = arena_make(&world->arena, struct entity_item);
    item->id = client->known.item[world_below(world, (uint32_t)client->known.count)].id;
    request->key = STR_NONE;
    request->item = item;
    request->item_count = 1;
    network_send(world, request);
}

/* ---- models ---- */

static void on_prepared(struct world *world, struct request *request, const struct call *answer)
{
    (void)world;
    if (answer && !status_retry(answer->status)) ((struct entity_client *)request->actor)->prepared++;
}

static void change_model(struct world *world, struct entity_client *client, enum model_action action,
                         const char *value)
{
    struct request *request = new_request(world, client, CALL_CHANGE_MODEL, on_prepared);
    struct error err;
    request->key = STR_NONE;
    request->action = action;
    must(json_parse(str_of(value), NULL, &world->arena, &request->data, &err) == ST_OK);
    trace(world, "client %u: op %u changes the model: %s", client->index, request->op, value);
    network_send(world, request);
}

/* A model that is there before its workflows can have unique keys. In other runs the first document makes
 * it. A model that is locked refuses both. */
static void prepare(struct world *world, struct entity_client *client)
{
    if (!world->profile.unique_keys) client->prepared = PREPARED;
    else if (!client->prepared) change_model(world, client, MODEL_IMPORT, "{\"n\":1,\"op\":1}");
    else change_model(world, client, MODEL_SET_KEYS, "[{\"id\":\"n\",\"fields\":[\"$.n\"]}]");
}

static void set_indexes(struct world *world, struct entity_client *client)
{
    static const char *const lists[] = { "[]", "[\"$.n\"]", "[\"$.op\"]", "[\"$.n\",\"$.op\"]" };
    change_model(world, client, MODEL_SET_INDEXES, lists[world_below(world, COUNT(lists))]);
}

/* ---- searches ---- */

static void search(struct world *world, struct entity_client *client)
{
    struct request *request = new_request(world, client, CALL_SEARCH, NULL);
    request->key = STR_NONE;
    request->max = 1000;
    request->data = entity_generate_search(world, &request->after);
    network_send(world, request);
}

static void deploy(struct world *world, struct entity_client *client)
{
    struct request *request = new_request(world, client, CALL_DEPLOY, on_deployed);
    request->text = entity_generate_document(world);
    trace(world, "client %u: deploys op %u", client->index, request->op);
    network_send(world, request);
}

static void act(struct world *world, void *subject)
{
    struct entity_client *client = subject;
    if (world->calm) return; /* Timers and members bring everything to its end. */
    uint32_t dice = world_below(world, 100);
    if (client->prepared < PREPARED) prepare(world, client);
    else if (!client->deployed || (dice < 8 && world_chance(world, 3000))) deploy(world, client);
    else if (dice < 10) set_indexes(world, client);
    else if (dice < 17) search(world, client);
    else if (dice < 25) read_one(world, client);
    else write_some(world, client);
    world_after(world, world_between(world, 20, 900), act, client);
}

/* ---- members ---- */

static void poll(struct world *world, void *subject);

/* A unit is in the memory of the node that has asked. */
static void report(struct world *world, const struct calculation *work)
{
    struct job_report *made = arena_make(&world->arena, struct job_report);
    bool fails = world_chance(world, world->profile.fail);
    struct request *request = network_request(world, fails ? CALL_FAIL_JOB : CALL_COMPLETE_JOB);
    *made = (struct job_report){ .id = work->id, .op = request->op, .fails = fails };
    if (fails && world_below(world, 2))
        made->failure = json_set(&world->arena, json_empty_object(), STR("name"),
                                 json_of_string(&world->arena, STR("COMPUTE_MEMBER_DISCONNECTED")));
    if (fails) request->text = arena_printf(&world->arena, "op-%u", request->op);
    else request->data = entity_generate_answer(world, work->decides, request->op);
    request->report = made;
    request->report_count = 1;
    request->id = work->id;
    request->worker = work->member->id;
    request->node_for = work->node;
    request->performs = true;
    trace(world, "%.*s: reports op %u, %s job %llu/%u.%u", STR_ARG(work->member->id), request->op,
          fails ? "failed" : "done", (unsigned long long)work->id.instance, work->id.number,
          work->id.delivery);
    network_send(world, request);
}

/* A processor writes entities of its own in the transaction that waits for it. */
static void join(struct world *world, struct server *node, const struct job_view *job)
{
    struct request *request = network_request(world, CALL_WRITE_ENTITIES);
    size_t count = 1 + world_below(world, 2);
    struct entity_item *item = arena_make_n(&world->arena, struct entity_item, count);
    for (size_t i = 0; i < count; i++) item[i] = create_item(world, request->op);
    request->worker = arena_printf(&world->arena, "op-%u", request->op);
    request->token = arena_str(&world->arena, job->token);
    request->node_for = node;
    request->id = job_view_id(job);
    request->item = item;
    request->item_count = count;
    request->commits_early = true;
    trace(world, "op %u joins the transaction of job %llu/%u", request->op,
          (unsigned long long)request->id.instance, request->id.number);
    network_send(world, request);
}

static void finish(struct world *world, void *subject)
{
    struct calculation *work = subject;
    if (work->incarnation != work->member->incarnation) return;
    report(world, work);
    if (work->again || !world_chance(world, world->profile.twice)) return;
    work->again = true;
    world_after(world, world_between(world, 0, 3000), finish, work);
}

static void wake_up(struct world *world, void *subject)
{
    struct worker *member = subject;
    member->asleep = false;
    poll(world, member);
}

static void on_jobs(struct world *world, struct request *request, const struct call *answer)
{
    struct worker *member = request->actor;
    if (member->asleep || member->incarnation != request->incarnation) return;
    size_t count = answer && answer->status == ST_OK ? answer->value.jobs.count : 0;
    if (count && world_fault(world, world->profile.die)) {
        trace(world, "%.*s: is lost", STR_ARG(member->id));
        member->incarnation++;
        member->asleep = true;
        world_after(world, world_between(world, 100, 20000), wake_up, member);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct job_view *job = &answer->value.jobs.view[i];
        struct calculation *work = arena_make(&world->arena, struct calculation);
        struct server *node = ((const struct copy *)answer->user)->server;
        *work = (struct calculation){ .member = member,
                                      .node = node,
                                      .incarnation = member->incarnation,
                                      .id = job_view_id(job),
                                      .decides = str_equal(job->type, STR("f")) ||
                                                 str_equal(json_string(json_get(job->config, STR("name"))),
                                                           STR("f")) };
        if (job->token.n && world_below(world, 3) == 0) join(world, node, job);
        int64_t takes_ms = world_between(world, 1, 400);
        if (world_fault(world, world->profile.stall)) takes_ms = world_between(world, 5000, 50000);
        world_after(world, takes_ms, finish, work);
    }
    world_after(world, world_between(world, 5, 200), poll, member);
}

static void poll(struct world *world, void *subject)
{
    struct worker *member = subject;
    if (member->asleep) return;
    struct request *request = network_request(world, CALL_POLL_JOBS);
    str *type = arena_make(&world->arena, str);
    *type = performer_queue(PERFORM_COMPUTE, STR_NONE);
    request->worker = member->id;
    request->type = type;
    request->type_count = 1;
    request->performs = true;
    request->max = 1 + world_below(world, 4);
    request->lease_ms = world_between(world, 2000, LEASE_MS);
    request->wait_ms = world_between(world, 500, 5000);
    request->tries_left = 0;
    request->actor = member;
    request->incarnation = member->incarnation;
    request->on_reply = on_jobs;
    network_send(world, request);
}

void entity_actors_begin(struct world *world)
{
    world->profile.unique_keys = world_below(world, 2);
    for (uint32_t i = 0; i < world->profile.client_count + 1; i++) {
        struct entity_client *client = arena_make(&world->arena, struct entity_client);
        *client = (struct entity_client){ .index = i, .creates_left = 2 + world->profile.start_count / 4 };
        world_after(world, world_between(world, 1, 200), act, client);
    }
    for (uint32_t i = 0; i < 1 + world->profile.worker_count / 2; i++) {
        struct worker *member = arena_make(&world->arena, struct worker);
        *member = (struct worker){ .id = arena_printf(&world->arena, "m%u", i), .performs = true };
        world_after(world, world_between(world, 1, 500), poll, member);
    }
}
