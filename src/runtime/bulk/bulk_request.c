/* runtime/bulk/bulk_request.c — what a bulk is asked to do, and which instances fit its filter. */
#include "runtime/bulk/bulk_int.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "dialect/dialect.h"
#include "dialect/nearest.h"
#include "runtime/limits.h"

const char *bulk_action_word(enum bulk_action action)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [BULK_##NAME] = word,
        BULK_ACTION_MAP(XX)
#undef XX
    };
    return words[action];
}

const char *bulk_state_word(enum bulk_state state)
{
    static const char *const words[] = {
#define XX(NAME, word) [BULK_STATE_##NAME] = word,
        BULK_STATE_MAP(XX)
#undef XX
    };
    return words[state];
}

const char *bulk_outcome_word(enum bulk_outcome outcome)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [BULK_##NAME] = word,
        BULK_OUTCOME_MAP(XX)
#undef XX
    };
    return words[outcome];
}

const char *bulk_verdict_word(enum bulk_verdict verdict)
{
    static const char *const words[] = {
#define XX(NAME, word, meaning) [BULK_##NAME] = word,
        BULK_VERDICT_MAP(XX)
#undef XX
    };
    return words[verdict];
}

/* ---- fields ---- */

enum field_kind { TAKES_TEXT, TAKES_NUMBER, TAKES_FLAG, TAKES_OBJECT, TAKES_LIST };

struct bulk_field {
    const char *name;
    enum field_kind kind;
    uint32_t actions; /* Bits 1 << action: whose field it is. */
};

enum {
    OF_RETRY = 1 << BULK_RETRY,
    OF_CANCEL = 1 << BULK_CANCEL,
    OF_SIGNAL = 1 << BULK_SIGNAL,
    OF_RESEND = 1 << BULK_RESEND,
    OF_MIGRATE = 1 << BULK_MIGRATE,
    OF_UNDO = 1 << BULK_UNDO,
    OF_VERSIONS = OF_MIGRATE | OF_UNDO,
    OF_INSTANCES = OF_RETRY | OF_CANCEL | OF_SIGNAL | OF_VERSIONS,
    OF_ALL = OF_INSTANCES | OF_RESEND,
};

static const struct bulk_field request_fields[] = {
    { "action", TAKES_TEXT, OF_ALL },
    { "filter", TAKES_OBJECT, OF_ALL },
    { "step", TAKES_TEXT, OF_RETRY | OF_SIGNAL },
    { "variables", TAKES_OBJECT, OF_RETRY | OF_SIGNAL },
    { "reason", TAKES_TEXT, OF_CANCEL | OF_VERSIONS },
    { "to", TAKES_NUMBER, OF_VERSIONS },
    { "map", TAKES_OBJECT, OF_MIGRATE },
    { "retry", TAKES_FLAG, OF_MIGRATE },
    { "bulk", TAKES_TEXT, OF_UNDO },
    { "by", TAKES_TEXT, OF_ALL },
    { "dryRun", TAKES_FLAG, OF_ALL },
    { "failed", TAKES_FLAG, OF_CANCEL },
    { "expectFound", TAKES_NUMBER, OF_ALL },
    { "all", TAKES_FLAG, OF_ALL & ~OF_VERSIONS },
};

static const struct bulk_field filter_fields[] = {
    { "definitionId", TAKES_TEXT, OF_INSTANCES },
    { "definitionVersion", TAKES_NUMBER, OF_INSTANCES },
    { "status", TAKES_TEXT, OF_INSTANCES },
    { "businessKey", TAKES_TEXT, OF_INSTANCES },
    { "businessKeyPrefix", TAKES_TEXT, OF_INSTANCES },
    { "reason", TAKES_TEXT, OF_RETRY | OF_CANCEL | OF_RESEND | OF_MIGRATE },
    { "reasonContains", TAKES_TEXT, OF_RETRY | OF_CANCEL | OF_RESEND | OF_MIGRATE },
    { "step", TAKES_TEXT, OF_INSTANCES },
    { "startedBefore", TAKES_TEXT, OF_INSTANCES },
    { "startedAfter", TAKES_TEXT, OF_INSTANCES },
    { "ids", TAKES_LIST, OF_INSTANCES },
    { "source", TAKES_TEXT, OF_RESEND },
    { "type", TAKES_TEXT, OF_RESEND },
    { "receivedBefore", TAKES_TEXT, OF_RESEND },
    { "receivedAfter", TAKES_TEXT, OF_RESEND },
    { "numbers", TAKES_LIST, OF_RESEND },
};

