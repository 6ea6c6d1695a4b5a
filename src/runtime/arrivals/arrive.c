/* runtime/arrivals/arrive.c — one arrival from its trigger to an instance, in the order of arrive.h. */
#include "runtime/arrivals/arrivals_int.h"

#include "base/must.h"
#include "runtime/call/call.h"
#include "runtime/events/events.h"
#include "runtime/memory/memory.h"
#include "runtime/transact/transact.h"
#include "schema/schema.h"

/* An arrival on its way. */
struct arriving {
    struct turn *turn;
    int32_t ns;
    struct definition *definition;
    struct definition *latest; /* Its cap counts. */
    const struct program_arrival *arrival;
    struct arrival_event *event;
    const struct json *value;
    str given_key;       /* Instead of the trigger's. */
    str idempotency_key; /* Empty: none. */
    uint64_t data_hash;
    bool is_test;
    bool by_hand;
    bool creates;     /* It creates an instance, whatever the trigger's policy is. */
    bool answers_now; /* The caller waits for the answer and must know the instance: the arrival may not
                       * wait. */
    bool was_queued;
    bool is_kept;     /* It waits for an instance with its key. */
    bool comes_again; /* If there is no room for it now, whoever has it brings it again. */
    int64_t fuel;
    struct arrival_view *view;
    struct error *refusal; /* Set if the arrival is refused. */
};

static const int outcome_http[] = {
#define XX(NAME, word, http, meaning) http,
    ARRIVAL_OUTCOME_MAP(XX)
#undef XX
};

static void set_outcome(struct arriving *a, enum arrival_outcome outcome)
{
    must((size_t)outcome < COUNT(outcome_http));
    a->view->outcome = outcome;
    a->view->http_status = outcome_http[outcome];
    int32_t code = a->arrival ? a->arrival->terms.success_code : 0;
    if (code && a->view->http_status == outcome_http[OUTCOME_CREATED]) a->view->http_status = code;
}

static void set_note(struct arriving *a, const char *text)
{
    a->view->note = arena_str(&a->turn->arena, str_of(text));
}

static void set_instance(struct arriving *a, const struct instance *instance)
{
    a->view->instance = instance->id;
    a->view->instance_created_ms = instance->created_ms;
}

/* ---- seen before ---- */

/* [outcome, instance, created, status of the answer, hash of the data] */
static str encode_seen(const struct arriving *a)
{
    struct json_builder builder;
    json_builder_init(&builder, &a->turn->arena);
    json_open_array(&builder);
    json_add_int(&builder, a->view->outcome);
    json_add_int(&builder, (int64_t)a->view->instance);
    json_add_int(&builder, a->view->instance_created_ms);
    json_add_int(&builder, a->view->http_status);
    json_add_int(&builder, (int64_t)a->data_hash);
    json_close(&builder);
    return json_encoded(json_built(&builder));
}

static struct record_row seen_row(const struct arriving *a, char kind, str key)
{
    return (struct record_row){ .ns = a->ns,
                                .kind = RECORD_SEEN,
                                .key = trigger_routes_seen_key(a->definition->id, a->view->trigger, kind, key,
                                                               &a->turn->arena),
                                .at_ms = a->turn->now_ms };
}

static enum status put_seen(struct arriving *a, char kind, str key, struct error *err)
{
    must(key.n && a->view->outcome != OUTCOME_DUPLICATE);
    struct record_row row = seen_row(a, kind, key);
    row.value = encode_seen(a);
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    return transact_rows(a->turn, &changeset, err);
}

/* A row that is polled again and again must not be forgotten after a day: its record is renewed now and
 * then. */
static enum status renew_seen(struct arriving *a, struct record_row *row, struct error *err)
{
    int64_t day_ms = a->turn->engine->limits.idempotency_hours * 3600000;
    if (a->turn->now_ms - row->at_ms < day_ms / 2) return ST_OK;
    row->at_ms = a->turn->now_ms;
    struct changeset changeset = { .record_put = row, .record_put_count = 1 };
    return transact_rows(a->turn, &changeset, err);
}

