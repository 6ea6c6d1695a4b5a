/* schema/text.c — keywords for strings. */
#include "schema/keywords_int.h"

#include "base/base64.h"
#include "base/utf8.h"

enum { CHARACTERS_PER_FUEL = 64 };

static int64_t length_of(struct schema_run *run, str text)
{
    return schema_spend(run, text.n / CHARACTERS_PER_FUEL) ? (int64_t)utf8_count(text) : 0;
}

bool schema_check_max_length(struct schema_run *run, const struct schema_rule *rule,
                             const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_STRING)) return true;
    int64_t length = length_of(run, json_string(place->value));
    if (length <= rule->bound) return true;
    return schema_report(run, rule, place, "must have at most %lld character%s, and has %lld",
                         (long long)rule->bound, rule->bound == 1 ? "" : "s", (long long)length);
}

bool schema_check_min_length(struct schema_run *run, const struct schema_rule *rule,
                             const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_STRING)) return true;
    int64_t length = length_of(run, json_string(place->value));
    if (length >= rule->bound) return true;
    if (!length && rule->bound == 1) return schema_report(run, rule, place, "must not be empty");
    return schema_report(run, rule, place, "must have at least %lld character%s, and has %lld",
                         (long long)rule->bound, rule->bound == 1 ? "" : "s", (long long)length);
}

enum status schema_read_pattern(struct schema_reader *reader, const struct schema_node *node,
                                struct schema_rule *rule, struct error *err)
{
    TRY(schema_read_text(reader, node, rule, err));
    char message[REGEX_MESSAGE_BYTES];
    rule->regex = schema_pattern(json_string(rule->value), reader->arena, message);
    if (rule->regex) return ST_OK;
    return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "%s", message);
}

bool schema_check_pattern(struct schema_run *run, const struct schema_rule *rule,
                          const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_STRING)) return true;
    if (schema_matches(run, rule->regex, json_string(place->value))) return true;
    return schema_report(run, rule, place, "must match the pattern %.*s", STR_ARG(json_string(rule->value)));
}

/* ---- format ---- */

enum status schema_read_format(struct schema_reader *reader, const struct schema_node *node,
                               struct schema_rule *rule, struct error *err)
{
    TRY(schema_read_text(reader, node, rule, err));
    if (reader->options->formats || (node->resource->vocabularies & VOCABULARY_ASSERTION))
        rule->format = schema_format(json_string(rule->value), node->resource->draft);
    if (!rule->format) rule->keyword = NULL;
    return ST_OK;
}

bool schema_check_format(struct schema_run *run, const struct schema_rule *rule,
                         const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_STRING)) return true;
    str text = json_string(place->value);
    if (!schema_spend(run, text.n / CHARACTERS_PER_FUEL)) return false;
    if (rule->format(run, text)) return true;
    return schema_report(run, rule, place, "must have the format \"%.*s\"",
                         STR_ARG(json_string(rule->value)));
}

/* ---- content: draft-07 only, where later drafts have it as a note ---- */

enum status schema_read_content(struct schema_reader *reader, const struct schema_node *node,
                                struct schema_rule *rule, struct error *err)
{
    TRY(schema_read_text(reader, node, rule, err));
    if (!reader->options->formats || node->resource->draft != SCHEMA_DRAFT_07) rule->keyword = NULL;
    return ST_OK;
}

/* The bytes that a text of base64 stands for. False if it is none, or if the run fails. */
static bool decode(struct schema_run *run, str text, str *ret_bytes)
{
    if (!schema_spend(run, text.n / CHARACTERS_PER_FUEL)) return false;
    return base64_decode(text, run->arena, ret_bytes);
}

static bool is_base64(const struct json *encoding)
{
    return json_is(encoding, JSON_STRING) && str_equal_ignoring_case(json_string(encoding), STR("base64"));
}

bool schema_check_content_encoding(struct schema_run *run, const struct schema_rule *rule,
                                   const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    str bytes;
    if (!json_is(place->value, JSON_STRING) || !is_base64(rule->value)) return true;
    if (decode(run, json_string(place->value), &bytes)) return true;
    return schema_report(run, rule, place, "must be encoded in base64");
}

bool schema_check_content_type(struct schema_run *run, const struct schema_rule *rule,
                               const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_STRING)) return true;
    if (!str_equal_ignoring_case(json_string(rule->value), STR("application/json"))) return true;
    str text = json_string(place->value);
    if (is_base64(json_get(rule->owner->value, STR("contentEncoding"))) && !decode(run, text, &text))
        return run->status == ST_OK; /* The rule of the encoding refuses it. */
    const struct json *value;
    if (!schema_spend(run, text.n / CHARACTERS_PER_FUEL)) return false;
    if (json_parse(text, NULL, run->arena, &value, NULL) == ST_OK) return true;
    return schema_report(run, rule, place, "must be JSON");
}