static bool has_kind(const struct json *value, enum field_kind kind)
{
    static const enum json_kind kinds[] = { [TAKES_TEXT] = JSON_STRING,
                                            [TAKES_NUMBER] = JSON_NUMBER,
                                            [TAKES_FLAG] = JSON_BOOL,
                                            [TAKES_OBJECT] = JSON_OBJECT,
                                            [TAKES_LIST] = JSON_ARRAY };
    return json_is(value, kinds[kind]);
}

static const char *kind_word(enum field_kind kind)
{
    static const char *const words[] = { "a text", "a number", "true or false", "an object", "a list" };
    return words[kind];
}

static enum status unknown_field(const char *prefix, str name, const struct bulk_field *field, size_t count,
                                 enum bulk_action action, struct arena *arena, struct error *err)
{
    struct nearest nearest;
    nearest_init(&nearest, name);
    for (size_t i = 0; i < count; i++)
        if (field[i].actions >> action & 1) nearest_offer(&nearest, str_of(field[i].name));
    const char *hint = nearest_hint(&nearest, arena);
    return fail(err, ST_INVALID, prefix, "%s%.*s is no field of a bulk to %s%s%s", prefix, STR_ARG(name),
                bulk_action_word(action), hint ? ": " : "", hint ? hint : "");
}

/* A field that is not known is refused: without it the bulk would be for more than was meant. */
static enum status check_fields(const struct json *object, const char *prefix, const struct bulk_field *field,
                                size_t count, enum bulk_action action, struct arena *arena, struct error *err)
{
    struct json_each each = json_each(object);
    while (json_next(&each)) {
        const struct bulk_field *known = NULL;
        for (size_t i = 0; i < count; i++)
            if (field[i].actions >> action & 1 && str_equal(str_of(field[i].name), each.name))
                known = &field[i];
        if (!known) return unknown_field(prefix, each.name, field, count, action, arena, err);
        if (!has_kind(each.value, known->kind))
            return fail(err, ST_INVALID, known->name, "%s%s must be %s, not %s", prefix, known->name,
                        kind_word(known->kind), json_kind_name(json_kind(each.value)));
        if (known->kind == TAKES_TEXT && !json_string(each.value).n)
            return fail(err, ST_INVALID, known->name, "%s%s must not be empty", prefix, known->name);
    }
    return ST_OK;
}

/* ---- the filter ---- */

static enum status read_time(const struct json *filter, const char *name, int64_t *ret_ms, struct error *err)
{
    str text = json_text(filter, str_of(name));
    if (!text.n || datetime_parse(text, ret_ms)) return ST_OK;
    return fail(err, ST_INVALID, name, "filter.%s must be a time such as 2026-11-15T03:50:11Z, not \"%.*s\"",
                name, STR_ARG(text));
}

static uint32_t statuses_of(enum bulk_action action)
{
    uint32_t failed = 1u << INSTANCE_FAILED, living = 1u << INSTANCE_ACTIVE | 1u << INSTANCE_WAITING;
    if (action == BULK_MIGRATE || action == BULK_UNDO || action == BULK_CANCEL) return living | failed;
    return action == BULK_RETRY ? failed : living;
}

/* The statuses of a filter that names none. Instances that failed are given up only if that is asked for. */
static uint32_t usual_statuses(const struct json *filter, enum bulk_action action, bool failed_too)
{
    /* Only a failure has a reason. */
    bool has_reason = json_get(filter, STR("reason")) || json_get(filter, STR("reasonContains"));
    if (has_reason && (action == BULK_MIGRATE || action == BULK_CANCEL)) return 1u << INSTANCE_FAILED;
    if (action == BULK_CANCEL && !failed_too) return statuses_of(action) & ~(1u << INSTANCE_FAILED);
    return statuses_of(action);
}