/* Has an arrival with this key been here? Then its answer is given again. */
static enum status recall_seen(struct arriving *a, char kind, str key, bool *ret_seen, struct error *err)
{
    struct record_row row = seen_row(a, kind, key);
    *ret_seen = false;
    bool is_there;
    TRY(found_asked(
        store_find_record(a->turn->engine->store, a->ns, RECORD_SEEN, row.key, &a->turn->arena, &row, err),
        &is_there));
    if (!is_there) return ST_OK;
    const struct json *value = json_decode(row.value, &a->turn->arena);
    if (!json_is(value, JSON_ARRAY)) return ST_OK;
    if (a->data_hash && (uint64_t)json_item_int64(value, 4) != a->data_hash) return ST_OK;
    *ret_seen = true;
    set_outcome(a, OUTCOME_DUPLICATE);
    a->view->instance = (uint64_t)json_item_int64(value, 1);
    a->view->instance_created_ms = json_item_int64(value, 2);
    a->view->http_status = (int32_t)json_item_int64(value, 3);
    if (json_item_int64(value, 0) == OUTCOME_DISCARDED) a->view->note = STR("EARLY"); /* It was kept. */
    a->turn->counts.replays++;
    return renew_seen(a, &row, err);
}

/* ---- steps that look at the arrival alone ---- */

/* A tick brings nothing that a schema could describe, and somebody who fires a schedule may leave it at that.
 */
static bool brings_nothing(const struct arrival_event *event)
{
    return event->type == ARRIVAL_CRON &&
           (!event->payload || (json_is(event->payload, JSON_OBJECT) && !json_count(event->payload)));
}

/* False: the payload does not fit. */
static enum status check_one_schema(struct arriving *a, const struct schema *schema, bool *ret_fits,
                                    struct error *err)
{
    must(a->fuel <= a->turn->engine->limits.fuel_max);
    const struct schema_problem *problem;
    size_t count;
    *ret_fits = true;
    if (!schema) return ST_OK;
    TRY(schema_check(schema, a->event->payload, &a->fuel, &a->turn->arena, &problem, &count, err));
    *ret_fits = !count;
    if (!count) return ST_OK;
    set_outcome(a, OUTCOME_REJECTED_SCHEMA);
    terms_fail_schema(a->turn, problem, count, a->refusal);
    set_note(a, a->refusal->message);
    return ST_OK;
}

/* A payload that nobody can check does not pass unchecked. */
static void refuse_flawed(struct arriving *a, bool *ret_fits)
{
    *ret_fits = false;
    set_outcome(a, OUTCOME_REJECTED_SCHEMA);
    fail_code(
        a->refusal, ST_INVALID, "REJECTED_SCHEMA",
        "the inputSchema of the trigger is no JSON Schema (%.*s), so that nothing can be checked by it; "
        "publish the definition again",
        STR_ARG(a->arrival->terms.schema_flaw));
    set_note(a, a->refusal->message);
}

/* Checks the schema of the definition, and the schema of the trigger. */
static enum status check_schema(struct arriving *a, bool *ret_fits, struct error *err)
{
    *ret_fits = true;
    if (brings_nothing(a->event)) return ST_OK;
    TRY(check_one_schema(a, a->definition->program->rules->input_schema, ret_fits, err));
    if (*ret_fits && a->arrival->terms.schema_flaw.n) refuse_flawed(a, ret_fits);
    return *ret_fits ? check_one_schema(a, a->arrival->terms.input_schema, ret_fits, err) : ST_OK;
}

static void refuse(struct arriving *a, enum arrival_outcome outcome, const struct error *err)
{
    must(err->status != ST_OK);
    set_outcome(a, outcome);
    a->view->http_status = status_http(err->status);
    set_note(a, err->message);
    *a->refusal = *err;
}

static enum status decode(struct arriving *a, struct error *err)
{
    const struct arrival_terms *terms = &a->arrival->terms;
    bool is_protobuf = a->event->type == ARRIVAL_MQTT && terms->format == ARRIVAL_FORMAT_PROTOBUF;
    if (is_protobuf && !a->event->payload) TRY(payload_decode(a->turn, a->ns, terms->schema, a->event, err));
    TRY(arrival_decode(terms, a->event, &a->turn->arena, err));
    if (!arrival_is_form(a->event)) return ST_OK;
    const struct schema *const schema[] = { a->definition->program->rules->input_schema,
                                            terms->input_schema };
    a->event->payload = schema_coerce(schema, COUNT(schema), a->event->payload, &a->turn->arena);
    return ST_OK;
}

