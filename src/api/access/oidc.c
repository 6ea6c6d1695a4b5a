/* api/access/oidc.c — people sign in by an OIDC provider: the way there and the way back.
 *
 *     GET  /api/oidc/NAME/start?to=/ui/…    ──► the provider, with a cookie that holds the login together
 *     GET  /api/oidc/NAME/callback?code=…   ──► code for a token, checked, a session ──► the page of ours
 *     POST /api/oidc/NAME/session           `pawl login` gets the session that its browser began
 *
 * Nothing of a login is kept here: any node can go on with it (access/token/oidc.h). A login leads to a
 * page below /ui/ or to a port of the person's own machine, and nowhere else. `pawl login` shows a
 * challenge at the start and its verifier at the end, so that a code which another program of that
 * machine has seen is worth nothing.
 */
#include "api/access/access_int.h"
#include "api/access/issuers_int.h"
#include "api/access/oidc_int.h"
#include "api/answer_int.h"
#include "api/request_int.h"
#include "api/submit_int.h"

#include "access/token/form.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/must.h"
#include "json/put.h"
#include "vault/resolve.h"
#include "vault/vault.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#define LOOPBACK_PAGE "/loopback?"

enum { CHALLENGE_BYTES = 43, AGENT_BYTES = 256 };

/* A login on its way, in the request's arena. */
struct oidc_step {
    struct api_request *request;
    struct known_issuer *known;
    struct issuer_wait wait;
    struct error err;
    net_fn *go_on; /* With the provider known. */
    struct oidc_login login;
    struct oidc_client client;
    struct oidc_callback callback;
    struct api_fetch fetch;
    struct token_check check;
    str cookie; /* The session's. */
    str code;   /* For `pawl login`. */
};

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

/* ---- the secret of the cluster ---- */

/* All nodes have the vault's key, so all of them know the same secret. Without a key it is one of this
 * process. */
static str login_secret(struct api *api, unsigned char bytes[VAULT_DERIVED_BYTES])
{
    struct error err;
    str label = STR("pawl login 1");
    bool derived = api->config.vault && vault_derive(api->config.vault, label, bytes, &err) == ST_OK;
    if (!derived) memcpy(bytes, api->login_secret, VAULT_DERIVED_BYTES);
    return (str){ (const char *)bytes, VAULT_DERIVED_BYTES };
}

/* ---- places and cookies ---- */

str oidc_own_address(const struct api_request *request)
{
    str url = request->api->config.public_url;
    if (url.n) return url.p[url.n - 1] == '/' ? str_slice(url, 0, url.n - 1) : url;
    return arena_printf(request->http->arena, "http%s://%.*s", credential_came_by_tls(request) ? "s" : "",
                        STR_ARG(http_header(request->http, STR("Host"))));
}

static str login_cookie_name(const struct api_request *request)
{
    return credential_came_by_tls(request) ? STR("__Host-pawl-login") : STR("pawl-login");
}

static str login_cookie_line(const struct api_request *request, str value)
{
    return arena_printf(
        request->http->arena, "Set-Cookie: %.*s=%.*s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s\r\n",
        STR_ARG(login_cookie_name(request)), STR_ARG(value), value.n ? OIDC_LOGIN_MS / 1000 : 0,
        credential_came_by_tls(request) ? "; Secure" : "");
}

static void send_to(struct api_request *request, str place, str lines)
{
    answer(request, 303,
           arena_printf(request->http->arena, "Location: %.*s\r\nCache-Control: no-store\r\n%.*s",
                        STR_ARG(place), STR_ARG(lines)),
           STR_NONE);
}

/* ---- the end without a session ---- */

static void drop(struct oidc_step *step)
{
    access_issuer_unref(step->known);
    step->known = NULL;
}

/* The login page says in its own words what the code means; admins find the true reason among the refusals.
 * */
static void refuse(struct oidc_step *step, const char *code, const char *why)
{
    struct api_request *request = step->request;
    char reason[160];
    str issuer = str_slice(step->login.issuer, 0, 40);
    snprintf(reason, sizeof reason, "login by %.*s: %.100s", STR_ARG(issuer), why);
    if (!request->is_refused) access_refuse_login(request, STR_NONE, STR_NONE, reason);
    drop(step);
    send_to(request, arena_printf(request->http->arena, "/ui/login?error=%s", code),
            login_cookie_line(request, STR_NONE));
}

static void refuse_for(struct oidc_step *step, const struct error *err)
{
    refuse(step, err->code ? err->code : "refused", err->message);
}

/* ---- issuer and provider ---- */

