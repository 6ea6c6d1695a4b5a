/* access/token.h — signed tokens: JWS in the compact form, JWK sets, and the claims of issuers.
 *
 * RS256, PS256, ES256 and EdDSA, each only with a key of its own kind: the algorithm comes from the key that we
 * have, never from the token's own word alone. Signatures are checked with OpenSSL. A check takes up to 150 µs,
 * so it runs beside the network's thread, and its result is kept (directory.h).
 */
#ifndef ACCESS_TOKEN_H
#define ACCESS_TOKEN_H

#include "access/principal.h"
#include "json/json.h"

/* ---- keys ---- */

struct jwk_set;
/* From a JWK set (RFC 7517), or from a JSON list of PEM texts. Keys of unknown kinds and for encryption are
 * passed over; too small RSA keys (below 2048 bits), private members and more than 64 keys are ST_INVALID. */
enum status jwk_set_read(str text, struct jwk_set **ret_set, struct error *err);
void jwk_set_free(struct jwk_set *set);
size_t jwk_set_count(const struct jwk_set *set);
bool jwk_set_has(const struct jwk_set *set, str kid);

/* ---- tokens ---- */

enum { TOKEN_BYTES_MAX = 16 << 10, TOKEN_SKEW_MS = 60 * 1000 };

/* A token's parts before its signature was checked. Nothing in it may be believed yet. */
struct token_text {
    str signed_text; /* Header and payload with their point. */
    str signature;   /* Decoded. */
    str algorithm, kid, type;
    const struct json *claims;
};
enum status token_parse(str text, struct arena *arena, struct token_text *ret_token, struct error *err);

/* ST_UNAUTHORIZED with a code: "unknown-signing-key", "bad-signature", "wrong-algorithm". */
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
    const struct json *roles;                                /* {"admin": ["pawl-admins"]} */
    str require_group;
};
enum status issuer_read(str name, const struct json *record, struct arena *arena, struct issuer *ret_issuer,
                        struct error *err);

/* What the claims of a token say about its bearer. */
struct token_bearer {
    str subject; /* The claim `sub`. */
    str user;    /* By userClaim; else preferred_username, email, sub. */
    str tenant;  /* By tenantClaim; empty: none said. */
    const str *group;
    size_t group_count;
    role_set roles; /* By rolesClaim and the issuer's map. */
    int64_t expires_ms;
};
/* Checks iss (byte-equal), aud, exp, iat, nbf with a skew of a minute, requireGroup; reads the claims by their
 * paths. Values may be texts, lists of texts, or objects, which count by their member names. ST_UNAUTHORIZED
 * with a code: "wrong-issuer", "wrong-audience", "expired", "not-yet-valid", "clock", "missing-claim",
 * "missing-group". */
enum status token_claims(const struct issuer *issuer, const struct token_text *token, str nonce,
                         int64_t now_ms, struct arena *arena, struct token_bearer *ret_bearer,
                         struct error *err);

/* ---- tokens of our own (RS256) ---- */

struct signing_key;
/* A new RSA key of 2048 bits, or one in PEM. The kid is the thumbprint (RFC 7638). */
enum status signing_key_make(struct signing_key **ret_key, struct error *err);
enum status signing_key_read(str pem, struct signing_key **ret_key, struct error *err);
void signing_key_free(struct signing_key *key);
str signing_key_pem(const struct signing_key *key, struct arena *arena); /* Private: seal it. */
str signing_key_id(const struct signing_key *key);
const struct json *signing_key_jwk(const struct signing_key *key, struct arena *arena); /* Public. */
enum status token_sign(const struct signing_key *key, const struct json *claims, struct arena *arena,
                       str *ret_token, struct error *err);

#endif