/* Decodes, filters and checks. False: it ends here. */
static bool examine(struct arriving *a)
{
    struct error err;
    bool fits;
    enum status status = decode(a, &err);
    if (status != ST_OK) {
        refuse(a, OUTCOME_DECODE_ERROR, &err);
        return false;
    }
    a->value = arrival_value(a->event, &a->turn->arena);
    if (!arrival_passes(&a->arrival->terms, a->value, a->turn->now_ms, &a->fuel, &a->turn->arena)) {
        set_outcome(a, OUTCOME_FILTERED);
        return false;
    }
    status = check_schema(a, &fits, &err);
    if (status != ST_OK) refuse(a, OUTCOME_REJECTED_SCHEMA, &err);
    return status == ST_OK && fits;
}

static enum status find_key(struct arriving *a, struct error *err)
{
    str key = a->given_key;
    if (!key.n) TRY(arrival_find_key(&a->arrival->terms.key, a->event, &a->fuel, &a->turn->arena, &key, err));
    if (key.n > BUSINESS_KEY_BYTES_MAX)
        return fail(err, ST_INVALID, "key", "the key has %zu bytes; the most is %d", key.n,
                    BUSINESS_KEY_BYTES_MAX);
    a->view->key = key;
    return ST_OK;
}

/* ---- routing ---- */

/* If a person fires it by hand without a name, the actor stays unknown. */
static str actor_of(const struct arriving *a)
{
    if (a->event->actor.n || a->by_hand) return a->event->actor;
    return a->event->type == ARRIVAL_CRON ? STR("schedule") : STR("trigger");
}

static enum status create(struct arriving *a, bool registered, bool replaces, struct error *err)
{
    must(!a->view->instance);
    const struct start start = { .ns = a->ns,
                                 .definition_id = a->definition->id,
                                 .known = a->definition,
                                 .business_key = registered ? a->view->key : STR_NONE,
                                 .data = a->value,
                                 .actor = actor_of(a),
                                 .arrival = a->arrival->name,
                                 .is_test = a->is_test,
                                 .replaces = replaces };
    struct transition *transition;
    struct definition *definition;
    TRY(follow_start(a->turn, &start, &transition, &definition, err));
    must(transition && !transition->before);
    set_instance(a, transition->after);
    set_outcome(a, OUTCOME_CREATED);
    if (a->is_test) set_note(a, "a test");
    return ST_OK;
}

/* Says what became of an arrival for which nothing waits yet. */
static void note_early(struct arriving *a, const struct transition *transition)
{
    const struct history *history = transition ? transition->history : NULL;
    for (size_t i = 0; history && i < history->entry_count; i++) {
        const struct entry *entry = &history->entry[i];
        if (entry->kind == ENTRY_KIND_ARRIVAL_IN) a->view->note = STR("EARLY");
        if (entry->kind == ENTRY_KIND_WARN && !entry->execution)
            a->view->note = arena_str(&a->turn->arena, entry->warning);
    }
}

static enum status update(struct arriving *a, uint64_t holder, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition = NULL;
    TRY(found_needed(transact_load(a->turn, holder, &instance, &definition, err)));
    const struct command command = command_arrive(a->turn->now_ms, actor_of(a), a->value,
                                                  (struct command_arrive){ .arrival = a->arrival->name });
    TRY(follow_command(a->turn, definition, instance, &command, &transition, err));
    set_instance(a, instance);
    set_outcome(a, OUTCOME_UPDATED);
    note_early(a, transition);
    if (program_find_arrival(definition->program, a->arrival->name) == ARRIVAL_NONE)
        set_note(a, "TRIGGER_NOT_IN_VERSION");
    return ST_OK;
}

/* The new instance comes first: if it cannot be created, the old one lives on. */
static enum status replace(struct arriving *a, uint64_t holder, struct error *err)
{
    const struct instance *instance;
    struct definition *definition;
    struct transition *transition = NULL;
    TRY(found_needed(transact_load(a->turn, holder, &instance, &definition, err)));
    TRY(create(a, true, true, err));
    TRY(found_needed(transact_load(a->turn, holder, &instance, &definition, err)));
    const struct command command = command_cancel(
        a->turn->now_ms, STR("trigger"), NULL,
        (struct command_cancel){ .reason = STR("replaced"), .replaced_by = a->view->instance });
    if (follow_command(a->turn, definition, instance, &command, &transition, err) != ST_OK)
        return transact_failed(a->turn, err); /* Both or none. */
    set_outcome(a, OUTCOME_REPLACED);
    return ST_OK;
}

