/* schema/combine.c — keywords that apply other schemas to the same value. */
#include "schema/keywords_int.h"

/* ---- references ---- */

enum status schema_read_reference(struct schema_reader *reader, const struct schema_node *node,
                                  struct schema_rule *rule, struct error *err)
{
    TRY(schema_read_text(reader, node, rule, err));
    struct schema_reference *reference = arena_make(reader->arena, struct schema_reference);
    *reference = (struct schema_reference){ .rule = rule, .next = reader->unresolved };
    reader->unresolved = reference;
    return ST_OK;
}

bool schema_check_reference(struct schema_run *run, const struct schema_rule *rule,
                            const struct schema_place *place, struct schema_marks *marks)
{
    return schema_apply(run, rule->node[0], place, marks);
}

/* The outermost resource that has the anchor decides. */
bool schema_check_dynamic_reference(struct schema_run *run, const struct schema_rule *rule,
                                    const struct schema_place *place, struct schema_marks *marks)
{
    const struct schema_node *node = rule->node[0];
    for (uint32_t i = 0; rule->anchor.p && i < run->scope_count; i++) {
        if (!schema_spend(run, 1)) return false;
        const struct schema_anchor *anchor = schema_find_anchor(run->schema, run->scope[i], rule->anchor);
        if (!anchor || !anchor->dynamic) continue;
        node = anchor->node;
        break;
    }
    return schema_apply(run, node, place, marks);
}

/* ---- all, any, one, none ---- */

bool schema_check_all_of(struct schema_run *run, const struct schema_rule *rule,
                         const struct schema_place *place, struct schema_marks *marks)
{
    bool valid = true;
    for (size_t i = 0; i < rule->count; i++) {
        if (schema_apply(run, rule->node[i], place, marks)) continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid;
}

bool schema_check_any_of(struct schema_run *run, const struct schema_rule *rule,
                         const struct schema_place *place, struct schema_marks *marks)
{
    bool found = false;
    for (size_t i = 0; i < rule->count && (marks || !found); i++) {
        found |= schema_try(run, rule->node[i], place, marks);
        if (run->status != ST_OK) return false;
    }
    if (found) return true;
    if (rule->count == 1) return schema_apply(run, rule->node[0], place, NULL);
    return schema_report(run, rule, place, "must fit one of %zu alternatives, and fits none", rule->count);
}

bool schema_check_one_of(struct schema_run *run, const struct schema_rule *rule,
                         const struct schema_place *place, struct schema_marks *marks)
{
    size_t found[2] = { 0, 0 }, count = 0;
    for (size_t i = 0; i < rule->count && count < 2; i++) {
        if (schema_try(run, rule->node[i], place, marks)) found[count++] = i;
        if (run->status != ST_OK) return false;
    }
    if (count == 1) return true;
    if (count)
        return schema_report(run, rule, place, "must fit only one of the alternatives, and fits %zu and %zu",
                             found[0] + 1, found[1] + 1);
    if (rule->count == 1) return schema_apply(run, rule->node[0], place, NULL);
    return schema_report(run, rule, place, "must fit one of %zu alternatives, and fits none", rule->count);
}

bool schema_check_not(struct schema_run *run, const struct schema_rule *rule,
                      const struct schema_place *place, struct schema_marks *marks)
{
    (void)marks;
    if (!schema_try(run, rule->node[0], place, NULL)) return run->status == ST_OK;
    return schema_report(run, rule, place, "must not have this form");
}

/* ---- if ---- */

enum status schema_read_if(struct schema_reader *reader, const struct schema_node *node,
                           struct schema_rule *rule, struct error *err)
{
    static const str keywords[] = { STR_INIT("if"), STR_INIT("then"), STR_INIT("else") };
    rule->node = arena_make_n(reader->arena, const struct schema_node *, COUNT(keywords));
    for (size_t i = 0; i < COUNT(keywords); i++) {
        const struct json *value = json_get(node->value, keywords[i]);
        struct schema_step step = { .keyword = keywords[i] };
        if (value) TRY(schema_enter(reader, node, step, node->resource, value, &rule->node[i], err));
    }
    return ST_OK;
}

bool schema_check_if(struct schema_run *run, const struct schema_rule *rule, const struct schema_place *place,
                     struct schema_marks *marks)
{
    bool holds = schema_try(run, rule->node[0], place, marks);
    if (run->status != ST_OK) return false;
    const struct schema_node *node = rule->node[holds ? 1 : 2];
    return !node || schema_apply(run, node, place, marks);
}
