/* dialect/entity/entity.c — from a model's workflows to a program. */
#include "base/must.h"
#include "dialect/entity/entity_int.h"
#include "dialect/entity/view.h"
#include "dialect/refusal.h"

static bool recognises(const struct json *document)
{
    const struct json *dialect = json_get(document, STR("dialect"));
    if (json_is(dialect, JSON_STRING)) return str_starts(json_string(dialect), STR("entity"));
    return json_get(document, STR("workflows")) || entity_is_single(document);
}

static const struct json *normal(const struct json *document, struct arena *arena)
{
    (void)arena;
    return document;
}

/* States are an object, and their order has no meaning. */
static void print_order(const struct json *document, struct buf *out)
{
    (void)document;
    (void)out;
}

str entity_definition_id(str name, int32_t version, struct arena *arena)
{
    return arena_printf(arena, "%.*s.%d", STR_ARG(name), (int)version);
}

void entity_model_of(str definition_id, str *ret_name, int32_t *ret_version)
{
    size_t dot = definition_id.n;
    *ret_version = 0;
    while (dot > 0 && definition_id.p[dot - 1] != '.') dot--;
    for (size_t i = dot; i < definition_id.n; i++)
        *ret_version = *ret_version * 10 + (definition_id.p[i] - '0');
    *ret_name = str_slice(definition_id, 0, dot ? dot - 1 : 0);
}

static void set_identity(struct entity *entity)
{
    struct program *program = entity->program;
    str failed = STR("WORKFLOW_FAILED");
    program->dialect = dialect_entity.name;
    program->id = entity_definition_id(entity->name, entity->version, entity->arena);
    program->title = entity->name;
    program->node_word = STR("state");
    program->named_errors = true;
    program->may_be_endless = true;
    program->data_shape = DATA_OBJECT;
    program->error_names = (struct program_error_names){
        .expression = failed,
        .filter = failed,
        .timeout = failed,
        .no_way = failed,
        .guard = failed,
        .used_up = failed,
        .task = failed,
        .child = failed,
        .limit = failed,
        .deadlock = failed,
        .visits = failed,
        .contract = failed,
        .deadline = failed,
    };
    struct program_rules *rules = arena_make(entity->arena, struct program_rules);
    *rules = program_rules_default;
    rules->is_atomic = rules->moves = rules->lists_state = true;
    rules->visits_max = ENTITY_STEPS_MAX;
    rules->counts_states = true;
    program->rules = rules;
}

static struct program *compile(const struct json *document, struct problems *problems)
{
    size_t errors = problems->error_count;
    struct entity entity = { .problems = problems, .scratch = problems->arena };
    entity.program = program_new_for(document, 16);
    entity.arena = program_arena(entity.program);
    if (entity_read(&entity, document)) {
        entity_fields_check(&entity, document);
        entity_check(&entity);
        if (problems->error_count == errors) {
            set_identity(&entity);
            entity_lower(&entity);
            program_link(entity.program);
        }
    }
    must(problems->error_count >= errors);
    if (problems->error_count == errors) return entity.program;
    program_unref(entity.program);
    return NULL;
}

const struct dialect dialect_entity = {
    .name = STR_INIT("entity"),
    .body_name = STR_INIT("workflows"),
    .recognises = recognises,
    .normal = normal,
    .print_order = print_order,
    .compile = compile,
    .sketch = entity_sketch,
    .refusal = refusal_text,
    .nodes_by_title = true,
    .is_own_node = entity_is_own_node,
    .data_word = entity_data_word,
    .put_instance = entity_put_instance,
    .put_visit = entity_put_visit,
    .add_run = entity_add_run,
    .has_entities = true,
    .timer_stamp = entity_timer_stamp,
};