/* If there is no place, the arrival waits for one or is rejected. A quota of the tenant is a cap, too. */
static enum status check_cap(struct arriving *a, bool *ret_over, struct error *err)
{
    enum cap_answer answer = CAP_PLACE;
    struct error quota = { .status = ST_OK };
    if (!a->is_test) TRY(cap_ask(a->turn, a->ns, a->latest, a->was_queued, !a->answers_now, &answer, err));
    if (answer == CAP_PLACE && quota_check_start(a->turn, a->ns, &quota) != ST_OK)
        TRY(cap_ask_queue(a->turn, a->ns, a->latest, a->was_queued, !a->answers_now && !a->is_test, &answer,
                          err));
    *ret_over = answer != CAP_PLACE;
    if (!*ret_over) return ST_OK;
    set_outcome(a, answer == CAP_WAIT ? OUTCOME_QUEUED : OUTCOME_REJECTED_LIMIT);
    if (quota.status != ST_OK) set_note(a, quota.message);
    if (answer != CAP_WAIT && quota.status != ST_OK) *a->refusal = quota;
    else if (answer != CAP_WAIT) terms_fail_place(a->refusal);
    if (answer == CAP_FULL) set_note(a, "as many arrivals wait for a place as may");
    return ST_OK;
}

static enum status route(struct arriving *a, struct error *err)
{
    enum arrival_policy policy = a->creates ? ARRIVAL_ALWAYS_CREATE : a->arrival->terms.policy;
    bool addressed = a->view->key.n && (policy != ARRIVAL_ALWAYS_CREATE || a->given_key.n) && !a->is_test,
         over;
    uint64_t holder;
    bool has_holder = false;
    if (addressed)
        TRY(found_asked(store_find_business_key(a->turn->engine->store, a->ns, a->definition->id,
                                                a->view->key, &holder, err),
                        &has_holder));
    if (policy == ARRIVAL_ALWAYS_CREATE && !a->given_key.n) a->view->key = STR_NONE;
    if (has_holder && policy == ARRIVAL_MAP_OR_REPLACE) return replace(a, holder, err);
    if (has_holder && policy != ARRIVAL_ALWAYS_CREATE) return update(a, holder, err);
    if (policy == ARRIVAL_MAP_OR_DISCARD && !a->is_test) {
        set_outcome(a, OUTCOME_DISCARDED);
        return ST_OK;
    }
    TRY(check_cap(a, &over, err));
    return over ? ST_OK : create(a, addressed, false, err);
}

/* ---- the whole way ---- */

/* An arrival that came to nothing may come again. */
static bool took_effect(const struct arriving *a)
{
    return a->view->outcome == OUTCOME_CREATED || a->view->outcome == OUTCOME_UPDATED ||
           a->view->outcome == OUTCOME_REPLACED || a->view->outcome == OUTCOME_QUEUED || a->is_kept;
}

/* The keys of the records that tell a retry of this arrival. */
static const struct json *seen_keys(const struct arriving *a, str seen)
{
    struct json_builder builder;
    json_builder_init(&builder, &a->turn->arena);
    json_open_array(&builder);
    if (seen.n) json_add_string(&builder, seen_row(a, 'd', seen).key);
    if (a->idempotency_key.n) json_add_string(&builder, seen_row(a, 'i', a->idempotency_key).key);
    json_close(&builder);
    return json_built(&builder);
}

/* No instance has the key. One that comes in time gets the arrival, if its trigger says so. */
static enum status keep(struct arriving *a, str seen, struct error *err)
{
    const struct arrival_terms *terms = &a->arrival->terms;
    str refusal;
    if (!a->view->key.n || a->is_test || terms->life_ms <= 0) return ST_OK;
    TRY(kept_arrival_add(a->turn, a->ns, a->view, a->event, a->given_key, terms, seen_keys(a, seen), &refusal,
                         err));
    a->is_kept = !refusal.n;
    a->view->note = a->is_kept ? STR("EARLY") : refusal;
    return ST_OK;
}

