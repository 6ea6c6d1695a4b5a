/* api/access/audit.c — rows of the audit, newest first, and the check of their chains. */
#include "api/access/records_int.h"

#include "base/datetime.h"
#include "json/put.h"

static enum status read_time(struct api_request *request, const char *name, int64_t *ret_ms,
                             struct error *err)
{
    str text = query_text(request, str_of(name));
    if (!text.n || datetime_parse(text, ret_ms)) return ST_OK;
    return fail(err, ST_INVALID, name, "%s must be a time like 2026-11-16T09:00:00Z", name);
}

static void render_rows(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_audit_rows *answer = &call->value.audit_rows;
    const struct api_request *request = call->user;
    *ret_http_status = 200;
    PUT(out, "{\"items\":[");
    for (size_t i = 0; i < answer->count; i++) {
        struct tenant tenant;
        bool known = directory_tenant_by_number(request->api->directory, answer->row[i].tenant, &tenant);
        if (i) buf_add_char(out, ',');
        audit_put_of_tenant(&answer->row[i], answer->id[i], known ? tenant.name : STR("*"), out);
    }
    PUT(out, "],\"pageSize\":");
    put_int(out, (int64_t)call->as.audit_rows.max);
    if (answer->next.n) {
        PUT(out, ",\"nextCursor\":");
        put_text(out, answer->next);
    }
    buf_add_char(out, '}');
}

enum status audit_list(struct api_request *request, struct error *err)
{
    struct call_audit_rows asked = { .principal = query_text(request, STR("principal")),
                                     .action = query_text(request, STR("action")),
                                     .object = query_text(request, STR("object")),
                                     .outcome = query_text(request, STR("outcome")),
                                     .before = query_text(request, STR("cursor")) };
    int64_t at_ms, node, size;
    uint64_t number;
    TRY(read_time(request, "since", &asked.since_ms, err));
    TRY(read_time(request, "until", &asked.until_ms, err));
    if (asked.before.n && !audit_key_parse(asked.before, &at_ms, &node, &number))
        return fail(err, ST_INVALID, "cursor", "cursor must be the nextCursor of an earlier page");
    TRY(query_number(request, STR("pageSize"), 1, AUDIT_PAGE_MAX, AUDIT_PAGE_DEFAULT, &size, err));
    asked.max = (size_t)size;
    request->looks_around = true;
    return request_submit(request, call_list_audit_rows(request_origin(request), &asked), render_rows, err);
}

static void render_verified(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_audit_rows *answer = &call->value.audit_rows;
    *ret_http_status = 200;
    PUT(out, "{\"whole\":");
    put_flag(out, !answer->broken.n);
    PUT(out, ",\"checked\":");
    put_int(out, answer->checked);
    if (answer->broken.n) {
        PUT(out, ",\"broken\":");
        put_text(out, answer->broken);
    }
    buf_add_char(out, '}');
}

enum status audit_verify(struct api_request *request, struct error *err)
{
    const struct call_audit_rows asked = { .max = AUDIT_PAGE_MAX };
    return request_submit(request, call_verify_audit(request_origin(request), &asked), render_verified, err);
}
