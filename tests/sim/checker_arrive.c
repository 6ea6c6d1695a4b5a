/* tests/sim/checker_arrive.c — arrivals: what becomes of each, and its record.
 *
 * What must become of an arrival follows from the latest version of the definition, the trigger's policy, the
 * key, who lives, and who waits for a place. It is computed when the first effect of the arrival is found: an
 * instance that is created or updated, an arrival that begins to wait, or else its record. The record comes
 * in the same transaction, behind the effects.
 *
 * An arrival that waits is routed once more when a place is free, and then it has a second record, behind
 * which its row is removed.
 *
 * Starts of flow graphs by hand are arrivals, too. They may name a version, the trigger and the key, and
 * they may say that they do not wait for a place.
 */
#include "record.h"

#include "runtime/arrivals/arrivals.h"

#include "server.h"

#include <inttypes.h>

/* ---- who lives ---- */

static size_t count_living(const struct checker *checker, str definition_id,
                           const struct model_instance *besides)
{
    size_t count = 0;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        count += instance != besides && model_live(instance) && str_equal(instance->spec->id, definition_id);
    }
    return count;
}

bool model_has_place(const struct checker *checker, const struct spec *spec,
                     const struct model_instance *besides)
{
    if (!spec->graph || !spec->graph->active_max) return true;
    return count_living(checker, spec->id, besides) < spec->graph->active_max;
}

static const struct model_instance *holder_of(const struct checker *checker, str definition_id, str key,
                                              const struct model_instance *besides)
{
    for (size_t i = 0; i < checker->instances.count && key.n; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        if (instance != besides && model_live(instance) && str_equal(instance->spec->id, definition_id) &&
            str_equal(instance->business_key, key))
            return instance;
    }
    return NULL;
}

static struct model_queued *first_queued(const struct checker *checker, str definition_id)
{
    struct model_queued *first = NULL;
    for (size_t i = 0; i < checker->queue.count; i++) {
        struct model_queued *queued = &checker->queue.item[i];
        if (!str_equal(queued->definition_id, definition_id)) continue;
        if (!first || str_compare(queued->row_key, first->row_key) < 0) first = queued;
    }
    return first;
}

/* ---- what comes to a trigger ---- */

struct sent {
    const struct spec *spec;   /* The version that begins. */
    const struct spec *latest; /* The version whose cap counts. */
    const struct graph_trigger *trigger;
    str key;         /* Of the arrival; empty: none. */
    bool may_wait;   /* For a place. */
    bool was_queued; /* It has waited. */
};

static bool is_arrival(const struct request *request)
{
    return request && (request->kind == CALL_ARRIVE || request->kind == CALL_START);
}

static bool may_wait(const struct request *request)
{
    return request->kind == CALL_ARRIVE || request->may_queue;
}

/* The trigger of the definition that the request is for: the named one, or the one with the path. A start
 * that names none comes to the first. */
static const struct graph_trigger *trigger_for(const struct request *request, const struct spec *spec)
{
    if (request->definition_id.n && !str_equal(request->definition_id, spec->id)) return NULL;
    if (request->kind == CALL_START && !request->node.n) return &spec->graph->triggers.item[0];
    if (request->definition_id.n) return graph_trigger(spec->graph, request->node);
    for (size_t i = 0; i < spec->graph->triggers.count; i++)
        if (str_equal(spec->graph->triggers.item[i].path, request->text))
            return &spec->graph->triggers.item[i];
    return NULL;
}

/* A key that the request names counts always, that of the trigger only if the trigger looks for instances. */
static str key_for(const struct request *request, const struct graph_trigger *trigger, struct arena *arena)
{
    if (request->business_key.n) return request->business_key;
    return trigger->on_match == ALWAYS_CREATE ? STR_NONE : graph_key(trigger, request->data, arena);
}

/* What a request brings to a definition as it is now. The version that a start names is forgotten while it
 * waits, because only starts of the latest one do. False: there is no such trigger. */
static bool find_sent(struct checker *checker, const struct request *request, str definition_id,
                      bool was_queued, struct sent *ret_sent)
{
    struct sent sent = { .latest = model_latest(checker, definition_id), .was_queued = was_queued };
    sent.spec = was_queued ? sent.latest : model_version(checker, definition_id, request->version);
    if (!sent.spec || !sent.spec->graph) return false;
    sent.trigger = trigger_for(request, sent.spec);
    if (!sent.trigger) return false;
    sent.key = key_for(request, sent.trigger, &checker->arena);
    sent.may_wait = may_wait(request) && sent.spec == sent.latest;
    *ret_sent = sent;
    return true;
}

