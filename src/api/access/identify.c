/* api/access/identify.c — finds the caller of a request, and decides whether they may ask.
 *
 * The gate calls this with the head alone. A credential or a tenant that this process does not know is read
 * from the store (resolve.c) before the handler is called.
 */
#include "api/access/access_int.h"
#include "api/access/issuers_int.h"
#include "api/grpc/services_int.h"
#include "api/route_int.h"

#include "base/clock.h"
#include "base/must.h"

static void drop_caller(void *context)
{
    struct caller *caller = context;
    principal_unref(caller->principal);
    caller->principal = NULL;
}

/* ---- the principal ---- */

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

static enum permission needs(const struct api_request *request)
{
    if (request->calls) return request->method ? (enum permission)request->method->needs : MAY_SELF;
    return request->route ? request->route->needs : MAY_SELF;
}

/* Everybody may ask this. A credential that is no good does not matter then: it may be an old cookie on the
 * way to the login, or a secret that a webhook's trigger knows. */
static bool is_for_all(const struct api_request *request)
{
    return needs(request) == MAY_OPEN || needs(request) == MAY_DATA;
}

/* A form is for all, and shows more to somebody who is known. */
static bool takes_any_caller(const struct api_request *request)
{
    return request->route && request->route->any_caller;
}

/* An engine without users, issuers and a root secret asks nobody who they are. A credential that cannot be
 * one of its own is meant for somebody else then, such as a proxy or another engine on this machine. */
static bool is_foreign(const struct api_request *request)
{
    const struct credential *credential = request->credential;
    if (directory_is_closed(request->api->directory)) return false;
    if (credential->form == CREDENTIAL_BEARER_KEY) return !credential->key_id.n;
    if (credential->form == CREDENTIAL_BEARER_TOKEN)
        return !bearer_is_own(credential->text, request->http->arena);
    return true;
}

static enum status read_credential(struct api_request *request, struct error *err)
{
    static const struct credential none; /* Most requests to an engine that asks nobody have this one. */
    request->credential = &none;
    if (!credential_may_be_in(request->http)) return ST_OK;
    struct credential *credential = arena_make(request->http->arena, struct credential);
    request->credential = credential;
    enum status status = credential_read(request, credential, err);
    if (status == ST_INVALID) return status;
    bool is_passed_over = is_foreign(request) || (status == ST_FORBIDDEN && is_for_all(request));
    if (!is_passed_over) return status;
    credential->form = CREDENTIAL_NONE;
    return ST_OK;
}

void access_take_peer(struct api_request *request)
{
    request->caller.principal =
        directory_of_peer(request->api->directory, request->caller.address, request->http->certificate);
}

static enum status find_principal(struct api_request *request, struct error *err)
{
    struct directory *directory = request->api->directory;
    const struct credential *credential = request->credential;
    const char *why = "";
    enum directory_answer answer = DIRECTORY_REFUSED;
    if (credential->form != CREDENTIAL_NONE)
        answer = directory_find(directory, &credential->hash, now_ms(), &request->caller.principal, &why);
    if (answer == DIRECTORY_FOUND) return ST_OK;
    bool may_be_known = credential->form != CREDENTIAL_BEARER_KEY || credential->key_id.n;
    bool is_asked =
        !is_for_all(request) || (takes_any_caller(request) && answer != DIRECTORY_REFUSED && may_be_known);
    if (credential->form == CREDENTIAL_NONE || !is_asked) {
        access_take_peer(request);
        return ST_OK;
    }
    if (answer == DIRECTORY_REFUSED) return access_refuse(request, why, err);
    if (!may_be_known) return access_refuse(request, "not a key: wrong form or check sum", err);
    request->unresolved = true;
    return ST_OK;
}

/* ---- the tenant ---- */