static enum status read_status(const struct json *filter, enum bulk_action action, bool failed_too,
                               uint32_t *ret_statuses, struct error *err)
{
    static const char *const can[BULK_ACTION_COUNT] = {
        [BULK_RETRY] = "FAILED instances can be retried",
        [BULK_CANCEL] = "ACTIVE, WAITING and FAILED instances can be cancelled",
        [BULK_SIGNAL] = "ACTIVE and WAITING instances can be sent a signal",
        [BULK_MIGRATE] = "ACTIVE, WAITING and FAILED instances can migrate",
        [BULK_UNDO] = "ACTIVE, WAITING and FAILED instances can migrate",
    };
    enum instance_status status;
    str word = json_text(filter, STR("status"));
    *ret_statuses = usual_statuses(filter, action, failed_too);
    if (!word.n) return ST_OK;
    if (!instance_status_parse(word, &status))
        return fail(err, ST_INVALID, "status",
                    "filter.status must be ACTIVE, WAITING or FAILED, not \"%.*s\"", STR_ARG(word));
    if (!(statuses_of(action) >> status & 1))
        return fail(err, ST_INVALID, "status", "filter.status is %s, but only %s",
                    instance_status_word(status), can[action]);
    *ret_statuses = 1u << status;
    return ST_OK;
}

static enum status read_list(const struct json *filter, const char *name, const struct json **ret_list,
                             struct error *err)
{
    const struct json *list = json_get(filter, str_of(name));
    size_t count = json_count(list);
    if (list && !count) return fail(err, ST_INVALID, name, "filter.%s must not be empty", name);
    if (count > BULK_IDS_MAX)
        return fail(err, ST_LIMIT, name, "filter.%s has %zu items; the most is %d (BULK_IDS_MAX)", name,
                    count, BULK_IDS_MAX);
    struct json_each each = json_each(list);
    while (json_next(&each)) {
        struct id id;
        int64_t number;
        bool good = strcmp(name, "ids") == 0
                        ? json_is(each.value, JSON_STRING) && id_parse(json_string(each.value), &id) &&
                              !id.number && !id.delivery
                        : json_is(each.value, JSON_NUMBER) && json_int64(each.value, &number);
        if (!good)
            return fail(err, ST_INVALID, name, "filter.%s must hold %s only", name,
                        strcmp(name, "ids") == 0 ? "ids of instances" : "numbers of unmatched events");
    }
    *ret_list = list;
    return ST_OK;
}

static enum status read_filter(const struct json *filter, enum bulk_action action, bool failed_too,
                               struct bulk_filter *ret_filter, struct error *err)
{
    const struct json *version = json_get(filter, STR("definitionVersion"));
    *ret_filter = (struct bulk_filter){
        .definition_id = json_text(filter, STR("definitionId")),
        .business_key = json_text(filter, STR("businessKey")),
        .business_key_prefix = json_text(filter, STR("businessKeyPrefix")),
        .reason = json_text(filter, STR("reason")),
        .reason_contains = json_text(filter, STR("reasonContains")),
        .step = json_text(filter, STR("step")),
        .source = json_text(filter, STR("source")),
        .type = json_text(filter, STR("type")),
    };
    if (version && (!json_int64(version, &ret_filter->version) || ret_filter->version < 1 ||
                    ret_filter->version > INT32_MAX))
        return fail(err, ST_INVALID, "definitionVersion",
                    "filter.definitionVersion must be a version: 1, 2, …");
    bool unmatched = action == BULK_RESEND;
    TRY(read_status(filter, action, failed_too, &ret_filter->statuses, err));
    TRY(read_time(filter, unmatched ? "receivedAfter" : "startedAfter", &ret_filter->after_ms, err));
    TRY(read_time(filter, unmatched ? "receivedBefore" : "startedBefore", &ret_filter->before_ms, err));
    TRY(read_list(filter, "ids", &ret_filter->ids, err));
    return read_list(filter, "numbers", &ret_filter->numbers, err);
}

/* ---- the request ---- */

static enum status read_action(const struct json *body, enum bulk_action *ret_action, struct error *err)
{
    str word = json_text(body, STR("action"));
    for (enum bulk_action action = 0; action < BULK_ACTION_COUNT; action++) {
        *ret_action = action;
        if (str_equal(str_of(bulk_action_word(action)), word)) return ST_OK;
    }
    return fail(err, ST_INVALID, "action",
                "action must be retry, cancel, signal, resend, migrate or undo%s%.*s%s",
                word.n ? ", not \"" : "", STR_ARG(word), word.n ? "\"" : "");
}

static enum status read_map(const struct json *map, struct error *err)
{
    if (json_count(map) > NODE_MAPPINGS_MAX)
        return fail(err, ST_LIMIT, "map", "map has %zu nodes; the most is %d (NODE_MAPPINGS_MAX)",
                    json_count(map), NODE_MAPPINGS_MAX);
    struct json_each each = json_each(map);
    while (json_next(&each))
        if (!each.name.n || !json_is(each.value, JSON_STRING) || !json_string(each.value).n)
            return fail(err, ST_INVALID, "map", "map.%.*s must be the name of a node of the new version",
                        STR_ARG(each.name));
    return ST_OK;
}