bool model_has_trigger(struct checker *checker, const struct request *request)
{
    return find_sent(checker, request, request->definition_id, false, &(struct sent){ 0 });
}

/* ---- what must become of it ---- */

struct verdict {
    enum arrival_outcome outcome;
    const struct model_instance *holder;
};

/* There is no place for one more, or others wait for one. */
static bool is_over_cap(const struct checker *checker, const struct sent *sent,
                        const struct model_instance *besides)
{
    if (!sent->latest->graph->active_max) return false;
    bool others_wait =
        sent->latest->graph->queues && !sent->was_queued && first_queued(checker, sent->latest->id);
    return others_wait || !model_has_place(checker, sent->latest, besides);
}

static struct verdict judge(const struct checker *checker, const struct sent *sent,
                            const struct model_instance *besides)
{
    struct verdict verdict = { .outcome = OUTCOME_CREATED };
    enum on_match on_match = sent->trigger->on_match;
    bool waits = (sent->latest->graph->queues && sent->may_wait) || sent->was_queued;
    verdict.holder = holder_of(checker, sent->spec->id, sent->key, besides);
    if (verdict.holder && on_match == MAP_OR_REPLACE) verdict.outcome = OUTCOME_REPLACED;
    else if (verdict.holder && on_match != ALWAYS_CREATE) verdict.outcome = OUTCOME_UPDATED;
    else if (on_match == MAP_OR_DISCARD) verdict.outcome = OUTCOME_DISCARDED;
    else if (is_over_cap(checker, sent, besides))
        verdict.outcome = waits ? OUTCOME_QUEUED : OUTCOME_REJECTED_LIMIT;
    else if (verdict.holder)
        verdict.outcome = OUTCOME_REFUSED; /* A start names a key that another one has. */
    return verdict;
}

/* Is the arrival whose effects are being looked at one that has waited? Then its row is removed behind its
 * record. */
static bool was_queued(const struct checker *checker, size_t at)
{
    const struct journal *journal = checker->journal;
    while (at < journal->records.count && !journal->records.item[at].row) at++;
    return at + 1 < journal->records.count && journal->records.item[at + 1].row_removed;
}

static const struct journal_record *removal_behind(const struct checker *checker, size_t at)
{
    const struct journal *journal = checker->journal;
    while (at < journal->records.count && !journal->records.item[at].row) at++;
    return &journal->records.item[at + 1];
}

/* ---- effects ---- */

static void count_effect(struct world *world, struct request *request)
{
    uint32_t most = request->ok_count + request->unknown_count + request->inside_count;
    ++request->effects;
    if (!request->inside_count) violated(world, "the arrival op %u is not in the engine", request->op);
    if (request->effects > (request->key.n ? 1 : most))
        violated(world, "the arrival op %u took effect %u times", request->op, request->effects);
}

static struct request *sender_of(struct record *record)
{
    const struct entry *data = NULL;
    for (size_t i = 0; i < record->history->entry_count && !data; i++)
        if (record->history->entry[i].kind == ENTRY_KIND_SCOPE_DATA ||
            record->history->entry[i].kind == ENTRY_KIND_DATA)
            data = json_pointer(record->history->entry[i].json, STR("/trigger/payload/op"))
                       ? &record->history->entry[i]
                       : NULL;
    const struct json *payload = data ? json_pointer(data->json, STR("/trigger/payload")) : NULL;
    int64_t op = 0;
    json_int64(json_get(payload, STR("op")), &op);
    struct request *request = network_find(record->world, (uint32_t)op);
    if (!payload || !is_arrival(request) || !json_equal(request->data, payload)) {
        bad(record, "nobody sent what arrived");
        return NULL;
    }
    return request;
}

