/* core/exit.c — the way out of a node whose visit is complete.
 *
 *     choose an edge ──► put the output ──► ask the guard ──► leave
 *
 * If this fails the visit is not done again: the token is stuck where it stands, with the values that its
 * exit sees, and a retry takes the way out once more. In a program with named errors the error looks for a
 * handler first, and inside a region it is raised at the region's host (raise.c): only a token outside of all
 * regions gets stuck by it. A guard that does not hold is never handled, and its token is stuck wherever it
 * stands. An answer of a person or a signal with which no edge can be chosen is refused instead: the sender
 * can send another one.
 */

#include "core/core_int.h"

static void leave_by(struct step *step, const struct token *token, const struct program_node *node,
                     uint32_t index)
{
    const struct program_edge *edge = &node->edge[index];
    const struct json *error;
    if (!guard_holds(step, token, edge, scope_data(step->instance, token->scope), &error)) {
        if (instance_is_detached(step->instance, token->execution)) {
            token_halt(step, token->execution, error);
            return;
        }
        note(step, &(struct entry){ .kind = ENTRY_KIND_ERROR, .error = error });
        token_stall_at(step, token->execution, index + 1, NULL, STR_NONE, error_text(step, error));
        return;
    }
    if (step->leaving.stays && step->leaving.execution == token->execution) {
        token_park(step, token->execution, TOKEN_REMAINDER);
    } else {
        interrupt_regions_of(step, token->execution, STR_NONE);
        token_leave(step, token->execution);
    }
    step->running = token_enter_by(step, edge->target, edge->arrival, token->scope, token->execution);
}

enum status exit_finish(struct step *step, const struct token *token, const struct program_node *node,
                        const struct locals *locals, struct error *err)
{
    TRY(data_put_output(step, token, node->output, node->output_count, locals, err));
    if (node->carry) {
        const struct json *carried;
        TRY(expression_at(step, node->carry, token, locals, &carried, err));
        note(step,
             &(struct entry){ .kind = ENTRY_KIND_CARRY, .execution = token->execution, .carried = carried });
    }
    return node->undo ? undo_remember(step, token, node, err) : ST_OK;
}

/* The data as it is when the token goes on, then the guard that looks at it. */
void exit_by(struct step *step, const struct token *token, const struct program_node *node,
             const struct program_edge *edge, const struct locals *locals)
{
    struct error err;
    bool finishes = node->output_count || node->carry || node->undo;
    if (finishes && exit_finish(step, token, node, locals, &err) != ST_OK)
        raise_failed(step, token->execution, &err);
    else leave_by(step, token, node, (uint32_t)(edge - node->edge));
}

/* A choice that was made: what exit_with() and exit_or_refuse() have in common. */
struct exit_choice {
    enum edge_choice is;
    const struct program_edge *edge;
    struct edge_refusal refusal; /* EDGE_FAILED */
};

static struct exit_choice choose(struct step *step, const struct token *token, const struct locals *locals)
{
    struct exit_choice choice = { .edge = NULL };
    choice.is = edge_choose(step, token, token_node(step, token), locals, &choice.edge, &choice.refusal);
    return choice;
}

static void go_by(struct step *step, const struct token *token, const struct exit_choice *choice,
                  const struct locals *locals, bool stays)
{
    const struct program_node *node = token_node(step, token);
    const struct edge_refusal *refusal = &choice->refusal;
    const struct leaving before = step->leaving;
    step->leaving = (struct leaving){ token->execution, locals, stays };
    if (node->kind == NODE_WAIT) notice_close(step, token->execution);
    timer_close_all(step, token->execution);
    switch (choice->is) {
    case EDGE_TAKEN: exit_by(step, token, node, choice->edge, locals); break;
    case EDGE_ABSENT:
        /* A finished task stays to be seen; a wait that leads nowhere is just over. */
        if (node->kind == NODE_WAIT) token_leave(step, token->execution);
        else token_rest(step, token->execution);
        join_fork_settle(step, token->scope);
        break;
    case EDGE_FAILED:
        if (step->program->named_errors)
            raise_error_code(step, token->execution, refusal->name, refusal->code, refusal->reason);
        else token_stall(step, token->execution, refusal->code, refusal->reason);
        break;
    }
    step->leaving = before;
}

void exit_with(struct step *step, uint32_t execution, const struct locals *locals)
{
    const struct token token = *instance_find_token(step->instance, execution);
    const struct exit_choice choice = choose(step, &token, locals);
    go_by(step, &token, &choice, locals, false);
}

void exit_beside(struct step *step, uint32_t execution, const struct locals *locals)
{
    const struct token token = *instance_find_token(step->instance, execution);
    const struct exit_choice choice = choose(step, &token, locals);
    go_by(step, &token, &choice, locals, choice.is == EDGE_TAKEN);
}

void exit_node(struct step *step, uint32_t execution) { exit_with(step, execution, NULL); }

enum status exit_or_refuse(struct step *step, uint32_t execution, const struct locals *locals,
                           struct error *rejection)
{
    const struct token token = *instance_find_token(step->instance, execution);
    const struct exit_choice choice = choose(step, &token, locals);
    if (choice.is == EDGE_FAILED)
        return fail(rejection, ST_INVALID, "variables",
                    "%.*s \"%.*s\" cannot be left with these variables, and still waits: %.*s",
                    STR_ARG(step->program->node_word), STR_ARG(token.node_name),
                    STR_ARG(choice.refusal.reason));
    go_by(step, &token, &choice, locals, false);
    return ST_OK;
}

/* ---- once more ---- */

static void locals_of(const struct json *brought, struct locals *locals)
{
    struct json_each each = json_each(brought);
    while (json_next(&each) && locals->count < LOCALS_MAX) locals_add(locals, each.name, each.value);
}

void exit_again(struct step *step, uint32_t execution, const struct stuck *stuck)
{
    const struct token token = *instance_find_token(step->instance, execution);
    const struct program_node *node = token_node(step, &token);
    struct locals locals = { .count = 0 };
    note(step,
         &(struct entry){
             .kind = ENTRY_KIND_WARN,
             .execution = execution,
             .warning = STR("its work was done in the visit before; only its way out was tried again") });
    if (stuck->brought) locals_of(stuck->brought, &locals);
    if (stuck->edge) leave_by(step, &token, node, stuck->edge - 1);
    else if (program_closes_scope(node)) join_fork_leave(step, execution);
    else exit_with(step, execution, stuck->brought ? &locals : NULL);
}
