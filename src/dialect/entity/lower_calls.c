/* dialect/entity/lower_calls.c — processors and functions become tasks of calculation nodes.
 *
 * A task that holds is done before anything of the write is committed: its failure undoes the whole write.
 * A processor of mode COMMIT_BEFORE_DISPATCH is an ordinary task: what comes before it is committed, and if
 * it fails the entity rests in the state that it has then.
 */
#include "dialect/entity/entity_int.h"

#include "base/must.h"

/* Everything that a request says besides the entity (perform/compute_text.c). */
static const struct json *config_of(struct entity *entity, const struct entity_call *call, const char *kind,
                                    const struct entity_site *site)
{
    bool is_selection = !site->state->name.n,
         is_processor = str_equal(str_of(kind), STR(ENTITY_ASKS_PROCESSOR)),
         commits = is_processor && call->mode == ENTITY_MODE_COMMIT_BEFORE;
    struct json_builder builder;
    json_builder_init(&builder, entity->arena);
    json_open_object(&builder);
    json_add_text(&builder, STR("kind"), str_of(kind));
    json_add_text(&builder, STR("name"), call->name);
    json_add_text(&builder, STR("tags"), call->tags);
    json_add_text(&builder, STR("context"), call->context);
    json_add_text(&builder, STR("mode"), call->mode_word.n ? call->mode_word : STR("SYNC"));
    json_add_text(&builder, STR("target"), is_selection ? STR("WORKFLOW") : STR("TRANSITION"));
    json_add_text(&builder, STR("workflow"), site->workflow->name);
    json_add_text(&builder, STR("transition"), is_selection ? STR_NONE : site->transition->name);
    json_add_text(&builder, STR("next"), is_selection ? STR_NONE : site->transition->next);
    json_add_text(&builder, STR("model"), entity->name);
    json_add_name(&builder, STR("modelVersion"));
    json_add_int(&builder, entity->version);
    json_add_name(&builder, STR("attachEntity"));
    json_add_bool(&builder, call->attaches);
    json_add_name(&builder, STR("inTransaction"));
    json_add_bool(&builder, call->mode != ENTITY_MODE_COMMIT_BEFORE || call->has_new_tx);
    json_add_name(&builder, STR("mayJoin")); /* runtime/transact/units_join.c */
    json_add_bool(&builder, call->mode != ENTITY_MODE_COMMIT_BEFORE || call->has_new_tx);
    json_add_name(&builder, ENTITY_SAVEPOINT); /* runtime/transact/units_savepoint.c */
    json_add_bool(&builder, call->mode == ENTITY_MODE_NEW_TX || (call->is_retried && !commits));
    json_add_name(&builder, STR("commitsFirst"));
    json_add_bool(&builder, commits);
    json_add_name(&builder, STR("timeoutMs"));
    json_add_int(&builder, call->timeout_ms);
    json_close(&builder);
    return json_built(&builder);
}

/* The entity becomes what the processor answers, if it answers with one. */
static void set_output(struct entity *entity, struct program_node *node)
{
    must(!node->output_count);
    struct expr_tree *data =
        tree_member(tree_variable(STR("result"), entity->arena), STR("data"), entity->arena);
    struct program_value *output = arena_make(entity->arena, struct program_value);
    *output = (struct program_value){
        .expr = expr_of_tree(tree_coalesce(data, tree_data(entity->arena), entity->arena), entity->arena),
    };
    node->output = output;
    node->output_count = 1;
}

void entity_set_handler(struct entity *entity, uint32_t index, uint32_t target)
{
    must(target < entity->node_count && !entity->node[index].handler_count);
    struct program_node *node = &entity->node[index];
    struct program_handler *handler = arena_make(entity->arena, struct program_handler);
    *handler = (struct program_handler){ .way = { .target = target } };
    node->handler = handler;
    node->handler_count = 1;
}

/* A document that does not fit is none of the failures that another attempt may help. */
static void set_retry(struct entity *entity, struct program_node *node)
{
    must(!node->as.task.retry_count);
    struct program_retry *rule = arena_make(entity->arena, struct program_retry);
    *rule = (struct program_retry){
        .only_retryable = true,
        .count = ENTITY_RETRIES,
        .delay = { .first_ms = ENTITY_RETRY_DELAY_MS, .factor = 1, .max_ms = ENTITY_RETRY_DELAY_MS },
        .exit = { .target = NODE_NONE },
    };
    node->as.task.retry = rule;
    node->as.task.retry_count = 1;
}

void entity_make_task(struct entity *entity, uint32_t index, const struct entity_call *call, const char *kind,
                      const struct entity_site *site)
{
    must(entity->node[index].kind == NODE_TASK && !entity->node[index].as.task.config);
    bool is_processor = str_equal(str_of(kind), STR(ENTITY_ASKS_PROCESSOR));
    bool commits = is_processor && call->mode == ENTITY_MODE_COMMIT_BEFORE;
    struct program_node *node = &entity->node[index];
    node->home = site->state->wait;
    node->as.task.job_type = call->name;
    node->as.task.performer = PERFORM_COMPUTE;
    node->as.task.config = config_of(entity, call, kind, site);
    node->as.task.result_is_local = true;
    node->as.task.holds = !commits;
    if (is_processor && call->mode != ENTITY_MODE_NEW_TX) set_output(entity, node);
    if (call->is_retried) set_retry(entity, node);
    if (commits) entity_set_handler(entity, index, site->state->wait);
}