/* Must the instance be created or updated by what was sent? */
static void check_effect(struct record *record, const struct sent *sent, const struct verdict *verdict)
{
    const struct model_instance *created =
        record->history->command == COMMAND_START ? record->instance : NULL;
    str actor = record->arriving->worker.n ? record->arriving->worker : STR("trigger");
    bool creates = verdict->outcome == OUTCOME_CREATED || verdict->outcome == OUTCOME_REPLACED;
    if (created ? !creates : verdict->outcome != OUTCOME_UPDATED)
        bad(record, "the arrival op %u must be %s", record->arriving->op,
            arrive_outcome_word(verdict->outcome));
    else if (created && created->spec != sent->spec)
        bad(record, "it is of version %d, not of %d", created->spec->version, sent->spec->version);
    else if (created && !str_equal(created->business_key, sent->key))
        bad(record, "it is known by \"%.*s\", not by \"%.*s\"", STR_ARG(created->business_key),
            STR_ARG(sent->key));
    else if (!created && verdict->holder != record->instance)
        bad(record, "the arrival is for instance %" PRIu64, verdict->holder->id);
    else if (!str_equal(record->history->actor, actor)) bad(record, "somebody else sent it");
}

/* An instance is created or updated: by whom, and must it be so? */
static void begin(struct record *record, enum command_kind command)
{
    struct checker *checker = record->checker;
    struct request *request = sender_of(record);
    bool waited = was_queued(checker, checker->journal_at);
    struct sent sent;
    if (!request) return;
    record->arriving = request;
    if (checker->arriving.op) bad(record, "the arrival op %u has no record", checker->arriving.op);
    if (!find_sent(checker, request, record->instance->spec->id, waited, &sent)) {
        bad(record, "it arrived somewhere else");
        return;
    }
    record->arrived_at = sent.trigger->id;
    struct verdict verdict = judge(checker, &sent, command == COMMAND_START ? record->instance : NULL);
    check_effect(record, &sent, &verdict);
    checker->arriving = (struct model_arriving){ .op = request->op,
                                                 .outcome = verdict.outcome,
                                                 .instance = record->instance->id };
    if (verdict.outcome == OUTCOME_REPLACED) {
        checker->arriving.replaces = verdict.holder->id;
        record->instance->replaces = true;
    }
    if (!waited) count_effect(record->world, request);
}

void arrive_created(struct record *record) { begin(record, COMMAND_START); }
void arrive_updated(struct record *record) { begin(record, COMMAND_ARRIVE); }
bool arrive_replaces(const struct record *record) { return record->instance->replaces; }

void arrive_replaced(struct record *record)
{
    struct checker *checker = record->checker;
    const struct entry *by = record_find(record->history, ENTRY_KIND_REPLACED);
    if (!checker->arriving.op || checker->arriving.replaces != record->instance->id || !by ||
        by->instance != checker->arriving.instance)
        bad(record, "it was replaced by nobody");
    checker->arriving.replaces = 0;
}

/* ---- records ---- */

static uint64_t number_of(str bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < 8 && i < bytes.n; i++) number = number << 8 | (unsigned char)bytes.p[i];
    return number;
}

static str text_at(const struct json *array, size_t index)
{
    const struct json *value = json_item(array, index);
    return json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
}

/* An arrival begins to wait; its record follows. */
static void begins_to_wait(struct world *world, const struct record_row *row)
{
    struct checker *checker = world->checker;
    const struct json *value = json_decode(arena_str(&checker->arena, row->value), &checker->arena);
    int64_t op = 0;
    json_int64(json_pointer(value, STR("/payload/op")), &op);
    struct request *request = network_find(world, (uint32_t)op);
    struct sent sent;
    if (!is_arrival(request) || !request->definition_id.n ||
        !json_equal(request->data, json_get(value, STR("payload"))) ||
        !find_sent(checker, request, request->definition_id, false, &sent)) {
        violated(world, "an arrival waits that nobody sent");
        return;
    }
    struct verdict verdict = judge(checker, &sent, NULL);
    if (verdict.outcome != OUTCOME_QUEUED)
        violated(world, "the arrival op %u waits, and must be %s", request->op,
                 arrive_outcome_word(verdict.outcome));
    if (checker->arriving.op) violated(world, "the arrival op %u has no record", checker->arriving.op);
    checker->arriving = (struct model_arriving){ .op = request->op, .outcome = OUTCOME_QUEUED };
    count_effect(world, request);
    *list_push(&checker->arena, &checker->queue) =
        (struct model_queued){ .row_key = arena_str(&checker->arena, row->key),
                               .definition_id = request->definition_id,
                               .trigger = sent.trigger->id,
                               .op = request->op };
}

