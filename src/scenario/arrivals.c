/* scenario/arrivals.c — requests and messages that arrive at triggers, and what becomes of every arrival.
 *
 * The engine records arrivals, also those of schedules and those that waited for a place. The outcomes of a
 * case are these records in their order, and in between what the engine does not record: arrivals whose
 * sender could not prove who it is, and those that no trigger takes. Starts by hand are steps of their own
 * and no outcomes.
 */
#include "scenario/scenario_int.h"

#include "base/ascii.h"
#include "base/must.h"
#include "vault/vault.h"

/* ---- calls ---- */

/* The bytes that arrive: as written, or the value as JSON. */
static str raw_of(struct stage *stage, const struct json *body, const char *value_name)
{
    const struct json *raw = json_get(body, STR("raw")), *value = json_get(body, str_of(value_name));
    if (json_is(raw, JSON_STRING)) return json_string(raw);
    return value ? stage_text(stage, value) : STR_NONE;
}

static str lower(struct stage *stage, str name)
{
    char *text = arena_alloc(stage->arena, name.n + 1);
    for (size_t i = 0; i < name.n; i++) text[i] = ascii_lower(name.p[i]);
    return (str){ text, name.n };
}

/* An object of texts; names in lower case, if they are those of headers. */
static const struct json *texts_of(struct stage *stage, const struct json *given, bool headers)
{
    const struct json *made = json_empty_object();
    struct json_each each = json_each(given);
    while (json_next(&each)) {
        const struct json *value = each.value;
        if (!json_is(value, JSON_STRING)) value = json_of_string(stage->arena, stage_text(stage, value));
        made = json_set(stage->arena, made, headers ? lower(stage, each.name) : each.name, value);
    }
    return made;
}

static struct call *http_call(struct stage *stage, const struct op *op)
{
    struct call *call = world_call(stage, CALL_ARRIVE);
    str method = json_text(op->body, STR("method"));
    const struct json *headers = texts_of(stage, json_get(op->body, STR("headers")), true);
    call->as.arrive.event = (struct arrival_event){
        .type = ARRIVAL_HTTP,
        .method = method.n ? method : STR("POST"),
        .path = json_text(op->body, STR("path")),
        .headers = headers,
        .query = texts_of(stage, json_get(op->body, STR("query")), false),
        .raw = raw_of(stage, op->body, "body"),
    };
    call->as.arrive.idempotency_key = json_text(headers, STR("idempotency-key"));
    return call;
}

static struct call *mqtt_call(struct stage *stage, const struct op *op)
{
    struct call *call = world_call(stage, CALL_ARRIVE);
    const struct json *retained = json_get(op->body, STR("retained"));
    int64_t qos = 0;
    json_int64(json_get(op->body, STR("qos")), &qos);
    call->as.arrive.event = (struct arrival_event){
        .type = ARRIVAL_MQTT,
        .topic = json_text(op->body, STR("topic")),
        .qos = (uint8_t)qos,
        .retained = json_is(retained, JSON_BOOL) && json_bool(retained),
        .raw = raw_of(stage, op->body, "payload"),
    };
    return call;
}

struct call *arrival_call(struct stage *stage, const struct op *op)
{
    return op->kind == OP_HTTP ? http_call(stage, op) : mqtt_call(stage, op);
}

/* ---- outcomes ---- */

void arrivals_add(struct stage *stage, str outcome)
{
    struct arrival *arrival = arena_make(stage->arena, struct arrival);
    arrival->outcome = outcome;
    if (stage->last_arrival) stage->last_arrival->next = arrival;
    else stage->first_arrival = arrival;
    stage->last_arrival = arrival;
    stage->arrival_count++;
}

static str word_of(enum arrival_outcome outcome) { return str_of(arrive_outcome_word(outcome)); }

