/* api/access/bearer.c — checks signed tokens: of bearers at the gate, and of logins.
 *
 *     parse ──► issuer by its iss ──► its keys ──► signature and claims, aside ──► the bearer
 *                                        ▲                 │ unknown key
 *                                        └─ once, anew ◄───┘
 *
 * A stranger can make us check signatures, so few of them are checked at one time, and fewer of one address.
 * The others wait in the order in which they came. The network bounds how many there can be: it holds
 * few requests of strangers (net/peer_int.h).
 */
#include "api/access/access_int.h"
#include "api/access/issuers_int.h"

#include "base/clock.h"
#include "base/must.h"

#include <stdlib.h>

struct token_queue {
    struct token_check *first, **end; /* They wait. */
    struct token_check *running;
    size_t running_count;
};

static void run_next(struct api *api);

/* ---- the end ---- */

static void finish(struct token_check *check)
{
    access_issuer_unref(check->known_);
    issuer_keys_unref(check->keys_);
    check->known_ = NULL;
    check->keys_ = NULL;
    check->done(check->context);
}

static void refuse(struct token_check *check, const char *code, const char *why)
{
    check->status = fail_code(&check->err, ST_UNAUTHORIZED, code, "%s", why);
    finish(check);
}

/* ---- the signature, aside ---- */

/* A token of our own stands for the client that got it. One of an exchange is about a user, whose roles
 * narrow those of the client. */
static void read_own(struct token_check *check)
{
    const struct json *claims = check->token.claims, *roles = json_get(claims, STR("user_roles"));
    struct token_bearer *bearer = &check->bearer;
    bearer->subject = arena_printf(check->arena, "key:%.*s", STR_ARG(json_text(claims, STR("client_id"))));
    bearer->user = STR_NONE;
    bearer->roles = 0;
    if (!json_get(claims, STR("act"))) return;
    bearer->user = json_text(claims, STR("caas_user_id"));
    bearer->roles = token_roles(roles, check->arena);
    if (!bearer->roles) bearer->roles = 1u << ROLE_VIEWER | 1u << ROLE_PERSON;
}

static enum status verify(struct token_check *check, struct error *err)
{
    struct clock clock = clock_system();
    TRY(token_verify(&check->token, check->keys_->set, err));
    TRY(token_claims(&check->issuer_, &check->token, check->nonce, clock_now_ms(&clock), check->arena,
                     &check->bearer, err));
    int64_t until_ms = signing_until(check->known_, check->token.kid);
    if (until_ms && until_ms < check->bearer.expires_ms) check->bearer.expires_ms = until_ms;
    if (check->known_->is_own) read_own(check);
    return ST_OK;
}

static void run(void *context)
{
    struct token_check *check = context;
    check->status = verify(check, &check->err);
}

static void leave(struct token_check *check)
{
    struct token_queue *queue = check->api_->tokens;
    struct token_check **link = &queue->running;
    while (*link != check) link = &(*link)->next_;
    *link = check->next_;
    queue->running_count--;
}

static void keys_came(void *context);

/* A key that we do not know may be new. */
static bool asks_anew(struct token_check *check)
{
    if (check->status == ST_OK || !check->err.code || strcmp(check->err.code, "unknown-signing-key") != 0)
        return false;
    check->may_change = true;
    if (check->is_anew_ || check->known_->is_own) return false;
    check->is_anew_ = true;
    check->wait_ = (struct issuer_wait){ .done = keys_came, .context = check };
    issuer_want(check->api_, check->known_, ISSUER_NEW_KEYS, &check->wait_);
    return true;
}

static void ran(void *context)
{
    struct token_check *check = context;
    struct api *api = check->api_;
    leave(check);
    if (!asks_anew(check)) finish(check);
    run_next(api);
}

static void drop(void *context)
{
    struct token_check *check = context;
    leave(check);
    access_issuer_unref(check->known_);
    issuer_keys_unref(check->keys_);
}

static void start(struct api *api, struct token_check *check)
{
    struct token_queue *queue = api->tokens;
    check->next_ = queue->running;
    queue->running = check;
    queue->running_count++;
    check->aside_ = (struct aside_work){ .run = run, .done = ran, .drop = drop, .context = check };
    aside_begin(api, &check->aside_);
}