static void waits_no_longer(struct world *world, const struct record_row *row)
{
    struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->queue.count; i++) {
        const struct model_queued *queued = &checker->queue.item[i];
        if (!str_equal(queued->row_key, row->key)) continue;
        if (first_queued(checker, queued->definition_id) != queued)
            violated(world, "the arrival op %u did not wait its turn", queued->op);
        list_cut(&checker->queue, i);
        return;
    }
    violated(world, "an arrival waits no longer that did not wait");
}

/* Could this be the record of a request that was here before? */
static bool is_repeated(const struct world *world, const struct model_arrival *arrival)
{
    for (size_t i = 0; i < world->inside.count; i++) {
        const struct request *request = world->inside.item[i]->request;
        if (request->kind != CALL_ARRIVE || !request->key.n || !request->effects ||
            !str_equal(request->definition_id, arrival->definition_id) ||
            !str_equal(request->node, arrival->trigger))
            continue;
        for (size_t k = 0; k < world->checker->arrivals.count; k++) {
            const struct model_arrival *first = &world->checker->arrivals.item[k];
            if (first->op == request->op && first->instance == arrival->instance) return true;
        }
    }
    return false;
}

static bool is_idle(enum arrival_outcome outcome)
{
    return outcome == OUTCOME_DISCARDED || outcome == OUTCOME_REJECTED_LIMIT || outcome == OUTCOME_REFUSED;
}

/* A record of an arrival that did nothing. Nobody knows yet who sent it, and so whether it may wait. */
static void check_idle(struct world *world, struct model_arrival *arrival, bool waited)
{
    struct checker *checker = world->checker;
    const struct graph_trigger *trigger = graph_trigger(arrival->spec->graph, arrival->trigger);
    if (arrival->outcome == OUTCOME_DUPLICATE) {
        if (waited || !is_repeated(world, arrival))
            violated(world, "arrival %" PRIu64 " was not here before", arrival->number);
        return;
    }
    if (!trigger) { /* It waited, and the trigger is gone. */
        if (!waited || arrival->outcome != OUTCOME_REFUSED)
            violated(world, "arrival %" PRIu64 " is %s, and has no trigger", arrival->number,
                     arrive_outcome_word(arrival->outcome));
        return;
    }
    struct sent sent = { .spec = arrival->spec,
                         .latest = model_latest(checker, arrival->definition_id),
                         .trigger = trigger,
                         .key = arrival->key,
                         .was_queued = waited };
    enum arrival_outcome must_be = judge(checker, &sent, NULL).outcome;
    arrival->fits_hasty = is_idle(must_be) && must_be == arrival->outcome;
    sent.may_wait = sent.spec == sent.latest;
    must_be = judge(checker, &sent, NULL).outcome;
    arrival->fits_patient = is_idle(must_be) && must_be == arrival->outcome;
    if (!arrival->fits_hasty && !arrival->fits_patient)
        violated(world, "arrival %" PRIu64 " is %s, and must be %s", arrival->number,
                 arrive_outcome_word(arrival->outcome), arrive_outcome_word(must_be));
}

/* Numbers ascend. Those of several nodes are at least different. */
static void check_number(struct world *world, uint64_t number)
{
    const struct checker *checker = world->checker;
    for (size_t i = checker->arrivals.count; i-- > 0;) {
        uint64_t other = checker->arrivals.item[i].number;
        if (other == number) violated(world, "there are two arrivals %" PRIu64, number);
        if (world_is_shared(world)) continue;
        if (other > number) violated(world, "arrival %" PRIu64 " is recorded after a later one", number);
        return;
    }
}

/* By number, as lists show them. */
static void add_arrival(struct checker *checker, const struct model_arrival *arrival)
{
    size_t at = checker->arrivals.count;
    list_push(&checker->arena, &checker->arrivals);
    struct model_arrival *item = checker->arrivals.item;
    for (; at && item[at - 1].number > arrival->number; at--) item[at] = item[at - 1];
    item[at] = *arrival;
}

