/* api/access/clients.c — clients of cyoda: keys of ours, with the fields that the original's calls have.
 *
 * A client is a key whose record says `client`. Its secret is the key itself, so it works as a bearer, too.
 */
#include "api/access/oidc_int.h"
#include "api/access/records_int.h"

#include "json/put.h"

static bool is_client(const struct json *key) { return json_is(json_get(key, STR("client")), JSON_OBJECT); }

static bool has_role(const struct json *key, const char *role)
{
    const struct json *roles = json_get(key, STR("roles"));
    for (size_t i = 0; i < json_count(roles); i++)
        if (str_equal(json_string(json_item(roles, i)), str_of(role))) return true;
    return false;
}

/* Versions of cyoda have one form of these names or the other. */
static void put_secret(struct buf *out, str id, str secret)
{
    static const char *const names[] = { "clientSecret", "client_secret" };
    for (size_t i = 0; i < COUNT(names); i++) {
        buf_printf(out, ",\"%s\":", names[i]);
        put_text(out, secret);
    }
    PUT(out, ",\"grantType\":\"client_credentials\",\"grant_type\":\"client_credentials\","
             "\"client_secret_expires_at\":0,\"client_id\":");
    put_text(out, id);
}

static void put_client(struct buf *out, const struct json *key, str secret)
{
    PUT(out, "{\"clientId\":");
    put_text(out, json_text(key, STR("id")));
    if (secret.n) put_secret(out, json_text(key, STR("id")), secret);
    PUT(out, ",\"userId\":");
    put_text(out, json_text(key, STR("name")));
    PUT(out, ",\"tenantId\":");
    put_text(out, json_text(key, STR("tenant")));
    PUT(out, ",\"roles\":[\"ROLE_M2M\"");
    if (has_role(key, "admin")) PUT(out, ",\"ROLE_ADMIN\"");
    PUT(out, "],\"creationDate\":");
    put_text(out, json_text(key, STR("created")));
    buf_add_char(out, '}');
}

/* ---- the list ---- */

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct answer_access_list *answer = &call->value.access_list;
    bool first = true;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        const struct json *key = answer->view[i];
        if (!is_client(key) || !str_equal(json_text(key, STR("state")), STR("active"))) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_client(out, key, STR_NONE);
    }
    buf_add_char(out, ']');
}

enum status clients_list(struct api_request *request, struct error *err)
{
    const struct call_access_list asked = { .kind = ACCESS_KEY, .max = CLIENTS_MAX };
    return request_submit(request, call_list_access(request_origin(request), &asked), render_list, err);
}

/* ---- making ---- */

static void render_secret(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    const str *secret = request->stream;
    *ret_http_status = 200;
    put_client(out, call->value.access.view[0], *secret);
    hashing_wipe(*secret);
}

static enum status submit(struct api_request *request, struct access_change *change, str secret,
                          struct error *err)
{
    str *kept = arena_make(request->http->arena, str);
    *kept = secret;
    request->stream = kept;
    request->looks_around = true;
    change->hash = credential_hash(secret);
    return records_submit(request, change, render_secret, err);
}

static const struct json *make_object(struct arena *arena, str id, bool is_admin)
{
    static const char *const roles[] = { "worker", "sender", "builder" };
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("name"), id);
    json_add_name(&builder, STR("roles"));
    json_open_array(&builder);
    for (size_t i = 0; i < COUNT(roles); i++) json_add_string(&builder, str_of(roles[i]));
    if (is_admin) json_add_string(&builder, STR("admin"));
    json_close(&builder);
    json_add_name(&builder, STR("client"));
    json_open_object(&builder);
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

enum status clients_create(struct api_request *request, struct error *err)
{
    struct access_change change = { .kind = ACCESS_KEY, .action = ACCESS_CREATE };
    bool is_admin;
    TRY(query_flag(request, STR("withAdminRole"), &is_admin, err));
    str secret = key_make(request->http->arena, &change.name);
    change.object = make_object(request->http->arena, change.name, is_admin);
    return submit(request, &change, secret, err);
}

/* The old secret ends at once, as clients of the original expect: the key is put anew under its id. */
enum status clients_reset_secret(struct api_request *request, struct error *err)
{
    struct access_change change = {
        .kind = ACCESS_KEY, .action = ACCESS_RESET, .name = request->param[0], .is_client = true
    };
    str secret;
    if (key_remake(request->http->arena, change.name, &secret, err) != ST_OK)
        return fail_code(err, ST_NOT_FOUND, "M2M_CLIENT_NOT_FOUND", "there is no client of this id");
    return submit(request, &change, secret, err);
}

static void render_removed(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    PUT(out, "{\"clientId\":");
    put_text(out, call->value.access.name[0]);
    PUT(out, ",\"message\":\"the client is removed; its secret and its tokens count no more\"}");
}

enum status clients_remove(struct api_request *request, struct error *err)
{
    const struct access_change change = {
        .kind = ACCESS_KEY, .action = ACCESS_REMOVE, .name = request->param[0], .is_client = true
    };
    return records_submit(request, &change, render_removed, err);
}