void arrivals_note(struct stage *stage, const struct op *op, const struct call *call)
{
    size_t count = call->status == ST_OK ? call->value.arrivals.count : 0;
    str what = json_text(op->body, str_of(op->kind == OP_HTTP ? "path" : "topic"));
    if (call->status != ST_OK)
        stage_record(stage, "refused", STR_NONE, "%.*s: %d %s", STR_ARG(op->where), status_http(call->status),
                     call->error.message);
    if (call->status == ST_OK && !count) {
        arrivals_add(stage, word_of(OUTCOME_NO_ROUTE));
        stage_record(stage, "arrival", STR_NONE, "%.*s: no_route", STR_ARG(what));
    }
    for (size_t i = 0; i < count; i++) {
        const struct arrival_view *view = &call->value.arrivals.view[i];
        if (!view->number) arrivals_add(stage, word_of(view->outcome));
        stage_record(stage, "arrival", STR_NONE, "%.*s at %.*s: %s%s%.*s", STR_ARG(what),
                     STR_ARG(view->trigger), arrive_outcome_word(view->outcome), view->note.n ? ", " : "",
                     STR_ARG(view->note));
    }
}

static bool is_by_hand(struct stage *stage, const struct arrival_view *view)
{
    const struct program *program = world_program(stage, view->definition_id, view->version);
    for (size_t i = 0; program && i < program->rules->arrival_count; i++)
        if (str_equal(program->rules->arrival[i].name, view->trigger))
            return program->rules->arrival[i].terms.type == ARRIVAL_MANUAL;
    return !view->trigger.n;
}

/* Adds the records that came since the last look, the oldest first. Pages come with the newest first. */
static void follow_page(struct stage *stage, uint64_t before, uint64_t known)
{
    enum { PAGE = 100 };
    struct call *call = world_call(stage, CALL_LIST_ARRIVALS);
    call->as.arrivals = (struct call_arrivals){ .outcome = -1, .before = before, .max = PAGE };
    world_submit(stage, call);
    must(call->status == ST_OK);
    const struct answer_arrivals *page = &call->value.arrivals;
    size_t count = 0;
    while (count < page->count && page->view[count].number > known) count++;
    if (count == PAGE) follow_page(stage, page->view[count - 1].number, known);
    for (size_t i = count; i-- > 0;) {
        stage->last_arrival_number = page->view[i].number;
        if (!is_by_hand(stage, &page->view[i])) arrivals_add(stage, word_of(page->view[i].outcome));
    }
}

void arrivals_follow(struct stage *stage)
{
    if (stage->takes_arrivals) follow_page(stage, 0, stage->last_arrival_number);
}

/* ---- expectations ---- */

static int status_of(const struct call *call)
{
    enum { NOT_FOUND = 404, NOT_ALLOWED = 405, ACCEPTED = 202 };
    if (call->status != ST_OK) return status_http(call->status);
    if (!call->value.arrivals.count) return call->value.arrivals.allow.n ? NOT_ALLOWED : NOT_FOUND;
    int status = call->value.arrivals.view[0].http_status;
    return status ? status : ACCEPTED;
}

static const struct json *outcomes_of(struct stage *stage, const struct call *call)
{
    struct json_builder list;
    json_builder_init(&list, stage->arena);
    json_open_array(&list);
    for (size_t i = 0; call->status == ST_OK && i < call->value.arrivals.count; i++)
        json_add_string(&list, word_of(call->value.arrivals.view[i].outcome));
    json_close(&list);
    return json_built(&list);
}

bool arrivals_check(struct stage *stage, const struct op *op, const struct call *call)
{
    const struct json *status = json_get(op->body, STR("expectStatus")),
                      *one = json_get(op->body, STR("expectOutcome")),
                      *several = json_get(op->body, STR("expectOutcomes"));
    const struct json *got = outcomes_of(stage, call);
    size_t before = stage->difference_count;
    if (stage->variation != VARY_NOTHING) return true;
    if (call->status != ST_OK && !status)
        return stage_stop(stage, "%.*s was refused: %d %s", STR_ARG(op->where), status_http(call->status),
                          call->error.message);
    if (status)
        match(stage, status, json_of_int(stage->arena, status_of(call)), false,
              arena_printf(stage->arena, "%.*s.expectStatus", STR_ARG(op->where)));
    if (one)
        match(stage, one,
              json_count(got) ? json_item(got, 0) : json_of_string(stage->arena, word_of(OUTCOME_NO_ROUTE)),
              false, arena_printf(stage->arena, "%.*s.expectOutcome", STR_ARG(op->where)));
    if (several)
        match(stage, several, got, false,
              arena_printf(stage->arena, "%.*s.expectOutcomes", STR_ARG(op->where)));
    if (stage->difference_count == before) return true;
    return stage_stop(stage, "%.*s: not the expected answer", STR_ARG(op->where));
}
