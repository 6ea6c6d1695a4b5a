/* access/record/record_trust.c — the form of members of providers, trusted keys and key pairs. */
#include "access/record/record_int.h"

#include "access/limits.h"
#include "access/token/token.h"

#include <stdio.h>

static enum status check_word(const struct json *value, const char *where, size_t bytes_max,
                              struct error *err)
{
    if (!json_is(value, JSON_STRING) || !json_string(value).n)
        return fail(err, ST_INVALID, where, "must be a text that is not empty");
    if (json_string(value).n > bytes_max)
        return fail(err, ST_INVALID, where, "has more than %zu bytes", bytes_max);
    return ST_OK;
}

enum status record_trust_well_known(const struct json *value, const char *where, struct error *err)
{
    return check_word(value, where, PROVIDER_TEXT_BYTES_MAX, err);
}

/* Issuers and audiences: few texts. */
enum status record_trust_few(const struct json *value, const char *where, struct error *err)
{
    char place[ERROR_WHERE_BYTES];
    if (!json_is(value, JSON_ARRAY)) return fail(err, ST_INVALID, where, "must be a list of texts");
    if (json_count(value) > PROVIDER_LIST_MAX)
        return fail(err, ST_INVALID, where, "has more than %d items", PROVIDER_LIST_MAX);
    for (size_t i = 0; i < json_count(value); i++) {
        snprintf(place, sizeof place, "%s/%zu", where, i);
        TRY(check_word(json_item(value, i), place, PROVIDER_TEXT_BYTES_MAX, err));
    }
    return ST_OK;
}

/* The name of a claim at the top of a token, as it is: dots and colons belong to it. */
enum status record_trust_claim(const struct json *value, const char *where, struct error *err)
{
    if (json_is(value, JSON_STRING) && json_string(value).n <= PROVIDER_CLAIM_BYTES_MAX) return ST_OK;
    return fail(err, ST_INVALID, where, "must be a text of at most %d bytes", PROVIDER_CLAIM_BYTES_MAX);
}

enum status record_trust_key_audience(const struct json *value, const char *where, struct error *err)
{
    str word = json_is(value, JSON_STRING) ? json_string(value) : STR_NONE;
    if (str_equal(word, STR("human")) || str_equal(word, STR("client"))) return ST_OK;
    return fail(err, ST_INVALID, where, "must be human or client");
}

/* One public RSA key, which the check of a signature can use. */
enum status record_trust_jwk(const struct json *value, const char *where, struct error *err)
{
    struct jwk_set *set = NULL;
    struct error wrong = { 0 };
    struct buf text;
    if (!json_is(value, JSON_OBJECT)) return fail(err, ST_INVALID, where, "must be a JWK");
    buf_init(&text, NULL);
    buf_add_str(&text, STR("{\"keys\":["));
    json_print(value, &text);
    buf_add_str(&text, STR("]}"));
    enum status status = jwk_set_read(buf_str(&text), &set, &wrong);
    bool is_good =
        status == ST_OK && jwk_set_count(set) == 1 && str_equal(json_text(value, STR("kty")), STR("RSA"));
    jwk_set_free(set);
    buf_done(&text);
    if (is_good) return ST_OK;
    return fail(err, ST_INVALID, where, "is no public RSA key for signatures%s%.700s",
                wrong.message[0] ? ": " : "", wrong.message);
}
