/* dialect/entity/view.c — an entity: where it stands, and how it is shown beside other instances. */
#include "dialect/entity/view.h"

#include "base/must.h"
#include "dialect/entity/entity.h"
#include "dialect/show/run_view.h"
#include "dialect/show/view_int.h"

/* ---- the token ---- */

bool entity_arrives(const struct program_node *node) { return node->carry && node->kind == NODE_CHOOSE; }

/* The names of the built-in workflow's nodes begin with its empty name. */
bool entity_is_own_node(const struct program_node *node)
{
    return !node->inner && str_equal(node->type, STR("STATE")) && !str_starts(node->name, STR("//"));
}

const struct token *entity_token(const struct instance *instance)
{
    return instance->token_count ? &instance->token[0] : NULL;
}

str entity_mark(const struct instance *instance, str name)
{
    const struct token *token = entity_token(instance);
    return token ? json_text(token->carried, name) : STR_NONE;
}

str entity_history_transaction(const struct history *history)
{
    for (size_t i = history->entry_count; i-- > 0;) {
        const struct entry *entry = &history->entry[i];
        if (history->command == COMMAND_CANCEL && entry->kind == ENTRY_KIND_STATUS) return entry->reason;
        if (entry->kind != ENTRY_KIND_CARRY) continue;
        return json_text(entry->carried, ENTITY_TRANSACTION);
    }
    return STR_NONE;
}

/* The originator in the last CARRY of the history; NULL: it has none. */
static const struct json *last_originator(const struct history *history)
{
    for (size_t i = history->entry_count; i-- > 0;) {
        if (history->entry[i].kind != ENTRY_KIND_CARRY) continue;
        const struct json *originator = json_get(history->entry[i].carried, ENTITY_ORIGINATOR);
        return json_is(originator, JSON_OBJECT) ? originator : NULL;
    }
    return NULL;
}

struct entity_attribution entity_history_attribution(const struct history *history)
{
    const struct json *originator = last_originator(history);
    const struct json *by = json_get(originator, STR("by"));
    struct entity_attribution told = { .user = history->actor };
    bool is_write = history->command == COMMAND_START || history->command == COMMAND_FIRE ||
                    history->command == COMMAND_CANCEL;
    bool is_own = history->command == COMMAND_FIRE_TIMER || history->command == COMMAND_COMPLETE_JOB ||
                  history->command == COMMAND_FAIL_JOB;
    if (!is_own && !(is_write && originator)) return told;
    told.kind = told.executor_kind = ENTITY_SYSTEM;
    told.executor = ENTITY_ENGINE;
    if (!originator) return told;
    told.user = json_text(originator, STR("id"));
    told.kind = json_text(originator, STR("type"));
    if (is_own) return told; /* The engine goes on with what somebody has asked for, or has armed. */
    if (!by) by = originator;
    told.executor = json_text(by, STR("id"));
    told.executor_kind = json_text(by, STR("type"));
    return told;
}

static size_t names_of(const struct program_node *node, struct arena *arena, str **ret_name)
{
    size_t count = 0;
    *ret_name = arena_make_n(arena, str, node->edge_count);
    for (size_t i = 0; i < node->edge_count; i++)
        if (!node->edge[i].by_timer) (*ret_name)[count++] = node->edge[i].name;
    return count;
}

size_t entity_transitions(const struct program *program, const struct instance *instance, struct arena *arena,
                          str **ret_name)
{
    const struct token *token = entity_token(instance);
    if (!token || token->node >= program->node_count) return 0;
    const struct program_node *node = &program->node[token->node];
    must(node->home < program->node_count);
    if (node->home) node = &program->node[node->home];
    return names_of(node, arena, ret_name);
}

/* The node in which an entity rests has the name /workflow/state. */
size_t entity_transitions_at(const struct program *program, const struct json *carried, struct arena *arena,
                             str **ret_name)
{
    str workflow = problem_pointer(arena, STR_NONE, json_text(carried, ENTITY_WORKFLOW));
    uint32_t node = program_find(program, problem_pointer(arena, workflow, json_text(carried, ENTITY_STATE)));
    return node == NODE_NONE ? 0 : names_of(&program->node[node], arena, ret_name);
}

/* ---- under /v1 ---- */

str entity_data_word(enum instance_status status)
{
    (void)status;
    return STR("data");
}

void entity_put_instance(struct buf *out, const struct instance_view *view, enum instance_style style,
                         int64_t bytes_max)
{
    view_put_head(out, view, style, bytes_max);
    view_put_relatives(out, view);
    buf_add_char(out, '}');
}

void entity_put_visit(struct buf *out, const struct history_view *history, const struct execution *visit)
{
    view_put_visit(out, history, visit, NULL);
}

/* ---- the run ---- */

static void add_transitions(struct run_view *view)
{
    str *name;
    size_t count = entity_transitions(view->program, view->instance, view->arena, &name);
    json_add_name(&view->out, STR("transitions"));
    json_open_array(&view->out);
    for (size_t i = 0; i < count; i++) json_add_string(&view->out, name[i]);
    json_close(&view->out);
}

void entity_add_run(struct run_view *view)
{
    const struct instance *instance = view->instance;
    run_view_text(view, "state", entity_mark(instance, ENTITY_STATE));
    run_view_text(view, "workflow", entity_mark(instance, ENTITY_WORKFLOW));
    run_view_text(view, "previousTransition", entity_mark(instance, ENTITY_TRANSITION));
    run_view_text(view, "transactionId", entity_mark(instance, ENTITY_TRANSACTION));
    run_view_text(view, "creationDate", entity_mark(instance, ENTITY_CREATED));
    run_view_text(view, "lastUpdateTime", entity_mark(instance, ENTITY_UPDATED));
    add_transitions(view);
    run_view_value(view, "data", instance->data);
    run_view_value(view, "output", instance->data);
    run_view_path(view, "path");
    run_view_visits(view, "order");
    run_view_rows(view, "history");
    run_view_common(view);
}
