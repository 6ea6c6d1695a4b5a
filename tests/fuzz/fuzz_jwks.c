/* tests/fuzz/fuzz_jwks.c — documents with public keys.
 *
 * A document gives keys or is refused with a reason. White space around it changes nothing. Whatever the keys
 * are, a token is checked with them and refused.
 */
#include "fuzz.h"

#include "access/token/token.h"
#include "base/utf8.h"

/* How many keys, or SIZE_MAX: it is refused. */
static size_t count_of(str text)
{
    struct jwk_set *set = NULL;
    struct error err = { 0 };
    enum status status = jwk_set_read(text, &set, &err);
    if (status != ST_OK) {
        must(status == ST_INVALID && err.status == status && err.message[0] && !set);
        must(utf8_is_valid(str_of(err.message)));
        return SIZE_MAX;
    }
    size_t count = jwk_set_count(set);
    must(count <= JWK_SET_KEYS_MAX && !jwk_set_has(set, STR_NONE));
    jwk_set_free(set);
    return count;
}

static void check_tokens(str text)
{
    static const char *const algorithms[] = { "RS256", "PS256", "ES256", "EdDSA", "none", "HS256" };
    static const size_t lengths[] = { 64, 256, 384 };
    char signature[384];
    struct jwk_set *set;
    if (jwk_set_read(text, &set, NULL) != ST_OK) return;
    memset(signature, 0x55, sizeof signature);
    for (size_t i = 0; i < COUNT(algorithms); i++)
        for (size_t k = 0; k < COUNT(lengths); k++) {
            struct token_text token = { .signed_text = STR("e30.e30"),
                                        .signature = { signature, lengths[k] },
                                        .algorithm = str_of(algorithms[i]) };
            must(token_verify(&token, set, NULL) == ST_UNAUTHORIZED);
        }
    jwk_set_free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text = fuzz_block((str){ (const char *)data, size });
    struct arena arena;
    arena_init(&arena, 0);
    size_t count = count_of(text);
    str spaced = arena_printf(&arena, "\n %.*s\t\n", STR_ARG(text));
    if (!size || !memchr(data, 0, size)) must(count_of(spaced) == count);
    check_tokens(text);
    arena_done(&arena);
    fuzz_block_free(text);
    return 0;
}
