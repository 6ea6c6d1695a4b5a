/* api/mcp/metadata.c — which issuers give tokens for /mcp (RFC 9728). A client without a token is led here.
 */
#include "api/access/oidc_int.h"
#include "api/mcp/mcp_int.h"

#include "json/put.h"

static void render(const struct call *call, int *ret_http_status, struct buf *out)
{
    const struct api_request *request = call->user;
    *ret_http_status = 200;
    PUT(out, "{\"resource\":");
    put_text(out, arena_printf(call->arena, "%.*s/mcp", STR_ARG(oidc_own_address(request))));
    PUT(out,
        ",\"resource_name\":\"Pawl\",\"bearer_methods_supported\":[\"header\"],\"authorization_servers\":[");
    for (size_t i = 0, shown = 0; i < call->value.access_list.count; i++) {
        str issuer = json_text(call->value.access_list.view[i], STR("issuer"));
        if (!issuer.n) continue;
        if (shown++) buf_add_char(out, ',');
        put_text(out, issuer);
    }
    PUT(out, "]}");
}

/* The caller is not known yet, so the engine looks on its own behalf. */
enum status mcp_metadata(struct api_request *request, struct error *err)
{
    const struct call_access_list asked = { .kind = ACCESS_ISSUER, .max = ACCESS_PAGE_MAX };
    struct call_origin origin = request_origin(request);
    if (!request->api->config.mcp || !directory_has_issuers(request->api->directory))
        return fail(err, ST_NOT_FOUND, "", "no issuer gives tokens for agents here");
    origin.caller = NULL;
    request->looks_around = true;
    return request_submit(request, call_list_access(origin, &asked), render, err);
}

str mcp_challenge(const struct api_request *request)
{
    if (!directory_has_issuers(request->api->directory)) return STR_NONE;
    return arena_printf(request->http->arena,
                        "WWW-Authenticate: Bearer "
                        "resource_metadata=\"%.*s/.well-known/oauth-protected-resource/mcp\"\r\n",
                        STR_ARG(oidc_own_address(request)));
}
