/* core/node_fork.c — a token for each edge, or for each edge that holds.
 *
 * A fork with a join opens a scope, which the join closes. Another fork leaves its tokens in the scope that
 * they come from, where joins that count edges gather them.
 */

#include "core/core_int.h"

static uint32_t scope_open(struct step *step, uint32_t parent, uint32_t fork)
{
    uint32_t number = note_number(step);
    note_at(step,
            &(struct entry){
                .kind = ENTRY_KIND_SCOPE_OPEN,
                .scope = number,
                .around = parent,
                .node = step->program->node[fork].name,
            },
            fork);
    return number;
}

/* The edges that are taken, one after the other. */
struct fork_choice {
    const struct program_edge **edge;
    size_t count;
};

static bool choose_edges(struct step *step, const struct token *token, const struct program_node *node,
                         struct fork_choice *choice)
{
    const struct program_edge *otherwise = NULL;
    struct error err;
    for (size_t i = 0; i < node->edge_count; i++) {
        const struct program_edge *edge = &node->edge[i];
        bool holds = !edge->when;
        if (edge->otherwise) {
            otherwise = edge;
            continue;
        }
        if (edge->when && expression_condition(step, edge->when, token, NULL, &holds, &err) != ST_OK) {
            raise_failed(step, token->execution, &err);
            return false;
        }
        if (holds) choice->edge[choice->count++] = edge;
    }
    if (!choice->count && otherwise) choice->edge[choice->count++] = otherwise;
    if (choice->count) return true;
    raise_error_code(step, token->execution, step->program->error_names.no_way,
                     reason_code_word(REASON_NO_BRANCH), node->no_edge_reason);
    return false;
}

static const struct json *names_of(struct step *step, const struct fork_choice *choice)
{
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_array(&builder);
    for (size_t i = 0; i < choice->count; i++) json_add_string(&builder, choice->edge[i]->name);
    json_close(&builder);
    return json_built(&builder);
}

/* False: the output cannot be put, which is raised. */
static bool put_output(struct step *step, const struct token *token, const struct program_node *node,
                       const struct fork_choice *choice)
{
    struct locals locals = { .count = 0 };
    struct error err;
    if (node->as.fork.chooses) locals_add(&locals, STR("taken"), names_of(step, choice));
    if (exit_finish(step, token, node, &locals, &err) == ST_OK) return true;
    raise_failed(step, token->execution, &err);
    return false;
}

static void too_many_tokens(struct step *step, const struct token *token, size_t more)
{
    str reason =
        arena_printf(step->arena, "%zu more tokens are too many: an instance has at most %d (TOKENS_MAX)",
                     more, TOKENS_MAX);
    raise_error(step, token->execution, step->program->error_names.limit, reason, NULL);
}

void node_fork_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    if (node->edge_count == 0) {
        token_rest(step, token->execution);
        return;
    }
    struct fork_choice choice = { .edge = arena_alloc(step->arena, node->edge_count * sizeof *choice.edge) };
    if (node->as.fork.chooses) {
        if (!choose_edges(step, token, node, &choice)) return;
    } else {
        for (; choice.count < node->edge_count; choice.count++)
            choice.edge[choice.count] = &node->edge[choice.count];
    }
    if (step->instance->token_count - 1 + choice.count > TOKENS_MAX) {
        too_many_tokens(step, token, choice.count);
        return;
    }
    if ((node->output_count || node->carry) && !put_output(step, token, node, &choice)) return;
    token_leave(step, token->execution);
    uint32_t scope = token->scope;
    if (node->as.fork.join != NODE_NONE) scope = scope_open(step, token->scope, token->node);
    for (size_t i = 0; i < choice.count; i++)
        token_enter_by(step, choice.edge[i]->target, choice.edge[i]->arrival, scope, token->execution);
}