enum status identify_take_prefix(struct api_request *request, struct error *err)
{
    struct http_request *http = request->http;
    str prefix = STR("/t/");
    if (!str_equal(str_slice(http->path, 0, prefix.n), prefix)) return ST_OK;
    size_t slash = str_find(http->path, STR("/"), prefix.n);
    request->tenant_name = str_slice(http->path, prefix.n, slash);
    http->path = slash == SIZE_MAX ? STR("/") : str_slice(http->path, slash, http->path.n);
    if (access_check_name(ACCESS_TENANT, request->tenant_name, err) == ST_OK) return ST_OK;
    return fail(err, ST_NOT_FOUND, "", "there is no tenant of this name");
}

static enum status name_tenant(struct api_request *request, struct error *err)
{
    str said = http_header(request->http, STR("X-Pawl-Tenant"));
    if (!said.n) return ST_OK;
    if (request->tenant_name.n && !str_equal(said, request->tenant_name))
        return fail(err, ST_INVALID, "X-Pawl-Tenant", "the path is of another tenant than X-Pawl-Tenant");
    request->tenant_name = said;
    return ST_OK;
}

/* Is the answer the same in every tenant? Then nobody learns from it whether the tenant exists. Only webhooks
 * and forms among the routes for all belong to tenants. */
static bool is_of_no_tenant(const struct api_request *request)
{
    bool is_webhook = request->route && str_starts(str_of(request->route->pattern), STR("/hooks/"));
    return is_for_all(request) && !is_webhook && !takes_any_caller(request);
}

/* The address of a form leads everybody to the same form, wherever they are at home. */
static int32_t tenant_without_name(const struct api_request *request)
{
    return takes_any_caller(request) ? TENANT_DEFAULT : TENANT_ANY;
}

static enum status find_tenant(struct api_request *request)
{
    struct tenant tenant;
    bool named = request->tenant_name.n && !is_of_no_tenant(request);
    if (!named || str_equal(request->tenant_name, STR("default"))) {
        request->caller.tenant = named ? TENANT_DEFAULT : tenant_without_name(request);
        return ST_OK;
    }
    if (directory_tenant(request->api->directory, request->tenant_name, &tenant)) {
        request->caller.tenant = tenant.number;
        request->is_suspended = tenant.is_suspended;
    } else request->unresolved = true;
    return ST_OK;
}

/* Another node, or a tool of an agent, has let it in and says on whose behalf: that is judged again here. */
static void take_sent_caller(struct api_request *request)
{
    const struct caller *sent = request->http->caller;
    must(sent && sent->principal);
    request->caller = *sent; /* With its count. */
    request->http->caller = &request->caller;
    request->http->drop_caller = drop_caller;
    request->is_suspended = directory_is_suspended(request->api->directory, request->caller.tenant);
}

/* The address of the client. A proxy of ours adds the address that it saw at the end of X-Forwarded-For, so
 * the last one that is not a proxy's counts. The client may have made up everything before it. */
static str find_address(const struct api_request *request)
{
    const struct api_config *config = &request->api->config;
    str address = request->http->address;
    str chain = http_header(request->http, STR("X-Forwarded-For"));
    while (chain.n && directory_is_in_network(address, config->proxy, config->proxy_count)) {
        size_t comma = chain.n;
        while (comma && chain.p[comma - 1] != ',') comma--;
        address = str_trim(str_slice(chain, comma, chain.n));
        chain = comma ? str_slice(chain, 0, comma - 1) : STR_NONE;
    }
    return address;
}

/* Programs of others come by REST. Our own command line names itself, and a browser says that a page of ours
 * asks. The way decides nothing: it is for the audit. */
static enum way_in find_way(const struct api_request *request)
{
    const struct http_request *http = request->http;
    if (request->calls) return WAY_GRPC;
    for (size_t i = 0; i < http->header_count; i++) {
        str name = http->header[i].name, value = http->header[i].value;
        if (name.n == 10 && str_starts(value, STR("pawl/")) &&
            str_equal_ignoring_case(name, STR("User-Agent")))
            return WAY_CLI;
        if (name.n == 14 && str_equal(value, STR("same-origin")) &&
            str_equal_ignoring_case(name, STR("Sec-Fetch-Site")))
            return WAY_UI;
    }
    return WAY_REST;
}

