/* api/access/oauth_token.c — POST /api/oauth/token: a client of cyoda shows its secret and gets a token.
 *
 *     client_credentials    HTTP Basic ──► the key ──► a token with the key's roles
 *     token exchange        the same, and a token about a user ──► a token of the user, through the client
 *
 * The client's id is the id of a key of ours and its secret the key. A token stands for that key, so it ends
 * with it. In a token of an exchange the client is the actor (RFC 8693), and the token may do what both may.
 * The token about the user is signed by a trusted key of the client's tenant, or by an issuer or provider.
 */
#include "api/access/access_int.h"
#include "api/access/assertion_int.h"
#include "api/access/issuers_int.h"
#include "api/access/oidc_int.h"
#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/submit_int.h"

#include "access/token/oauth.h"
#include "base/clock.h"
#include "json/put.h"

#include <openssl/crypto.h>

enum { TOKEN_SECONDS = 3600, EXCHANGED_SECONDS = 300 };

struct token_exchange {
    struct api_request *request;
    struct oauth_client client;
    struct oauth_form form;
    struct issuer_wait wait;
    struct token_check check;
    struct assertion assertion;
    struct aside_work aside;
    const struct signing_key *key;
    const struct json *claims;
    str tenant, user;
    int32_t tenant_number;
    role_set roles;
    const struct json *said_roles; /* A user's, as the subject token has them; NULL: our own words. */
    int64_t until_ms;              /* The subject token's end; 0: none. */
    str token;
    enum status status;
    struct error err;
};

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

/* Errors of OAuth are JSON of their own (RFC 6749, section 5.2), not in the format of the surface. */
static void refuse(struct api_request *request, enum oauth_error error, const char *why)
{
    struct buf out;
    buf_init(&out, request->http->arena);
    oauth_put_error(error, why, &out);
    str more = error == OAUTH_INVALID_CLIENT ? STR("WWW-Authenticate: Basic realm=\"pawl\"\r\n") : STR_NONE;
    answer_typed(request, oauth_error_http(error), STR("application/json"),
                 arena_printf(request->http->arena, "Cache-Control: no-store\r\n%.*s", STR_ARG(more)),
                 buf_str(&out));
}

static void refuse_store(struct api_request *request)
{
    refuse(request, OAUTH_UNAVAILABLE, "the engine cannot look it up now");
}

/* ---- the token ---- */

static void add_role(struct json_builder *builder, role_set roles, role_set all, const char *word)
{
    if ((roles & all) == all) json_add_string(builder, str_of(word));
}

/* The original's words for what a principal may: those that have no word there keep ours. */
static void add_roles(struct json_builder *builder, role_set roles)
{
    role_set machine = 1u << ROLE_WORKER | 1u << ROLE_SENDER | 1u << ROLE_BUILDER;
    json_open_array(builder);
    add_role(builder, roles, 1u << ROLE_ADMIN, "ROLE_ADMIN");
    add_role(builder, roles, machine, "ROLE_M2M");
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        bool said = i == ROLE_ADMIN || ((machine & 1u << i) && (roles & machine) == machine);
        if (!said && (roles & 1u << i)) json_add_string(builder, str_of(role_word((enum role)i)));
    }
    json_close(builder);
}

static int64_t life_s(const struct token_exchange *exchange)
{
    int64_t left_s = exchange->until_ms / 1000 - now_ms() / 1000;
    if (exchange->form.grant != OAUTH_TOKEN_EXCHANGE) return TOKEN_SECONDS;
    return exchange->until_ms && left_s < EXCHANGED_SECONDS ? left_s : EXCHANGED_SECONDS;
}

static bool is_list_of_words(const struct json *list)
{
    bool is_good = json_is(list, JSON_ARRAY) && json_count(list) && json_count(list) <= ACCESS_LIST_MAX;
    for (size_t i = 0; is_good && i < json_count(list); i++)
        is_good = json_is(json_item(list, i), JSON_STRING);
    return is_good;
}

/* A user's words stay as they are. They give nothing that the client has not, whoever reads them. */
static void add_user_roles(struct json_builder *builder, const struct token_exchange *exchange)
{
    json_add_name(builder, STR("user_roles"));
    if (is_list_of_words(exchange->said_roles)) json_add(builder, exchange->said_roles);
    else add_roles(builder, exchange->roles);
}

