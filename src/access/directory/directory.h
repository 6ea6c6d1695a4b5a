/* access/directory/directory.h — what one process knows of principals and tenants without asking the store.
 *
 * A cache, not a copy: a hundred thousand users and keys cost nothing until they come. The gate asks by the
 * hash of a credential. On a miss the runtime resolves the credential from the store (CALL_RESOLVE) and the
 * directory keeps the answer, also a refusal, for a while. Each change of access, here or at another node,
 * gives the directory a new generation: older answers count no more, and holders of principals (streams, long
 * polls) ask directory_still_holds().
 *
 * Any thread may call any function. No function waits for longer than a map lookup.
 */
#ifndef ACCESS_DIRECTORY_H
#define ACCESS_DIRECTORY_H

#include "access/permit/caller.h"
#include "access/secret/key.h"
#include "access/limits.h"
#include "access/permit/principal.h"
#include "access/record/record.h"

struct directory;

/* A network or the subject of a client certificate, whose callers have roles without a credential. */
struct trusted {
    str name;       /* "10.1.0.0/16" or "CN=worker" */
    role_set roles; /* Never admin. */
    str tenant;     /* Empty: default. */
};

struct directory_config {
    const struct trusted *network;
    size_t network_count;
    const struct trusted *certificate;
    size_t certificate_count;
    str root_secret;  /* --auth-token-file: the key "root"; empty: there is none. */
    bool asks_always; /* A credential is asked for although nobody has one yet: the first user is to come. */
    bool is_followed; /* A file follows the audit: it takes the chains that have moved. */
};

/* Is it an address, or a network as 10.1.0.0/16 and fd00::/8 are? ST_INVALID, in words. */
enum status directory_check_network(str name, struct error *err);

/* Is the address in one of these networks? They have been checked. */
bool directory_is_in_network(str address, const str *network, size_t count);

/* Copies the configuration. Networks have been checked. */
struct directory *directory_new(const struct directory_config *config);
void directory_free(struct directory *directory);
/* Another root secret from now on (SIGHUP); empty: none. Principals of the old one hold no more. */
void directory_set_root(struct directory *directory, str secret);

/* Must a request show a credential? True if there is a root secret, a user or an issuer. The runtime tells
 * whether there are users and issuers, at the start and after each change. */
bool directory_is_closed(const struct directory *directory);
void directory_set_members(struct directory *directory, bool has_users, bool has_issuers);
bool directory_has_users(const struct directory *directory);
bool directory_has_issuers(const struct directory *directory);

/* Is there a root secret? */
bool directory_has_root(const struct directory *directory);

/* ---- principals ---- */

enum directory_answer {
    DIRECTORY_FOUND,   /* The principal, counted for the caller. */
    DIRECTORY_REFUSED, /* The credential is no good; `*ret_why` says why, for admins only. */
    DIRECTORY_ASK,     /* Not known here: resolve it, then directory_keep(). */
};
enum directory_answer directory_find(struct directory *directory, const struct credential_hash *hash,
                                     int64_t now_ms, struct principal **ret_principal, const char **ret_why);
/* Keeps the answer of a resolution (principal NULL: why it was refused, a literal), unless access has changed
 * since `mark`, which was read before the resolution began (directory_mark()). Principals are kept for a
 * quarter of an hour and refusals for a minute, so that a change of which the directory was not told counts
 * at last. */
void directory_keep(struct directory *directory, const struct credential_hash *hash, uint64_t mark,
                    struct principal *principal, const char *why, int64_t now_ms);
/* The principal of a caller without a credential: of its certificate, whose whole subject is equal, or of the
 * smallest network that it is in, or nobody. While the directory is open, it is everybody. Counted. */
struct principal *directory_of_peer(struct directory *directory, str address, str certificate_subject);

uint64_t directory_generation(const struct directory *directory);
/* Access has changed, as of that generation (it only grows): nothing older counts. */
void directory_advance(struct directory *directory, uint64_t generation);
/* The session of that cookie has ended. Nothing else changes: a sign-out makes nobody else look again. */
void directory_end_session(struct directory *directory, const struct credential_hash *hash);
/* Sessions have ended, and it is not known which. */
void directory_end_some_sessions(struct directory *directory);
/* Counts the two calls above. Holders of sessions look again when it moves. */
uint64_t directory_ended(const struct directory *directory);
/* Moves with each new generation and with each session that ends. */
uint64_t directory_mark(const struct directory *directory);
/* False if the principal has to be resolved again before it does more. Sessions that have ended are not
 * known here: directory_ended(). */
