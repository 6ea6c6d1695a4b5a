/* runtime/arrivals/arrive_auth.c — who sends a request to a webhook?
 *
 *     ApiKey      X-Api-Key: SECRET, or Authorization: Bearer SECRET, or Authorization: ApiKey SECRET
 *     BasicAuth   Authorization: Basic …; the secret is "user:password"
 *     HMAC        X-Signature: sha256=HEX, or X-Hub-Signature-256, over the raw bytes of the body
 *
 * Comparisons take the same time whatever differs. A secret that the vault does not know lets nobody in.
 */
#include "runtime/arrivals/arrivals_int.h"

#include "base/base64.h"
#include "runtime/call/call.h"
#include "vault/vault.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { DIGEST_BYTES = 32 };

static str header(const struct arrival_event *event, const char *name)
{
    return json_text(event->headers, str_of(name));
}

/* The length of a secret is no secret. */
static bool same(str a, str b) { return a.n == b.n && a.n && CRYPTO_memcmp(a.p, b.p, a.n) == 0; }

/* The credentials behind the scheme in an Authorization header, or nothing. */
static str credentials(const struct arrival_event *event, str scheme)
{
    str value = header(event, "authorization");
    if (value.n <= scheme.n || !str_equal_ignoring_case(str_slice(value, 0, scheme.n), scheme) ||
        value.p[scheme.n] != ' ')
        return STR_NONE;
    return str_trim(str_slice(value, scheme.n, value.n));
}

static bool has_key(const struct arrival_event *event, str secret)
{
    return same(header(event, "x-api-key"), secret) || same(credentials(event, STR("Bearer")), secret) ||
           same(credentials(event, STR("ApiKey")), secret);
}

static bool has_password(const struct arrival_event *event, str secret, struct arena *arena)
{
    str pair;
    return base64_decode(credentials(event, STR("Basic")), arena, &pair) && same(pair, secret);
}

static bool read_digest(str text, unsigned char ret_digest[DIGEST_BYTES])
{
    if (str_starts(text, STR("sha256="))) text = str_slice(text, 7, text.n);
    if (text.n != 2 * DIGEST_BYTES) return false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0) return false;
        ret_digest[i / 2] = (unsigned char)(i % 2 ? ret_digest[i / 2] | digit : digit << 4);
    }
    return true;
}

static bool has_signature(const struct arrival_event *event, str secret)
{
    unsigned char sent[DIGEST_BYTES], own[DIGEST_BYTES];
    unsigned int bytes = sizeof own;
    str text = header(event, "x-signature");
    if (!text.n) text = header(event, "x-hub-signature-256");
    return read_digest(text, sent) &&
           HMAC(EVP_sha256(), secret.p, (int)secret.n,
                (const unsigned char *)(event->raw.p ? event->raw.p : ""), event->raw.n, own, &bytes) &&
           CRYPTO_memcmp(sent, own, sizeof own) == 0;
}

bool arrive_is_allowed(struct turn *turn, int32_t ns, const struct arrival_terms *terms,
                       const struct arrival_event *event)
{
    if (terms->auth == ARRIVAL_AUTH_NONE) return true;
    str name = str_starts(terms->secret, STR("vault:")) ? str_slice(terms->secret, 6, terms->secret.n)
                                                        : terms->secret;
    struct arena arena;
    str secret;
    bool allowed = false;
    arena_init(&arena, 0);
    if (turn->engine->secrets.vault && vault_find(turn->engine->secrets.vault, ns, name, &arena, &secret)) {
        switch (terms->auth) {
        case ARRIVAL_AUTH_KEY: allowed = has_key(event, secret); break;
        case ARRIVAL_AUTH_BASIC: allowed = has_password(event, secret, &arena); break;
        case ARRIVAL_AUTH_HMAC: allowed = has_signature(event, secret); break;
        default: break;
        }
        OPENSSL_cleanse((void *)(uintptr_t)secret.p, secret.n);
    }
    arena_done(&arena);
    return allowed;
}
