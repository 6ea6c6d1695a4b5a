/* api/access/issuers_int.h — issuers of tokens as this process knows them: records, keys, and checks.
 *
 *     token ──► issuers_want() ──► by its iss ──► issuer_want()      ──► signature and claims, aside
 *                  the records,                      a static set, a file,     (bearer.c)
 *                  from the store                    or the provider
 *
 * All of it belongs to the network's thread. Keys are counted and never change, so a check on another thread
 * holds them while new ones take their place. A provider that is away costs nobody anything but new keys:
 * those that are known stay, and it is asked again after a while.
 */
#ifndef API_ACCESS_ISSUERS_INT_H
#define API_ACCESS_ISSUERS_INT_H

#include "api/api_int.h"
#include "api/aside_int.h"

#include "access/token/oidc.h"
#include "access/token/token.h"

enum {
    ISSUER_KEYS_ANEW_MS = 60 * 1000,     /* For an unknown kid, at most so often. */
    ISSUER_KEYS_OLD_MS = 15 * 60 * 1000, /* Older ones are fetched again while they are used. */
    ISSUER_RETRY_FIRST_MS = 1000,        /* After a failure; it doubles … */
    ISSUER_RETRY_LAST_MS = 60 * 1000,    /* … up to this. */
    ISSUER_FILE_LOOK_MS = 1000,          /* A file is looked at for changes at most so often. */
    ISSUER_FETCH_MS = 10 * 1000,         /* One call of a provider. */
};

/* ---- calls of providers (fetch.c) ---- */

void fetch_init(struct fetches *fetches);
void fetch_done(struct fetches *fetches);
/* Makes the call; `done` comes on the network's thread, also if the call cannot be made. */
void fetch_begin(struct api *api, struct api_fetch *fetch);
/* Another one makes the call: its `ended` leads to `done`. */
void fetch_expect(struct api *api, struct api_fetch *fetch);
/* Hands out the calls that are done. */
void fetch_deliver(struct api *api);
/* The same, as failures, when the maker of calls has stopped. */
void fetch_end_all(struct api *api);

/* ---- issuers (issuers.c) ---- */

/* Somebody waits. In the waiter's storage, all zero behind `context`. */
struct issuer_wait {
    net_fn *done; /* On the network's thread. */
    void *context;
    struct issuer_wait *next_;
    uint64_t generation_;
    struct error *ret_err_;
};

struct issuer_keys {
    _Atomic int references_;
    struct jwk_set *set;
};
void issuer_keys_unref(struct issuer_keys *keys); /* NULL is allowed; any thread. */

struct known_issuer {
    struct issuer issuer;
    bool is_own;                       /* Ourselves. */
    bool has_provider;                 /* It was discovered. */
    struct oidc_provider provider;     /* In an arena of its own. */
    struct issuer_keys *keys;          /* NULL: there are none yet. */
    const struct known_pair *own_pair; /* The windows of our own keys. */
    size_t own_pair_count;
    char why[192]; /* Why the last try to get keys failed; empty: it did not. */
    /* ---- private ---- */
    struct known_issuer *next_;
    int references_;
    struct arena arena_, provider_arena_;
    str record_; /* As text: an issuer whose record has not changed keeps its keys. */
    int64_t fetched_ms_, anew_ms_, retry_ms_, retry_after_ms_, looked_ms_;
    int64_t file_changed_ns_, file_bytes_;
    bool is_fetching_;
    struct issuer_wait *waiting_;
};
struct known_issuer *access_issuer_ref(struct known_issuer *known);
void access_issuer_unref(struct known_issuer *known); /* NULL is allowed. */

struct issuers;
void issuers_free(struct api *api);

/* Calls `done` when the records of issuers are known as they were when this was called, or cannot be read:
 * then `*ret_err` is filled. At once, if nothing has changed. */
void issuers_want(struct api *api, struct issuer_wait *wait, struct error *ret_err);
/* By the claim iss, or by the name of the record. Counted; NULL: there is none. */
struct known_issuer *issuers_find(struct api *api, str iss);
struct known_issuer *issuers_find_name(struct api *api, str name);