static size_t count_of_source(const struct token_queue *queue, uint64_t peer)
{
    size_t count = 0;
    for (const struct token_check *check = queue->running; check; check = check->next_)
        count += check->peer == peer;
    return count;
}

static void run_next(struct api *api)
{
    struct token_queue *queue = api->tokens;
    struct token_check **link = &queue->first;
    while (*link && queue->running_count < TOKEN_CHECKS_MAX) {
        struct token_check *check = *link;
        if (count_of_source(queue, check->peer) >= TOKEN_CHECKS_PER_SOURCE_MAX) {
            link = &check->next_;
            continue;
        }
        *link = check->next_;
        if (!check->next_) queue->end = link;
        start(api, check);
    }
}

static void queue_up(struct token_check *check)
{
    struct token_queue *queue = check->api_->tokens;
    check->next_ = NULL;
    *queue->end = check;
    queue->end = &check->next_;
    run_next(check->api_);
}

/* ---- issuer and keys ---- */

static void keys_came(void *context)
{
    struct token_check *check = context;
    struct known_issuer *known = check->known_;
    if (!known->keys) {
        check->may_change = true;
        refuse(check, "provider-away", known->why);
        return;
    }
    issuer_keys_unref(check->keys_);
    atomic_fetch_add(&known->keys->references_, 1);
    check->keys_ = known->keys;
    check->issuer_ = known->issuer;
    if (provider_is_one(&known->issuer))
        check->issuer_.issuer = arena_str(check->arena, known->provider.issuer);
    queue_up(check);
}

static void provider_chosen(void *context)
{
    struct token_check *check = context;
    if (!check->known_) {
        finish(check);
        return;
    }
    check->is_anew_ = true; /* New keys were asked for if there was need. */
    check->issuer_name = arena_str(check->arena, check->known_->issuer.name);
    keys_came(check);
}

static void issuers_came(void *context)
{
    struct token_check *check = context;
    str iss = json_text(check->token.claims, STR("iss"));
    if (check->err.status != ST_OK) {
        check->status = check->err.status;
        finish(check);
        return;
    }
    bool is_own = !check->issuer.n && str_equal(iss, STR(OWN_ISSUER));
    check->known_ = is_own            ? signing_known(check->api_)
                    : check->issuer.n ? issuers_find_name(check->api_, check->issuer)
                                      : issuers_find(check->api_, iss);
    if (!check->known_ && !is_own && !check->issuer.n) {
        provider_choose(check, provider_chosen);
        return;
    }
    if (!check->known_) {
        refuse(check, "unknown-issuer", "no issuer has this iss");
        return;
    }
    check->issuer_name = arena_str(check->arena, check->known_->issuer.name);
    if (is_own) {
        keys_came(check);
        return;
    }
    check->wait_ = (struct issuer_wait){ .done = keys_came, .context = check };
    issuer_want(check->api_, check->known_, ISSUER_KEYS, &check->wait_);
}

bool bearer_is_own(str text, struct arena *arena)
{
    struct token_text token;
    struct error err;
    return token_parse(text, arena, &token, &err) == ST_OK &&
           str_equal(json_text(token.claims, STR("iss")), STR(OWN_ISSUER));
}

void bearer_check(struct api *api, struct token_check *check)
{
    if (!api->tokens) {
        api->tokens = calloc(1, sizeof *api->tokens);
        must(api->tokens);
        api->tokens->end = &api->tokens->first;
    }
    check->api_ = api;
    check->status = token_parse(check->text, check->arena, &check->token, &check->err);
    if (check->status != ST_OK) {
        finish(check);
        return;
    }
    check->wait_ = (struct issuer_wait){ .done = issuers_came, .context = check };
    issuers_want(api, &check->wait_, &check->err);
}

void bearer_queue_part(struct api *api)
{
    struct token_queue *queue = api->tokens;
    for (struct token_check *check = queue ? queue->first : NULL; check; check = check->next_) {
        access_issuer_unref(check->known_);
        issuer_keys_unref(check->keys_);
    }
    if (queue) queue->first = NULL;
}

void bearer_queue_free(struct api *api)
{
    free(api->tokens);
    api->tokens = NULL;
}