bool directory_still_holds(const struct directory *directory, const struct principal *principal,
                           int64_t now_ms);

/* ---- tenants ---- */

/* The number of a tenant, and its state and quotas; false: not known here, or there is none. The runtime
 * keeps tenants that it has read, keeps them again after each change, and forgets those that are gone: they
 * do not end with a generation. One that is being removed is not known. `default` is known from the start.
 * Names live as long as the directory. */
bool directory_tenant(struct directory *directory, str name, struct tenant *ret_tenant);
bool directory_tenant_by_number(struct directory *directory, int32_t number, struct tenant *ret_tenant);
/* Is the tenant known here, and suspended? */
bool directory_is_suspended(struct directory *directory, int32_t number);
/* The engine has written or read the tenant: this is how it is now. */
void directory_keep_tenant(struct directory *directory, const struct tenant *tenant);
void directory_forget_tenant(struct directory *directory, str name);
/* For threads that read beside the engine: counts what the engine has told of tenants. A thread asks for it
 * before it reads, and its tenant is kept only if the engine has told nothing since. Else a record that was
 * read long ago could undo a suspension. False: the record has to be read again. */
uint64_t directory_tenants_told(struct directory *directory);
bool directory_keep_tenant_read(struct directory *directory, const struct tenant *tenant, uint64_t told);
/* Another node has changed tenants, those that are not known here included: what others read before this
 * call is not kept. */
void directory_tenants_changed(struct directory *directory);
/* The names of all tenants that are known here or that a trusted network or certificate names, in no order.
 */
size_t directory_known_tenants(struct directory *directory, struct arena *arena, str **ret_name);

/* ---- refusals ---- */

/* The last 200 refusals with their true reasons, for admins: time, address, what was asked, why. The newest
 * is first. */
struct refusal_note {
    int64_t at_ms;
    char address[48], asked[128], principal[96], why[160];
    int32_t tenant;
    enum way_in way;
    bool is_login;
};
void directory_note_refusal(struct directory *directory, const struct refusal_note *note);
size_t directory_refusals(struct directory *directory, struct arena *arena, struct refusal_note **ret_note);

/* The same refusals for the audit: a minute's are counted by tenant and principal, logins apart, and each
 * count has the newest note. When REFUSAL_COUNTS_MAX principals have one, all others share the last. */
struct refusal_count {
    struct refusal_note newest;
    int64_t count;
    bool is_shared;
};
/* Takes the counts of a minute that is over; `all`: also of one that is not. 0: there are none. */
size_t directory_take_refusals(struct directory *directory, int64_t now_ms, bool all, struct arena *arena,
                               struct refusal_count **ret_count);

/* ---- chains of the audit that have moved ---- */

/* For a file that follows the audit: the engine notes each chain when its rows have committed. */
struct audited_chain {
    int32_t tenant;
    int64_t node;
};
void directory_note_audited(struct directory *directory, struct audited_chain chain);
/* Any chain may have moved. */
void directory_note_audited_again(struct directory *directory);
/* Takes the chains. `ret->all`: there were more than that, or nobody knows which. */
struct audited_chains {
    struct audited_chain chain[DIRECTORY_AUDITED_MAX + 1]; /* One more for a tenant that goes. */
    size_t count;
    bool all;
    uint64_t mark; /* How many notes there were. */
};
void directory_take_audited(struct directory *directory, struct audited_chains *ret_chains);
/* The file has all rows of the notes up to the mark. */
void directory_end_audited(struct directory *directory, uint64_t mark);

/* For the engine, which removes a tenant: has the file all rows of its chain? If not, the file is told of
 * the chain, and the engine asks again later. True if no file follows the audit. */
bool directory_is_audited_to_end(struct directory *directory, struct audited_chain chain, str name);
/* The name of a tenant, also of the one that the engine is removing; STR_NONE: nobody knows it any more. */
str directory_audited_name(struct directory *directory, int32_t tenant, struct arena *arena);

/* ---- tries ---- */

/* Failed logins: 5 a minute for a name, 30 for an address; addresses of IPv6 count by their first 64 bits,
 * because one client has all the rest. False: no more for now, and `*ret_wait_ms` says how long. A try counts
 * when it failed, so callers ask right before they look at the password, not when the request comes. */
bool directory_may_try(struct directory *directory, str name, str address, int64_t now_ms,
                       int64_t *ret_wait_ms);
void directory_note_failed_try(struct directory *directory, str name, str address, int64_t now_ms);

#endif
