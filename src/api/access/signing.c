/* api/access/signing.c — our own keys, which sign the tokens of clients of cyoda.
 *
 * A key is a secret of the engine itself: sealed by the vault, in no tenant, so that no document and no
 * client can name it. The first one is made with the first token that is asked for. Admins issue others as
 * key pairs (key_pairs.c); a record says when each counts, and the newest that may sign does. The vault of
 * each node has all of them, and a first key that has changed there is taken from there.
 */
#include "api/access/issuers_int.h"
#include "api/access/oidc_int.h"
#include "api/answer_int.h"
#include "api/submit_int.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "json/put.h"
#include "vault/vault.h"

#include <openssl/crypto.h>
#include <stdlib.h>

/* One key. Old ones stay, because threads may sign with them. */
struct own_key {
    struct signing_key *key;
    struct credential_hash hash; /* The hash of its PEM. */
    struct own_key *next;
};

struct signing {
    struct own_key *keys;
    struct known_issuer *known;  /* Ourselves, with the keys that count. NULL: not known yet. */
    uint64_t generation;         /* When it was made, … */
    int64_t until_ms;            /* … until this time, … */
    const struct own_key *first; /* … and with this first key. */
    struct issuer_wait *waiting;
    struct making *making; /* NULL: nobody makes a key. */
};

struct making {
    struct api *api;
    struct arena arena;
    struct issuer_wait wait;
    struct aside_work aside;
    struct signing_key *key;
    enum status status;
    struct error err;
};

static struct signing *signing_of(struct api *api)
{
    if (!api->signing) api->signing = calloc(1, sizeof *api->signing);
    must(api->signing);
    return api->signing;
}

static int64_t now_ms(void)
{
    struct clock clock = clock_system();
    return clock_now_ms(&clock);
}

/* ---- keys that the vault has ---- */

static const struct own_key *take_key(struct signing *signing, str pem)
{
    struct credential_hash hash = credential_hash(pem);
    struct error err;
    for (const struct own_key *own = signing->keys; own; own = own->next)
        if (credential_hash_equal(&hash, &own->hash)) return own;
    struct own_key *own = calloc(1, sizeof *own);
    must(own);
    own->hash = hash;
    if (signing_key_read(pem, &own->key, &err) != ST_OK) {
        log_write(LOG_ERROR, "a key that signs tokens cannot be read", "reason", err.message, NULL);
        free(own);
        return NULL;
    }
    own->next = signing->keys;
    signing->keys = own;
    return own;
}

static const struct own_key *look(struct api *api, str secret)
{
    const struct own_key *own = NULL;
    struct arena arena;
    str pem;
    if (!api->config.vault) return NULL;
    arena_init(&arena, 0);
    if (vault_find_kept(api->config.vault, 0, secret, &arena, &pem)) {
        own = take_key(signing_of(api), pem);
        OPENSSL_cleanse((void *)(uintptr_t)pem.p, pem.n);
    }
    arena_done(&arena);
    return own;
}

static const struct own_key *first_key(struct api *api) { return look(api, STR(SIGNING_SECRET)); }

/* A key never changes under its kid, so it is read once. */
static const struct own_key *find_key(struct api *api, str kid)
{
    struct arena arena;
    for (const struct own_key *own = signing_of(api)->keys; own; own = own->next)
        if (str_equal(signing_key_id(own->key), kid)) return own;
    arena_init(&arena, 0);
    const struct own_key *own = look(api, signing_secret(kid, &arena));
    arena_done(&arena);
    return own;
}

str signing_secret(str kid, struct arena *arena)
{
    return arena_printf(arena, SIGNING_SECRET ".%.*s", STR_ARG(kid));
}

const struct signing_key *signing_first_key(struct api *api)
{
    const struct own_key *own = first_key(api);
    return own ? own->key : NULL;
}

/* ---- the ones that count ---- */

static bool counts(const struct known_pair *pair, int64_t at_ms)
{
    return pair->from_ms <= at_ms && (!pair->to_ms || at_ms < pair->to_ms);
}

static const struct known_pair *find_pair(struct api *api, str kid)
{
    size_t count;
    const struct known_pair *pair = issuers_pairs(api, &count);
    for (size_t i = 0; i < count; i++)
        if (str_equal(pair[i].kid, kid)) return &pair[i];
    return NULL;
}