static const struct json *make_claims(const struct token_exchange *exchange)
{
    int64_t now_s = now_ms() / 1000;
    bool is_user = exchange->form.grant == OAUTH_TOKEN_EXCHANGE;
    struct json_builder builder;
    struct arena *arena = exchange->request->http->arena;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("iss"), STR(OWN_ISSUER));
    json_add_text(&builder, STR("sub"), is_user ? exchange->user : exchange->client.id);
    json_add_text(&builder, STR("client_id"), exchange->client.id);
    json_add_text(&builder, STR("caas_org_id"), exchange->tenant);
    json_add_text(&builder, STR("caas_user_id"), exchange->user);
    json_add_text(&builder, STR("caas_tier"), STR("unlimited"));
    add_user_roles(&builder, exchange);
    json_add_name(&builder, STR("scopes"));
    add_roles(&builder, exchange->roles);
    if (is_user) {
        json_add_name(&builder, STR("act"));
        json_open_object(&builder);
        json_add_text(&builder, STR("sub"), exchange->client.id);
        json_close(&builder);
    }
    json_add_text(&builder, STR("jti"), key_random(arena));
    json_add_name(&builder, STR("iat"));
    json_add_int(&builder, now_s);
    json_add_name(&builder, STR("exp"));
    json_add_int(&builder, now_s + life_s(exchange));
    json_close(&builder);
    return json_built(&builder);
}

static void sign(void *context)
{
    struct token_exchange *exchange = context;
    exchange->status = token_sign(exchange->key, exchange->claims, exchange->request->http->arena,
                                  &exchange->token, &exchange->err);
}

static void was_signed(void *context)
{
    struct token_exchange *exchange = context;
    struct api_request *request = exchange->request;
    struct buf out;
    if (exchange->status != ST_OK) {
        refuse(request, OAUTH_SERVER_ERROR, "the token cannot be signed");
        return;
    }
    buf_init(&out, request->http->arena);
    oauth_put_answer(exchange->form.grant, exchange->token, life_s(exchange), &out);
    answer(request, 200, STR("Cache-Control: no-store\r\nPragma: no-cache\r\n"), buf_str(&out));
}

static void key_came(void *context)
{
    struct token_exchange *exchange = context;
    struct api_request *request = exchange->request;
    exchange->key = signing_key_now(request->api);
    if (!exchange->key) {
        refuse(request, OAUTH_UNAVAILABLE, "there is no key to sign tokens");
        return;
    }
    exchange->claims = make_claims(exchange);
    exchange->aside = (struct aside_work){ .run = sign, .done = was_signed, .context = exchange };
    aside_begin(request->api, &exchange->aside);
}

static void issue(struct token_exchange *exchange)
{
    exchange->wait = (struct issuer_wait){ .done = key_came, .context = exchange };
    signing_want(exchange->request->api, &exchange->wait);
}

static void ask(struct token_exchange *exchange, const struct call_resolve *asked, call_fn *done)
{
    struct api_request *request = exchange->request;
    request->call = call_resolve((struct call_origin){ request->http->arena, done, exchange }, asked);
    if (submit_call(request->api, request->call, request->api->config.limits.answer_bytes_max,
                    &exchange->err) == ST_OK)
        return;
    request->call = NULL;
    refuse_store(request);
}

/* ---- the user of an exchange ---- */

static void user_resolved(struct call *call)
{
    struct token_exchange *exchange = call->user;
    struct api_request *request = exchange->request;
    struct principal *user = call->value.resolve.principal;
    struct tenant tenant;
    request->call = NULL;
    if (call->status != ST_OK) {
        refuse_store(request);
        return;
    }
    if (!user) {
        refuse(request, OAUTH_INVALID_GRANT, "the subject token does not count");
        return;
    }
    bool same = directory_tenant_by_number(request->api->directory, user->home, &tenant) &&
                str_equal(tenant.name, exchange->tenant);
    exchange->user = arena_str(request->http->arena, user->name);
    exchange->roles &= principal_roles(user, user->home);
    principal_unref(user);
    if (!same) refuse(request, OAUTH_ACCESS_DENIED, "tenant mismatch");
    else if (!exchange->roles) refuse(request, OAUTH_ACCESS_DENIED, "user and client have no role in common");
    else issue(exchange);
}

static void subject_checked(void *context)
{
    struct token_exchange *exchange = context;
    const struct token_check *check = &exchange->check;
    if (check->status != ST_OK || !check->issuer_name.n) {
        refuse(exchange->request, OAUTH_INVALID_GRANT, "the subject token does not count");
        return;
    }
    exchange->until_ms = check->bearer.expires_ms;
    ask(exchange,
        &(struct call_resolve){
            .kind = CREDENTIAL_BEARER, .issuer = check->issuer_name, .bearer = check->bearer },
        user_resolved);
}

/* No trusted key of the tenant has signed it: perhaps an issuer has. */
static void check_issuers(struct token_exchange *exchange)
{
    struct api_request *request = exchange->request;
    exchange->check = (struct token_check){ .text = exchange->form.subject_token,
                                            .peer = request->http->peer,
                                            .arena = request->http->arena,
                                            .done = subject_checked,
                                            .context = exchange };
    bearer_check(request->api, &exchange->check);
}