/* [at, definition, version, trigger, outcome, key, instance, created, note] */
static void recorded(struct world *world, const struct record_row *row)
{
    struct checker *checker = world->checker;
    struct model_arriving *arriving = &checker->arriving;
    const struct json *value = json_decode(arena_str(&checker->arena, row->value), &checker->arena);
    const struct spec *spec = model_version(checker, text_at(value, 1), (int32_t)json_item_int64(value, 2));
    struct model_arrival arrival = { .number = UINT64_MAX - number_of(row->key),
                                     .definition_id = text_at(value, 1),
                                     .spec = spec,
                                     .is_latest = spec == model_latest(checker, text_at(value, 1)),
                                     .trigger = text_at(value, 3),
                                     .key = text_at(value, 5),
                                     .outcome = (enum arrival_outcome)json_item_int64(value, 4),
                                     .instance = (uint64_t)json_item_int64(value, 6),
                                     .op = arriving->op };
    if (arrival.outcome == OUTCOME_MISFIRE_DISCARDED) checker_slots_missed(world, spec, text_at(value, 8));
    if (!spec || !spec->graph) return; /* A tick of a schedule. */
    bool waited = was_queued(checker, checker->journal_at);
    trace(world, "commit: arrival %" PRIu64 " at %.*s/%.*s is %s, instance %" PRIu64 "%s", arrival.number,
          STR_ARG(arrival.definition_id), STR_ARG(arrival.trigger), arrive_outcome_word(arrival.outcome),
          arrival.instance, waited ? ", out of the queue" : "");
    check_number(world, arrival.number);
    if (waited && !arrival.is_latest)
        violated(world, "arrival %" PRIu64 " waited, and is of an old version", arrival.number);
    if (!arriving->op) check_idle(world, &arrival, waited);
    else if (arriving->outcome != arrival.outcome || arriving->instance != arrival.instance ||
             arriving->replaces)
        violated(world, "arrival %" PRIu64 " is %s by its record, and must be %s", arrival.number,
                 arrive_outcome_word(arrival.outcome), arrive_outcome_word(arriving->outcome));
    if (waited && arriving->op) { /* It is the one whose row goes. */
        str key = removal_behind(checker, checker->journal_at)->row->key;
        const struct model_queued *first = first_queued(checker, arrival.definition_id);
        if (!first || !str_equal(first->row_key, key) || first->op != arriving->op)
            violated(world, "the arrival op %u did not wait its turn", arriving->op);
    }
    if (waited) arrival.claimed = true; /* Nobody is told. */
    *arriving = (struct model_arriving){ .op = 0 };
    add_arrival(checker, &arrival);
}

void checker_arrival(struct world *world, const struct journal_record *record)
{
    if (record->row->kind == RECORD_ARRIVAL) recorded(world, record->row);
    else if (record->row_removed) waits_no_longer(world, record->row);
    else begins_to_wait(world, record->row);
}

/* ---- the end of a transaction ---- */

/* Instances that were created in it, and not in the place of others; revived ones do not count. */
static void check_cap(struct world *world, const struct spec *spec)
{
    const struct checker *checker = world->checker;
    size_t created = 0, living = 0;
    for (size_t i = 0; i < checker->instances.count; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        bool is_new = instance->started_commit == checker->commit_count;
        bool revived = !is_new && instance->status_commit == checker->commit_count && instance->retried;
        if (!model_live(instance) || !str_equal(instance->spec->id, spec->id) || revived) continue;
        living++;
        created += is_new && !instance->replaces;
    }
    if (created && living > spec->graph->active_max)
        violated(world, "%zu instances of %.*s live, and the most is %u", living, STR_ARG(spec->id),
                 spec->graph->active_max);
}

static void check_keys(struct world *world, const struct model_instance *instance)
{
    const struct checker *checker = world->checker;
    if (instance->business_key.n && model_live(instance) &&
        holder_of(checker, instance->spec->id, instance->business_key, instance))
        violated(world, "two instances of %.*s are known by \"%.*s\"", STR_ARG(instance->spec->id),
                 STR_ARG(instance->business_key));
}

/* The last count of the transaction is that of the queue. */
static void check_counts(struct world *world)
{
    const struct checker *checker = world->checker;
    for (size_t i = 0; i < checker->journal->counts.count; i++) {
        const struct journal_count *told = &checker->journal->counts.item[i];
        bool last = true;
        int64_t count = 0;
        for (size_t k = i + 1; k < checker->journal->counts.count; k++)
            last &= !str_equal(checker->journal->counts.item[k].definition_id, told->definition_id);
        for (size_t k = 0; k < checker->queue.count; k++)
            count += str_equal(checker->queue.item[k].definition_id, told->definition_id);
        if (last && count != told->count)
            violated(world, "%" PRId64 " arrivals of %.*s wait, and the store counts %" PRId64, count,
                     STR_ARG(told->definition_id), told->count);
    }
}

