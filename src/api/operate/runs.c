/* api/operate/runs.c — lists of runs.
 *
 * A cursor is the place where a page ended: the number of an instance, and for lists by key its phase and its
 * key as hexadecimal digits, with dots between them.
 */
#include "api/operate/operate_int.h"

#include "base/ascii.h"
#include "base/datetime.h"
#include "base/utf8.h"

/* ---- a run as text ---- */

static void put_text_if(struct buf *out, const char *name, str text)
{
    if (!text.n) return;
    buf_printf(out, ",\"%s\":", name);
    put_text(out, text);
}

static void put_nodes(struct buf *out, const struct operate_run *run)
{
    PUT(out, ",\"nodes\":[");
    for (size_t i = 0; i < run->node_count; i++) {
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"id\":");
        put_text(out, run->node[i].id);
        PUT(out, ",\"title\":");
        put_text(out, run->node[i].title);
        PUT(out, ",\"state\":");
        put_text(out, str_of(show_status_word(run->node[i].state)));
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

void operate_put_run(struct buf *out, const struct operate_run *run, bool whole)
{
    PUT(out, "{\"id\":");
    put_id(out, run->id);
    PUT(out, ",\"definitionId\":");
    put_text(out, run->definition_id);
    PUT(out, ",\"definitionName\":");
    put_text(out, run->definition_name);
    PUT(out, ",\"definitionVersion\":");
    put_int(out, run->definition_version);
    PUT(out, ",\"dialect\":");
    put_text(out, run->dialect);
    PUT(out, ",\"status\":");
    put_text(out, str_of(show_status_word(run->status)));
    PUT(out, ",\"statusWord\":");
    put_text(out, run->status_word);
    put_text_if(out, "businessKey", run->business_key);
    PUT(out, ",\"startedAt\":");
    put_time(out, run->id.ms);
    if (run->ended_ms) {
        PUT(out, ",\"endedAt\":");
        put_time(out, run->ended_ms);
    }
    put_text_if(out, "reason", run->reason);
    if (run->visits >= 0) {
        PUT(out, ",\"visits\":");
        put_int(out, run->visits);
    }
    if (run->is_test) PUT(out, ",\"isTest\":true");
    if (whole) return;
    put_nodes(out, run);
    PUT(out, ",\"why\":");
    put_text(out, run->why);
    if (!run->says.n) return;
    PUT(out, ",\"says\":");
    buf_add_str(out, run->says);
}

/* ---- pages ---- */

static void put_cursor(struct buf *out, const struct operate_place *place)
{
    PUT(out, ",\"nextCursor\":\"");
    put_int(out, (int64_t)place->id);
    if (place->key.n) buf_printf(out, ".%u.", place->phase);
    for (size_t i = 0; i < place->key.n; i++) buf_printf(out, "%02x", (unsigned char)place->key.p[i]);
    buf_add_char(out, '"');
}

static void render_page(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_runs *answer = &call->value.runs;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        if (i) buf_add_char(out, ',');
        operate_put_run(out, &answer->run[i], false);
        buf_add_char(out, '}');
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.runs.max);
    if (answer->total >= 0) {
        PUT(out, ",\"total\":");
        put_int(out, answer->total);
    }
    if (answer->next.id) put_cursor(out, &answer->next);
    buf_add_char(out, '}');
}

/* ---- groups ---- */

static void put_group(struct buf *out, const struct operate_group *group)
{
    PUT(out, "{\"status\":");
    put_text(out, str_of(show_status_word(group->status)));
    PUT(out, ",\"count\":");
    put_int(out, group->count);
    PUT(out, ",\"sentence\":");
    put_text(out, group->sentence);
    PUT(out, ",\"definitionId\":");
    put_text(out, group->definition_id);
    PUT(out, ",\"definitionName\":");
    put_text(out, group->definition_name);
    put_text_if(out, "nodeId", group->node);
    put_text_if(out, "nodeTitle", group->title);
    put_text_if(out, "reason", group->reason);
    put_text_if(out, "reasonCode", group->reason_code);
    if (group->wait < SHOW_WAIT_COUNT) put_text_if(out, "waitingFor", str_of(show_wait_word(group->wait)));
    PUT(out, ",\"oldestAt\":");
    put_time(out, group->oldest_ms);
    PUT(out, ",\"newestAt\":");
    put_time(out, group->newest_ms);
    buf_add_char(out, '}');
}

static void render_groups(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_runs *answer = &call->value.runs;
    *ret_http_status = 200;
    PUT(out, "{\"groups\":[");
    for (size_t i = 0; i < answer->group_count; i++) {
        if (i) buf_add_char(out, ',');
        put_group(out, &answer->group[i]);
    }
    PUT(out, "],\"looked\":");
    put_int(out, (int64_t)answer->looked);
    PUT(out, ",\"ungrouped\":");
    put_int(out, answer->ungrouped);
    if (answer->next.id) PUT(out, ",\"cut\":true");
    buf_add_char(out, '}');
}

/* ---- what is asked ---- */

/* The part of a text up to the next dot, which is taken off. */
static str next_part(str *rest)
{
    size_t dot = str_find(*rest, STR("."), 0);
    str part = str_slice(*rest, 0, dot);
    *rest = dot == SIZE_MAX ? STR_NONE : str_slice(*rest, dot + 1, rest->n);
    return part;
}

