/* schema/object.c — keywords for objects. */
#include "schema/keywords_int.h"

/* ---- members ---- */

static bool check_member(struct schema_run *run, const struct schema_node *node,
                         const struct schema_place *place, const struct json_each *each)
{
    struct schema_place at = schema_member(place, each);
    return schema_apply(run, node, &at, NULL);
}

bool schema_check_properties(struct schema_run *run, const struct schema_rule *rule,
                             const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_OBJECT)) return true;
    bool valid = true;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++) {
        if (!schema_spend(run, 1)) return false;
        const struct schema_named *named = schema_find_named(rule, each.name);
        if (!named) continue;
        schema_mark(marks, i);
        if (check_member(run, named->node, place, &each)) continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

enum status schema_read_pattern_properties(struct schema_reader *reader, const struct schema_node *node,
                                           struct schema_rule *rule, struct error *err)
{
    TRY(schema_read_named(reader, node, rule, err));
    for (size_t i = 0; i < rule->count; i++) {
        char message[REGEX_MESSAGE_BYTES];
        rule->named[i].regex = schema_pattern(rule->named[i].name, reader->arena, message);
        if (!rule->named[i].regex)
            return schema_refuse(rule->named[i].node, STR_NONE, ST_INVALID, err, "%s", message);
        TRY(schema_afford(reader, err));
    }
    return ST_OK;
}

bool schema_check_pattern_properties(struct schema_run *run, const struct schema_rule *rule,
                                     const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_OBJECT)) return true;
    bool valid = true;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++)
        for (size_t j = 0; j < rule->count; j++) {
            if (!schema_matches(run, rule->named[j].regex, each.name)) {
                if (run->status != ST_OK) return false;
                continue;
            }
            schema_mark(marks, i);
            if (check_member(run, rule->named[j].node, place, &each)) continue;
            valid = false;
            if (!schema_goes_on(run)) return false;
        }
    return valid;
}

enum status schema_read_additional_properties(struct schema_reader *reader, const struct schema_node *node,
                                              struct schema_rule *rule, struct error *err)
{
    rule->properties = schema_sibling(node, "properties");
    rule->patterns = schema_sibling(node, "patternProperties");
    return schema_read_one(reader, node, rule, err);
}

/* Do `properties` or `patternProperties` beside the rule speak of the member? */
static bool is_described(struct schema_run *run, const struct schema_rule *rule, str name)
{
    if (schema_find_named(rule->properties, name)) return true;
    for (size_t i = 0; rule->patterns && i < rule->patterns->count; i++)
        if (schema_matches(run, rule->patterns->named[i].regex, name)) return true;
    return false;
}

bool schema_check_additional_properties(struct schema_run *run, const struct schema_rule *rule,
                                        const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_OBJECT)) return true;
    bool valid = true;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++) {
        if (!schema_spend(run, 1)) return false;
        if (is_described(run, rule, each.name)) continue;
        schema_mark(marks, i);
        if (check_member(run, rule->node[0], place, &each)) continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

bool schema_check_unevaluated_properties(struct schema_run *run, const struct schema_rule *rule,
                                         const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_OBJECT)) return true;
    bool valid = true;
    struct json_each each = json_each(place->value);
    for (size_t i = 0; json_next(&each); i++) {
        if (schema_is_marked(marks, i)) continue;
        schema_mark(marks, i);
        if (check_member(run, rule->node[0], place, &each)) continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

bool schema_check_property_names(struct schema_run *run, const struct schema_rule *rule,
                                 const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_OBJECT)) return true;
    bool valid = true;
    struct json_each each = json_each(place->value);
    while (json_next(&each)) {
        struct schema_place at = schema_member(place, &each);
        at.value = json_of_string(run->arena, each.name);
        if (schema_try(run, rule->node[0], &at, NULL)) continue;
        valid = schema_report(run, rule, &at, "is a name that is not allowed here");
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

/* ---- names that must be there ---- */

static bool check_names(struct schema_run *run, const struct schema_rule *rule,
                        const struct schema_place *place, const struct json *names, str because)
{
    bool valid = true;
    struct json_each each = json_each(names);
    while (json_next(&each)) {
        if (!schema_spend(run, 1)) return false;
        str name = json_string(each.value);
        if (json_get(place->value, name)) continue;
        if (because.p)
            schema_report(run, rule, place, "must have \"%.*s\", because it has \"%.*s\"", STR_ARG(name),
                          STR_ARG(because));
        else schema_report(run, rule, place, "must have \"%.*s\"", STR_ARG(name));
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

bool schema_check_required(struct schema_run *run, const struct schema_rule *rule,
                           const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    return !json_is(place->value, JSON_OBJECT) || check_names(run, rule, place, rule->value, STR_NONE);
}

/* dependentRequired, dependentSchemas and dependencies, which is both. */
enum status schema_read_dependencies(struct schema_reader *reader, const struct schema_node *node,
                                     struct schema_rule *rule, struct error *err)
{
    str keyword = rule->keyword->name;
    bool arrays = !str_equal(keyword, STR("dependentSchemas"));
    bool schemas = !str_equal(keyword, STR("dependentRequired"));
    if (!json_is(rule->value, JSON_OBJECT))
        return schema_refuse(node, keyword, ST_INVALID, err, "must be an object");
    rule->named = arena_make_n(reader->arena, struct schema_named, json_count(rule->value));
    struct json_each each = json_each(rule->value);
    while (json_next(&each)) {
        struct schema_named *named = &rule->named[rule->count++];
        struct schema_step step = { .keyword = keyword, .name = each.name };
        named->name = each.name;
        if (!schemas || (arrays && json_is(each.value, JSON_ARRAY))) {
            struct schema_rule inner = { .keyword = rule->keyword, .value = each.value };
            TRY(schema_read_names(reader, node, &inner, err));
            named->names = each.value;
        } else {
            TRY(schema_enter(reader, node, step, node->resource, each.value, &named->node, err));
        }
    }
    return ST_OK;
}

bool schema_check_dependencies(struct schema_run *run, const struct schema_rule *rule,
                               const struct schema_place *place, struct schema_marks *marks)
{
    if (!json_is(place->value, JSON_OBJECT)) return true;
    bool valid = true;
    for (size_t i = 0; i < rule->count; i++) {
        const struct schema_named *named = &rule->named[i];
        if (!schema_spend(run, 1)) return false;
        if (!json_get(place->value, named->name)) continue;
        if (named->node ? schema_apply(run, named->node, place, marks)
                        : check_names(run, rule, place, named->names, named->name))
            continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

/* ---- counts ---- */

bool schema_check_max_properties(struct schema_run *run, const struct schema_rule *rule,
                                 const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_OBJECT) || json_count(place->value) <= (uint64_t)rule->bound) return true;
    return schema_report(run, rule, place, "must have at most %lld member%s, and has %zu",
                         (long long)rule->bound, rule->bound == 1 ? "" : "s", json_count(place->value));
}

bool schema_check_min_properties(struct schema_run *run, const struct schema_rule *rule,
                                 const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_OBJECT) || json_count(place->value) >= (uint64_t)rule->bound) return true;
    return schema_report(run, rule, place, "must have at least %lld member%s, and has %zu",
                         (long long)rule->bound, rule->bound == 1 ? "" : "s", json_count(place->value));
}