void checker_arrivals_committed(struct world *world)
{
    const struct checker *checker = world->checker;
    check_counts(world);
    if (checker->arriving.op) violated(world, "the arrival op %u has no record", checker->arriving.op);
    for (size_t i = 0; i < checker->instances.count && !world->failed; i++) {
        const struct model_instance *instance = checker->instances.item[i];
        if (!instance->spec->graph || instance->status_commit != checker->commit_count) continue;
        const struct spec *latest = model_latest(checker, instance->spec->id);
        /* A version that came in the same transaction may have come behind it. */
        if (latest->graph->active_max && latest->commit != checker->commit_count) check_cap(world, latest);
        if (!world->failed) check_keys(world, instance);
    }
}

/* ---- answers ---- */

static struct model_arrival *find_arrival(const struct checker *checker, uint64_t number)
{
    for (size_t i = checker->arrivals.count; i-- > 0;)
        if (checker->arrivals.item[i].number == number) return &checker->arrivals.item[i];
    return NULL;
}

static bool has_effect(enum arrival_outcome outcome)
{
    return outcome == OUTCOME_CREATED || outcome == OUTCOME_UPDATED || outcome == OUTCOME_REPLACED ||
           outcome == OUTCOME_QUEUED;
}

/* Is the record of an arrival that did nothing that of this request? */
static bool fits(struct checker *checker, const struct request *request, const struct model_arrival *arrival)
{
    const struct graph_trigger *trigger = graph_trigger(arrival->spec->graph, arrival->trigger);
    bool fits = may_wait(request) ? arrival->fits_patient : arrival->fits_hasty;
    return fits && str_equal(key_for(request, trigger, &checker->arena), arrival->key);
}

static bool came_right(struct checker *checker, const struct copy *copy, const struct model_arrival *arrival)
{
    const struct request *request = copy->request;
    if (request->version ? arrival->spec->version != request->version : !arrival->is_latest) return false;
    if (arrival->outcome != OUTCOME_DUPLICATE && !arrival->op && !fits(checker, request, arrival))
        return false;
    if (!request->definition_id.n)
        return model_had_path(checker, copy, arrival->definition_id, arrival->trigger);
    const struct graph_trigger *trigger = trigger_for(request, arrival->spec);
    return trigger && str_equal(arrival->trigger, trigger->id);
}

static void check_answer(struct world *world, struct copy *copy, const struct arrival_view *view)
{
    struct request *request = copy->request;
    struct model_arrival *arrival = find_arrival(world->checker, view->number);
    if (!arrival || arrival->claimed || arrival->outcome != view->outcome ||
        arrival->instance != view->instance || !came_right(world->checker, copy, arrival) ||
        (arrival->op && arrival->op != request->op)) {
        violated(world, "op %u was answered with the arrival %" PRIu64 ", %s, which is not its own",
                 request->op, view->number, arrive_outcome_word(view->outcome));
        return;
    }
    arrival->claimed = true;
    if (has_effect(view->outcome) && request->kind == CALL_ARRIVE) request->ok_count++;
    if (view->outcome != OUTCOME_DUPLICATE) return;
    for (size_t i = 0; i < world->checker->arrivals.count; i++) {
        const struct model_arrival *first = &world->checker->arrivals.item[i];
        if (first->op != request->op) continue;
        if (!request->key.n || first->instance != view->instance)
            violated(world, "op %u was answered differently the second time", request->op);
        return;
    }
    violated(world, "op %u was not here before", request->op);
}

