/* schema/number.c — keywords for numbers. All comparisons are exact. */
#include "schema/keywords_int.h"

enum { NUMBER_BYTES_PER_FUEL = 16, PRODUCTS_PER_FUEL = 64 };

static str number_text(struct schema_run *run, const struct json *number)
{
    struct buf out;
    buf_init(&out, run->arena);
    json_print(number, &out);
    return buf_str(&out);
}

enum status schema_read_multiple_of(struct schema_reader *reader, const struct schema_node *node,
                                    struct schema_rule *rule, struct error *err)
{
    (void)reader;
    if (json_is(rule->value, JSON_NUMBER) &&
        json_number_compare(rule->value, json_of_int(reader->arena, 0)) > 0)
        return ST_OK;
    return schema_refuse(node, rule->keyword->name, ST_INVALID, err, "must be a number greater than 0");
}

bool schema_check_multiple_of(struct schema_run *run, const struct schema_rule *rule,
                              const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_NUMBER)) return true;
    size_t digits = json_bytes(place->value), divisor = json_bytes(rule->value);
    if (!schema_spend(run, (digits + 4 * divisor) * divisor / PRODUCTS_PER_FUEL)) return false;
    if (json_is_multiple(place->value, rule->value)) return true;
    return schema_report(run, rule, place, "must be a multiple of %.*s",
                         STR_ARG(number_text(run, rule->value)));
}

/* Compares the value with the bound. 0 also for what is no number. */
static int compare(struct schema_run *run, const struct schema_rule *rule, const struct schema_place *place)
{
    if (!schema_spend(run, json_bytes(place->value) / NUMBER_BYTES_PER_FUEL)) return 0;
    return json_number_compare(place->value, rule->value);
}

bool schema_check_maximum(struct schema_run *run, const struct schema_rule *rule,
                          const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_NUMBER) || compare(run, rule, place) <= 0) return true;
    return schema_report(run, rule, place, "must be at most %.*s", STR_ARG(number_text(run, rule->value)));
}

bool schema_check_exclusive_maximum(struct schema_run *run, const struct schema_rule *rule,
                                    const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_NUMBER) || compare(run, rule, place) < 0) return true;
    return schema_report(run, rule, place, "must be less than %.*s", STR_ARG(number_text(run, rule->value)));
}

bool schema_check_minimum(struct schema_run *run, const struct schema_rule *rule,
                          const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_NUMBER) || compare(run, rule, place) >= 0) return true;
    return schema_report(run, rule, place, "must be at least %.*s", STR_ARG(number_text(run, rule->value)));
}

bool schema_check_exclusive_minimum(struct schema_run *run, const struct schema_rule *rule,
                                    const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!json_is(place->value, JSON_NUMBER) || compare(run, rule, place) > 0) return true;
    return schema_report(run, rule, place, "must be greater than %.*s",
                         STR_ARG(number_text(run, rule->value)));
}