/* The fields of a migration and of its undoing. */
static enum status read_versions(const struct json *body, struct bulk_request *request, struct error *err)
{
    const struct json *to = json_get(body, STR("to")), *retry = json_get(body, STR("retry"));
    int64_t version = 0;
    if (to && (!json_int64(to, &version) || version < 1 || version > INT32_MAX))
        return fail(err, ST_INVALID, "to", "to must be a version: 1, 2, …");
    request->to = (int32_t)version;
    request->map = json_get(body, STR("map"));
    request->retries = !retry || json_bool(retry);
    TRY(read_map(request->map, err));
    if (request->action == BULK_UNDO) {
        str bulk = json_text(body, STR("bulk"));
        if (id_parse(bulk, &request->undone) && !request->undone.number && request->undone.delivery == 1)
            return ST_OK;
        return fail(err, ST_INVALID, "bulk", "bulk must be the id of a migration");
    }
    if (!request->filter.definition_id.n)
        return fail(err, ST_INVALID, "filter", "filter.definitionId is required: whose instances migrate");
    if (!request->filter.version)
        return fail(err, ST_INVALID, "filter",
                    "filter.definitionVersion is required: the version that instances come from");
    if (!to) return fail(err, ST_INVALID, "to", "to is required: the version that instances go on with");
    if (request->filter.version == version)
        return fail(err, ST_INVALID, "to", "to is %lld, the version that the instances have already",
                    (long long)version);
    return ST_OK;
}

enum status bulk_request_read(const struct json *body, struct arena *arena, struct bulk_request *ret_request,
                              struct error *err)
{
    struct bulk_request request = { .body = body };
    if (json_bytes(body) > BULK_REQUEST_BYTES_MAX)
        return fail(err, ST_LIMIT, "",
                    "the request has %zu bytes as stored; the most is %d (BULK_REQUEST_BYTES_MAX)",
                    json_bytes(body), BULK_REQUEST_BYTES_MAX);
    TRY(read_action(body, &request.action, err));
    TRY(check_fields(body, "", request_fields, COUNT(request_fields), request.action, arena, err));
    const struct json *filter = json_get(body, STR("filter"));
    TRY(check_fields(filter, "filter.", filter_fields, COUNT(filter_fields), request.action, arena, err));
    TRY(read_filter(filter, request.action, json_flag(body, STR("failed")), &request.filter, err));
    bool all = json_flag(body, STR("all"));
    if (!json_count(filter) && !all && request.action != BULK_UNDO)
        return fail(err, ST_INVALID, "filter", "the filter is empty: say whom it is for, or \"all\": true");
    if (json_count(filter) && all)
        return fail(err, ST_INVALID, "all", "all is for a request without a filter, and this one has one");
    request.step = json_text(body, STR("step"));
    if (request.action == BULK_SIGNAL && !request.step.n)
        return fail(err, ST_INVALID, "step", "step is required: the step that waits for the signal");
    request.reason = json_text(body, STR("reason"));
    if (request.action == BULK_MIGRATE || request.action == BULK_UNDO)
        TRY(read_versions(body, &request, err));
    request.by = json_text(body, STR("by"));
    if (request.by.n > WORKER_ID_BYTES_MAX)
        return fail(err, ST_INVALID, "by", "by must be at most %d bytes", WORKER_ID_BYTES_MAX);
    request.variables = json_get(body, STR("variables"));
    request.dry_run = json_flag(body, STR("dryRun"));
    const struct json *expected = json_get(body, STR("expectFound"));
    request.expected = -1;
    if (expected && (!json_int64(expected, &request.expected) || request.expected < 0))
        return fail(err, ST_INVALID, "expectFound", "expectFound must be a count: 0, 1, 2, …");
    *ret_request = request;
    return ST_OK;
}

/* ---- who fits ---- */

static bool stands_at(const struct bulk_subject *subject, str step)
{
    for (size_t i = 0; i < subject->step_count; i++)
        if (show_is_called(subject->program, subject->step[i], step)) return true;
    return false;
}

/* A filter's reason may be folded, as lists of reasons show it. */
static bool is_reason(str asked, str reason)
{
    if (str_equal(reason, asked)) return true;
    struct arena arena;
    arena_init(&arena, 0);
    bool is = str_equal(bulk_fold_reason(reason, &arena), asked);
    arena_done(&arena);
    return is;
}