static void provider_came(void *context)
{
    struct oidc_step *step = context;
    const struct known_issuer *known = step->known;
    if (known->has_provider && known->provider.authorization_endpoint.n && known->keys) step->go_on(step);
    else refuse(step, "provider-away", known->why[0] ? known->why : "the provider has no login");
}

static void issuers_came(void *context)
{
    struct oidc_step *step = context;
    struct api_request *request = step->request;
    if (step->err.status == ST_OK) {
        step->known = issuers_find_name(request->api, request->param[0]);
        if (!step->known || !step->known->issuer.client_id.n)
            fail(&step->err, ST_NOT_FOUND, "", "there is no issuer of this name by which people sign in");
    }
    if (step->err.status != ST_OK) {
        drop(step);
        answer_error(request, &step->err);
        return;
    }
    step->wait = (struct issuer_wait){ .done = provider_came, .context = step };
    issuer_want(request->api, step->known, ISSUER_PROVIDER, &step->wait);
}

static void find_provider(struct oidc_step *step, net_fn *go_on)
{
    step->go_on = go_on;
    step->wait = (struct issuer_wait){ .done = issuers_came, .context = step };
    issuers_want(step->request->api, &step->wait, &step->err);
}

static void fill_client(struct oidc_step *step)
{
    str address = oidc_own_address(step->request);
    step->client.id = step->known->issuer.client_id;
    step->client.redirect_uri = arena_printf(step->request->http->arena, "%.*s/api/oidc/%.*s/callback",
                                             STR_ARG(address), STR_ARG(step->known->issuer.name));
}

/* ---- the way there ---- */

static void send_to_provider(void *context)
{
    struct oidc_step *step = context;
    struct api_request *request = step->request;
    fill_client(step);
    str url = oidc_login_url(&step->known->provider, &step->client, &step->login, request->http->arena);
    drop(step);
    send_to(request, url, login_cookie_line(request, step->login.cookie));
}

/* A port of the person's own machine, by number: a name may lead elsewhere. */
static bool is_loopback_place(str place)
{
    static const str hosts[] = { STR_INIT("http://127.0.0.1:"), STR_INIT("http://[::1]:") };
    for (size_t i = 0; i < COUNT(hosts); i++) {
        if (!str_starts(place, hosts[i])) continue;
        size_t slash = str_find(place, STR("/"), hosts[i].n);
        int64_t port;
        if (slash == SIZE_MAX || !str_to_int64(str_slice(place, hosts[i].n, slash), &port)) return false;
        return port > 0 && port <= UINT16_MAX && place.n <= LOOPBACK_BYTES_MAX &&
               oidc_is_address(place, true);
    }
    return false;
}

static bool is_token_text(str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                    c == '_' || c == '.';
        if (!fits) return false;
    }
    return text.n > 0;
}

/* A page of the application or of a form, as it is or in a tenant: /ui/…, /t/NAME/forms/… */
static bool is_own_page(str place)
{
    str prefix = STR("/t/");
    if (str_starts(place, prefix)) {
        size_t slash = str_find(place, STR("/"), prefix.n);
        str tenant = str_slice(place, prefix.n, slash);
        if (slash == SIZE_MAX || access_check_name(ACCESS_TENANT, tenant, NULL) != ST_OK) return false;
        place = str_slice(place, slash, place.n);
    }
    return str_starts(place, STR("/ui/")) || str_starts(place, STR("/forms/"));
}

/* The place that a login leads to, as a path: one on the person's machine stands inside a path that no page
 * of ours has. */
static enum status read_place(struct api_request *request, str *ret_place, struct error *err)
{
    str to = query_text(request, STR("to")), challenge = query_text(request, STR("challenge"));
    str state = query_text(request, STR("state"));
    if (!to.n) to = STR("/ui/");
    *ret_place = to;
    if (is_own_page(to) && !challenge.n && !state.n) return ST_OK;
    if (!is_loopback_place(to))
        return fail(
            err, ST_INVALID, "to",
            "a login leads to a page below /ui/ or /forms/ or, for a program, to http://127.0.0.1:PORT/…");
    if (challenge.n != CHALLENGE_BYTES || !is_token_text(challenge))
        return fail(err, ST_INVALID, "challenge", "must be the SHA-256 of a verifier in base64url");
    if (!is_token_text(state) || state.n > LOGIN_CODE_BYTES_MAX)
        return fail(err, ST_INVALID, "state", "must be a text of letters, digits, -, _ and .");
    struct buf place;
    buf_init(&place, request->http->arena);
    form_add(&place, STR("to"), to);
    form_add(&place, STR("challenge"), challenge);
    form_add(&place, STR("state"), state);
    *ret_place = arena_printf(request->http->arena, LOOPBACK_PAGE "%.*s", STR_ARG(buf_str(&place)));
    return ST_OK;
}

