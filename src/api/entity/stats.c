/* api/entity/stats.c — how many entities there are, and all of a model deleted. */
#include "api/entity/entity_int.h"

#include "base/array.h"
#include "json/put.h"

/* ---- counts ---- */

static void put_count(struct buf *out, const struct entity_count *count, bool by_state)
{
    PUT(out, "{\"modelName\":");
    put_text(out, count->model);
    PUT(out, ",\"modelVersion\":");
    put_int(out, count->version);
    if (by_state) {
        PUT(out, ",\"state\":");
        put_text(out, count->state);
    }
    PUT(out, ",\"count\":");
    put_int(out, count->count);
    buf_add_char(out, '}');
}

static void render_counts(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_counts *answer = &call->value.counts;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_count(out, &answer->item[i], call->as.counts.by_state);
    }
    buf_add_char(out, ']');
}

/* A model without entities has a count, too. */
static void render_count(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct entity_count none = { .model = call->as.counts.model, .version = call->as.counts.version };
    *ret_http_status = 200;
    put_count(out, call->value.counts.count ? call->value.counts.item : &none, false);
}

/* Parameters `states`, each with one name or several with commas in between. */
static enum status read_states(struct api_request *request, struct call_counts *asked, struct error *err)
{
    str *list = NULL, value, rest = request->http->query;
    size_t count = 0, cap = 0;
    while (query_next(request, STR("states"), &rest, &value)) {
        while (value.n) {
            const char *comma = memchr(value.p, ',', value.n);
            size_t n = comma ? (size_t)(comma - value.p) : value.n;
            if (count == ENTITY_STATES_MAX)
                return fail_code(err, ST_INVALID, "BAD_REQUEST", "at most %d states may be named",
                                 ENTITY_STATES_MAX);
            array_reserve_in(request->http->arena, list, count, cap);
            if (n) list[count++] = str_slice(value, 0, n);
            value = str_slice(value, n + (comma != NULL), value.n);
        }
    }
    asked->state = list;
    asked->state_count = count;
    return ST_OK;
}

static enum status submit_counts(struct api_request *request, struct call_counts *asked, render_fn *render,
                                 struct error *err)
{
    TRY(entity_param_past(request, &asked->is_past, &asked->at_ms, err));
    if (asked->by_state) TRY(read_states(request, asked, err));
    return request_submit(request, call_count_entities(request_origin(request), asked), render, err);
}

enum status entity_stats_all(struct api_request *request, struct error *err)
{
    struct call_counts asked = { .by_state = false };
    return submit_counts(request, &asked, render_counts, err);
}

enum status entity_stats_states_all(struct api_request *request, struct error *err)
{
    struct call_counts asked = { .by_state = true };
    return submit_counts(request, &asked, render_counts, err);
}

enum status entity_stats(struct api_request *request, struct error *err)
{
    struct call_counts asked = { .by_state = false };
    TRY(entity_param_model(request, 0, &asked.model, &asked.version, err));
    return submit_counts(request, &asked, render_count, err);
}

enum status entity_stats_states(struct api_request *request, struct error *err)
{
    struct call_counts asked = { .by_state = true };
    TRY(entity_param_model(request, 0, &asked.model, &asked.version, err));
    return submit_counts(request, &asked, render_counts, err);
}

/* ---- all of a model ---- */

/* The spelling is that of clients which exist. */
static void render_all_removed(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_removal *answer = &call->value.removal;
    char model[UUID_CHARS + 1];
    uuid_print(uuid_of_name(arena_printf(call->arena, "%.*s.%d", STR_ARG(call->as.removal.model),
                                         (int)call->as.removal.version)),
               model);
    *ret_http_status = 200;
    PUT(out, "{\"entityModelClassId\":");
    put_text(out, str_of(model));
    PUT(out, ",\"deleteResult\":{\"idToError\":{");
    for (size_t i = 0; i < answer->error_count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, answer->error[i].id);
        buf_add_char(out, ':');
        put_text(out, answer->error[i].message);
    }
    PUT(out, "},\"numberOfEntitites\":");
    put_int(out, answer->found);
    PUT(out, ",\"numberOfEntititesRemoved\":");
    put_int(out, answer->removed);
    buf_add_char(out, '}');
    if (call->as.removal.verbose) {
        PUT(out, ",\"ids\":[");
        buf_add_str(out, answer->ids);
        buf_add_char(out, ']');
    }
    buf_add_char(out, '}');
}

enum status entity_remove_all(struct api_request *request, struct error *err)
{
    struct call_removal asked = { .transaction = entity_transaction(request->http->arena),
                                  .actor = takes_header(request, TAKES_ACTOR),
                                  .token = entity_token_of(request) };
    TRY(entity_param_model(request, 0, &asked.model, &asked.version, err));
    TRY(entity_param_past(request, &asked.is_past, &asked.at_ms, err));
    TRY(entity_check_now(asked.token, asked.is_past, err));
    TRY(query_flag(request, STR("verbose"), &asked.verbose, err));
    if (request->http->body.n)
        TRY(request_json(request, JSON_DEPTH_MAX, request->http->arena, &asked.condition, err));
    else if (asked.is_past) asked.condition = entity_condition_any(request->http->arena);
    return request_submit(request, call_remove_entities(request_origin(request), &asked), render_all_removed,
                          err);
}
