/* access/record/record_name.c — names of users, issuers and tenants, and ids. */
#include "access/record/record.h"

#include "access/limits.h"
#include "base/ascii.h"

static bool is_reserved(enum access_kind kind, str name)
{
    static const str users[] = { STR_INIT("engine"), STR_INIT("nobody"), STR_INIT("root") };
    static const str tenants[] = { STR_INIT("all"),    STR_INIT("any"),  STR_INIT("engine"),
                                   STR_INIT("global"), STR_INIT("none"), STR_INIT("system"),
                                   STR_INIT("tenant") };
    const str *word = kind == ACCESS_TENANT ? tenants : users;
    size_t count = kind == ACCESS_TENANT ? COUNT(tenants) : kind == ACCESS_USER ? COUNT(users) : 0;
    for (size_t i = 0; i < count; i++)
        if (str_equal_ignoring_case(name, word[i])) return true;
    return false;
}

static bool has_form(enum access_kind kind, str name)
{
    bool tenant = kind == ACCESS_TENANT, trusted = kind == ACCESS_TRUSTED;
    if (name.p[0] == '.' && !trusted) return false;
    if (tenant && !ascii_is_lower(name.p[0]) && !ascii_is_digit(name.p[0])) return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (tenant && ascii_is_upper(c)) return false;
        if ((tenant || trusted) && c == '@') return false;
        if (!ascii_is_alphanumeric(c) && !memchr("_-.@", c, 4)) return false;
    }
    return true;
}

enum status access_check_name(enum access_kind kind, str name, struct error *err)
{
    const char *word = access_kind_word(kind);
    size_t bytes_max = kind == ACCESS_TRUSTED ? TRUSTED_ID_BYTES_MAX : ACCESS_NAME_BYTES_MAX;
    if (!name.n) return fail(err, ST_INVALID, "/name", "the %s needs a name", word);
    if (name.n > bytes_max)
        return fail(err, ST_INVALID, "/name", "the name of the %s has more than %zu bytes", word, bytes_max);
    if (!has_form(kind, name))
        return fail(
            err, ST_INVALID, "/name",
            kind == ACCESS_TENANT
                ? "the name of a tenant begins with a small letter or a digit and consists of small letters, "
                  "digits, "
                  "_, - and ."
                : "the name of the %s consists of letters, digits, _, -, . and @, and does not begin with "
                  "a dot",
            word);
    if (is_reserved(kind, name))
        return fail(err, ST_INVALID, "/name", "“%.*s” is reserved and cannot be the name of a %s",
                    STR_ARG(name), word);
    return ST_OK;
}