static bool has_reason(const struct bulk_filter *filter, str reason)
{
    if (filter->reason.n && !is_reason(filter->reason, reason)) return false;
    return !filter->reason_contains.n || str_has_part(reason, filter->reason_contains);
}

const char *bulk_mismatch(const struct bulk_filter *filter, const struct bulk_subject *subject)
{
    static const char *const is[] = {
#define XX(NAME, word, ended, meaning) "it is " word,
        INSTANCE_STATUS_MAP(XX)
#undef XX
    };
    if (!(filter->statuses >> subject->status & 1)) return is[subject->status];
    if (filter->definition_id.n && !str_equal(filter->definition_id, subject->definition_id))
        return "it is of another definition";
    if (filter->version && filter->version != subject->version)
        return "it is of another version of the definition";
    if (filter->business_key.n && !str_equal(filter->business_key, subject->business_key))
        return "it has another business key";
    if (!str_starts(subject->business_key, filter->business_key_prefix)) return "it has another business key";
    if (!has_reason(filter, subject->reason)) return "its reason is another one";
    if (filter->step.n && !stands_at(subject, filter->step)) return "it stands at another step";
    if (filter->after_ms && subject->created_ms < filter->after_ms) return "it is older";
    if (filter->before_ms && subject->created_ms >= filter->before_ms) return "it is newer";
    if (filter->source.n && !str_equal(filter->source, subject->source)) return "it has another source";
    if (filter->type.n && !str_equal(filter->type, subject->type)) return "it is of another type";
    return NULL;
}

struct bulk_subject bulk_subject_of_unmatched(const struct unmatched_row *unmatched, const struct json *event)
{
    /* Filters of unmatched events ask for no status: each has what they have by default. */
    return (struct bulk_subject){ .status = INSTANCE_ACTIVE,
                                  .created_ms = unmatched->received_ms,
                                  .reason = unmatched->reason,
                                  .source = json_text(event, STR("source")),
                                  .type = json_text(event, STR("type")) };
}

/* ---- reasons ---- */

static bool is_word(char c) { return ascii_is_alphanumeric(c) || c == '_' || (unsigned char)c >= 0x80; }

/* Returns where the quoted text that begins here ends, behind its closing quote; 0 if no quoted text begins
 * here. An apostrophe inside a word begins none. Quoted texts have a limit, because a text would be scanned
 * once for each of its quotes. */
static size_t quoted_end(str text, size_t at)
{
    char quote = text.p[at];
    if ((quote != '"' && quote != '\'') || (at && is_word(text.p[at - 1]))) return 0;
    for (size_t i = at + 1; i < text.n && i < at + BULK_QUOTED_BYTES_MAX; i++)
        if (text.p[i] == quote && (i + 1 == text.n || !is_word(text.p[i + 1]))) return i + 1;
    return 0;
}

/* True if a UUID begins here. Its dashes would otherwise split it into words. */
static bool is_uuid(str text, size_t at)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (text.n - at < sizeof form - 1) return false;
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == '-' ? text.p[at + i] != '-'
                           : !strchr("0123456789abcdefABCDEF", text.p[at + i]) || !text.p[at + i])
            return false;
    return true;
}

/* Folds a word with digits: a long one is taken for an id, a short one keeps its letters. */
static void fold_word(str word, struct buf *out)
{
    enum { ID_BYTES_MIN = 8 };
    bool digit = false;
    for (size_t i = 0; i < word.n; i++) digit |= ascii_is_digit(word.p[i]);
    if (digit && word.n >= ID_BYTES_MIN) {
        buf_add_char(out, '#');
        return;
    }
    for (size_t i = 0; i < word.n; i++)
        if (!ascii_is_digit(word.p[i])) buf_add_char(out, word.p[i]);
        else if (!i || !ascii_is_digit(word.p[i - 1])) buf_add_char(out, '#');
}

str bulk_fold_reason(str reason, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    for (size_t at = 0; at < reason.n;) {
        size_t end = quoted_end(reason, at);
        if (end) {
            buf_add_str(&out, STR("\"…\""));
        } else if (is_uuid(reason, at)) {
            buf_add_char(&out, '#');
            end = at + UUID_CHARS;
        } else {
            for (end = at; end < reason.n && is_word(reason.p[end]);) end++;
            if (end > at) fold_word(str_slice(reason, at, end), &out);
            else buf_add_char(&out, reason.p[end++]);
        }
        at = end;
    }
    return buf_str(&out);
}
