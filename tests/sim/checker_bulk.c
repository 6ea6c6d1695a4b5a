/* tests/sim/checker_bulk.c — one command for many: everybody it is for, nobody else, once each.
 *
 * What a bulk is for and what became of it is read from the rows of the transactions, and decoded here a
 * second time. The commands are found in the histories, by their actor.
 */
#include "record.h"

#include "runtime/bulk/bulk.h"

#include "base/read.h"

#include <inttypes.h>

/* ---- rows ---- */

static int64_t unzigzag(uint64_t value) { return (int64_t)(value >> 1) ^ -(int64_t)(value & 1); }

static void add_targets(struct world *world, struct model_bulk *bulk, str part)
{
    struct reader reader = { .p = part.p, .end = part.p + part.n };
    uint64_t number = 0;
    int64_t created_ms = 0;
    while (reader.p < reader.end && !reader.bad) {
        number += (uint64_t)unzigzag(read_varint(&reader));
        created_ms += unzigzag(read_varint(&reader));
        *list_push(&world->checker->arena, &bulk->targets) =
            (struct model_target){ .instance = number, .created_ms = created_ms };
    }
    if (reader.bad) violated(world, "bulk %" PRId64 ": its selection cannot be read", bulk->number);
}

static struct model_bulk *find_bulk(const struct checker *checker, int64_t number)
{
    for (size_t i = 0; i < checker->bulks.count; i++)
        if (checker->bulks.item[i]->number == number) return checker->bulks.item[i];
    return NULL;
}

