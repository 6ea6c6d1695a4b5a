/* api/v1/bulk.c — one command for many instances, and the reasons for which instances failed. */
#include "api/v1/v1_int.h"

#include "json/json.h"
#include "runtime/bulk/bulk.h"

/* ---- pieces ---- */

/* An instance's id, or the number of an event that nobody took. */
static void put_target(struct buf *out, enum bulk_action action, struct bulk_target target)
{
    if (action == BULK_RESEND) put_int(out, (int64_t)target.number);
    else put_id(out, (struct id){ .ms = target.created_ms, .instance = target.number });
}

static void put_count(struct buf *out, const char *name, int64_t count)
{
    buf_printf(out, ",\"%s\":", name);
    put_int(out, count);
}

/* A member of the request, as it was sent. */
static void put_asked(struct buf *out, const struct json *request, const char *name)
{
    const struct json *value = json_get(request, str_of(name));
    if (!value) return;
    buf_printf(out, ",\"%s\":", name);
    json_print(value, out);
}

/* A list leaves out the variables, which can be large. */
static void put_bulk(struct buf *out, const struct bulk_view *view, bool listed)
{
    const struct bulk_row *row = &view->row;
    PUT(out, "{\"id\":");
    put_id(out, bulk_id(row));
    PUT(out, ",\"action\":");
    put_text(out, str_of(bulk_action_word((enum bulk_action)row->action)));
    PUT(out, ",\"state\":");
    put_text(out, str_of(bulk_state_word((enum bulk_state)row->state)));
    put_count(out, "found", row->found);
    put_count(out, "done", row->done);
    put_count(out, "succeeded", row->succeeded);
    put_count(out, "skipped", row->skipped);
    put_count(out, "refused", row->refused);
    PUT(out, ",\"createdAt\":");
    put_time(out, row->created_ms);
    if (row->ended_ms) {
        PUT(out, ",\"endedAt\":");
        put_time(out, row->ended_ms);
    }
    static const char *const asked[] = { "filter", "all",   "step", "reason", "to",
                                         "map",    "retry", "bulk", "failed" };
    for (size_t i = 0; i < COUNT(asked); i++) put_asked(out, view->request, asked[i]);
    if (!listed) put_asked(out, view->request, "variables");
    buf_add_char(out, '}');
}

static void put_named(struct buf *out, const char *name, str text)
{
    if (!text.n) return;
    buf_printf(out, ",\"%s\":", name);
    put_text(out, text);
}

/* Shows people the instances that failed for one reason: a headline, where, and when. */
static void put_failed(struct buf *out, const struct bulk_group *group)
{
    struct arena scratch;
    arena_init(&scratch, 0);
    put_named(out, "sentence", show_headline(group->code, group->example, &scratch));
    put_named(out, "reasonCode", show_code(group->code, group->example, &scratch));
    arena_done(&scratch);
    put_named(out, "definitionId", group->definition_id);
    put_named(out, "definitionName", group->definition_name);
    if (group->version) put_count(out, "definitionVersion", group->version);
    put_named(out, "nodeId", group->node);
    put_named(out, "nodeTitle", group->node_title);
    PUT(out, ",\"bars\":[");
    for (size_t i = 0; i < ACTIVITY_BARS; i++) {
        if (i) buf_add_char(out, ',');
        put_int(out, group->bar[i]);
    }
    buf_add_char(out, ']');
}

static bool is_migration(enum bulk_action action) { return action == BULK_MIGRATE || action == BULK_UNDO; }

static void put_group(struct buf *out, enum bulk_action action, const struct bulk_group *group)
{
    buf_add_char(out, '{');
    if (action != BULK_RESEND) {
        PUT(out, "\"status\":");
        put_text(out, str_of(instance_status_word(group->status)));
        buf_add_char(out, ',');
    }
    if (is_migration(action)) {
        PUT(out, "\"verdict\":");
        put_text(out, str_of(bulk_verdict_word(group->verdict)));
        buf_add_char(out, ',');
    }
    PUT(out, "\"count\":");
    put_int(out, group->count);
    if (is_migration(action)) put_named(out, "code", group->code);
    if (group->reason.n) {
        PUT(out, ",\"reason\":");
        put_text(out, group->reason);
        PUT(out, ",\"exampleReason\":");
        put_text(out, group->example);
    }
    PUT(out, ",\"firstAt\":");
    put_time(out, group->first_ms);
    PUT(out, ",\"lastAt\":");
    put_time(out, group->last_ms);
    if (group->status == INSTANCE_FAILED && action != BULK_RESEND && !is_migration(action))
        put_failed(out, group);
    PUT(out, ",\"examples\":[");
    for (size_t i = 0; i < group->target_count; i++) {
        if (i) buf_add_char(out, ',');
        put_target(out, action, group->target[i]);
    }
    PUT(out, "]}");
}