/* Steps 7 to 11. */
static enum status enter(struct arriving *a, struct error *err)
{
    str seen = STR_NONE;
    bool known = false;
    if (!a->was_queued && !a->is_test && !a->creates)
        TRY(arrival_find_key(&a->arrival->terms.seen, a->event, &a->fuel, &a->turn->arena, &seen, err));
    if (seen.n > EVENT_KEY_BYTES_MAX)
        return fail(err, ST_INVALID, "deduplicationKey",
                    "the deduplication key has %zu bytes; the most is %d", seen.n, EVENT_KEY_BYTES_MAX);
    if (seen.n) TRY(recall_seen(a, 'd', seen, &known, err));
    if (known) return ST_OK;
    TRY(find_key(a, err));
    TRY(route(a, err));
    must(!a->is_test || (a->view->outcome != OUTCOME_UPDATED && a->view->outcome != OUTCOME_REPLACED));
    if (a->view->outcome == OUTCOME_QUEUED && !a->was_queued)
        TRY(overflow_add(a->turn, a->ns, a->view, a->event, a->given_key, &a->arrival->terms, err));
    if (a->view->outcome == OUTCOME_DISCARDED) TRY(keep(a, seen, err));
    return seen.n && took_effect(a) ? put_seen(a, 'd', seen, err) : ST_OK;
}

/* The engine had no room for it, and has written nothing. */
static bool may_pass(const struct turn *turn, enum status status)
{
    return status_retry(status) && !transact_is_lost(turn, status);
}

static enum status enter_or_refuse(struct arriving *a, struct error *err)
{
    enum status status = enter(a, err);
    a->turn->spent += a->turn->engine->limits.fuel_max - a->fuel;
    if (status == ST_OK || transact_is_lost(a->turn, status)) return status;
    if (a->comes_again && may_pass(a->turn, status)) return status;
    refuse(a, OUTCOME_REFUSED, err);
    return ST_OK;
}

/* An Ephemeral definition writes nothing to the disk. But an arrival that waits is a record there, which has
 * the number of this one. */
static bool is_transient(const struct arriving *a)
{
    return a->definition->program->rules->is_ephemeral && a->view->outcome != OUTCOME_QUEUED;
}

/* Has this been told today? Else it has from now on. */
static enum status is_told(struct arriving *a, str what, bool *ret_told, struct error *err)
{
    struct record_row row = seen_row(a, 'l', what), found;
    TRY(found_asked(
        store_find_record(a->turn->engine->store, a->ns, RECORD_SEEN, row.key, &a->turn->arena, &found, err),
        ret_told));
    if (*ret_told) return ST_OK;
    struct changeset changeset = { .record_put = &row, .record_put_count = 1 };
    return transact_rows(a->turn, &changeset, err);
}

/* A source brings a row with each of its answers, until the row changes. The log tells once what became of
 * it, and the triggers count the others. */
static enum status repeats(struct arriving *a, bool *ret_repeats, struct error *err)
{
    *ret_repeats = a->view->outcome == OUTCOME_DUPLICATE;
    if (a->event->type != ARRIVAL_POLL || a->by_hand || took_effect(a)) *ret_repeats = false;
    else if (!*ret_repeats)
        return is_told(
            a, arena_printf(&a->turn->arena, "%d:%llx", a->view->outcome, (unsigned long long)a->data_hash),
            ret_repeats, err);
    return ST_OK;
}

static enum status record(struct arriving *a, struct error *err)
{
    bool told = false;
    if (a->view->outcome == OUTCOME_REJECTED_AUTH) {
        arrive_count_outcome(a->turn, a->ns, OUTCOME_REJECTED_AUTH, NULL);
        return ST_OK;
    }
    /* The first arrival that a pause refuses tells of the pause. */
    if (a->view->outcome == OUTCOME_PAUSED) TRY(is_told(a, TRIGGER_ROUTES_PAUSE_TOLD, &told, err));
    else TRY(repeats(a, &told, err));
    if (!told) return arrive_record(a->turn, a->ns, a->view, is_transient(a), err);
    arrive_count(a->turn, a->ns, a->view);
    return ST_OK;
}

