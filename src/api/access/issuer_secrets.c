/* api/access/issuer_secrets.c — warns of issuers whose client secret is not there.
 *
 * Such an issuer is sound: its tokens count, and the secret may come later. But a login by it fails at its
 * last step, in the face of somebody who cannot help it. So the log of the start names it, and so does the
 * answer to whoever writes the record.
 */
#include "api/access/issuers_int.h"
#include "api/access/records_int.h"
#include "api/request_int.h"

#include "base/log.h"
#include "vault/resolve.h"

#include <openssl/crypto.h>

static bool is_missing(const struct api *api, str reference)
{
    struct vault_lookup lookup = vault_lookup_in(api->config.vault, TENANT_DEFAULT);
    struct error err;
    struct arena arena;
    str value = STR_NONE;
    if (!reference.n || !api->config.vault) return false;
    arena_init(&arena, 0);
    bool missing = vault_reference(&lookup, reference, &arena, &value, &err) != ST_OK;
    if (value.n) OPENSSL_cleanse((void *)(uintptr_t)value.p, value.n);
    arena_done(&arena);
    return missing;
}

/* ---- where the record is written ---- */

void issuer_secrets_warn(struct api_request *request, const struct access_change *change)
{
    str reference = json_text(change->object, STR("clientSecretRef"));
    if (change->kind != ACCESS_ISSUER || !is_missing(request->api, reference)) return;
    request_warn(request,
                 "issuer %.*s: there is no secret %.*s (clientSecretRef), so nobody can sign in by it",
                 STR_ARG(change->name), STR_ARG(reference));
}

/* ---- the start ---- */

struct secrets_look {
    struct api *api;
    struct issuer_wait wait;
    struct error err;
};

static void issuers_read(void *context)
{
    struct secrets_look *look = context;
    struct arena arena;
    arena_init(&arena, 0);
    for (const struct known_issuer *known = look->err.status == ST_OK ? issuers_first(look->api) : NULL;
         known; known = known->next_)
        if (is_missing(look->api, known->issuer.client_secret_ref))
            log_write(LOG_WARN, "an issuer's clientSecretRef names a secret that is not there", "issuer",
                      arena_str(&arena, known->issuer.name).p, "secret",
                      arena_str(&arena, known->issuer.client_secret_ref).p, NULL);
    arena_done(&arena);
}

void api_look_at_issuers(struct api *api)
{
    if (!directory_has_issuers(api->directory)) return;
    struct secrets_look *look = arena_make(&api->arena, struct secrets_look);
    *look = (struct secrets_look){ .api = api, .wait = { .done = issuers_read, .context = look } };
    issuers_want(api, &look->wait, &look->err);
}