static bool read_bytes(str digits, struct buf *out)
{
    if (digits.n % 2) return false;
    for (size_t i = 0; i < digits.n; i += 2) {
        int high = ascii_hex(digits.p[i]), low = ascii_hex(digits.p[i + 1]);
        if (high < 0 || low < 0) return false;
        buf_add_char(out, (char)(high * 16 + low));
    }
    return true;
}

static enum status read_cursor(struct api_request *request, struct operate_place *ret_place,
                               struct error *err)
{
    str text = query_text(request, STR("cursor"));
    if (!text.n) return ST_OK;
    int64_t id, phase = 0;
    struct buf key;
    buf_init(&key, request->http->arena);
    bool good = str_to_int64(next_part(&text), &id) && id > 0;
    if (good && text.n)
        good = str_to_int64(next_part(&text), &phase) && phase >= 0 && phase < STORE_PHASES &&
               read_bytes(text, &key);
    if (!good) return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier page");
    *ret_place = (struct operate_place){ (uint64_t)id, (uint32_t)phase, buf_str(&key) };
    return ST_OK;
}

/* Words with commas between them, as bits. */
typedef bool word_fn(str word, uint32_t *bits);

static bool add_status(str word, uint32_t *bits)
{
    enum show_status status;
    if (!show_status_parse(word, &status)) return false;
    *bits |= 1u << status;
    return true;
}

static bool add_wait(str word, uint32_t *bits)
{
    enum show_wait wait;
    if (!show_wait_parse(word, &wait)) return false;
    *bits |= 1u << wait;
    return true;
}

static enum status read_words(struct api_request *request, const char *name, word_fn *add, const char *words,
                              uint32_t *ret_bits, struct error *err)
{
    str rest = query_text(request, str_of(name));
    while (rest.n) {
        size_t comma = str_find(rest, STR(","), 0);
        str word = str_trim(str_slice(rest, 0, comma));
        rest = comma == SIZE_MAX ? STR_NONE : str_slice(rest, comma + 1, rest.n);
        if (!add(word, ret_bits))
            return fail(err, ST_INVALID, name, "%s is one or several of %s, not \"%.*s\"", name, words,
                        STR_ARG(utf8_cut(word, 64)));
    }
    return ST_OK;
}

static enum status read_time(struct api_request *request, const char *name, int64_t *ret_ms,
                             struct error *err)
{
    str text = query_text(request, str_of(name));
    if (!text.n || datetime_parse(text, ret_ms)) return ST_OK;
    return fail(err, ST_INVALID, name, "%s must be a time like 2026-11-16T09:00:00Z", name);
}

/* An id as a whole, or the beginning of a business key. */
static enum status read_keyword(struct api_request *request, struct call_runs *asked, struct error *err)
{
    str keyword = query_text(request, STR("keyword"));
    struct id id;
    if (id_parse(keyword, &id) && id.instance) asked->id = id.instance;
    else asked->key_prefix = keyword;
    if (asked->business_key.n > BUSINESS_KEY_BYTES_MAX || keyword.n > BUSINESS_KEY_BYTES_MAX)
        return fail(err, ST_LIMIT, "keyword", "a business key has at most %d bytes (BUSINESS_KEY_BYTES_MAX)",
                    BUSINESS_KEY_BYTES_MAX);
    return ST_OK;
}

static enum status read_asked(struct api_request *request, struct call_runs *ret_asked, struct error *err)
{
    int64_t skip, version = 0;
    str text = query_text(request, STR("version"));
    struct call_runs asked = {
        .definition_id = query_text(request, STR("definitionId")),
        .dialect = query_text(request, STR("dialect")),
        .business_key = query_text(request, STR("businessKey")),
        .reason = query_text(request, STR("reason")),
        .reason_contains = query_text(request, STR("reasonContains")),
        .failed_at = query_text(request, STR("failedAt")),
        .waiting_at = query_text(request, STR("waitingAt")),
        .step = query_text(request, STR("step")),
    };
    TRY(query_page(request, &skip, &asked.max, err));
    if (text.n && (!str_to_int64(text, &version) || version < 1 || version > INT32_MAX))
        return fail(err, ST_INVALID, "version", "version must be that of a definition");
    asked.version = (int32_t)version;
    TRY(read_words(request, "status", add_status, SHOW_STATUS_WORDS, &asked.statuses, err));
    TRY(read_words(request, "waitingFor", add_wait, SHOW_WAIT_WORDS, &asked.waiting_for, err));
    TRY(read_time(request, "startedAfter", &asked.after_ms, err));
    TRY(read_time(request, "startedBefore", &asked.before_ms, err));
    TRY(read_keyword(request, &asked, err));
    *ret_asked = asked;
    return ST_OK;
}

enum status operate_runs(struct api_request *request, struct error *err)
{
    struct call_runs asked;
    TRY(read_asked(request, &asked, err));
    TRY(read_cursor(request, &asked.after, err));
    return request_submit(request, call_list_runs(request_origin(request), &asked), render_page, err);
}

enum status operate_runs_groups(struct api_request *request, struct error *err)
{
    struct call_runs asked;
    TRY(read_asked(request, &asked, err));
    asked.is_grouped = true;
    return request_submit(request, call_list_runs(request_origin(request), &asked), render_groups, err);
}