static void put_groups(struct buf *out, const struct call *call)
{
    const struct answer_bulks *answer = &call->value.bulks;
    PUT(out, "\"groups\":[");
    for (size_t i = 0; i < answer->group_count; i++) {
        if (i) buf_add_char(out, ',');
        put_group(out, call->as.bulk.request->action, &answer->group[i]);
    }
    buf_add_char(out, ']');
    put_count(out, "groupCount", answer->group_total);
}

/* ---- beginning a bulk ---- */

static void render_begun(const struct call *call, int *ret_http_status, struct buf *out)
{
    if (!call->as.bulk.request->dry_run) {
        *ret_http_status = 202;
        put_bulk(out, call->value.bulks.view, false);
        return;
    }
    *ret_http_status = 200;
    PUT(out, "{\"dryRun\":true,\"action\":");
    put_text(out, str_of(bulk_action_word(call->as.bulk.request->action)));
    const struct answer_bulks *answer = &call->value.bulks;
    put_count(out, "found", answer->total);
    if (is_migration(call->as.bulk.request->action)) {
        put_count(out, "moves", answer->verdict[BULK_MOVES]);
        put_count(out, "mapped", answer->verdict[BULK_MAPPED]);
        put_count(out, "cannotMove", answer->verdict[BULK_CANNOT_MOVE]);
    }
    buf_add_char(out, ',');
    put_groups(out, call);
    buf_add_char(out, '}');
}

static enum status submit_bulk(struct api_request *request, const struct json *body, struct error *err)
{
    struct call_bulk asked = { 0 };
    struct bulk_request *bulk = arena_make(request->http->arena, struct bulk_request);
    TRY(bulk_request_read(body, request->http->arena, bulk, err));
    asked.request = bulk;
    asked.actor = bulk->by;
    return request_submit(request, call_bulk(request_origin(request), &asked), render_begun, err);
}

enum status v1_bulk_begin(struct api_request *request, struct error *err)
{
    const struct json *body;
    TRY(request_body(request, true, &body, err));
    return submit_bulk(request, body, err);
}

/* ---- reading bulks ---- */

static void render_bulk(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_bulk(out, call->value.bulks.view, false);
}

static enum status param_bulk(struct api_request *request, struct id *ret_id, struct error *err)
{
    struct id id;
    if (!id_parse(request->param[0], &id) || id.number || id.delivery != 1)
        return fail(err, ST_NOT_FOUND, "", "bulk \"%.*s\" not found", STR_ARG(request->param[0]));
    *ret_id = id;
    return ST_OK;
}

/* Constructs the call for one bulk. */
typedef struct call *by_id_fn(struct call_origin origin, const struct call_bulks *asked);

static enum status by_id(struct api_request *request, by_id_fn *construct, struct error *err)
{
    struct call_bulks asked = { 0 };
    TRY(param_bulk(request, &asked.id, err));
    return request_submit(request, construct(request_origin(request), &asked), render_bulk, err);
}

enum status v1_bulk_get(struct api_request *request, struct error *err)
{
    return by_id(request, call_get_bulk, err);
}

enum status v1_bulk_cancel(struct api_request *request, struct error *err)
{
    return by_id(request, call_cancel_bulk, err);
}

enum status v1_bulk_pause(struct api_request *request, struct error *err)
{
    return by_id(request, call_pause_bulk, err);
}

enum status v1_bulk_resume(struct api_request *request, struct error *err)
{
    return by_id(request, call_resume_bulk, err);
}

/* The way back of a migration is a bulk of its own. */
enum status v1_bulk_undo(struct api_request *request, struct error *err)
{
    struct arena *arena = request->http->arena;
    const struct json *body;
    struct id id;
    TRY(param_bulk(request, &id, err));
    TRY(request_body(request, false, &body, err));
    if (!body) body = json_empty_object();
    body = json_set(arena, body, STR("action"), json_of_string(arena, STR("undo")));
    body = json_set(arena, body, STR("bulk"), json_of_string(arena, request->param[0]));
    return submit_bulk(request, body, err);
}

/* ---- migrations, in the words of people who migrate ---- */

/* { definitionId, from, to, where, … } is a bulk whose filter has the first two. */
enum status v1_migrations_begin(struct api_request *request, struct error *err)
{
    static const struct {
        const char *name, *filter, *meaning;
        enum json_kind kind;
    } moved[] = { { "definitionId", "definitionId", "the id of a definition", JSON_STRING },
                  { "from", "definitionVersion", "the version that instances come from", JSON_NUMBER } };
    struct arena *arena = request->http->arena;
    const struct json *body, *filter;
    TRY(request_body(request, true, &body, err));
    filter = json_get(body, STR("where"));
    if (filter && !json_is(filter, JSON_OBJECT))
        return fail(err, ST_INVALID, "where", "where must be an object: which of the instances migrate");
    if (!filter) filter = json_empty_object();
    for (size_t i = 0; i < COUNT(moved); i++) {
        const struct json *value = json_get(body, str_of(moved[i].name));
        if (!value || !json_is(value, moved[i].kind))
            return fail(err, ST_INVALID, moved[i].name, "%s must be %s", moved[i].name, moved[i].meaning);
        if (json_get(filter, str_of(moved[i].filter)))
            return fail(err, ST_INVALID, "where", "where.%s stands beside where, as %s", moved[i].filter,
                        moved[i].name);
        filter = json_set(arena, filter, str_of(moved[i].filter), value);
        body = json_without(arena, body, str_of(moved[i].name));
    }
    body = json_set(arena, json_without(arena, body, STR("where")), STR("filter"), filter);
    body = json_set(arena, body, STR("action"), json_of_string(arena, STR("migrate")));
    return submit_bulk(request, body, err);
}

