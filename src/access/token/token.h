/* access/token/token.h — signed tokens: JWS in the compact form, JWK sets, and the claims of issuers.
 *
 * RS256, PS256, ES256 and EdDSA, each only with a key of its own kind: the algorithm comes from the key
 * that we have, never from the token's own word alone. Signatures are checked with OpenSSL. A check takes
 * up to 150 µs, so it runs beside the network's thread, and its result is kept (directory.h).
 */
#ifndef ACCESS_TOKEN_H
#define ACCESS_TOKEN_H

#include "access/limits.h"
#include "access/permit/principal.h"
#include "json/json.h"

/* ---- keys ---- */

struct jwk_set;
/* From a JWK set (RFC 7517), from a JSON list of PEM texts, or from PEM itself. Keys of unknown kinds and
 * for encryption are passed over in a JWK set, because others may need them; in PEM they are ST_INVALID. So
 * are, in each form, private and secret keys, too small RSA keys (below 2048 bits), points that are not on
 * their curve, more than 64 keys, and more than TOKEN_TRIES_MAX keys without a kid. `where` is the JSON
 * Pointer of the key. A set never changes, so threads share it without a lock. */
enum status jwk_set_read(str text, struct jwk_set **ret_set, struct error *err);
void jwk_set_free(struct jwk_set *set);
size_t jwk_set_count(const struct jwk_set *set);
/* Is there a key of that name? If not, the provider may have a new one. */
bool jwk_set_has(const struct jwk_set *set, str kid);

/* ---- tokens ---- */

enum { TOKEN_SKEW_MS = 60 * 1000 };

/* A token's parts before its signature was checked. Nothing in it may be believed yet. */
struct token_text {
    str signed_text;          /* Header and payload with their point. */
    str signature;            /* Decoded. */
    str algorithm, kid, type; /* Empty: the header has none. */
    const struct json *claims;
};
/* The header's members that name or bring a key (jwk, jku, x5u, x5c) are never looked at. ST_UNAUTHORIZED
 * with the code "malformed": larger than TOKEN_BYTES_MAX, not three parts in base64 as an encoder writes
 * it, not JSON objects, a member twice, too deep, no signature, `crit`. The message never quotes the token.
 * The parts live in the arena, signed_text as long as the text. */
enum status token_parse(str text, struct arena *arena, struct token_text *ret_token, struct error *err);

/* The keys that count are those that the kid names and those that have no name; without a kid all of them.
 * Only keys for the token's algorithm are tried, and none if there are more than TOKEN_TRIES_MAX.
 * ST_UNAUTHORIZED with a code: "unknown-signing-key", "bad-signature", "wrong-algorithm". Any thread may
 * call it. */
enum status token_verify(const struct token_text *token, const struct jwk_set *set, struct error *err);

/* ---- issuers ---- */

/* An issuer's record (record.h), read. */
struct issuer {
    str name, issuer, client_id, client_secret_ref, label;
    bool any_audience; /* "audience": null */
    const str *audience;
    size_t audience_count;
    str jwks, jwks_file;                                     /* At most one of them; else discovery by URL. */
    str user_claim, tenant_claim, groups_claim, roles_claim; /* RFC 9535 paths. */
    const struct json *roles; /* {"admin": ["pawl-admins"]}; NULL: no claim gives a role. */
    str require_group;
    /* A provider of cyoda's calls: */
    str well_known;    /* Its description's address; empty: this is no provider. */
    const str *pinned; /* Its claims iss; none: the one of the description, in `issuer` when it is known. */
    size_t pinned_count;
    str tenant;       /* All bearers are there. */
    str claim;        /* Roles are in the claim of this name, which is no path. */
    int64_t since_ms; /* Older tokens are those of the tenant that had the provider before. */
    int64_t skew_ms;  /* 0: TOKEN_SKEW_MS. */
    bool any_issuer;  /* A trusted key's tokens: whatever their iss. */
    /* ---- private ---- */
    const struct jsonpath *user_path_, *tenant_path_, *groups_path_, *roles_path_;
};
/* ST_INVALID with the JSON Pointer of the place. `jwks` is the text of the record's member: jwk_set_read()
 * says whether its keys are good. Everything lives in the arena. */