enum status oidc_start(struct api_request *request, struct error *err)
{
    struct oidc_step *step = arena_make(request->http->arena, struct oidc_step);
    unsigned char bytes[VAULT_DERIVED_BYTES];
    str place;
    step->request = request;
    TRY(read_place(request, &place, err));
    str secret = login_secret(request->api, bytes);
    enum status status =
        oidc_login_begin(secret, request->param[0], place, now_ms(), request->http->arena, &step->login, err);
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (status == ST_OK) find_provider(step, send_to_provider);
    return status;
}

/* ---- the way back: a session ---- */

/* The cookie of a session that a program's browser has begun: only the program has the verifier. */
static str cookie_of_code(struct api *api, str code, str challenge, struct arena *arena)
{
    unsigned char bytes[VAULT_DERIVED_BYTES], digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    str secret = login_secret(api, bytes);
    str text = arena_printf(arena, "session:%.*s:%.*s", STR_ARG(code), STR_ARG(challenge));
    must(HMAC(EVP_sha256(), secret.p, (int)secret.n, (const unsigned char *)text.p, text.n, digest, &n));
    str cookie = base64_encode_url((str){ (const char *)digest, n }, arena);
    OPENSSL_cleanse(bytes, sizeof bytes);
    OPENSSL_cleanse(digest, sizeof digest);
    return cookie;
}

struct loopback {
    str to, challenge, state;
};

/* False: the login leads to a page of ours. */
static bool read_loopback(const struct oidc_step *step, struct loopback *ret_loopback)
{
    static const str names[] = { STR_INIT("to"), STR_INIT("challenge"), STR_INIT("state") };
    str prefix = STR(LOOPBACK_PAGE), place = step->login.return_to, value[COUNT(names)];
    if (!str_starts(place, prefix)) return false;
    must(form_read(str_slice(place, prefix.n, place.n), names, COUNT(names), step->request->http->arena,
                   value));
    *ret_loopback = (struct loopback){ value[0], value[1], value[2] };
    return true;
}

static void choose_cookie(struct oidc_step *step)
{
    struct arena *arena = step->request->http->arena;
    struct loopback loopback;
    if (read_loopback(step, &loopback)) {
        step->code = arena_printf(arena, "%lld.%.*s", (long long)(now_ms() + OIDC_LOGIN_MS),
                                  STR_ARG(key_random(arena)));
        step->cookie = cookie_of_code(step->request->api, step->code, loopback.challenge, arena);
    } else step->cookie = key_random(arena);
}

static void send_home(struct oidc_step *step)
{
    struct api_request *request = step->request;
    struct loopback loopback;
    str lines = login_cookie_line(request, STR_NONE);
    if (read_loopback(step, &loopback)) {
        char mark = str_find(loopback.to, STR("?"), 0) == SIZE_MAX ? '?' : '&';
        send_to(request,
                arena_printf(request->http->arena, "%.*s%ccode=%.*s&state=%.*s", STR_ARG(loopback.to), mark,
                             STR_ARG(step->code), STR_ARG(loopback.state)),
                lines);
        return;
    }
    str cookie = session_cookie_line(request, step->cookie);
    send_to(request, step->login.return_to,
            arena_printf(request->http->arena, "%.*s%.*s", STR_ARG(lines), STR_ARG(cookie)));
}

static void session_made(struct call *call)
{
    struct oidc_step *step = call->user;
    struct api_request *request = step->request;
    request->call = NULL;
    drop(step);
    if (call->status != ST_OK) {
        call->error.status = call->status;
        answer_error(request, &call->error);
        return;
    }
    send_home(step);
    OPENSSL_cleanse((void *)(uintptr_t)step->cookie.p, step->cookie.n);
}