static str text_of(const struct json *object, const char *name)
{
    const struct json *value = json_get(object, str_of(name));
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

/* ---- whom it is for ---- */

static bool is_action(const struct model_bulk *bulk, const char *word)
{
    return str_equal(text_of(bulk->request->bulk, "action"), str_of(word));
}

static bool has_version(const struct model_bulk *bulk, const struct model_instance *instance)
{
    int64_t version = 0;
    json_int64(json_get(json_get(bulk->request->bulk, STR("filter")), STR("definitionVersion")), &version);
    return instance->spec->version == version;
}

static bool has_status(const struct model_bulk *bulk, const struct model_instance *instance)
{
    str status = text_of(json_get(bulk->request->bulk, STR("filter")), "status");
    if (is_action(bulk, "retry")) return instance->status == INSTANCE_FAILED;
    if (is_action(bulk, "migrate"))
        return has_version(bulk, instance) && (model_live(instance) || instance->status == INSTANCE_FAILED);
    if (status.n) return str_equal(status, str_of(instance_status_word(instance->status)));
    return model_live(instance);
}

/* What of the filter cannot change. */
static bool is_of(const struct model_bulk *bulk, const struct model_instance *instance)
{
    const struct json *filter = json_get(bulk->request->bulk, STR("filter"));
    return str_equal(text_of(filter, "definitionId"), instance->spec->id) &&
           str_starts(instance->business_key, text_of(filter, "businessKeyPrefix"));
}

static struct model_target *find_target(struct model_bulk *bulk, uint64_t instance)
{
    for (size_t i = 0; i < bulk->targets.count; i++)
        if (bulk->targets.item[i].instance == instance) return &bulk->targets.item[i];
    return NULL;
}

static void check_selection(struct world *world, struct model_bulk *bulk)
{
    struct checker *checker = world->checker;
    for (size_t i = 0; i < bulk->targets.count; i++) {
        const struct model_target *target = &bulk->targets.item[i];
        const struct model_instance *instance = model_instance_of(checker, target->instance);
        if (!instance || instance->created_ms != target->created_ms || !is_of(bulk, instance))
            violated(world, "bulk %" PRId64 " is for instance %" PRIu64 ", which it must not be",
                     bulk->number, target->instance);
        if (find_target(bulk, target->instance) != target)
            violated(world, "bulk %" PRId64 " is for instance %" PRIu64 " twice", bulk->number,
                     target->instance);
    }
    /* What has been as it is since before anybody asked had to be found. */
    for (size_t i = 0; i < checker->instances.count && !world->failed; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        if (instance->purged || instance->status_ms >= bulk->request->first_arrived_ms) continue;
        if (instance->moved_ms >= bulk->request->first_arrived_ms) continue;
        if (is_of(bulk, instance) && has_status(bulk, instance) && !find_target(bulk, instance->id))
            violated(world, "bulk %" PRId64 " is not for instance %" PRIu64 ", which fits", bulk->number,
                     instance->id);
    }
}

/* ---- its life ---- */

static struct request *request_of(struct world *world, const struct json *body)
{
    for (uint32_t op = 1; op <= network_count(world); op++) {
        struct request *request = network_find(world, op);
        if (request->op == op && request->kind == CALL_BULK && json_equal(request->bulk, body))
            return request;
    }
    return NULL;
}

static void begun(struct world *world, const struct journal_record *record)
{
    struct checker *checker = world->checker;
    struct model_bulk *bulk = arena_make(&checker->arena, struct model_bulk);
    *bulk = (struct model_bulk){ .number = record->bulk->number, .ended = record->bulk->ended_ms != 0 };
    for (size_t i = 0; i < record->bulk_part_count; i++) {
        const struct bulk_part_row *part = &record->bulk_part[i];
        if (part->kind == BULK_PART_REQUEST)
            bulk->request = request_of(world, json_decode(part->blob, &checker->arena));
        if (part->kind == BULK_PART_SELECTION) add_targets(world, bulk, part->blob);
    }
    struct request *request = bulk->request;
    if (!request || !request->inside_count) {
        violated(world, "bulk %" PRId64 ": nobody asked for it", bulk->number);
        return;
    }
    if (++request->effects >
        (request->key.n ? 1 : request->ok_count + request->unknown_count + request->inside_count))
        violated(world, "op %u began %u bulks", request->op, request->effects);
    if (record->bulk->found != (int64_t)bulk->targets.count || record->bulk->done ||
        bulk->ended != !bulk->targets.count)
        violated(world, "bulk %" PRId64 " begins with wrong counts", bulk->number);
    check_selection(world, bulk);
    *list_push(&checker->arena, &checker->bulks) = bulk;
    trace(world, "commit: bulk %" PRId64 " begins, for %zu", bulk->number, bulk->targets.count);
}

static void check_result(struct world *world, struct model_bulk *bulk, const struct json *result)
{
    int64_t number = 0, outcome = -1;
    struct model_target *target = bulk->done < bulk->targets.count ? &bulk->targets.item[bulk->done] : NULL;
    json_int64(json_item(result, 0), &number);
    json_int64(json_item(result, 2), &outcome);
    if (!target || (int64_t)target->instance != number) {
        violated(world, "bulk %" PRId64 ": result %zu is of instance %" PRId64, bulk->number, bulk->done,
                 number);
        return;
    }
    bulk->done++;
    bulk->counts[outcome]++;
    if (target->commanded != (outcome == BULK_SUCCEEDED))
        violated(world, "bulk %" PRId64 ": instance %" PRId64 " %s its command, and the result is %s",
                 bulk->number, number, target->commanded ? "has" : "has not",
                 bulk_outcome_word((enum bulk_outcome)outcome));
    target->told = true;
    /* The store could not read it several times: it was not looked at. */
    const struct json *words = json_item(result, 3);
    if (outcome == BULK_REFUSED && json_is(words, JSON_STRING) &&
        str_ends(json_string(words), STR("(simulated)")))
        return;
    /* Unless it has changed in this very transaction, its status tells whether it had to be skipped. */
    const struct model_instance *instance = model_instance_of(world->checker, target->instance);
    if (instance->purged || target->commanded || instance->status_commit == world->checker->commit_count ||
        instance->moved_commit == world->checker->commit_count)
        return;
    if (has_status(bulk, instance) == (outcome == BULK_SKIPPED))
        violated(world, "bulk %" PRId64 ": instance %" PRId64 " is %s, and the result is %s", bulk->number,
                 number, instance_status_word(instance->status),
                 bulk_outcome_word((enum bulk_outcome)outcome));
}

static void went_on(struct world *world, const struct journal_record *record)
{
    const struct bulk_row *row = record->bulk;
    struct model_bulk *bulk = find_bulk(world->checker, row->number);
    if (!bulk || bulk->ended) {
        violated(world, "bulk %" PRId64 " goes on and is not there", row->number);
        return;
    }
    for (size_t i = 0; i < record->bulk_part_count && !world->failed; i++) {
        if (record->bulk_part[i].number != (int64_t)bulk->done)
            violated(world, "bulk %" PRId64 ": a part of its results has a wrong number", bulk->number);
        struct json_each each = json_each(json_decode(record->bulk_part[i].blob, &world->checker->arena));
        while (!world->failed && json_next(&each)) check_result(world, bulk, each.value);
    }
    bulk->ended = row->ended_ms != 0;
    if (row->done != (int64_t)bulk->done || row->succeeded != bulk->counts[BULK_SUCCEEDED] ||
        row->skipped != bulk->counts[BULK_SKIPPED] || row->refused != bulk->counts[BULK_REFUSED])
        violated(world, "bulk %" PRId64 " counts wrong", bulk->number);
    if (bulk->ended && row->state == BULK_STATE_DONE && bulk->done != bulk->targets.count)
        violated(world, "bulk %" PRId64 " ended with %zu of %zu done", bulk->number, bulk->done,
                 bulk->targets.count);
    if (bulk->ended && row->state == BULK_STATE_CANCELLED && !bulk->cancelled)
        violated(world, "bulk %" PRId64 " ended and nobody cancelled it", bulk->number);
    trace(world, "commit: bulk %" PRId64 " has done %zu of %zu", bulk->number, bulk->done,
          bulk->targets.count);
}

void checker_bulk(struct world *world, const struct journal_record *record)
{
    if (record->bulk_begins) begun(world, record);
    else went_on(world, record);
}

/* Nobody may have had a command whose result is not in the same transaction. */
void checker_bulks_committed(struct world *world)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->bulks.count; i++) {
        const struct model_bulk *bulk = checker->bulks.item[i];
        for (size_t k = 0; k < bulk->targets.count && !world->failed; k++)
            if (bulk->targets.item[k].commanded && !bulk->targets.item[k].told)
                violated(world,
                         "bulk %" PRId64 ": instance %" PRIu64 " has its command, and no result says so",
                         bulk->number, bulk->targets.item[k].instance);
    }
}