const struct known_pair *signing_current(struct api *api, str audience)
{
    const struct known_pair *best = NULL;
    size_t count;
    const struct known_pair *pair = issuers_pairs(api, &count);
    for (size_t i = 0; i < count; i++) {
        if (!pair[i].is_active || !counts(&pair[i], now_ms()) || !str_equal(pair[i].audience, audience))
            continue;
        bool is_later = !best || pair[i].from_ms > best->from_ms ||
                        (pair[i].from_ms == best->from_ms && str_compare(pair[i].kid, best->kid) > 0);
        if (is_later && find_key(api, pair[i].kid)) best = &pair[i];
    }
    return best;
}

const struct signing_key *signing_key_now(struct api *api)
{
    const struct known_pair *pair = signing_current(api, STR("client"));
    const struct own_key *own = pair ? find_key(api, pair->kid) : first_key(api);
    if (!own) return NULL;
    const struct known_pair *said = find_pair(api, signing_key_id(own->key));
    return !said || (said->is_active && counts(said, now_ms())) ? own->key : NULL;
}

/* ---- ourselves as an issuer ---- */

static void note_until(struct signing *signing, int64_t ms, int64_t at_ms)
{
    if (ms > at_ms && ms < signing->until_ms) signing->until_ms = ms;
}

static void add_jwk(struct buf *set, const struct own_key *own, struct arena *arena)
{
    if (set->p[set->n - 1] == '}') buf_add_char(set, ',');
    json_print(signing_key_jwk(own->key, arena), set);
}

/* The keys that count now, as text; notes when that changes. */
static str print_set(struct api *api, struct arena *arena)
{
    struct signing *signing = signing_of(api);
    const struct own_key *first = first_key(api);
    int64_t at_ms = now_ms();
    size_t count;
    const struct known_pair *pair = issuers_pairs(api, &count);
    struct buf set;
    buf_init(&set, arena);
    PUT(&set, "{\"keys\":[");
    signing->until_ms = INT64_MAX;
    if (first && !find_pair(api, signing_key_id(first->key))) add_jwk(&set, first, arena);
    for (size_t i = 0; i < count; i++) {
        const struct own_key *own = counts(&pair[i], at_ms) ? find_key(api, pair[i].kid) : NULL;
        note_until(signing, pair[i].from_ms, at_ms);
        note_until(signing, pair[i].to_ms, at_ms);
        if (own) add_jwk(&set, own, arena);
    }
    PUT(&set, "]}");
    return buf_str(&set);
}

static void copy_windows(struct api *api, struct known_issuer *known)
{
    size_t count;
    const struct known_pair *pair = issuers_pairs(api, &count);
    struct known_pair *copy = arena_make_n(&known->arena_, struct known_pair, count);
    for (size_t i = 0; i < count; i++)
        copy[i] =
            (struct known_pair){ .kid = arena_str(&known->arena_, pair[i].kid), .to_ms = pair[i].to_ms };
    known->own_pair = copy;
    known->own_pair_count = count;
}

static struct known_issuer *make_known(struct api *api)
{
    struct known_issuer *known = calloc(1, sizeof *known);
    struct issuer_keys *keys = calloc(1, sizeof *keys);
    struct error err;
    must(known && keys);
    known->references_ = 1;
    known->is_own = true;
    arena_init(&known->arena_, 0);
    arena_init(&known->provider_arena_, 0);
    known->issuer = (struct issuer){ .issuer = STR(OWN_ISSUER), .any_audience = true };
    keys->references_ = 1;
    must(jwk_set_read(print_set(api, &known->arena_), &keys->set, &err) == ST_OK);
    known->keys = keys;
    copy_windows(api, known);
    return known;
}

struct known_issuer *signing_known(struct api *api)
{
    struct signing *signing = signing_of(api);
    const struct own_key *first = first_key(api);
    bool is_good = signing->known && signing->generation == issuers_generation(api) &&
                   signing->first == first && now_ms() < signing->until_ms;
    if (!is_good) {
        access_issuer_unref(signing->known);
        signing->known = make_known(api);
        signing->generation = issuers_generation(api);
        signing->first = first;
    }
    return access_issuer_ref(signing->known);
}

