/* dialect/steps/steps.c — from a document of steps to a program.
 *
 *     read        every member matched with a field, every type checked
 *     check       top-level fields, ids, then each step: needs, uses, references
 *     lower       each step to its node; expressions, durations and schemas are compiled
 *     whole       program_check(): the graph as a whole
 *
 * A step is checked and lowered before the next one is looked at, so that problems come in
 * document order. Lowering goes on after errors, leaving out what is wrong, so that one
 * upload shows as many of them as possible; a program with errors is thrown away at the end.
 */
#include "base/must.h"
#include "dialect/refusal.h"
#include "dialect/steps/steps_int.h"
#include "dialect/steps/view.h"

static bool recognises(const struct json *document) { return json_get(document, STR("steps")) != NULL; }

/* Estimates the bytes of a document's program: its texts, and the node of each step. */
static size_t program_size(const struct steps *steps, const struct json *document)
{
    enum { AROUND_A_STEP = 16 };
    return json_encoded(document).n +
           steps->definition.step_count *
               (sizeof(struct program_node) + sizeof(struct program_edge) + AROUND_A_STEP);
}

/* Makes nodes that have only their names and places, which is enough to resolve references. */
static void begin_program(struct steps *steps)
{
    must(steps->definition.step_count > 0);
    const struct steps_definition *definition = &steps->definition;
    struct arena *arena = program_arena(steps->program);
    steps->node = arena_make_n(arena, struct program_node, definition->step_count);
    for (size_t i = 0; i < definition->step_count; i++) {
        steps->node[i].name = arena_str(arena, fields_text(&definition->step[i].fields, STEP_ID));
        steps->node[i].pointer = arena_str(arena, definition->step[i].fields.pointer);
    }
    steps->program->node = steps->node;
    steps->program->node_count = definition->step_count;
    steps->program->start = 0;
    steps->program->node_word = STR("step");
    program_link(steps->program);
}

static struct program *compile(const struct json *document, struct problems *problems)
{
    struct steps steps = { .problems = problems, .arena = problems->arena };
    steps_read(&steps, document);
    bool readable = !problems->error_count;
    if (!steps_check_definition(&steps)) return NULL;

    steps.program = program_new(program_size(&steps, document));
    begin_program(&steps);
    steps_lower_definition(&steps);
    steps_check_ids(&steps);
    for (size_t i = 0; i < steps.definition.step_count; i++) {
        steps_check_step(&steps, i);
        steps_lower_step(&steps, i);
    }
    steps_check_chain(&steps);
    /* A mistyped field may be one that led to other steps. Reporting those steps as unreachable, or what
     * follows from a reference to nothing, would only distract from the cause. */
    if (readable && !steps.broken) program_check(steps.program, problems);
    if (!problems->error_count) {
        steps_check_names(&steps);
        return steps.program;
    }
    program_unref(steps.program);
    return NULL;
}

static void print_names(const struct json *object, struct buf *out)
{
    struct json_each each = json_each(object);
    while (json_next(&each)) json_print_string(each.name, out);
}

/* The document is normal. Branches are tried, and values computed, in document order. */
static void print_order(const struct json *document, struct buf *out)
{
    struct json_each step = json_each(json_get(document, STR("steps")));
    while (json_next(&step)) {
        if (!json_is(step.value, JSON_OBJECT)) continue;
        struct json_each field = json_each(step.value);
        while (json_next(&field))
            if (str_equal(field.name, STR("conditionalNextSteps")) ||
                str_equal(field.name, STR("transformations")))
                print_names(field.value, out);
    }
}

const struct dialect dialect_steps = {
    .name = STR_INIT("steps"),
    .body_name = STR_INIT("steps"),
    .has_steps = true,
    .recognises = recognises,
    .normal = steps_normal,
    .print_order = print_order,
    .compile = compile,
    .fix = steps_fix,
    .sketch = steps_sketch,
    .refusal = refusal_text,
    .data_word = steps_data_word,
    .put_instance = steps_put_instance,
    .put_visit = steps_put_visit,
    .add_run = steps_add_run,
};
