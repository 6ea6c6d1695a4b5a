/* dialect/steps/check_names.c — names in expressions that nothing gives a value.
 *
 * A definition with an input_schema says which variables it starts with. A name that is neither there nor
 * set by any step is a mistake, unless a worker, a person or a signal can have brought it before: they may
 * bring any variable. Behind those, only a name that is plainly a misspelled one of the schema is
 * reported.
 */
#include "dialect/steps/steps_int.h"

#include "base/must.h"

#include <stdlib.h>

enum {
    NAMES_LOOKED_AT = 1000, /* Different ones that are unknown. */
};

struct use {
    str name;
    uint32_t node;
    str part;   /* The field it is in, … */
    str member; /* … and which member of that. */
    size_t order;
};

struct name_check {
    struct steps *steps;
    const struct program *program;
    str *known;
    size_t known_count;
    bool *brought; /* Per node: something may have brought data before its expressions are asked. */
    struct buf uses;
};

/* ---- names that have values ---- */

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const str *)a, *(const str *)b);
}

static size_t names_set_by(const struct program_node *node)
{
    size_t count = node->kind == NODE_SET ? node->as.set.count : 0;
    if (node->kind == NODE_TASK) count = node->as.task.outputs.count;
    for (size_t i = 0; node->kind == NODE_TABLE && i < node->as.table.rule_count; i++)
        count += node->as.table.rule[i].output_count;
    return count;
}

static void add_names(struct name_check *naming, const struct program_node *node)
{
    str *known = naming->known;
    for (size_t i = 0; node->kind == NODE_SET && i < node->as.set.count; i++)
        known[naming->known_count++] = node->as.set.value[i].name;
    for (size_t i = 0; node->kind == NODE_TASK && i < node->as.task.outputs.count; i++)
        known[naming->known_count++] = node->as.task.outputs.field[i].name;
    for (size_t i = 0; node->kind == NODE_TABLE && i < node->as.table.rule_count; i++)
        for (size_t k = 0; k < node->as.table.rule[i].output_count; k++)
            known[naming->known_count++] = node->as.table.rule[i].output[k].name;
}

static void learn_names(struct name_check *naming)
{
    const struct program *program = naming->program;
    bool triggered = program->rules->arrival_count > 0;
    size_t count = program->inputs.count + triggered;
    for (size_t i = 0; i < program->node_count; i++) count += names_set_by(&program->node[i]);
    naming->known = arena_make_n(naming->steps->arena, str, count);
    for (size_t i = 0; i < program->inputs.count; i++)
        naming->known[naming->known_count++] = program->inputs.field[i].name;
    if (triggered) naming->known[naming->known_count++] = STR("trigger");
    for (size_t i = 0; i < program->node_count; i++) add_names(naming, &program->node[i]);
    must(naming->known_count == count);
    qsort(naming->known, count, sizeof *naming->known, compare_names);
}

static bool is_known(const struct name_check *naming, str name)
{
    return bsearch(&name, naming->known, naming->known_count, sizeof name, compare_names) != NULL;
}

/* ---- where data can have come from outside ---- */

/* Branches of a fork see the data that the others bring. */
static bool brings_data(const struct program_node *node)
{
    return node->kind == NODE_TASK || node->kind == NODE_WAIT || node->kind == NODE_FORK;
}

static void mark_brought(struct name_check *naming)
{
    const struct program *program = naming->program;
    struct arena *arena = naming->steps->arena;
    uint32_t *queue = arena_make_n(arena, uint32_t, program->node_count);
    size_t count = 0;
    naming->brought = arena_make_n(arena, bool, program->node_count);
    for (uint32_t i = 0; i < program->node_count; i++)
        if (brings_data(&program->node[i])) {
            naming->brought[i] = true;
            queue[count++] = i;
        }
    for (size_t i = 0; i < count; i++) {
        const struct program_node *node = &program->node[queue[i]];
        for (size_t k = 0; k < node->edge_count + node->timer_count; k++) {
            uint32_t to =
                k < node->edge_count ? node->edge[k].target : node->timer[k - node->edge_count].target;
            if (to == NODE_NONE || naming->brought[to]) continue; /* A reminder leads nowhere. */
            must(to < program->node_count && count < program->node_count);
            naming->brought[to] = true;
            queue[count++] = to;
        }
    }
}

/* ---- names that are used ---- */