/* ---- its commands ---- */

bool bulk_commanded(struct record *record)
{
    const struct history *history = record->history;
    struct checker *checker = record->checker;
    struct id id = { 0 };
    if (!str_starts(history->actor, STR("bulk "))) return false;
    struct model_bulk *bulk = id_parse(str_slice(history->actor, 5, history->actor.n), &id)
                                  ? find_bulk(checker, (int64_t)id.instance)
                                  : NULL;
    struct model_target *target = bulk && !bulk->ended ? find_target(bulk, record->instance->id) : NULL;
    if (!target || target->commanded || target->told) {
        bad(record, "a bulk has no command for it, or had it before");
        return true;
    }
    static const char *const words[COMMAND_COUNT] = { [COMMAND_RETRY] = "retry",
                                                      [COMMAND_CANCEL] = "cancel",
                                                      [COMMAND_SIGNAL] = "signal",
                                                      [COMMAND_MIGRATE] = "migrate" };
    if (!words[history->command] || !is_action(bulk, words[history->command]))
        bad(record, "the bulk is for something else");
    if (!has_status(bulk, record->instance))
        bad(record, "the bulk is not for instances that are %s",
            instance_status_word(record->instance->status));
    target->commanded = true;
    record->bulk_body = bulk->request->bulk;
    struct request *asked = arena_make(&checker->arena, struct request);
    *asked = (struct request){
        .kind = CALL_BULK, .op = bulk->request->op, .text = bulk->request->text, .node = bulk->request->node
    };
    if (history->command != COMMAND_CANCEL && history->command != COMMAND_MIGRATE)
        asked->data = bulk->request->data;
    for (size_t i = 0; i < record->instance->tokens.count && history->command == COMMAND_RETRY; i++)
        if (record->instance->tokens.item[i].state == TOKEN_FAILED)
            asked->node = model_place(record->instance, &record->instance->tokens.item[i]);
    if (history->command == COMMAND_SIGNAL)
        record->released = model_waits(record->instance, asked->node, TOKEN_SIGNAL);
    record->request = asked;
    return true;
}

/* ---- requests and the end ---- */

void checker_bulk_before(struct world *world, const struct request *request)
{
    struct model_bulk *bulk =
        request->kind == CALL_CANCEL_BULK ? find_bulk(world->checker, (int64_t)request->id.instance) : NULL;
    if (bulk) bulk->cancelled = true;
}

void checker_bulk_answered(struct world *world, const struct copy *copy)
{
    const struct call *call = copy->call;
    if (call->status != ST_OK || call->replayed) return;
    const struct model_bulk *bulk = find_bulk(world->checker, call->value.bulks.view->row.number);
    if (!bulk || bulk->targets.count != (size_t)call->value.bulks.view->row.found)
        violated(world, "op %u was answered with a bulk that is not there", copy->request->op);
    else if (copy->request->kind == CALL_CANCEL_BULK && !bulk->ended)
        violated(world, "op %u: the bulk was cancelled and goes on", copy->request->op);
}

bool checker_bulks_done(const struct checker *checker)
{
    for (size_t i = 0; i < checker->bulks.count; i++)
        if (!checker->bulks.item[i]->ended) return false;
    return true;
}