/* Browsers before Sec-Fetch-Site have a session, too. */
static void correct_way(struct api_request *request)
{
    if (request->caller.way == WAY_REST && request->credential->form == CREDENTIAL_COOKIE)
        request->caller.way = WAY_UI;
}

enum status access_identify(struct api_request *request, struct error *err)
{
    struct http_request *http = request->http;
    if (http->is_local) {
        take_sent_caller(request);
        return ST_OK;
    }
    http->caller = &request->caller;
    http->drop_caller = drop_caller;
    request->caller.way = find_way(request);
    request->caller.address = find_address(request);
    request->caller.request_id = http_header(http, STR("X-Request-Id"));
    TRY(name_tenant(request, err));
    TRY(read_credential(request, err));
    correct_way(request);
    TRY(find_principal(request, err));
    return find_tenant(request);
}

/* ---- the permission ---- */

static enum status refuse_permission(struct api_request *request, struct error *err)
{
    const struct caller *caller = &request->caller;
    principal_refuse(caller->principal, caller->needs, STR_NONE, err);
    access_note_refusal(request, err->message);
    return ST_FORBIDDEN;
}

static bool changes(const struct api_request *request)
{
    enum permission permission = request->caller.needs;
    return permission != MAY_OPEN && permission != MAY_SELF &&
           (request->calls ||
            !(str_equal(request->http->method, STR("GET")) || str_equal(request->http->method, STR("HEAD"))));
}

/* Keys and grants of a suspended tenant can be taken away, and admins of all tenants put its access in order
 * before it is let in again. */
static bool may_when_suspended(const struct api_request *request)
{
    const struct caller *caller = &request->caller;
    if (caller->needs != MAY_ACCESS_ADMIN) return false;
    return str_equal(request->http->method, STR("DELETE")) ||
           caller_check_for(caller, MAY_GLOBAL_ADMIN, STR_NONE, NULL) == ST_OK;
}

/* A caller that names no tenant is in its own. */
static void take_home(struct api_request *request)
{
    request->caller.tenant = request->caller.principal->home;
    request->is_suspended = directory_is_suspended(request->api->directory, request->caller.tenant);
}

enum status access_authorize(struct api_request *request, struct error *err)
{
    struct caller *caller = &request->caller;
    must(caller->principal && !request->unresolved);
    caller->needs = needs(request);
    if (caller->tenant == TENANT_ANY) take_home(request);
    bool for_all = is_for_all(request);
    bool is_nobody = caller->principal->kind == PRINCIPAL_NOBODY && !caller->principal->is_everybody;
    request->http->known = !is_nobody && !(for_all && caller->principal->is_everybody);
    if (is_nobody && !for_all) return access_refuse(request, "no credential was sent", err);
    bool is_known = caller->tenant != TENANT_NOWHERE && principal_knows(caller->principal, caller->tenant);
    if (!for_all && !is_known && request->tenant_name.n)
        return fail(err, ST_NOT_FOUND, "", "there is no tenant of this name");
    caller->may_all = !for_all && principal_may_all(caller->principal, caller->tenant, caller->needs);
    if (!for_all && !caller->may_all &&
        !principal_may(caller->principal, caller->tenant, caller->needs, STR_NONE))
        return refuse_permission(request, err);
    if (!request->is_suspended || !changes(request) || may_when_suspended(request)) return ST_OK;
    return fail_code(err, ST_FORBIDDEN, "tenant-suspended", "the tenant is suspended: it can only be read");
}

str access_tenant_name(const struct api_request *request)
{
    struct tenant tenant;
    bool known = directory_tenant_by_number(request->api->directory, request->caller.tenant, &tenant);
    return known ? tenant.name : STR("default");
}
