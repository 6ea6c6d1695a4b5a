/* api/fields.c — the members of a request's JSON object, each with its type and its limit. */
#include "api/request_int.h"

#include "json/json.h"

#include <math.h>

/* The member if it is of that kind, NULL if it is absent or null. */
static enum status member(const struct json *object, const char *name, enum json_kind kind,
                          const struct json **ret_value, struct error *err)
{
    const struct json *value = object ? json_get(object, str_of(name)) : NULL;
    if (value && json_is(value, JSON_NULL)) value = NULL;
    if (value && !json_is(value, kind))
        return fail(err, ST_INVALID, name, "%s must be of type %s, not %s", name, json_kind_name(kind),
                    json_kind_name(json_kind(value)));
    *ret_value = value;
    return ST_OK;
}

enum status field_check_length(str text, const char *name, size_t bytes_max, struct error *err)
{
    if (text.n <= bytes_max) return ST_OK;
    return fail(err, ST_LIMIT, name, "%s has %zu bytes; the most is %zu", name, text.n, bytes_max);
}

enum status field_check_required(str text, const char *name, struct error *err)
{
    return text.n ? ST_OK : fail(err, ST_INVALID, name, "%s is required", name);
}

enum status field_check_object(const struct json *value, const char *name, struct error *err)
{
    if (!value || json_is(value, JSON_OBJECT)) return ST_OK;
    return fail(err, ST_INVALID, name, "%s must be of type object, not %s", name,
                json_kind_name(json_kind(value)));
}

enum status field_text(const struct json *object, const char *name, size_t bytes_max, str *ret_text,
                       struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_STRING, &value, err));
    str text = value ? json_string(value) : STR_NONE;
    TRY(field_check_length(text, name, bytes_max, err));
    *ret_text = text;
    return ST_OK;
}

enum status field_required_text(const struct json *object, const char *name, size_t bytes_max, str *ret_text,
                                struct error *err)
{
    str text;
    TRY(field_text(object, name, bytes_max, &text, err));
    TRY(field_check_required(text, name, err));
    *ret_text = text;
    return ST_OK;
}

enum status field_integer(const struct json *object, const char *name, int64_t *ret_value, struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_NUMBER, &value, err));
    int64_t number = 0;
    if (value && !json_int64(value, &number))
        return fail(err, ST_INVALID, name, "%s must be an integer", name);
    *ret_value = number;
    return ST_OK;
}

enum status field_flag(const struct json *object, const char *name, bool *ret_flag, struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_BOOL, &value, err));
    *ret_flag = value && json_bool(value);
    return ST_OK;
}

enum status field_list(const struct json *object, const char *name, const struct json **ret_list,
                       struct error *err)
{
    return member(object, name, JSON_ARRAY, ret_list, err);
}

enum status field_to_ms(const struct json *number, const char *name, int64_t seconds_max, int64_t *ret_ms,
                        struct error *err)
{
    return field_seconds_of(json_double(number), name, seconds_max, ret_ms, err);
}

enum status field_seconds_of(double seconds, const char *name, int64_t seconds_max, int64_t *ret_ms,
                             struct error *err)
{
    if (!(seconds >= 0) || seconds > (double)seconds_max)
        return fail(err, ST_INVALID, name, "%s must be between 0 and %lld seconds", name,
                    (long long)seconds_max);
    *ret_ms = (int64_t)ceil(seconds * 1000);
    return ST_OK;
}

enum status field_seconds(const struct json *object, const char *name, int64_t seconds_max, int64_t *ret_ms,
                          struct error *err)
{
    const struct json *value;
    TRY(member(object, name, JSON_NUMBER, &value, err));
    *ret_ms = 0;
    return value ? field_to_ms(value, name, seconds_max, ret_ms, err) : ST_OK;
}

enum status field_variables(const struct json *object, const char *name, const struct json **ret_variables,
                            struct error *err)
{
    return member(object, name, JSON_OBJECT, ret_variables, err);
}