static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_bulks *answer = &call->value.bulks;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_bulk(out, &answer->view[i], true);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.bulks.max);
    if (answer->count == call->as.bulks.max) {
        PUT(out, ",\"nextCursor\":");
        put_id(out, bulk_id(&answer->view[answer->count - 1].row));
    }
    buf_add_char(out, '}');
}

enum status v1_bulk_list(struct api_request *request, struct error *err)
{
    struct call_bulks asked = { 0 };
    bool cursor;
    struct id before = { 0 };
    int64_t skip;
    TRY(query_cursor(request, &cursor, &before, err));
    TRY(query_page(request, &skip, &asked.max, err));
    if (asked.max > BULKS_PAGE_MAX) {
        asked.max = BULKS_PAGE_MAX;
        request_warn(request, "a page of bulks has at most %d items (BULKS_PAGE_MAX)", BULKS_PAGE_MAX);
    }
    asked.before = cursor && before.instance == 0 ? 1 : (int64_t)before.instance;
    return request_submit(request, call_list_bulks(request_origin(request), &asked), render_page, err);
}

/* ---- results ---- */

static void put_result(struct buf *out, enum bulk_action action, const struct bulk_result *result)
{
    buf_add_str(out, action == BULK_RESEND ? STR("{\"number\":") : STR("{\"instanceId\":"));
    put_target(out, action, result->target);
    PUT(out, ",\"outcome\":");
    put_text(out, str_of(bulk_outcome_word(result->outcome)));
    if (result->words.n) {
        PUT(out, ",\"reason\":");
        put_text(out, result->words);
    }
    buf_add_char(out, '}');
}

static void render_results(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_bulks *answer = &call->value.bulks;
    const struct bulk_row *row = &answer->view->row;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->result_count; i++) {
        if (i) buf_add_char(out, ',');
        put_result(out, (enum bulk_action)row->action, &answer->result[i]);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.bulks.max);
    if (call->as.bulks.skip < row->done) {
        PUT(out, ",\"nextCursor\":");
        put_id(out, (struct id){ .instance = (uint64_t)call->as.bulks.skip });
    }
    buf_add_char(out, '}');
}

enum status v1_bulk_results(struct api_request *request, struct error *err)
{
    struct call_bulks asked = { 0 };
    bool cursor;
    struct id place = { 0 };
    str word = query_text(request, STR("outcome"));
    TRY(param_bulk(request, &asked.id, err));
    TRY(query_page(request, &asked.skip, &asked.max, err));
    TRY(query_cursor(request, &cursor, &place, err));
    asked.skip = cursor ? (int64_t)place.instance : 0;
    asked.outcome = -1;
    for (enum bulk_outcome outcome = 0; outcome < BULK_OUTCOME_COUNT; outcome++)
        if (str_equal(word, str_of(bulk_outcome_word(outcome)))) asked.outcome = (int32_t)outcome;
    if (word.n && asked.outcome < 0)
        return fail(err, ST_INVALID, "outcome", "outcome must be succeeded, skipped or refused, not \"%.*s\"",
                    STR_ARG(word));
    return request_submit(request, call_bulk_results(request_origin(request), &asked), render_results, err);
}

/* ---- why instances failed ---- */

static void render_reasons(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    buf_add_char(out, '{');
    put_groups(out, call);
    put_count(out, "total", call->value.bulks.total);
    if (call->value.bulks.cut) PUT(out, ",\"cut\":true");
    buf_add_char(out, '}');
}

enum status v1_bulk_reasons(struct api_request *request, struct error *err)
{
    struct call_bulk asked = { 0 };
    struct bulk_request *looked_for = arena_make(request->http->arena, struct bulk_request);
    *looked_for =
        (struct bulk_request){ .action = BULK_RETRY,
                               .dry_run = true,
                               .filter = { .statuses = 1u << INSTANCE_FAILED,
                                           .definition_id = query_text(request, STR("definitionId")),
                                           .step = query_text(request, STR("step")) } };
    asked.request = looked_for;
    return request_submit(request, call_reasons(request_origin(request), &asked), render_reasons, err);
}