int64_t signing_until(const struct known_issuer *known, str kid)
{
    for (size_t i = 0; i < known->own_pair_count; i++)
        if (str_equal(known->own_pair[i].kid, kid)) return known->own_pair[i].to_ms;
    return 0;
}

/* ---- a new key ---- */

static void free_making(struct making *making)
{
    signing_key_free(making->key);
    arena_done(&making->arena);
    free(making);
}

static void end_making(struct making *making)
{
    struct signing *signing = making->api->signing;
    struct issuer_wait *wait = signing->waiting;
    signing->making = NULL;
    signing->waiting = NULL;
    if (making->status != ST_OK)
        log_write(LOG_ERROR, "no key to sign tokens could be made", "reason", making->err.message, NULL);
    free_making(making);
    while (wait) {
        struct issuer_wait *next = wait->next_;
        wait->done(wait->context);
        wait = next;
    }
}

static void stored(struct call *call)
{
    struct making *making = call->user;
    str pem = call->as.secret.value;
    OPENSSL_cleanse((void *)(uintptr_t)pem.p, pem.n);
    making->status = call->status;
    making->err = call->error;
    end_making(making);
}

static void made(void *context)
{
    struct making *making = context;
    if (making->status != ST_OK) {
        end_making(making);
        return;
    }
    const struct call_secret asked = { .name = STR(SIGNING_SECRET),
                                       .value = signing_key_pem(making->key, &making->arena) };
    struct call *call = call_set_secret((struct call_origin){ &making->arena, stored, making }, &asked);
    call_for_all_tenants(call);
    making->status = submit_call(making->api, call, 0, &making->err);
    if (making->status != ST_OK) end_making(making);
}

static void make(void *context)
{
    struct making *making = context;
    making->status = signing_key_make(&making->key, &making->err);
}

static void drop(void *context)
{
    struct making *making = context;
    making->api->signing->making = NULL;
    free_making(making);
}

/* The records of key pairs are known now, or cannot be read. */
static void records_came(void *context)
{
    struct making *making = context;
    struct api *api = making->api;
    making->status = making->err.status;
    if (making->status != ST_OK || signing_current(api, STR("client")) || first_key(api) ||
        !api->config.vault) {
        end_making(making);
        return;
    }
    making->aside = (struct aside_work){ .run = make, .done = made, .drop = drop, .context = making };
    aside_begin(api, &making->aside);
}

void signing_want(struct api *api, struct issuer_wait *wait)
{
    struct signing *signing = signing_of(api);
    wait->next_ = signing->waiting;
    signing->waiting = wait;
    if (signing->making) return;
    struct making *making = signing->making = calloc(1, sizeof *making);
    must(making);
    making->api = api;
    arena_init(&making->arena, 0);
    making->wait = (struct issuer_wait){ .done = records_came, .context = making };
    issuers_want(api, &making->wait, &making->err);
}

void signing_free(struct api *api)
{
    struct signing *signing = api->signing;
    if (!signing) return;
    while (signing->keys) {
        struct own_key *own = signing->keys;
        signing->keys = own->next;
        signing_key_free(own->key);
        free(own);
    }
    access_issuer_unref(signing->known);
    if (signing->making) free_making(signing->making);
    free(signing);
    api->signing = NULL;
}

/* ---- the public half ---- */

struct jwks_request {
    struct api_request *request;
    struct issuer_wait wait;
    struct error err;
};

static void answer_set(void *context)
{
    struct jwks_request *asked = context;
    struct api_request *request = asked->request;
    if (asked->err.status != ST_OK) answer_error(request, &asked->err);
    else
        answer(request, 200, STR("Cache-Control: public, max-age=60\r\n"),
               print_set(request->api, request->http->arena));
}

enum status signing_jwks(struct api_request *request, struct error *err)
{
    struct jwks_request *asked = arena_make(request->http->arena, struct jwks_request);
    (void)err;
    asked->request = request;
    asked->wait = (struct issuer_wait){ .done = answer_set, .context = asked };
    issuers_want(request->api, &asked->wait, &asked->err);
    return ST_OK;
}