static const struct json *session_object(const struct oidc_step *step)
{
    const struct token_bearer *bearer = &step->check.bearer;
    struct json_builder builder;
    json_builder_init(&builder, step->request->http->arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("user"), bearer->user);
    json_add_text(&builder, STR("issuer"), step->check.issuer_name);
    if (bearer->tenant.n) json_add_text(&builder, STR("tenant"), bearer->tenant);
    json_add_name(&builder, STR("groups"));
    json_open_array(&builder);
    for (size_t i = 0; i < bearer->group_count; i++) json_add_string(&builder, bearer->group[i]);
    json_close(&builder);
    json_add_name(&builder, STR("roles"));
    json_open_array(&builder);
    for (size_t role = 0; role < ROLE_COUNT; role++)
        if (bearer->roles & 1u << role) json_add_string(&builder, str_of(role_word((enum role)role)));
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

static void submit(struct oidc_step *step, struct call *call)
{
    struct api_request *request = step->request;
    request->call = call;
    if (submit_call(request->api, call, request->api->config.limits.answer_bytes_max, &step->err) == ST_OK)
        return;
    request->call = NULL;
    drop(step);
    answer_error(request, &step->err);
}

/* Somebody without any role gets no session, and hears why. */
static void person_resolved(struct call *call)
{
    struct oidc_step *step = call->user;
    struct api_request *request = step->request;
    struct access_change *change = arena_make(request->http->arena, struct access_change);
    request->call = NULL;
    if (call->status == ST_OK && !call->value.resolve.principal) {
        access_refuse_login(request, step->check.issuer_name, step->check.bearer.user,
                            call->value.resolve.why);
        refuse(step, strcmp(call->value.resolve.why, "no role") == 0 ? "no-role" : "refused",
               call->value.resolve.why);
        return;
    }
    if (call->status != ST_OK) {
        drop(step);
        call->error.status = call->status;
        answer_error(request, &call->error);
        return;
    }
    principal_unref(call->value.resolve.principal);
    choose_cookie(step);
    *change = (struct access_change){ .kind = ACCESS_SESSION,
                                      .action = ACCESS_CREATE,
                                      .object = session_object(step),
                                      .hash = credential_hash(step->cookie),
                                      .address = request->caller.address,
                                      .request_id = request->caller.request_id,
                                      .way = WAY_UI,
                                      .agent = str_slice(http_header(request->http, STR("User-Agent")), 0,
                                                         AGENT_BYTES) };
    const struct call_access asked = { .change = change, .count = 1 };
    submit(step,
           call_change_access((struct call_origin){ request->http->arena, session_made, step }, &asked));
}

/* ---- the way back: code and token ---- */

static void token_checked(void *context)
{
    struct oidc_step *step = context;
    const struct token_check *check = &step->check;
    if (check->status != ST_OK) {
        refuse_for(step, &check->err);
        return;
    }
    const struct call_resolve asked = { .kind = CREDENTIAL_BEARER,
                                        .issuer = check->issuer_name,
                                        .bearer = check->bearer };
    submit(step,
           call_resolve((struct call_origin){ step->request->http->arena, person_resolved, step }, &asked));
}

static void answer_came(void *context)
{
    struct oidc_step *step = context;
    struct api_request *request = step->request;
    struct oidc_answer answer;
    OPENSSL_cleanse((void *)(uintptr_t)step->fetch.authorization.p, step->fetch.authorization.n);
    OPENSSL_cleanse((void *)(uintptr_t)step->fetch.body.p, step->fetch.body.n);
    if (step->fetch.failure.n) {
        refuse(step, "provider-away", arena_str(request->http->arena, step->fetch.failure).p);
        return;
    }
    if (oidc_answer_read(step->fetch.status, step->fetch.answer, request->http->arena, &answer, &step->err) !=
        ST_OK) {
        refuse_for(step, &step->err);
        return;
    }
    step->check = (struct token_check){ .text = answer.id_token,
                                        .nonce = step->login.nonce,
                                        .issuer = step->known->issuer.name,
                                        .peer = request->http->peer,
                                        .arena = request->http->arena,
                                        .done = token_checked,
                                        .context = step };
    bearer_check(request->api, &step->check);
}

static enum status find_client_secret(struct oidc_step *step, struct error *err)
{
    struct vault_lookup lookup = vault_lookup_in(step->request->api->config.vault, TENANT_DEFAULT);
    str reference = step->known->issuer.client_secret_ref;
    if (!reference.n) return ST_OK;
    return vault_reference(&lookup, reference, step->request->http->arena, &step->client.secret, err);
}

static void ask_for_token(void *context)
{
    struct oidc_step *step = context;
    struct arena *arena = step->request->http->arena;
    const struct oidc_provider *provider = &step->known->provider;
    fill_client(step);
    if (oidc_callback_check(&step->callback, provider, &step->err) != ST_OK) {
        refuse_for(step, &step->err);
        return;
    }
    if (find_client_secret(step, &step->err) != ST_OK) {
        refuse(step, "no-client-secret", step->err.message);
        return;
    }
    step->fetch = (struct api_fetch){ .method = STR("POST"),
                                      .url = arena_str(arena, provider->token_endpoint),
                                      .content_type = STR("application/x-www-form-urlencoded"),
                                      .timeout_ms = ISSUER_FETCH_MS,
                                      .arena = arena,
                                      .done = answer_came,
                                      .context = step };
    oidc_code_form(provider, &step->client, &step->login, step->callback.code, arena, &step->fetch.body,
                   &step->fetch.authorization);
    OPENSSL_cleanse((void *)(uintptr_t)step->client.secret.p, step->client.secret.n);
    fetch_begin(step->request->api, &step->fetch);
}

enum status oidc_callback(struct api_request *request, struct error *err)
{
    struct oidc_step *step = arena_make(request->http->arena, struct oidc_step);
    unsigned char bytes[VAULT_DERIVED_BYTES];
    step->request = request;
    step->login.issuer = request->param[0];
    TRY(oidc_callback_read(request->http->query, request->http->arena, &step->callback, err));
    str cookie = credential_find_cookie(request, login_cookie_name(request));
    str secret = login_secret(request->api, bytes);
    enum status status = oidc_login_resume(secret, request->param[0], cookie, step->callback.state, now_ms(),
                                           request->http->arena, &step->login, &step->err);
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (status == ST_OK) find_provider(step, ask_for_token);
    else refuse_for(step, &step->err);
    return ST_OK;
}

/* ---- the session of a program ---- */

static enum status check_code(str code, struct error *err)
{
    int64_t until_ms;
    size_t point = str_find(code, STR("."), 0);
    if (point != SIZE_MAX && is_token_text(code) && str_to_int64(str_slice(code, 0, point), &until_ms) &&
        now_ms() < until_ms)
        return ST_OK;
    return fail(err, ST_UNAUTHORIZED, "", "the code is none of ours, or came too late");
}

/* The cookie fits a session only if code and verifier belong together; nothing tells it before it is used. */
enum status oidc_session(struct api_request *request, struct error *err)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    const struct json *body;
    str code, verifier;
    TRY(request_body(request, true, &body, err));
    TRY(field_required_text(body, "code", LOGIN_CODE_BYTES_MAX, &code, err));
    TRY(field_required_text(body, "verifier", LOGIN_CODE_BYTES_MAX, &verifier, err));
    TRY(check_code(code, err));
    must(EVP_Digest(verifier.p, verifier.n, digest, &n, EVP_sha256(), NULL));
    str challenge = base64_encode_url((str){ (const char *)digest, n }, request->http->arena);
    str cookie = cookie_of_code(request->api, code, challenge, request->http->arena);
    answer(request, 204, session_cookie_line(request, cookie), STR_NONE);
    OPENSSL_cleanse((void *)(uintptr_t)cookie.p, cookie.n);
    return ST_OK;
}

