/* api/entity/audit.c — what happened to an entity: /api/audit. */
#include "api/entity/entity_int.h"

#include "api/access/access_int.h"
#include "json/put.h"

#include <inttypes.h>

/* ---- items ---- */

static void put_head(struct buf *out, const struct audit_item *item, struct uuid entity, const char *type)
{
    buf_printf(out, "{\"auditEventType\":\"%s\",\"severity\":\"%s\",\"utcTime\":", type,
               item->event.is_warning ? "WARN" : "INFO");
    put_time(out, item->at_ms);
    buf_printf(out, ",\"microsTime\":%" PRId64 ",\"entityId\":", item->at_ms * 1000);
    entity_put_uuid(out, entity);
    if (!item->transaction.n) return;
    PUT(out, ",\"transactionId\":");
    put_text(out, item->transaction);
}

/* Puts `,"actor":{…}` and the one who carried it out. */
static void put_actor(struct buf *out, const struct audit_item *item, str tenant)
{
    PUT(out, ",\"actor\":{\"id\":");
    put_text(out, item->by.user);
    PUT(out, ",\"name\":");
    put_text(out, item->by.user);
    PUT(out, ",\"legalId\":");
    put_text(out, tenant);
    if (item->by.kind.n) {
        PUT(out, ",\"kind\":");
        put_text(out, item->by.kind);
    }
    buf_add_char(out, '}');
    entity_put_executor(out, &item->by);
}

static void put_change(struct buf *out, const struct audit_item *item, struct uuid entity, str tenant)
{
    put_head(out, item, entity, "EntityChange");
    buf_printf(out, ",\"changeType\":\"%s\"", entity_event_word(item->event.kind));
    put_actor(out, item, tenant);
    PUT(out, ",\"system\":");
    put_flag(out, str_equal(item->by.kind, ENTITY_SYSTEM));
    if (item->changes) {
        PUT(out, ",\"changes\":");
        json_print(item->changes, out);
    }
    buf_add_char(out, '}');
}

static void put_event(struct buf *out, const struct audit_item *item, struct uuid entity, str tenant)
{
    put_head(out, item, entity, "StateMachine");
    buf_printf(out, ",\"eventType\":\"%s\"", entity_event_word(item->event.kind));
    put_actor(out, item, tenant);
    PUT(out, ",\"state\":");
    put_text(out, item->event.state);
    PUT(out, ",\"details\":");
    put_text(out, item->event.details);
    PUT(out, ",\"data\":");
    if (item->event.data) json_print(item->event.data, out);
    else PUT(out, "null");
    buf_add_char(out, '}');
}

static void put_item(struct buf *out, const struct audit_item *item, struct uuid entity, str tenant)
{
    if (entity_event_is_change(item->event.kind)) put_change(out, item, entity, tenant);
    else put_event(out, item, entity, tenant);
}

/* ---- a page ---- */

/* A place is a revision, a number among its events, and where the store has it; then perhaps the newest
 * revision of its transaction, and where the store has that. */
static void put_cursor(struct buf *out, const struct audit_place *place)
{
    buf_printf(out, "\"%" PRIu32 "-%" PRIu32 "-%" PRId64, place->place.revision, place->event,
               place->place.row);
    if (place->newest.revision)
        buf_printf(out, "-%" PRIu32 "-%" PRId64, place->newest.revision, place->newest.row);
    buf_add_char(out, '"');
}

static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_audit *answer = &call->value.audit;
    str tenant = access_tenant_name(call->user);
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        put_item(out, &answer->item[i], call->as.audit.id, tenant);
    }
    PUT(out, "],\"pagination\":{\"hasNext\":");
    put_flag(out, answer->more);
    if (answer->more) {
        PUT(out, ",\"nextCursor\":");
        put_cursor(out, &answer->next);
    }
    PUT(out, "}}");
}

static void render_finish(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_item(out, call->value.audit.item, call->as.audit.id, access_tenant_name(call->user));
}

