/* api/access/providers.c — /api/oauth/oidc/providers: OIDC providers whose tokens a tenant accepts.
 *
 * The calls are those of cyoda. A provider belongs to the caller's tenant. Nobody asks it when it is made, so
 * a provider that is away can be registered; its description and its keys are fetched for the first token.
 */
#include "api/access/issuers_int.h"
#include "api/access/oidc_int.h"
#include "api/access/records_int.h"
#include "api/answer_int.h"

#include "base/must.h"
#include "json/put.h"

#include <sys/random.h>

/* ---- answers ---- */

static void put_list(struct buf *out, const char *name, const struct json *list)
{
    if (!json_count(list)) return;
    buf_printf(out, ",\"%s\":", name);
    json_print(list, out);
}

static void put_provider(struct buf *out, const struct json *view)
{
    const struct json *claim = json_get(view, STR("rolesClaim"));
    PUT(out, "{\"id\":");
    put_text(out, json_text(view, STR("id")));
    PUT(out, ",\"wellKnownConfigUri\":");
    put_text(out, json_text(view, STR("wellKnownConfigUri")));
    buf_printf(out, ",\"active\":%s,\"createdAt\":", json_get(view, STR("invalidatedAt")) ? "false" : "true");
    put_text(out, json_text(view, STR("created")));
    put_list(out, "issuers", json_get(view, STR("issuers")));
    put_list(out, "expectedAudiences", json_get(view, STR("expectedAudiences")));
    if (claim) {
        PUT(out, ",\"rolesClaim\":");
        json_print(claim, out);
    }
    buf_add_char(out, '}');
}

static void render_changed(const struct call *call, int *ret_http_status, struct buf *out)
{
    *ret_http_status = 200;
    put_provider(out, call->value.access.view[0]);
}

static void render_done(const struct call *call, int *ret_http_status, struct buf *out)
{
    (void)call, (void)out;
    *ret_http_status = 200;
}

/* ---- lists ---- */

static void render_list(const struct call *call, int *ret_http_status, struct buf *out)
{
    struct api_request *request = call->user;
    const struct answer_access_list *answer = &call->value.access_list;
    bool active_only = str_equal(query_text(request, STR("activeOnly")), STR("true")), first = true;
    *ret_http_status = 200;
    buf_add_char(out, '[');
    for (size_t i = 0; i < answer->count; i++) {
        if (active_only && json_get(answer->view[i], STR("invalidatedAt"))) continue;
        if (!first) buf_add_char(out, ',');
        first = false;
        put_provider(out, answer->view[i]);
    }
    buf_add_char(out, ']');
}

enum status providers_list(struct api_request *request, struct error *err)
{
    const struct call_access_list asked = { .kind = ACCESS_PROVIDER, .max = PROVIDERS_MAX };
    bool active_only;
    TRY(query_flag(request, STR("activeOnly"), &active_only, err));
    return request_submit(request, call_list_access(request_origin(request), &asked), render_list, err);
}

/* ---- making and changing ---- */

/* An address that only this machine or this network knows would let callers look around in it. */
static bool is_inside(str address)
{
    static const str networks[] = {
        STR_INIT("127.0.0.0/8"),    STR_INIT("10.0.0.0/8"), STR_INIT("172.16.0.0/12"),
        STR_INIT("192.168.0.0/16"), STR_INIT("0.0.0.0/8"),  STR_INIT("169.254.0.0/16"),
        STR_INIT("::1/128"),        STR_INIT("fe80::/10"),  STR_INIT("fc00::/7"),
    };
    str host = oidc_host(address);
    if (str_starts(host, STR("["))) host = str_slice(host, 1, host.n - 1);
    return str_equal_ignoring_case(host, STR("localhost")) ||
           directory_is_in_network(host, networks, COUNT(networks));
}

static enum status check_address(const struct api_request *request, str address, struct error *err)
{
    bool may_be_inside = request->api->config.plain_providers;
    if (!may_be_inside && is_inside(address))
        return fail_code(err, ST_INVALID, "OIDC_SSRF_BLOCKED",
                         "wellKnownConfigUri leads into a private network, and --allow-private-calls is off");
    if (oidc_is_address(address, may_be_inside)) return ST_OK;
    return fail(err, ST_INVALID, "wellKnownConfigUri",
                "wellKnownConfigUri must be an address with https:// (http:// only at loopback with "
                "--allow-private-calls)");
}

/* Only the members that a provider has: others were warned about. */
static const struct json *pick(const struct json *body, bool is_new, struct arena *arena)
{
    static const str names[] = { STR_INIT("issuers"), STR_INIT("expectedAudiences"), STR_INIT("rolesClaim"),
                                 STR_INIT("wellKnownConfigUri") };
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < COUNT(names) - !is_new; i++) {
        const struct json *value = json_get(body, names[i]);
        if (!value) continue;
        json_add_name(&builder, names[i]);
        json_add(&builder, value);
    }
    json_close(&builder);
    return json_built(&builder);
}

