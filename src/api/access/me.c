/* api/access/me.c — the caller and its rights here, and the offers of the login page. */
#include "api/access/records_int.h"
#include "api/access/setup_int.h"

#include "json/put.h"

/* ---- the caller ---- */

static void put_names(struct buf *out, const char *member, const str *name, size_t count)
{
    buf_printf(out, ",\"%s\":[", member);
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, name[i]);
    }
    buf_add_char(out, ']');
}

static void put_words(struct buf *out, const char *member, uint32_t set, int count, const char *(*word)(int))
{
    bool first = true;
    buf_printf(out, ",\"%s\":[", member);
    for (int i = 0; i < count; i++) {
        if (!(set & 1u << i)) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_text(out, str_of(word(i)));
    }
    buf_add_char(out, ']');
}

static const char *role_of(int role) { return role_word((enum role)role); }
static const char *permission_of(int permission) { return permission_word((enum permission)permission); }

/* Words that every caller has say nothing. */
static permission_set shown_permissions(const struct api_request *request)
{
    const struct caller *caller = &request->caller;
    permission_set none = 1u << MAY_NONE | 1u << MAY_OPEN | 1u << MAY_DATA | 1u << MAY_SELF;
    return principal_permissions(caller->principal, caller->tenant) & ~none;
}

static void render_me(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    const struct answer_access_list *tenants = &call->value.access_list;
    const struct principal *principal = request->caller.principal;
    *ret_http_status = 200;
    buf_printf(out, "{\"kind\":\"%s\",\"name\":", principal_kind_word(principal->kind));
    put_text(out, principal->name);
    PUT(out, ",\"tenant\":");
    put_text(out, access_tenant_name(request));
    put_names(out, "tenants", tenants->name, tenants->count);
    if (principal_is_everywhere(principal)) PUT(out, ",\"everywhere\":true");
    put_words(out, "roles", principal_roles(principal, request->caller.tenant), ROLE_COUNT, role_of);
    put_names(out, "groups", principal->group, principal->group_count);
    put_words(out, "permissions", shown_permissions(request), PERMISSION_COUNT, permission_of);
    principal_put_scopes(principal, request->caller.tenant, out);
    if (principal->kind == PRINCIPAL_USER && principal->credential.n) {
        PUT(out, ",\"session\":");
        put_text(out, principal->credential);
    }
    if (principal->acts_for) PUT(out, ",\"actsFor\":true");
    if (principal->expires_ms) {
        PUT(out, ",\"expiresAt\":");
        put_time(out, principal->expires_ms);
    }
    buf_add_char(out, '}');
}

enum status me_get(struct api_request *request, struct error *err)
{
    const struct call_access_list asked = { .kind = ACCESS_TENANT, .max = ACCESS_PAGE_MAX };
    request->looks_around = true;
    return request_submit(request, call_list_access(request_origin(request), &asked), render_me, err);
}

/* ---- nobody ---- */

static void put_offers(struct buf *out, const struct api *api, const struct call *call)
{
    PUT(out, "{\"users\":");
    put_flag(out, directory_has_users(api->directory));
    PUT(out, ",\"issuers\":[");
    for (size_t i = 0; call && i < call->value.access_list.count; i++) {
        const struct json *view = call->value.access_list.view[i];
        str name = call->value.access_list.name[i], label = json_text(view, STR("label"));
        if (i) buf_add_char(out, ',');
        PUT(out, "{\"name\":");
        put_text(out, name);
        PUT(out, ",\"label\":");
        put_text(out, label.n ? label : name);
        buf_add_char(out, '}');
    }
    PUT(out, "],\"setup\":");
    put_flag(out, setup_is_open(api));
    buf_add_char(out, '}');
}

static void render_offers(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    *ret_http_status = 200;
    put_offers(out, request->api, call);
}

/* The caller is not known yet, so the engine looks on its own behalf. */
enum status me_login_offers(struct api_request *request, struct error *err)
{
    const struct call_access_list asked = { .kind = ACCESS_ISSUER, .max = ACCESS_PAGE_MAX };
    struct call_origin origin = request_origin(request);
    if (directory_has_issuers(request->api->directory)) {
        origin.caller = NULL;
        request->looks_around = true;
        return request_submit(request, call_list_access(origin, &asked), render_offers, err);
    }
    struct buf out;
    buf_init(&out, request->http->arena);
    put_offers(&out, request->api, NULL);
    answer(request, 200, STR("Cache-Control: no-store\r\n"), buf_str(&out));
    return ST_OK;
}
