/* api/access/apply.c — an access file, applied as one change: all of it happens, or nothing.
 *
 *     { "file": { users, keys, issuers, tenants, grants }, "remove": [{ kind, name, tenant }] }
 *
 * The engine checks for each record whether the caller may change it (runtime/access/).
 */
#include "api/access/records_int.h"

#include "access/record/file.h"
#include "json/put.h"

#include <stdio.h>

static const char *outcome_of(const struct answer_access *answer, size_t i)
{
    if (!answer->view[i]) return "removed";
    return answer->is_new[i] ? "added" : answer->is_same[i] ? "same" : "changed";
}

void access_put_items(const struct call *call, struct buf *out)
{
    const struct answer_access *answer = &call->value.access;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        const struct access_change *change = &call->as.access.change[i];
        buf_printf(out, "%s{\"kind\":\"%s\",\"name\":", i ? "," : "", access_kind_word(change->kind));
        put_text(out, answer->name[i]);
        buf_printf(out, ",\"outcome\":\"%s\"", outcome_of(answer, i));
        if (answer->view[i]) PUT(out, ",\"record\":");
        if (answer->view[i]) json_print(answer->view[i], out);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void render_applied(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"dryRun\":");
    put_flag(out, call->as.access.dry_run);
    PUT(out, ",\"items\":");
    access_put_items(call, out);
    buf_add_char(out, '}');
}

static bool find_kind(str word, enum access_kind *ret_kind)
{
    for (int kind = 0; kind < ACCESS_SESSION; kind++) {
        if (!str_equal(word, str_of(access_kind_word((enum access_kind)kind)))) continue;
        *ret_kind = (enum access_kind)kind;
        return true;
    }
    return false;
}

static enum status read_removal(const struct json *item, size_t i, struct access_change *ret_change,
                                struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    *ret_change = (struct access_change){ .action = ACCESS_REMOVE,
                                          .name = json_text(item, STR("name")),
                                          .tenant = json_text(item, STR("tenant")) };
    snprintf(place, sizeof place, "/remove/%zu", i);
    if (find_kind(json_text(item, STR("kind")), &ret_change->kind) && ret_change->name.n) return ST_OK;
    return fail(err, ST_INVALID, place, "must have a kind (user, key, grant, issuer, tenant) and a name");
}

enum status access_read_changes(struct api_request *request, const struct json *body,
                                struct call_access *asked, struct error *err)
{
    const struct json *file = json_get(body, STR("file")), *removed = json_get(body, STR("remove"));
    struct arena *arena = request->http->arena;
    struct access_change *change;
    struct error wrong;
    size_t count;
    if (access_file_read(file ? file : json_empty_object(), arena, &change, &count, &wrong) != ST_OK)
        return fail(err, wrong.status, wrong.where, "%s: %s", wrong.where, wrong.message);
    if (removed && !json_is(removed, JSON_ARRAY)) return fail(err, ST_INVALID, "/remove", "must be a list");
    if (json_count(removed) > ACCESS_FILE_ITEMS_MAX)
        return fail(err, ST_LIMIT, "/remove", "%zu items; the most is %d (ACCESS_FILE_ITEMS_MAX)",
                    json_count(removed), ACCESS_FILE_ITEMS_MAX);
    asked->change = arena_make_n(arena, struct access_change, count + json_count(removed));
    if (count) memcpy(asked->change, change, count * sizeof *change);
    for (size_t i = 0; i < json_count(removed); i++)
        TRY(read_removal(json_item(removed, i), i, &asked->change[count + i], err));
    asked->count = count + json_count(removed);
    for (size_t i = 0; i < asked->count && !request_is_warned(request); i++)
        issuer_secrets_warn(request, &asked->change[i]);
    return ST_OK;
}

enum status access_apply(struct api_request *request, struct error *err)
{
    struct call_access asked = { 0 };
    const struct json *body;
    TRY(query_flag(request, STR("dryRun"), &asked.dry_run, err));
    TRY(request_body(request, true, &body, err));
    TRY(access_read_changes(request, body, &asked, err));
    return request_submit(request, call_change_access(request_origin(request), &asked), render_applied, err);
}
