/* tests/fuzz/fuzz_token.c — tokens: a whole one or, with a NUL between them, the JSON of a header and of
 * claims.
 *
 * A text is a token or is refused, never with a part of it in the message. A token has one text only: its
 * parts encode to the same text again. Nothing passes that the keys below have not signed. Whatever the
 * claims are, their bearer has a short name, and no role that the issuer does not map.
 */
#include "fuzz.h"

#include "access/token/token.h"
#include "base/base64.h"
#include "base/utf8.h"

#include <stdio.h>

/* Nobody has the private halves any more. With ' for ". */
static const char keys[] =
    "{'keys':[{'kty':'RSA','kid':'r','n':'uaTWpuMQHin0XzHUncUhdj7qDx-jOmMRIq7Y3WlwKS3igAk4nNjYRSSi_bn"
    "xd19fA9RfUZguTElZqAucy_of1R9gE_W3EcxTVfN-ySIxRA__oiO6b_4u-kwztSyNUUKVZfW4ImbwDUJn7sK50WXU-qzsAYn"
    "k37eLDBEG3UBInM_t18whYL0XG2NUcxOO_CL8LxVddRJk9tWZ4DZjpotbB2oLG931cyN4g01RJo1tt4adULrVxx84XmCvlOY"
    "yZsrWhhWERKj_rhgIeXEDwVXc0v1N7jZL-SjaHdCzyPUf71VBd0UZy_B2JSPhmmzdjg3RicQDiICiKpTZoZOwFnjVZQ','e'"
    ":'AQAB'},{'kty':'EC','kid':'c','crv':'P-256','x':'wjjKaNuUOGVmb5Er4qf96WmFkoiZInYgJxVl9_vRg5E','"
    "y':'H3oPZ8Tb_8jcVSqb-cnJi8cbHY4CxyLjZQX4V0GeKsc'},{'kty':'OKP','kid':'d','crv':'Ed25519','x':'9e"
    "5dX3qRrLFmsU1BgmfdJRIIAdpyjlso0pHMXduZdaE'}]}";

static const char *const records[] = {
    "{'issuer':'https://idp','audience':'pawl','clientId':'web','groupsClaim':'$.groups','rolesClaim':"
    "'$.realm_access.roles','roles':{'admin':['admins']}}",
    "{'issuer':'https://"
    "idp','audience':null,'clientId':'web','tenantClaim':'$.org','rolesClaim':'$.scope','roles':"
    "{'admin':['admins'],'sender':['send']}}",
    "{'issuer':'https://idp','audience':['a','pawl'],'userClaim':'$.sub','groupsClaim':"
    "'$[\\'urn:zitadel:iam:org:project:roles\\']','requireGroup':'send','roles':{'admin':['send']}}",
    "{'issuer':'https://idp','audience':null,'groupsClaim':'$..*','rolesClaim':'$..roles'}",
};

static struct jwk_set *set;
static struct issuer issuer[COUNT(records)];

static str quoted(const char *text, struct arena *arena)
{
    str copy = arena_str(arena, str_of(text));
    for (char *p = (char *)(uintptr_t)copy.p; *p; p++)
        if (*p == '\'') *p = '"';
    return copy;
}

static void begin(void)
{
    static struct arena arena;
    if (set) return;
    arena_init(&arena, 0);
    must(jwk_set_read(quoted(keys, &arena), &set, NULL) == ST_OK && jwk_set_count(set) == 3);
    for (size_t i = 0; i < COUNT(records); i++)
        must(issuer_read(STR("idp"), fuzz_parse(quoted(records[i], &arena), &arena), &arena, &issuer[i],
                         NULL) == ST_OK);
}

static void check_error(enum status status, const struct error *err)
{
    must(status == ST_UNAUTHORIZED && err->status == status && err->code && err->message[0]);
    must(utf8_is_valid(str_of(err->message)));
}

static void check_name(str name)
{
    must(name.n && name.n <= TOKEN_NAME_BYTES_MAX);
    for (size_t i = 0; i < name.n; i++) must((unsigned char)name.p[i] >= ' ' && name.p[i] != 0x7f);
}

static void check_bearer(const struct issuer *from, const struct token_text *token, str nonce,
                         struct arena *arena)
{
    const int64_t now_ms = INT64_C(1800000000000);
    struct token_bearer bearer;
    struct error err = { 0 };
    enum status status = token_claims(from, token, nonce, now_ms, arena, &bearer, &err);
    if (status != ST_OK) {
        check_error(status, &err);
        return;
    }
    check_name(bearer.subject);
    check_name(bearer.user);
    if (from->tenant_claim.n) check_name(bearer.tenant);
    must(bearer.expires_ms > now_ms && bearer.expires_ms <= CLOCK_MS_MAX + TOKEN_SKEW_MS);
    must(str_equal(json_text(token->claims, STR("iss")), from->issuer));
    if (!from->roles) must(!bearer.roles);
    if (nonce.n) must(str_equal(json_text(token->claims, STR("nonce")), nonce));
}

static void check_parts(str text, const struct token_text *token, struct arena *arena)
{
    must(str_starts(text, token->signed_text) && token->signature.n && token->algorithm.n);
    str signature = base64_encode_url(token->signature, arena);
    must(text.n == token->signed_text.n + 1 + signature.n && str_ends(text, signature));
    must(json_is(token->claims, JSON_OBJECT) && json_depth(token->claims) <= TOKEN_DEPTH_MAX);
    fuzz_check_value(token->claims, arena);
}

static void check_token(str text, bool signed_by_nobody, struct arena *arena)
{
    struct token_text token;
    struct error err = { 0 };
    enum status status = token_parse(text, arena, &token, &err);
    if (status != ST_OK) {
        check_error(status, &err);
        return;
    }
    check_parts(text, &token, arena);
    status = token_verify(&token, set, &err);
    if (status != ST_OK) check_error(status, &err);
    must(status != ST_OK || !signed_by_nobody);
    for (size_t i = 0; i < COUNT(records); i++) {
        check_bearer(&issuer[i], &token, STR_NONE, arena);
        check_bearer(&issuer[i], &token, STR("n1"), arena);
    }
}

/* The parts as a token, with a signature that belongs to nothing. */
static str joined(str header, str claims, struct arena *arena)
{
    static const char zeros[64];
    str first = base64_encode_url(header, arena), second = base64_encode_url(claims, arena);
    str third = base64_encode_url((str){ zeros, sizeof zeros }, arena);
    return arena_printf(arena, "%.*s.%.*s.%.*s", STR_ARG(first), STR_ARG(second), STR_ARG(third));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str input = fuzz_block((str){ (const char *)data, size });
    struct arena arena;
    begin();
    arena_init(&arena, 0);
    bool parts = size && memchr(data, 0, size);
    if (parts) {
        str header, claims;
        fuzz_split(input, &header, &claims);
        check_token(joined(header, claims, &arena), true, &arena);
    } else {
        check_token(input, false, &arena);
    }
    arena_done(&arena);
    fuzz_block_free(input);
    return 0;
}