/* Looking, and answering tasks as the user, are the user's own; the rest needs the client's role, too. */
static role_set roles_of_user(const struct token_exchange *exchange)
{
    role_set own = 1u << ROLE_VIEWER | 1u << ROLE_PERSON;
    role_set said = token_roles(exchange->said_roles, exchange->request->http->arena);
    return said ? said & (exchange->roles | own) : own;
}

static void assertion_checked(void *context)
{
    struct token_exchange *exchange = context;
    const struct assertion *assertion = &exchange->assertion;
    struct api_request *request = exchange->request;
    if (assertion->is_store_away) refuse_store(request);
    else if (assertion->why && !assertion->is_known) check_issuers(exchange);
    else if (assertion->why) refuse(request, OAUTH_INVALID_GRANT, assertion->why);
    else if (!str_equal(assertion->tenant, exchange->tenant))
        refuse(request, OAUTH_ACCESS_DENIED, "tenant mismatch");
    else if (assertion->expires_ms <= now_ms())
        refuse(request, OAUTH_INVALID_GRANT, "the subject token has expired");
    else {
        exchange->user = assertion->user;
        exchange->said_roles = assertion->said_roles;
        exchange->until_ms = assertion->expires_ms;
        exchange->roles = roles_of_user(exchange);
        issue(exchange);
    }
}

static void begin_exchange(struct token_exchange *exchange)
{
    struct api_request *request = exchange->request;
    const char *why = NULL;
    enum oauth_error error = oauth_form_check_exchange(&exchange->form, &why);
    if (error != OAUTH_NONE) {
        refuse(request, error, why);
        return;
    }
    exchange->assertion = (struct assertion){ .request = request,
                                              .text = exchange->form.subject_token,
                                              .tenant_number = exchange->tenant_number,
                                              .arena = request->http->arena,
                                              .done = assertion_checked,
                                              .context = exchange };
    assertion_check(&exchange->assertion);
}

/* ---- the client ---- */

static void go_on(struct token_exchange *exchange)
{
    struct api_request *request = exchange->request;
    const char *why = NULL;
    enum oauth_error error =
        oauth_form_read(request->http->body, request->http->arena, &exchange->form, &why);
    if (error != OAUTH_NONE) refuse(request, error, why);
    else if (exchange->form.grant == OAUTH_TOKEN_EXCHANGE) begin_exchange(exchange);
    else issue(exchange);
}

static void client_resolved(struct call *call)
{
    struct token_exchange *exchange = call->user;
    struct api_request *request = exchange->request;
    struct principal *client = call->value.resolve.principal;
    struct tenant tenant;
    struct error err;
    request->call = NULL;
    if (call->status != ST_OK) {
        refuse_store(request);
        return;
    }
    if (!client) {
        directory_note_failed_try(request->api->directory, exchange->client.id, request->http->address,
                                  now_ms());
        access_refuse(request, call->value.resolve.why, &err);
        refuse(request, OAUTH_INVALID_CLIENT, "client authentication failed");
        return;
    }
    bool known = directory_tenant_by_number(request->api->directory, client->home, &tenant);
    exchange->tenant = known ? arena_str(request->http->arena, tenant.name) : STR_NONE;
    exchange->user = arena_str(request->http->arena, client->name);
    exchange->tenant_number = client->home;
    exchange->roles = principal_roles(client, client->home);
    principal_unref(client);
    if (known) go_on(exchange);
    else refuse_store(request);
}

/* The order of the checks is that of RFC 6749: the client first. */
enum status oauth_token(struct api_request *request, struct error *err)
{
    struct token_exchange *exchange = arena_make(request->http->arena, struct token_exchange);
    struct http_request *http = request->http;
    const char *why = NULL;
    int64_t wait_ms;
    (void)err;
    exchange->request = request;
    enum oauth_error error =
        oauth_client_read(http_header(http, STR("Content-Type")), http_header(http, STR("Authorization")),
                          http->arena, &exchange->client, &why);
    if (error != OAUTH_NONE) {
        refuse(request, error, why);
        return ST_OK;
    }
    struct credential_hash hash = credential_hash(exchange->client.secret);
    OPENSSL_cleanse((void *)(uintptr_t)exchange->client.secret.p, exchange->client.secret.n);
    if (!directory_may_try(request->api->directory, exchange->client.id, http->address, now_ms(), &wait_ms)) {
        refuse(request, OAUTH_SLOW_DOWN, "too many wrong secrets; try again later");
        return ST_OK;
    }
    ask(exchange, &(struct call_resolve){ .kind = CREDENTIAL_KEY, .hash = hash, .id = exchange->client.id },
        client_resolved);
    return ST_OK;
}