static void look_at(struct name_check *naming, uint32_t node, const struct expr *expr, str part, str member)
{
    must(node < naming->program->node_count);
    str name[EXPRESSION_VARIABLES_MAX];
    if (!expr) return;
    size_t count = expr_variables(expr, name, EXPRESSION_VARIABLES_MAX);
    for (size_t i = 0; i < count && i < EXPRESSION_VARIABLES_MAX; i++) {
        if (is_known(naming, name[i])) continue;
        struct use use = { .name = name[i],
                           .node = node,
                           .part = part,
                           .member = member,
                           .order = naming->uses.n / sizeof(struct use) };
        buf_add(&naming->uses, &use, sizeof use);
    }
}

static void look_at_table(struct name_check *naming, uint32_t index)
{
    const struct program_node *node = &naming->program->node[index];
    for (size_t i = 0; i < node->as.table.rule_count; i++) {
        const struct program_rule *rule = &node->as.table.rule[i];
        str when = arena_printf(naming->steps->arena, "decisionTable/rules/%zu/when", i);
        str outputs = arena_printf(naming->steps->arena, "decisionTable/rules/%zu/outputs", i);
        for (size_t k = 0; k < rule->cell_count; k++)
            look_at(naming, index, rule->cell[k].test, when, rule->cell[k].column);
        for (size_t k = 0; k < rule->output_count; k++)
            look_at(naming, index, rule->output[k].expr, outputs, rule->output[k].name);
    }
}

static void look_at_node(struct name_check *naming, uint32_t index)
{
    const struct program_node *node = &naming->program->node[index];
    for (size_t i = 0; i < node->edge_count; i++)
        if (node->edge[i].when)
            look_at(naming, index, node->edge[i].when, STR("conditionalNextSteps"),
                    expr_text(node->edge[i].when));
    for (size_t i = 0; node->kind == NODE_SET && i < node->as.set.count; i++)
        look_at(naming, index, node->as.set.value[i].expr, STR("transformations"),
                node->as.set.value[i].name);
    const struct program_next *next = node->kind == NODE_END ? node->as.end.next : NULL;
    for (size_t i = 0; next && i < next->value_count; i++)
        look_at(naming, index, next->value[i].expr, STR("continueAs/input"), next->value[i].name);
    if (node->kind == NODE_TABLE) look_at_table(naming, index);
}

/* ---- what is told ---- */

/* By name, then in document order. */
static int compare_uses(const void *a, const void *b)
{
    const struct use *one = a, *two = b;
    int order = str_compare(one->name, two->name);
    return order ? order : one->order < two->order ? -1 : one->order > two->order;
}

static void tell(struct name_check *naming, const struct use *use)
{
    struct steps *steps = naming->steps;
    struct nearest nearest;
    nearest_init(&nearest, use->name);
    for (size_t i = 0; i < naming->program->inputs.count; i++)
        nearest_offer(&nearest, naming->program->inputs.field[i].name);
    bool brought = naming->brought[use->node];
    if (brought && !nearest_is_plain(&nearest)) return;
    const struct program_node *node = &naming->program->node[use->node];
    str part = arena_printf(steps->arena, "%.*s/%.*s", STR_ARG(node->pointer), STR_ARG(use->part));
    problem_warning(steps->problems, PROBLEM_UNKNOWN_VARIABLE,
                    problem_pointer(steps->arena, part, use->member), nearest_hint(&nearest, steps->arena),
                    "%s: %s is not in input_schema, and no step %s it", step_typed_label(steps, use->node),
                    problem_quote(steps->arena, use->name), brought ? "is known to set" : "sets");
}

/* A use before anything can have brought the variable says more than later uses of the same name. */
static const struct use *choose_use(const struct name_check *naming, const struct use *first,
                                    const struct use *end)
{
    must(first < end);
    for (const struct use *use = first; use < end; use++)
        if (!naming->brought[use->node]) return use;
    return first;
}

void steps_check_names(struct steps *steps)
{
    if (!steps->program->inputs.count || !problems_have_room(steps->problems, true)) return;
    struct name_check naming = { .steps = steps, .program = steps->program };
    learn_names(&naming);
    mark_brought(&naming);
    buf_init(&naming.uses, steps->arena);
    for (uint32_t i = 0; i < steps->program->node_count; i++) look_at_node(&naming, i);
    size_t count = naming.uses.n / sizeof(struct use);
    if (!count) return;
    struct use *use = arena_make_n(steps->arena, struct use, count);
    memcpy(use, naming.uses.p, naming.uses.n);
    qsort(use, count, sizeof *use, compare_uses);
    for (size_t i = 0, names = 0; i < count && names < NAMES_LOOKED_AT; names++) {
        size_t end = i + 1;
        while (end < count && str_equal(use[end].name, use[i].name)) end++;
        if (problems_have_room(steps->problems, true)) tell(&naming, choose_use(&naming, use + i, use + end));
        i = end;
    }
}