void checker_arrive_answered(struct world *world, struct copy *copy)
{
    const struct call *call = copy->call;
    struct request *request = copy->request;
    const struct spec *spec = model_latest(world->checker, request->definition_id);
    if (call->status == ST_STORE) request->unknown_count++;
    bool is_unknown = request->by_hand && call->status == ST_NOT_FOUND;
    if (call->status != ST_OK && !is_unknown) {
        if (!status_retry(call->status))
            violated(world, "the arrival op %u was refused: %s", request->op, call->error.message);
        return;
    }
    if (!is_unknown && call->value.arrivals.count) {
        check_answer(world, copy, call->value.arrivals.view);
        return;
    }
    if (!request->definition_id.n && model_has_path(world->checker, copy))
        violated(world, "op %u finds nobody at %.*s", request->op, STR_ARG(request->text));
    /* The definition may have come in the same turn, behind it. */
    bool is_new = spec && spec->commit > copy->commit_before;
    if (spec && graph_trigger(spec->graph, request->node) && !is_new)
        violated(world, "op %u finds no trigger", request->op);
}

/* A start that was refused by its trigger has a record, if its transaction was committed. */
bool checker_start_refused(const struct call *call)
{
    bool by_cap = call->error.code && str_equal(str_of(call->error.code), STR("MAX_ACTIVE_INSTANCES"));
    return call->value.instances.arrival && call->status != ST_OK && (by_cap || !status_retry(call->status));
}

void checker_start_answered(struct world *world, struct copy *copy)
{
    const struct call *call = copy->call;
    const struct request *request = copy->request;
    const struct arrival_view *arrival = call->value.instances.arrival;
    const struct instance_view *view = call->value.instances.view;
    const struct spec *spec = model_latest(world->checker, request->definition_id);
    bool done = call->status == ST_OK;
    if (call->replayed || (!done && !checker_start_refused(call))) return;
    if (!spec || !spec->graph || !arrival) {
        if (arrival || (spec && spec->graph))
            violated(world, "op %u came to %s", request->op, arrival ? "a trigger" : "no trigger");
        return;
    }
    check_answer(world, copy, arrival);
    if (has_effect(arrival->outcome) != done)
        violated(world, "op %u was %s, and is %s", request->op, done ? "acknowledged" : "refused",
                 arrive_outcome_word(arrival->outcome));
    else if (done && (view ? view->id : 0) != arrival->instance)
        violated(world, "op %u was answered with another instance", request->op);
}

/* The newest ones, and all of them if there is place. */
void checker_arrivals_listed(struct world *world, const struct call *call)
{
    const struct checker *checker = world->checker;
    const struct answer_arrivals *answer = &call->value.arrivals;
    uint32_t op = ((const struct copy *)call->user)->request->op;
    size_t next = 0;
    for (size_t i = checker->arrivals.count; i-- > 0 && next < call->as.arrivals.max; next++) {
        const struct model_arrival *arrival = &checker->arrivals.item[i];
        const struct arrival_view *view = next < answer->count ? &answer->view[next] : NULL;
        if (view && view->number == arrival->number && view->outcome == arrival->outcome &&
            view->instance == arrival->instance && str_equal(view->trigger, arrival->trigger) &&
            str_equal(view->definition_id, arrival->definition_id))
            continue;
        violated(world, "op %u: arrival %" PRIu64 " is not listed as it was", op, arrival->number);
        return;
    }
    if (next != answer->count) violated(world, "op %u is shown arrivals that were not", op);
}

/* ---- the end of a run ---- */

bool checker_queue_done(const struct checker *checker)
{
    for (size_t i = 0; i < checker->queue.count; i++)
        if (model_has_place(checker, model_latest(checker, checker->queue.item[i].definition_id), NULL))
            return false;
    return true;
}

/* Does the request come to a trigger? */
static bool is_sent(const struct checker *checker, const struct request *request)
{
    const struct spec *spec = model_latest(checker, request->definition_id);
    return request->kind == CALL_ARRIVE || (request->kind == CALL_START && spec && spec->graph);
}

/* Records that nobody was told of are those of requests whose fate is unknown. */
void checker_arrivals_end(struct world *world)
{
    const struct checker *checker = world->checker;
    size_t unclaimed = 0, unknown = 0;
    for (size_t i = 0; i < checker->arrivals.count; i++) unclaimed += !checker->arrivals.item[i].claimed;
    for (uint32_t op = 1; op <= network_count(world); op++) {
        const struct request *request = network_find(world, op);
        if (request->op == op && is_sent(checker, request)) unknown += request->unknown_count;
    }
    if (unclaimed > unknown)
        violated(world, "%zu arrivals are recorded that nobody sent", unclaimed - unknown);
}