/* Credentials must not be kept: the instance's data is shown to many. */
static void hide_secrets(struct arriving *a)
{
    static const char *const names[] = { "authorization", "proxy-authorization", "x-api-key", "cookie" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (json_get(a->event->headers, str_of(names[i])))
            a->event->headers = json_set(&a->turn->arena, a->event->headers, str_of(names[i]),
                                         json_of_string(&a->turn->arena, STR("***")));
}

/* Steps 1 to 11, and the record. */
static enum status arrive(struct arriving *a, const struct trigger_route *trigger_route, struct error *err)
{
    bool known = false;
    char kind = a->is_test ? 't' : 'i'; /* The real arrival of a tested one may still come. */
    a->fuel = a->turn->engine->limits.fuel_max;
    if (!a->by_hand && !arrive_is_allowed(a->turn, a->ns, &a->arrival->terms, a->event)) {
        set_outcome(a, OUTCOME_REJECTED_AUTH);
        return record(a, err);
    }
    if (a->event->headers) hide_secrets(a);
    if (trigger_route->paused && !a->is_test) {
        set_outcome(a, OUTCOME_PAUSED);
        a->view->note = trigger_route->reason;
        return record(a, err);
    }
    if (a->idempotency_key.n) TRY(recall_seen(a, kind, a->idempotency_key, &known, err));
    if (known) return record(a, err);
    /* A queued arrival is named by its record, so its number is needed before. */
    TRY(arrive_log_meet(a->turn, a->ns, err));
    a->view->number = arrive_log_number(a->turn);
    if (examine(a)) TRY(enter_or_refuse(a, err));
    TRY(record(a, err));
    return a->idempotency_key.n && took_effect(a) ? put_seen(a, kind, a->idempotency_key, err) : ST_OK;
}

/* The view of an arrival that has only begun. */
static void begin_view(struct arriving *a, str trigger)
{
    *a->view = (struct arrival_view){ .at_ms = a->turn->now_ms,
                                      .definition_id = a->definition->id,
                                      .version = a->definition->version,
                                      .trigger = trigger };
    a->event->at_ms = a->turn->now_ms;
}

/* A slot stays with its schedule until the call succeeds. A message is refused: if it stayed with its broker,
 * all others of the broker would wait behind it, and come again although they were taken. */
static bool comes_again(const struct call_arrive *asked)
{
    return asked->event.type == ARRIVAL_CRON && asked->definition_id.n;
}

/* At one trigger. */
static enum status arrive_at(struct turn *turn, struct call *call, const struct trigger_route *trigger_route,
                             struct arrival_view *view, struct error *err)
{
    const struct call_arrive *asked = &call->as.arrive;
    struct arrival_event event = asked->event;
    struct error refusal;
    struct arriving a = { .turn = turn,
                          .ns = call->ns,
                          .event = &event,
                          .idempotency_key = asked->idempotency_key,
                          .data_hash = asked->data_hash,
                          .comes_again = comes_again(asked),
                          .view = view,
                          .refusal = &refusal };
    TRY(found_needed(
        catalogue_get(&turn->engine->memory.catalogue, trigger_route->definition, &a.definition, err)));
    a.latest = a.definition;
    uint32_t index = program_find_arrival(a.definition->program, trigger_route->trigger);
    if (index == ARRIVAL_NONE)
        return fail(err, ST_INTERNAL, "trigger", "the trigger \"%.*s\" is not in its definition",
                    STR_ARG(trigger_route->trigger));
    a.arrival = &a.definition->program->rules->arrival[index];
    begin_view(&a, a.arrival->name);
    return arrive(&a, trigger_route, err);
}

/* ---- by hand ---- */

/* The first trigger by which people can start the program; NULL: there is none. */
static const struct program_arrival *first_for_people(const struct program_rules *rules)
{
    const struct program_arrival *first = NULL;
    for (size_t i = 0; i < rules->arrival_count; i++) {
        const struct program_arrival *arrival = &rules->arrival[i];
        if (arrival->terms.type == ARRIVAL_MANUAL) return arrival;
        if (!rules->start_data) continue; /* The others are not for people. */
        if (!first || (first->start == NODE_NONE && arrival->start != NODE_NONE)) first = arrival;
    }
    return first;
}

enum status arrive_find_trigger(const struct definition *definition, str name,
                                const struct program_arrival **ret_arrival, struct error *err)
{
    const struct program_rules *rules = definition->program->rules;
    uint32_t index = name.n ? program_find_arrival(definition->program, name) : ARRIVAL_NONE;
    if (name.n && index == ARRIVAL_NONE) {
        fail(err, ST_NOT_FOUND, "trigger", "definition \"%.*s\" has no trigger \"%.*s\"",
             STR_ARG(definition->id), STR_ARG(name));
        err->code = "TRIGGER_NOT_FOUND";
        return ST_NOT_FOUND;
    }
    *ret_arrival = name.n ? &rules->arrival[index] : first_for_people(rules);
    return ST_OK;
}

enum status arrive_by_hand(struct turn *turn, const struct arrive_hand *hand, struct arrival_view *ret_view,
                           struct error *ret_refusal, struct error *err)
{
    must(hand->arrival && hand->latest && hand->definition->ns == hand->ns);
    struct arrival_event event =
        arrival_made(&hand->arrival->terms, hand->payload, turn->now_ms, hand->actor);
    struct trigger_route trigger_route = { .definition_id = hand->definition->id,
                                           .trigger = hand->arrival->name };
    struct arriving a = { .turn = turn,
                          .ns = hand->ns,
                          .definition = hand->definition,
                          .latest = hand->latest,
                          .arrival = hand->arrival,
                          .event = &event,
                          .given_key = hand->business_key,
                          .idempotency_key = hand->idempotency_key,
                          .is_test = hand->is_test,
                          .by_hand = true,
                          .creates = hand->creates,
                          .answers_now = hand->answers_now,
                          .view = ret_view,
                          .refusal = ret_refusal };
    *ret_refusal = (struct error){ .status = ST_OK };
    begin_view(&a, a.arrival->name);
    TRY(trigger_routes_find_pause(turn, hand->ns, &trigger_route, err));
    return arrive(&a, &trigger_route, err);
}

bool arrive_may_start(const struct call *call, const struct definition *definition)
{
    const struct program_arrival *arrival = NULL;
    struct error err;
    if (caller_check_for(call->caller, MAY_INSTANCES_START, definition->id, &err) != ST_OK) return false;
    return arrive_find_trigger(definition, STR_NONE, &arrival, &err) == ST_OK &&
           arrive_check_person(call, definition->program, arrival, &err) == ST_OK;
}

/* A person fires a trigger. */
static enum status fire_call(struct turn *turn, struct call *call, struct error *err)
{
    const struct call_arrive *asked = &call->as.arrive;
    struct answer_arrivals *answer = &call->value.arrivals;
    struct error refusal;
    struct arrive_hand hand = { .ns = call->ns,
                                .payload = asked->event.payload,
                                .actor = asked->event.actor,
                                .idempotency_key = asked->idempotency_key,
                                .is_test = asked->is_test };
    bool is_there;
    TRY(found_asked(catalogue_find(&turn->engine->memory.catalogue, call->ns, asked->definition_id,
                                   VERSION_LATEST, &hand.definition, err),
                    &is_there));
    if (!is_there)
        return fail(err, ST_NOT_FOUND, "definitionId", "definition \"%.*s\" not found",
                    STR_ARG(asked->definition_id));
    TRY(arrive_find_trigger(hand.definition, asked->trigger, &hand.arrival, err));
    if (!hand.arrival)
        return fail(err, ST_NOT_FOUND, "trigger", "definition \"%.*s\" has no trigger that people fire",
                    STR_ARG(asked->definition_id));
    TRY(arrive_check_person(call, hand.definition->program, hand.arrival, err));
    hand.latest = hand.definition;
    answer->view = arena_make(call->arena, struct arrival_view);
    answer->count = 1;
    return arrive_by_hand(turn, &hand, answer->view, &refusal, err);
}

/* ---- calls ---- */

void arrive_keep_view(struct arrival_view *view, struct arena *arena)
{
    view->definition_id = arena_str(arena, view->definition_id);
    view->trigger = arena_str(arena, view->trigger);
    view->key = arena_str(arena, view->key);
    view->note = arena_str(arena, view->note);
}

static void keep_answer(struct call *call)
{
    struct answer_arrivals *answer = &call->value.arrivals;
    answer->allow = arena_str(call->arena, answer->allow);
    for (size_t i = 0; i < answer->count; i++) arrive_keep_view(&answer->view[i], call->arena);
}

/* A trigger that answers when it is done: the instance that the call waits for. */
static enum status answer_instance(struct turn *turn, struct call *call, const struct arrival_terms *terms,
                                   struct error *err)
{
    must(call->value.arrivals.count > 0);
    struct answer_arrivals *answer = &call->value.arrivals;
    const struct instance *instance;
    struct definition *definition;
    answer->opaque = terms->opaque;
    /* How long an answer takes would tell, too. */
    if (terms->opaque || !terms->answers_when_done || !answer->view->instance ||
        answer->view->outcome == OUTCOME_DUPLICATE)
        return ST_OK;
    TRY(found_needed(transact_load(turn, answer->view->instance, &instance, &definition, err)));
    answer->instance = arena_make(call->arena, struct instance_view);
    view_instance(definition->program, instance, definition->id, definition->version, turn->now_ms,
                  call->arena, answer->instance);
    return ST_OK;
}

static const struct arrival_terms *terms_of(struct turn *turn, const struct trigger_route *trigger_route)
{
    const struct definition *definition =
        catalogue_peek(&turn->engine->memory.catalogue, trigger_route->definition);
    uint32_t index =
        definition ? program_find_arrival(definition->program, trigger_route->trigger) : ARRIVAL_NONE;
    return index == ARRIVAL_NONE ? NULL : &definition->program->rules->arrival[index].terms;
}

enum status arrive_call(struct turn *turn, struct call *call, struct error *err)
{
    struct answer_arrivals *answer = &call->value.arrivals;
    const struct trigger_route *first;
    size_t count = 0;
    *answer = (struct answer_arrivals){ .count = 0 };
    turn->spent += (int64_t)(call->as.arrive.event.raw.n / STATE_BYTES_PER_FUEL);
    if (call->as.arrive.event.type == ARRIVAL_MANUAL) {
        TRY(fire_call(turn, call, err));
        keep_answer(call);
        return ST_OK;
    }
    TRY(trigger_routes_find(turn, call->ns, &call->as.arrive, &first, &answer->allow, err));
    for (const struct trigger_route *trigger_route = first; trigger_route;
         trigger_route = trigger_route->next)
        count++;
    if (!count) arrive_count_outcome(turn, call->ns, OUTCOME_NO_ROUTE, NULL);
    answer->view = arena_make_n(call->arena, struct arrival_view, count);
    for (const struct trigger_route *trigger_route = first; trigger_route;
         trigger_route = trigger_route->next)
        TRY(arrive_at(turn, call, trigger_route, &answer->view[answer->count++], err));
    must(answer->count == count);
    const struct arrival_terms *terms =
        first && call->as.arrive.event.type == ARRIVAL_HTTP ? terms_of(turn, first) : NULL;
    if (terms) TRY(answer_instance(turn, call, terms, err));
    keep_answer(call);
    return ST_OK;
}

enum status arrive_event(struct turn *turn, int32_t ns, str definition_id, str trigger,
                         const struct arrival_event *event, struct error *err)
{
    struct call call = { .kind = CALL_ARRIVE, .arena = &turn->arena, .ns = ns };
    call.as.arrive =
        (struct call_arrive){ .event = *event, .definition_id = definition_id, .trigger = trigger };
    return arrive_call(turn, &call, err);
}

/* ---- out of the queue ---- */

enum status arrive_again(struct turn *turn, int32_t ns, const struct queued_arrival *queued, bool *ret_waits,
                         struct error *err)
{
    struct arrival_event event = queued->event;
    struct arrival_view view;
    struct error refusal;
    struct arriving a = { .turn = turn,
                          .ns = ns,
                          .event = &event,
                          .given_key = queued->given_key,
                          .was_queued = true,
                          .comes_again = true,
                          .view = &view,
                          .refusal = &refusal };
    TRY(found_needed(catalogue_find(&turn->engine->memory.catalogue, ns, queued->definition_id,
                                    VERSION_LATEST, &a.definition, err)));
    a.latest = a.definition;
    uint32_t index = program_find_arrival(a.definition->program, queued->trigger);
    *ret_waits = false;
    a.fuel = turn->engine->limits.fuel_max;
    begin_view(&a, queued->trigger);
    event.at_ms = queued->event.at_ms;
    TRY(arrive_log_meet(turn, ns, err));
    a.view->number = arrive_log_number(turn);
    if (turn->now_ms - event.at_ms >= OVERFLOW_MS_MAX) {
        set_outcome(&a, OUTCOME_EXPIRED);
    } else if (index == ARRIVAL_NONE) {
        set_outcome(&a, OUTCOME_REFUSED);
        set_note(&a, "TRIGGER_NOT_IN_VERSION");
    } else {
        a.arrival = &a.definition->program->rules->arrival[index];
        a.value = arrival_value(&event, &turn->arena);
        enum status status = enter_or_refuse(&a, err);
        if (may_pass(turn, status)) set_outcome(&a, OUTCOME_QUEUED);
        else TRY(status);
    }
    *ret_waits = view.outcome == OUTCOME_QUEUED;
    return *ret_waits ? ST_OK : record(&a, err);
}
