/* access/token/token.c — the three parts of a token: JWS in the compact form (RFC 7515).
 *
 * Nothing here may be believed before token_verify() has seen the signature. No message quotes the token.
 */
#include "access/token/token.h"

#include "base/base64.h"

static enum status refuse(struct error *err, const char *why)
{
    return fail_code(err, ST_UNAUTHORIZED, "malformed", "%s", why);
}

/* Cuts the text up to the next point off `rest`. False: there is no point. */
static bool cut_part(str *rest, str *ret_part)
{
    size_t point = str_find(*rest, STR("."), 0);
    if (point == SIZE_MAX) return false;
    *ret_part = str_slice(*rest, 0, point);
    *rest = str_slice(*rest, point + 1, rest->n);
    return true;
}

static bool read_object(str part, struct arena *arena, const struct json **ret_object)
{
    static const struct json_limits limits = { .depth_max = TOKEN_DEPTH_MAX };
    str text;
    return base64_decode_url(part, arena, &text) &&
           json_parse(text, &limits, arena, ret_object, NULL) == ST_OK && json_is(*ret_object, JSON_OBJECT);
}

/* A member of the header that is a text, if it is there. */
static bool read_word(const struct json *header, str name, str *ret_word)
{
    const struct json *value = json_get(header, name);
    if (value && !json_is(value, JSON_STRING)) return false;
    *ret_word = value ? json_string(value) : STR_NONE;
    return ret_word->n <= TOKEN_NAME_BYTES_MAX;
}

static enum status read_header(const struct json *header, struct token_text *token, struct error *err)
{
    if (!read_word(header, STR("alg"), &token->algorithm) || !token->algorithm.n)
        return refuse(err, "the token's header names no algorithm");
    if (!read_word(header, STR("kid"), &token->kid)) return refuse(err, "the token's kid is no short text");
    if (!read_word(header, STR("typ"), &token->type)) return refuse(err, "the token's typ is no short text");
    /* `crit` lists extensions that a reader has to know. We know none. */
    if (json_get(header, STR("crit"))) return refuse(err, "the token's header has extensions (crit)");
    return ST_OK;
}

enum status token_parse(str text, struct arena *arena, struct token_text *ret_token, struct error *err)
{
    struct token_text token = { 0 };
    const struct json *header;
    str rest = text, first, second;
    if (text.n > TOKEN_BYTES_MAX) return refuse(err, "the token is too large");
    if (!cut_part(&rest, &first) || !cut_part(&rest, &second))
        return refuse(err, "the token has not the three parts of a JWS");
    token.signed_text = str_slice(text, 0, first.n + 1 + second.n);
    if (!read_object(first, arena, &header)) return refuse(err, "the token's header is no JSON object");
    TRY(read_header(header, &token, err));
    if (!read_object(second, arena, &token.claims))
        return refuse(err, "the token's claims are no JSON object");
    if (!base64_decode_url(rest, arena, &token.signature) || !token.signature.n)
        return refuse(err, "the token has no signature");
    *ret_token = token;
    return ST_OK;
}
