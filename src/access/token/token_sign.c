/* access/token/token_sign.c — tokens of our own. */
#include "access/token/jwk_int.h"

#include "base/base64.h"

static str encoded(const struct json *json, struct arena *arena)
{
    struct buf text;
    buf_init(&text, arena);
    json_print(json, &text);
    return base64_encode_url(buf_str(&text), arena);
}

static const struct json *make_header(const struct signing_key *key, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("alg"), STR("RS256"));
    json_add_text(&builder, STR("kid"), signing_key_id(key));
    json_add_text(&builder, STR("typ"), STR("JWT"));
    json_close(&builder);
    return json_built(&builder);
}

enum status token_sign(const struct signing_key *key, const struct json *claims, struct arena *arena,
                       str *ret_token, struct error *err)
{
    must(json_is(claims, JSON_OBJECT));
    str header = encoded(make_header(key, arena), arena), payload = encoded(claims, arena);
    str text = arena_printf(arena, "%.*s.%.*s", STR_ARG(header), STR_ARG(payload));
    str signature = signing_key_sign(key, text, arena);
    if (!signature.n) return fail(err, ST_INTERNAL, "", "OpenSSL signed nothing");
    signature = base64_encode_url(signature, arena);
    str token = arena_printf(arena, "%.*s.%.*s", STR_ARG(text), STR_ARG(signature));
    if (token.n > TOKEN_BYTES_MAX)
        return fail(err, ST_LIMIT, "", "a token of %zu bytes; the most is %d (TOKEN_BYTES_MAX)", token.n,
                    TOKEN_BYTES_MAX);
    *ret_token = token;
    return ST_OK;
}