enum status issuer_read(str name, const struct json *record, struct arena *arena, struct issuer *ret_issuer,
                        struct error *err);

/* ---- providers of cyoda's calls ---- */

#define PROVIDER_MARK "provider:" /* Names of their issuers begin so; no record of an issuer has this sign. */
enum { PROVIDER_SKEW_MS = 30 * 1000 };

/* From the view of its record (record.h). ST_INVALID: it is damaged. */
enum status provider_read(str id, const struct json *view, struct arena *arena, struct issuer *ret_issuer,
                          struct error *err);
bool provider_is_one(const struct issuer *issuer);
bool provider_has_pinned(const struct issuer *issuer, str iss);
/* Has the token one of the audiences that the issuer expects? False also if it expects none. */
bool token_names_audience(const struct issuer *issuer, const struct token_text *token, struct arena *arena);

/* The roles behind a word of cyoda, or behind a word of ours. */
role_set provider_role(str word);
/* The roles behind all words of a claim: a text with blanks, a list of texts, or the names of an object. */
role_set token_roles(const struct json *claim, struct arena *arena);

/* The bearer of a token, by its claims. */
struct token_bearer {
    str subject; /* The claim `sub`. */
    str user;    /* By userClaim; else preferred_username, email, sub. */
    str tenant;  /* By tenantClaim; empty: none said. */
    const str *group;
    size_t group_count;
    role_set roles;     /* By rolesClaim (else groupsClaim) and the issuer's map. */
    int64_t expires_ms; /* With the skew: nobody counts the token later. */
};
/* Checks iss (byte-equal), aud, exp, iat, nbf with a skew of a minute, requireGroup; reads the claims by
 * their paths. exp, iat and sub must be there; times are whole seconds.
 *
 * A nonce makes it the token of a login (OIDC's ID token): its nonce must be that one, its aud must have
 * the client's id, and azp, where it is, must be the client. Without a nonce it is a bearer's: its aud must
 * have one of the issuer's audiences. Header types of other purposes (logout+jwt) are refused for both.
 *
 * Values may be texts, lists of texts, or objects, which count by their member names; a text of roles may
 * have several, with blanks between them; other values name nothing. A claim that userClaim or tenantClaim
 * selects must be there and name one thing: else a token without a tenant would come into another one. An
 * e-mail address that the provider has not verified is nobody's name.
 *
 * ST_UNAUTHORIZED with a code: "wrong-issuer", "wrong-audience", "wrong-nonce", "wrong-type", "expired",
 * "not-yet-valid", "clock", "missing-claim", "bad-claim", "missing-group". */
enum status token_claims(const struct issuer *issuer, const struct token_text *token, str nonce,
                         int64_t now_ms, struct arena *arena, struct token_bearer *ret_bearer,
                         struct error *err);

/* ---- tokens of our own (RS256) ---- */

struct signing_key;
/* A new RSA key of 2048 bits, which takes up to a second, or one in PEM (ST_INVALID: not RSA, not private,
 * too small). The kid is the thumbprint (RFC 7638). Threads share a key without a lock. */
enum status signing_key_make(struct signing_key **ret_key, struct error *err);
enum status signing_key_read(str pem, struct signing_key **ret_key, struct error *err);
void signing_key_free(struct signing_key *key);
str signing_key_pem(const struct signing_key *key, struct arena *arena); /* Private: seal it, then wipe it. */
str signing_key_id(const struct signing_key *key);
const struct json *signing_key_jwk(const struct signing_key *key, struct arena *arena); /* Public. */
str signing_key_public(const struct signing_key *key,
                       struct arena *arena); /* SubjectPublicKeyInfo in base64. */
enum status token_sign(const struct signing_key *key, const struct json *claims, struct arena *arena,
                       str *ret_token, struct error *err);

#endif