static enum status read_kinds(struct api_request *request, uint32_t *ret_kinds, struct error *err)
{
    static const struct {
        const char *word;
        enum audit_kind kind;
    } kinds[] = { { "StateMachine", AUDIT_STATE_MACHINE },
                  { "EntityChange", AUDIT_CHANGE },
                  { "System", AUDIT_SYSTEM } };
    str word, rest = request->http->query;
    while (query_next(request, STR("eventType"), &rest, &word)) {
        size_t i = 0;
        while (i < COUNT(kinds) && !str_equal(word, str_of(kinds[i].word))) i++;
        if (i == COUNT(kinds))
            return fail_code(err, ST_INVALID, "BAD_REQUEST",
                             "eventType is StateMachine, EntityChange or System, not \"%.*s\"",
                             STR_ARG(word));
        *ret_kinds |= kinds[i].kind;
    }
    return ST_OK;
}

static enum status read_severity(struct api_request *request, enum audit_severity *ret_severity,
                                 struct error *err)
{
    static const struct {
        const char *word;
        enum audit_severity severity;
    } severities[] = { { "", AUDIT_ANY },
                       { "INFO", AUDIT_INFORMATION },
                       { "WARN", AUDIT_WARNING },
                       { "ERROR", AUDIT_OTHER },
                       { "DEBUG", AUDIT_OTHER } };
    str word = query_text(request, STR("severity"));
    for (size_t i = 0; i < COUNT(severities); i++) {
        if (!str_equal(word, str_of(severities[i].word))) continue;
        *ret_severity = severities[i].severity;
        return ST_OK;
    }
    return fail_code(err, ST_INVALID, "BAD_REQUEST", "severity is DEBUG, INFO, WARN or ERROR");
}

/* The number before the next dash, or at the end. */
static bool take_number(str *text, int64_t most, int64_t *ret_number)
{
    const char *dash = text->n ? memchr(text->p, '-', text->n) : NULL;
    size_t n = dash ? (size_t)(dash - text->p) : text->n;
    bool is_number = n && text->p[0] >= '0' && text->p[0] <= '9' &&
                     str_to_int64(str_slice(*text, 0, n), ret_number) && *ret_number <= most;
    *text = str_slice(*text, n + (dash != NULL), text->n);
    return is_number;
}

static enum status read_cursor(struct api_request *request, struct audit_place *ret_place, struct error *err)
{
    str text = query_text(request, STR("cursor"));
    int64_t revision, event, row, newest = 0, newest_row = 0;
    if (!text.n) return ST_OK;
    if (!take_number(&text, UINT32_MAX, &revision) || !take_number(&text, UINT32_MAX, &event) ||
        !take_number(&text, INT64_MAX, &row) || !revision ||
        (text.n && (!take_number(&text, UINT32_MAX, &newest) || !take_number(&text, INT64_MAX, &newest_row) ||
                    newest < revision)) ||
        text.n)
        return fail_code(err, ST_INVALID, "BAD_REQUEST", "cursor is the nextCursor of an earlier page");
    *ret_place = (struct audit_place){ { (uint32_t)revision, row },
                                       (uint32_t)event,
                                       { (uint32_t)newest, newest_row } };
    return ST_OK;
}

enum status entity_audit_list(struct api_request *request, struct error *err)
{
    struct call_audit asked = { .from_ms = INT64_MIN, .to_ms = INT64_MAX };
    int64_t limit;
    TRY(entity_param_id(request, 0, &asked.id, err));
    TRY(entity_param_number(request, STR("limit"), 1, ENTITY_AUDIT_MAX, ENTITY_AUDIT_DEFAULT, &limit, err));
    TRY(entity_param_time(request, STR("fromUtcTime"), &asked.from_ms, err));
    TRY(entity_param_time(request, STR("toUtcTime"), &asked.to_ms, err));
    TRY(entity_param_transaction(request, query_text(request, STR("transactionId")), &asked.transaction,
                                 err));
    TRY(read_kinds(request, &asked.kinds, err));
    TRY(read_severity(request, &asked.severity, err));
    TRY(read_cursor(request, &asked.after, err));
    asked.max = (size_t)limit;
    return request_submit(request, call_list_audit(request_origin(request), &asked), render_page, err);
}

/* The end of what a transaction set in motion. */
enum status entity_audit_finish(struct api_request *request, struct error *err)
{
    struct call_audit asked = {
        .from_ms = INT64_MIN, .to_ms = INT64_MAX, .max = 1, .only_finish = true, .kinds = AUDIT_STATE_MACHINE
    };
    TRY(entity_param_id(request, 0, &asked.id, err));
    TRY(entity_param_transaction(request, request->param[1], &asked.transaction, err));
    return request_submit(request, call_list_audit(request_origin(request), &asked), render_finish, err);
}
