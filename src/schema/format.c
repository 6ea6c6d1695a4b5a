/* schema/format.c — the table of formats, and the small ones. */
#include "schema/format_int.h"

#include "base/ascii.h"

static bool is_uuid(struct schema_run *run, str text)
{
    (void)run;
    if (text.n != 36) return false;
    for (size_t i = 0; i < text.n; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text.p[i] != '-' : ascii_hex(text.p[i]) < 0) return false;
    }
    return true;
}

static bool is_json_pointer(struct schema_run *run, str text)
{
    (void)run;
    if (text.n && text.p[0] != '/') return false;
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '~' && (i + 1 == text.n || (text.p[i + 1] != '0' && text.p[i + 1] != '1')))
            return false;
    return true;
}

static bool is_relative_json_pointer(struct schema_run *run, str text)
{
    size_t digits = 0;
    while (digits < text.n && ascii_is_digit(text.p[digits])) digits++;
    if (!digits || (digits > 1 && text.p[0] == '0')) return false;
    str rest = str_slice(text, digits, text.n);
    return str_equal(rest, STR("#")) || is_json_pointer(run, rest);
}

enum { PATTERN_FUEL = 1000 };

static bool is_regex(struct schema_run *run, str text)
{
    char message[REGEX_MESSAGE_BYTES];
    return schema_spend(run, PATTERN_FUEL + regex_compile_cost(text)) &&
           schema_pattern(text, run->arena, message);
}

schema_format_fn *schema_format(str name, enum schema_draft draft)
{
    static const struct {
        str name;
        bool in_draft_07;
        schema_format_fn *check;
    } formats[] = {
        { STR_INIT("date"), true, schema_format_date },
        { STR_INIT("time"), true, schema_format_time },
        { STR_INIT("date-time"), true, schema_format_date_time },
        { STR_INIT("duration"), false, schema_format_duration },
        { STR_INIT("ipv4"), true, schema_format_ipv4 },
        { STR_INIT("ipv6"), true, schema_format_ipv6 },
        { STR_INIT("hostname"), true, schema_format_hostname },
        { STR_INIT("idn-hostname"), true, schema_format_idn_hostname },
        { STR_INIT("email"), true, schema_format_email },
        { STR_INIT("idn-email"), true, schema_format_idn_email },
        { STR_INIT("uri"), true, schema_format_uri },
        { STR_INIT("uri-reference"), true, schema_format_uri_reference },
        { STR_INIT("iri"), true, schema_format_iri },
        { STR_INIT("iri-reference"), true, schema_format_iri_reference },
        { STR_INIT("uri-template"), true, schema_format_uri_template },
        { STR_INIT("uuid"), false, is_uuid },
        { STR_INIT("json-pointer"), true, is_json_pointer },
        { STR_INIT("relative-json-pointer"), true, is_relative_json_pointer },
        { STR_INIT("regex"), true, is_regex },
    };
    for (size_t i = 0; i < COUNT(formats); i++)
        if (str_equal(formats[i].name, name))
            return draft == SCHEMA_2020_12 || formats[i].in_draft_07 ? formats[i].check : NULL;
    return NULL;
}
