/* api/access/signing.c — our own key, which signs the tokens of clients of cyoda.
 *
 * The key is a secret of the engine itself: sealed by the vault, in no tenant, so that no document and no
 * client can name it. It is made with the first token that is asked for. The vault of each node has it, and
 * a key that has changed there is taken from there.
 */
#include "api/access/issuers_int.h"
#include "api/access/oidc_int.h"
#include "api/answer_int.h"
#include "api/submit_int.h"

#include "base/log.h"
#include "base/must.h"
#include "json/put.h"
#include "vault/vault.h"

#include <openssl/crypto.h>
#include <stdlib.h>

/* One key, with the issuer that we are to the gate. Old ones stay, because threads may sign with them. */
struct own_key {
    struct signing_key *key;
    struct known_issuer *known;
    struct credential_hash hash; /* The hash of its PEM. */
    struct own_key *next;
};

struct signing {
    struct own_key *newest;
    struct issuer_wait *waiting;
    struct making *making; /* NULL: nobody makes a key. */
};

struct making {
    struct api *api;
    struct arena arena;
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

/* ---- the key that the vault has ---- */

static str print_set(const struct signing_key *key, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    PUT(&text, "{\"keys\":[");
    if (key) json_print(signing_key_jwk(key, arena), &text);
    PUT(&text, "]}");
    return buf_str(&text);
}

static struct known_issuer *make_known(const struct signing_key *key)
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
    must(jwk_set_read(print_set(key, &known->arena_), &keys->set, &err) == ST_OK);
    known->keys = keys;
    return known;
}

static void take_key(struct signing *signing, str pem, const struct credential_hash *hash)
{
    struct own_key *own = calloc(1, sizeof *own);
    struct error err;
    must(own);
    own->hash = *hash;
    if (signing_key_read(pem, &own->key, &err) != ST_OK) {
        log_write(LOG_ERROR, "the key that signs tokens cannot be read", "reason", err.message, NULL);
        free(own);
        return;
    }
    own->known = make_known(own->key);
    own->next = signing->newest;
    signing->newest = own;
}

static struct own_key *look(struct api *api)
{
    struct signing *signing = signing_of(api);
    struct arena arena;
    str pem;
    if (!api->config.vault) return NULL;
    arena_init(&arena, 0);
    if (vault_find_kept(api->config.vault, 0, STR(SIGNING_SECRET), &arena, &pem)) {
        struct credential_hash hash = credential_hash(pem);
        if (!signing->newest || !credential_hash_equal(&hash, &signing->newest->hash))
            take_key(signing, pem, &hash);
        OPENSSL_cleanse((void *)(uintptr_t)pem.p, pem.n);
    }
    arena_done(&arena);
    return signing->newest;
}

const struct signing_key *signing_key_now(struct api *api)
{
    const struct own_key *own = look(api);
    return own ? own->key : NULL;
}

struct known_issuer *signing_known(struct api *api)
{
    struct own_key *own = look(api);
    return own ? access_issuer_ref(own->known) : NULL;
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
    call->ns = 0;
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

void signing_want(struct api *api, struct issuer_wait *wait)
{
    struct signing *signing = signing_of(api);
    if (look(api) || !api->config.vault) {
        wait->done(wait->context);
        return;
    }
    wait->next_ = signing->waiting;
    signing->waiting = wait;
    if (signing->making) return;
    struct making *making = signing->making = calloc(1, sizeof *making);
    must(making);
    making->api = api;
    arena_init(&making->arena, 0);
    making->aside = (struct aside_work){ .run = make, .done = made, .drop = drop, .context = making };
    aside_begin(api, &making->aside);
}

void signing_free(struct api *api)
{
    struct signing *signing = api->signing;
    if (!signing) return;
    while (signing->newest) {
        struct own_key *own = signing->newest;
        signing->newest = own->next;
        signing_key_free(own->key);
        access_issuer_unref(own->known);
        free(own);
    }
    if (signing->making) free_making(signing->making);
    free(signing);
    api->signing = NULL;
}

/* ---- the public half ---- */

enum status signing_jwks(struct api_request *request, struct error *err)
{
    (void)err;
    answer(request, 200, STR("Cache-Control: public, max-age=300\r\n"),
           print_set(signing_key_now(request->api), request->http->arena));
    return ST_OK;
}
