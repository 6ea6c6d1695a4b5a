/* schema/apply.c — a schema is applied to a value, within fuel and stack. */
#include "schema/schema_int.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- budgets ---- */

bool schema_fail(struct schema_run *run, const char *message)
{
    if (run->status == ST_OK) run->status = fail(run->err, ST_LIMIT, NULL, "%s", message);
    return false;
}

bool schema_spend(struct schema_run *run, size_t operations)
{
    if (run->status != ST_OK) return false;
    if (*run->fuel >= 0 && operations <= (uint64_t)*run->fuel) {
        *run->fuel -= (int64_t)operations;
        return !arena_over(run->arena) ||
               schema_fail(run, "the budget of memory is used up (step_bytes_max)");
    }
    *run->fuel = 0;
    return schema_fail(run, "the budget of operations is used up (fuel_max)");
}

bool schema_matches(struct schema_run *run, const struct regex *regex, str text)
{
    bool found = false;
    if (run->status == ST_OK)
        run->status = regex_match(&run->matcher, regex, text, run->fuel, &found, run->err);
    return run->status == ST_OK && found;
}

/* ---- problems ---- */

static str print_place(struct arena *arena, const struct schema_place *place)
{
    const struct schema_place *step[JSON_DEPTH_MAX + 1];
    size_t count = 0;
    for (; place->up && count < COUNT(step); place = place->up) step[count++] = place;
    struct buf out;
    buf_init(&out, arena);
    while (count) {
        const struct schema_place *next = step[--count];
        if (next->element) buf_printf(&out, "/%zu", next->index);
        else json_pointer_add(&out, next->name);
    }
    return buf_str(&out);
}

/* `broken` is NULL where the schema is `false`. */
static void report(struct schema_run *run, const struct schema_node *node, const struct schema_rule *broken,
                   const struct schema_place *place, str message)
{
    str keyword = broken ? broken->keyword->name : STR_NONE;
    if (!run->problem) run->problem = arena_make_n(run->arena, struct schema_problem, SCHEMA_PROBLEMS_MAX);
    struct buf rule;
    buf_init(&rule, run->arena);
    schema_print_place(node, keyword, &rule);
    run->problem[run->problem_count++] = (struct schema_problem){ .where = print_place(run->arena, place),
                                                                  .keyword = keyword,
                                                                  .rule = buf_str(&rule),
                                                                  .message = message,
                                                                  .value = broken ? broken->value : NULL };
}

bool schema_report(struct schema_run *run, const struct schema_rule *rule, const struct schema_place *place,
                   const char *format, ...)
{
    if (!schema_goes_on(run)) return false;
    char message[SCHEMA_MESSAGE_BYTES_MAX];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    str text = { message, n < 0 ? 0 : (size_t)n };
    if (text.n >= sizeof message) text = utf8_cut(text, sizeof message - 1);
    report(run, rule->owner, rule, place, arena_str(run->arena, text));
    return false;
}

/* ---- marks ---- */

static struct schema_marks *new_marks(struct schema_run *run, const struct json *value)
{
    size_t words = json_count(value) / 64 + 1;
    if (!schema_spend(run, words)) return NULL;
    struct schema_marks *marks = arena_make(run->arena, struct schema_marks);
    marks->bit = arena_make_n(run->arena, uint64_t, words);
    marks->count = words;
    return marks;
}

static void add_marks(struct schema_marks *to, const struct schema_marks *from)
{
    for (size_t i = 0; i < from->count; i++) to->bit[i] |= from->bit[i];
}

/* ---- applying ---- */

static bool enter_scope(struct schema_run *run, const struct schema_resource *resource)
{
    if (run->scope_count && run->scope[run->scope_count - 1] == resource) return false;
    run->scope[run->scope_count++] = resource; /* At most one for each level of the stack. */
    return true;
}

static bool check_rules(struct schema_run *run, const struct schema_node *node,
                        const struct schema_place *place, struct schema_marks *marks)
{
    bool valid = true;
    for (uint32_t i = 0; i < node->rule_count; i++) {
        const struct schema_rule *rule = &node->rule[i];
        if (rule->keyword->check(run, rule, place, marks)) continue;
        valid = false;
        if (!schema_goes_on(run)) break;
    }
    return valid && run->status == ST_OK;
}

bool schema_apply(struct schema_run *run, const struct schema_node *node, const struct schema_place *place,
                  struct schema_marks *marks)
{
    if (!schema_spend(run, 1 + node->rule_count)) return false;
    if (node->never) {
        if (schema_goes_on(run)) report(run, node, NULL, place, STR("is not allowed"));
        return false;
    }
    if (run->depth == SCHEMA_STACK_MAX)
        return schema_fail(run, "the schemas apply each other too deeply, perhaps without end");
    struct schema_marks *own = marks;
    if (node->unevaluated && !(own = new_marks(run, place->value))) return false;
    run->depth++;
    bool entered = enter_scope(run, node->resource);
    bool valid = check_rules(run, node, place, own);
    if (entered) run->scope_count--;
    run->depth--;
    if (valid && marks && own != marks) add_marks(marks, own);
    return valid;
}

bool schema_try(struct schema_run *run, const struct schema_node *node, const struct schema_place *place,
                struct schema_marks *marks)
{
    struct schema_marks *own = marks;
    if (marks && !(own = new_marks(run, place->value))) return false;
    run->quiet++;
    bool valid = schema_apply(run, node, place, own);
    run->quiet--;
    if (valid && marks) add_marks(marks, own);
    return valid;
}

enum status schema_check(const struct schema *schema, const struct json *value, int64_t *fuel,
                         struct arena *arena, const struct schema_problem **ret_problem, size_t *ret_count,
                         struct error *err)
{
    struct schema_run run = { .schema = schema, .arena = arena, .err = err, .fuel = fuel };
    regex_matcher_init(&run.matcher, arena);
    run.scope = arena_alloc(arena, (SCHEMA_STACK_MAX + 1) * sizeof(const struct schema_resource *));
    const struct schema_place place = { .value = value };
    bool valid = schema_apply(&run, schema->root, &place, NULL);
    if (run.status != ST_OK) return run.status;
    must(valid == !run.problem_count);
    *ret_problem = run.problem;
    *ret_count = run.problem_count;
    return ST_OK;
}

str schema_print_problems(const struct schema_problem *problem, size_t count, str whole, struct arena *arena)
{
    struct buf out;
    size_t told = count < SCHEMA_PROBLEMS_TOLD ? count : SCHEMA_PROBLEMS_TOLD;
    buf_init(&out, arena);
    for (size_t i = 0; i < told; i++)
        buf_printf(&out, "%s%.*s %.*s", i ? "; " : "", STR_ARG(problem[i].where.n ? problem[i].where : whole),
                   STR_ARG(problem[i].message));
    if (count > told) buf_printf(&out, "; and %zu more", count - told);
    return buf_str(&out);
}