/* The first issuer; next_ leads to the others. */
struct known_issuer *issuers_first(struct api *api);
/* The first provider of cyoda's calls; next_ leads to the others. */
struct known_issuer *issuers_providers(struct api *api);

/* A key pair of cyoda's calls, as its record says. */
struct known_pair {
    str kid, audience;
    bool is_active;         /* It may sign. */
    int64_t from_ms, to_ms; /* Tokens count in this window; 0: without an end. */
    const struct json *view;
};
const struct known_pair *issuers_pairs(struct api *api, size_t *ret_count);
/* The directory's generation when the records were read. */
uint64_t issuers_generation(struct api *api);

/* ---- their keys (issuer_keys.c) ---- */

/* How much is wanted of the issuer. */
enum issuer_want {
    ISSUER_KEYS,     /* Keys, as they are known. */
    ISSUER_NEW_KEYS, /* The keys lack the one that is wanted: they are fetched again, unless that was done a
                        moment ago. */
    ISSUER_PROVIDER, /* Keys, and the provider's description of itself: for logins. */
    ISSUER_ALL_ANEW, /* Everything is fetched again, whatever is known: to test it. */
};
/* Calls `done` when the issuer has that, or it cannot be had now. The waiter holds the issuer meanwhile. */
void issuer_want(struct api *api, struct known_issuer *known, enum issuer_want want,
                 struct issuer_wait *wait);

/* ---- our own key (signing.c) ---- */

#define OWN_ISSUER "pawl"             /* The claim iss of our tokens. */
#define SIGNING_SECRET "pawl.signing" /* The secret that has the key, in no tenant. */

/* Calls `done` when there is a key, or none can be made. Makes one if there is none. */
void signing_want(struct api *api, struct issuer_wait *wait);
/* The key that signs now, which lives as long as the API; NULL: there is none. */
const struct signing_key *signing_key_now(struct api *api);
/* Ourselves as an issuer with the keys that count now, counted. Both need the records: issuers_want(). */
struct known_issuer *signing_known(struct api *api);
/* The end of the window of one of its keys; 0: it has none. */
int64_t signing_until(const struct known_issuer *known, str kid);
/* The key pair that signs for the audience now; NULL: none but the first key may. */
const struct known_pair *signing_current(struct api *api, str audience);
/* The first key, whether it may sign or not; NULL: none was made. */
const struct signing_key *signing_first_key(struct api *api);
/* The name of the secret that has a key pair. */
str signing_secret(str kid, struct arena *arena);
void signing_free(struct api *api);

/* ---- tokens (bearer.c) ---- */

/* A check of a token, in an arena that lives until `done`. */
struct token_check {
    str text;
    str nonce;  /* A login's; empty: a bearer's token. */
    str issuer; /* Only tokens of this record count; empty: of any. */
    uint64_t peer;
    struct arena *arena;
    net_fn *done; /* On the network's thread. */
    void *context;
    /* Outcome. ST_UNAUTHORIZED: err.code has the reason. */
    enum status status;
    struct error err;
    str issuer_name; /* The name of the record; empty: our own. */
    struct token_text token;
    struct token_bearer bearer;
    bool may_change; /* The same token may be good a moment later: the refusal is not kept. */
    /* ---- private ---- */
    struct api *api_;
    struct issuer_wait wait_;
    struct known_issuer *known_;
    struct issuer issuer_; /* The issuer of known_; another thread reads it. */
    struct issuer_keys *keys_;
    struct aside_work aside_;
    bool is_anew_;
    struct token_check *next_;
};
void bearer_check(struct api *api, struct token_check *check);
/* Finds the provider of cyoda's calls that the token is of, and calls `done` with the check: known_ is it, or
 * status and err say why there is none (provider_choice.c). */
void provider_choose(struct token_check *check, net_fn *done);
/* Does the token say that it is of ourselves? Nothing is verified. */
bool bearer_is_own(str text, struct arena *arena);
/* Drops the checks that wait, before their requests go. */
void bearer_queue_part(struct api *api);
void bearer_queue_free(struct api *api);

#endif