static str new_id(struct arena *arena)
{
    uint8_t random[UUID_BYTES];
    char text[UUID_CHARS + 1];
    must(getrandom(random, sizeof random, 0) == (ssize_t)sizeof random);
    uuid_print(uuid_of_random(random), text);
    return arena_str(arena, str_of(text));
}

static enum status submit(struct api_request *request, struct access_change *change, render_fn *render,
                          struct error *err)
{
    change->kind = ACCESS_PROVIDER;
    return records_submit(request, change, render, err);
}

enum status providers_register(struct api_request *request, struct error *err)
{
    struct access_change change = { .action = ACCESS_CREATE, .name = new_id(request->http->arena) };
    const struct json *body;
    str address;
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "wellKnownConfigUri", ISSUER_TEXT_BYTES_MAX, &address, err));
    if (address.n > PROVIDER_TEXT_BYTES_MAX)
        return fail(err, ST_INVALID, "wellKnownConfigUri", "wellKnownConfigUri has more than %d bytes",
                    PROVIDER_TEXT_BYTES_MAX);
    TRY(check_address(request, address, err));
    change.object = pick(body, true, request->http->arena);
    return submit(request, &change, render_changed, err);
}

/* The id in the path, in the form that the store has. */
static enum status read_id(struct api_request *request, str *ret_id, struct error *err)
{
    struct uuid id;
    char text[UUID_CHARS + 1];
    if (!uuid_parse(request->param[0], &id))
        return fail(err, ST_INVALID, "id", "the id of a provider is a UUID");
    uuid_print(id, text);
    *ret_id = arena_str(request->http->arena, str_of(text));
    return ST_OK;
}

enum status providers_change(struct api_request *request, struct error *err)
{
    struct access_change change = { .action = ACCESS_CHANGE };
    const struct json *body;
    TRY(read_id(request, &change.name, err));
    TRY(request_body(request, true, &body, err));
    change.object = pick(body, false, request->http->arena);
    return submit(request, &change, render_changed, err);
}

enum status providers_invalidate(struct api_request *request, struct error *err)
{
    struct access_change change = { .action = ACCESS_INVALIDATE };
    TRY(read_id(request, &change.name, err));
    return submit(request, &change, render_done, err);
}

/* A provider that was invalidated is forgotten here, so its keys are fetched anew in any case. */
enum status providers_reactivate(struct api_request *request, struct error *err)
{
    struct access_change change = { .action = ACCESS_REACTIVATE };
    const struct json *body;
    bool with_keys = true;
    TRY(read_id(request, &change.name, err));
    TRY(request_body(request, false, &body, err));
    if (json_get(body, STR("reactivateKeys"))) TRY(field_flag(body, "reactivateKeys", &with_keys, err));
    if (!with_keys)
        request_warn(request, "reactivateKeys: false has no effect: keys are fetched for the next token");
    return submit(request, &change, render_changed, err);
}

enum status providers_remove(struct api_request *request, struct error *err)
{
    struct access_change change = { .action = ACCESS_REMOVE };
    TRY(read_id(request, &change.name, err));
    return submit(request, &change, render_done, err);
}

/* ---- fetching everything again ---- */

struct providers_reload {
    struct api_request *request;
    struct issuer_wait wait;
    struct error err;
    size_t waiting;
};

struct provider_reload {
    struct providers_reload *all;
    struct known_issuer *known;
    struct issuer_wait wait;
};

static void end_one(struct providers_reload *all)
{
    if (!--all->waiting) answer(all->request, 200, STR_NONE, STR_NONE);
}

static void reloaded(void *context)
{
    struct provider_reload *one = context;
    access_issuer_unref(one->known);
    end_one(one->all);
}

static void reload(struct providers_reload *all, struct known_issuer *known)
{
    struct provider_reload *one = arena_make(all->request->http->arena, struct provider_reload);
    *one = (struct provider_reload){ .all = all, .known = access_issuer_ref(known) };
    one->wait = (struct issuer_wait){ .done = reloaded, .context = one };
    all->waiting++;
    issuer_want(all->request->api, known, ISSUER_ALL_ANEW, &one->wait);
}

/* One is counted for this function itself: a provider may be done at once. */
static void issuers_came(void *context)
{
    struct providers_reload *all = context;
    struct api_request *request = all->request;
    struct tenant tenant;
    if (all->err.status != ST_OK) {
        answer_error(request, &all->err);
        return;
    }
    all->waiting = 1;
    if (directory_tenant_by_number(request->api->directory, request->caller.tenant, &tenant)) {
        str name = arena_str(request->http->arena, tenant.name);
        for (struct known_issuer *known = issuers_providers(request->api); known; known = known->next_)
            if (str_equal(known->issuer.tenant, name)) reload(all, known);
    }
    end_one(all);
}

enum status providers_reload(struct api_request *request, struct error *err)
{
    struct providers_reload *all = arena_make(request->http->arena, struct providers_reload);
    (void)err;
    all->request = request;
    all->wait = (struct issuer_wait){ .done = issuers_came, .context = all };
    issuers_want(request->api, &all->wait, &all->err);
    return ST_OK;
}