/* ---- the test of an issuer ---- */

static bool has_login(const struct known_issuer *known)
{
    return known->has_provider && known->provider.authorization_endpoint.n && known->issuer.client_id.n;
}

static void tested(void *context)
{
    struct oidc_step *step = context;
    const struct known_issuer *known = step->known;
    struct buf out;
    buf_init(&out, step->request->http->arena);
    PUT(&out, "{\"ok\":");
    buf_add_str(&out, str_of(known->why[0] || !known->keys ? "false" : "true"));
    PUT(&out, ",\"keys\":");
    put_int(&out, known->keys ? (int64_t)jwk_set_count(known->keys->set) : 0);
    PUT(&out, ",\"login\":");
    buf_add_str(&out, str_of(has_login(known) ? "true" : "false"));
    if (known->why[0]) {
        PUT(&out, ",\"why\":");
        put_text(&out, str_of(known->why));
    }
    buf_add_char(&out, '}');
    drop(step);
    answer(step->request, 200, STR_NONE, buf_str(&out));
}

static void issuers_came_for_test(void *context)
{
    struct oidc_step *step = context;
    struct api_request *request = step->request;
    if (step->err.status == ST_OK) {
        step->known = issuers_find_name(request->api, request->param[0]);
        if (!step->known) fail(&step->err, ST_NOT_FOUND, "", "there is no issuer of this name");
    }
    if (step->err.status != ST_OK) {
        answer_error(request, &step->err);
        return;
    }
    step->wait = (struct issuer_wait){ .done = tested, .context = step };
    issuer_want(request->api, step->known, ISSUER_ALL_ANEW, &step->wait);
}

enum status oidc_test(struct api_request *request, struct error *err)
{
    struct oidc_step *step = arena_make(request->http->arena, struct oidc_step);
    (void)err;
    step->request = request;
    step->wait = (struct issuer_wait){ .done = issuers_came_for_test, .context = step };
    issuers_want(request->api, &step->wait, &step->err);
    return ST_OK;
}
