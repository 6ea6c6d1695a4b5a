/* tests/sim/checker_join.c — joins of flow graphs: who is gathered, when they open, who comes too late.
 *
 * A join opens once for each time that the edges it wants have a token, and uses one token of each edge that
 * has any. Nobody may be left at a join that could be open.
 */
#include "record.h"

/* Can the token still come to the join, by that way or by any? */
static bool comes(const struct record *record, const struct model_token *token, size_t join, uint32_t way)
{
    if (token->step == join) return token->state == TOKEN_READY && (!way || token->way == way);
    return graph_reaches(record_graph(record), token->step, join, way);
}

static bool can_come(const struct record *record, uint32_t scope, size_t join, uint32_t way)
{
    const struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->tokens.count; i++)
        if (instance->tokens.item[i].scope == scope && comes(record, &instance->tokens.item[i], join, way))
            return true;
    return false;
}

static bool is_filled(const struct model_instance *instance, uint32_t scope, size_t join, uint32_t way)
{
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->state == TOKEN_JOIN && token->scope == scope && token->step == join && token->way == way)
            return true;
    }
    return false;
}

/* Only tokens at joins are left in the scope. */
static bool is_stuck(const struct model_instance *instance, uint32_t scope)
{
    size_t count = 0;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        if (instance->tokens.item[i].scope != scope) continue;
        if (instance->tokens.item[i].state != TOKEN_JOIN) return false;
        count++;
    }
    return count > 0;
}

void graph_each_stuck(struct record *record, void (*note)(struct record *, uint32_t, bool))
{
    const struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        bool first = token->state == TOKEN_JOIN && is_stuck(instance, token->scope);
        for (size_t k = 0; k < instance->tokens.count && first; k++) {
            const struct model_token *other = &instance->tokens.item[k];
            if (other->scope != token->scope) continue;
            first = graph_node_at(record, other->step)->join != INCLUSIVE && /* It opens instead. */
                    (token->step < other->step || (token->step == other->step && i <= k));
        }
        if (first) note(record, token->execution, false);
    }
}

/* ---- opening ---- */

void graph_gathered(struct record *record, const struct model_token *token)
{
    *list_push(&record->checker->arena, &record->gathered) = *token;
}

static bool was_used(const struct record *record, const struct graph_gone *opener, uint32_t way)
{
    for (size_t i = 0; i < record->gathered.count; i++)
        if (record->gathered.item[i].step == opener->node &&
            record->gathered.item[i].scope == opener->scope && record->gathered.item[i].way == way)
            return true;
    return false;
}

/* An inclusive join waits for everybody who can come. If nobody can move any more, the first one opens. */
static bool inclusive_may_open(const struct record *record, const struct graph_gone *opener)
{
    const struct model_instance *instance = record->instance;
    size_t ways = graph_node_at(record, opener->node)->ways;
    bool awaited = false, stuck = true;
    for (uint32_t way = 1; way <= ways; way++)
        awaited |= !was_used(record, opener, way) && can_come(record, opener->scope, opener->node, way);
    for (size_t i = 0; i < instance->tokens.count; i++) {
        const struct model_token *token = &instance->tokens.item[i];
        if (token->scope != opener->scope) continue;
        bool earlier = token->step < opener->node && graph_node_at(record, token->step)->join == INCLUSIVE;
        stuck &= token->state == TOKEN_JOIN && !earlier;
    }
    return !awaited || stuck;
}

static void owe(struct record *record, const struct graph_gone *opener)
{
    const struct graph_node *join = graph_node_at(record, opener->node);
    for (uint32_t way = 1; way <= join->ways; way++) {
        if (was_used(record, opener, way)) continue;
        bool noted = false;
        for (size_t i = 0; i < record->owed_now.count; i++)
            noted |= record->owed_now.item[i].way == way && record->owed_now.item[i].join == opener->node &&
                     record->owed_now.item[i].scope == opener->scope;
        if (noted != can_come(record, opener->scope, opener->node, way))
            bad(record, "\"%.*s\" opens, and who comes by way %u will %sbe absorbed", STR_ARG(join->id), way,
                noted ? "" : "not ");
    }
    record->owed_now.count = 0;
}

/* The token that goes on has left the join; so have the others that it stands for. */
void graph_opened(struct record *record, const struct graph_gone *opener)
{
    const struct graph_node *join = graph_node_at(record, opener->node);
    uint32_t ways = (uint32_t)join->ways, used = 0, count = 0;
    for (uint32_t way = 1; way <= ways; way++) {
        used += was_used(record, opener, way);
        if (!was_used(record, opener, way) && is_filled(record->instance, opener->scope, opener->node, way))
            bad(record, "\"%.*s\" opens without the token of way %u", STR_ARG(join->id), way);
    }
    for (size_t i = record->gathered.count; i-- > 0;) {
        const struct model_token *token = &record->gathered.item[i];
        if (token->step != opener->node || token->scope != opener->scope) continue;
        count++;
    }
    if (count != used) bad(record, "\"%.*s\" uses two tokens of one way", STR_ARG(join->id));
    bool may = join->join == ALL_EDGES       ? used == ways
               : join->join == SO_MANY_EDGES ? used == join->wanted
                                             : inclusive_may_open(record, opener);
    if (!may) bad(record, "\"%.*s\" opens with %u of %u ways", STR_ARG(join->id), used, ways);
    if (join->join == SO_MANY_EDGES && join->cancels) {
        if (can_come(record, opener->scope, opener->node, 0))
            bad(record, "\"%.*s\" has opened, and somebody is still on the way to it", STR_ARG(join->id));
        *list_push(&record->checker->arena, &record->cancelling) =
            (struct graph_owed){ .join = opener->node, .scope = opener->scope };
    }
    if (join->join == SO_MANY_EDGES && used < ways && !join->cancels) owe(record, opener);
    for (size_t i = 0; i < record->departed.count; i++)
        if (record->departed.item[i].at_join && record->departed.item[i].node == opener->node &&
            record->departed.item[i].scope == opener->scope && &record->departed.item[i] != opener)
            record->departed.item[i].used_up = true;
    for (size_t i = record->gathered.count; i-- > 0;)
        if (record->gathered.item[i].step == opener->node && record->gathered.item[i].scope == opener->scope)
            list_cut(&record->gathered, i);
}

bool graph_was_cancelled(const struct record *record, const struct graph_gone *gone)
{
    for (size_t i = 0; i < record->cancelling.count; i++) {
        const struct graph_owed *by = &record->cancelling.item[i];
        if (by->scope == gone->scope &&
            (gone->node == by->join || graph_reaches(record_graph(record), gone->node, by->join, 0)))
            return true;
    }
    return false;
}

/* ---- those who come too late ---- */

static struct graph_owed *find_owed(struct model_instance *instance, uint32_t scope, size_t join,
                                    uint32_t way)
{
    for (size_t i = 0; i < instance->owed.count; i++) {
        struct graph_owed *owed = &instance->owed.item[i];
        if (owed->scope == scope && owed->join == join && owed->way == way) return owed;
    }
    return NULL;
}

void graph_absorbed(struct record *record, const struct model_token *token)
{
    if (!find_owed(record->instance, token->scope, token->step, token->way))
        bad(record, "\"%.*s\" absorbs a token that does not come too late", STR_ARG(token->node));
    record->absorbed = *token;
}

void graph_owe(struct record *record, const struct entry *entry)
{
    struct model_instance *instance = record->instance;
    size_t join = graph_node_of(record_graph(record), entry->node);
    struct graph_owed owed = { .join = join, .scope = entry->scope, .way = entry->value };
    struct graph_owed *found = find_owed(instance, owed.scope, join, owed.way);
    if (entry->is_owed) {
        *list_push(&record->checker->arena, &instance->owed) = owed;
        *list_push(&record->checker->arena, &record->owed_now) = owed;
        return;
    }
    bool absorbed = record->absorbed.execution && record->absorbed.step == join &&
                    record->absorbed.scope == owed.scope && record->absorbed.way == owed.way;
    if (!found || (!absorbed && can_come(record, owed.scope, join, owed.way)))
        bad(record, "\"%.*s\" waits no longer for who comes too late", STR_ARG(entry->node));
    else list_cut(&instance->owed, found - instance->owed.item);
    if (absorbed) record->absorbed.execution = 0;
}

/* ---- the end of a record ---- */

void graph_check_gathered(struct record *record)
{
    if (record->gathered.count && model_live(record->instance))
        bad(record, "\"%.*s\" has used tokens and did not open", STR_ARG(record->gathered.item[0].node));
    if (record->absorbed.execution && model_live(record->instance))
        bad(record, "\"%.*s\" has absorbed a token and does not know it", STR_ARG(record->absorbed.node));
}

static void check_closed(struct record *record, const struct model_token *token)
{
    const struct graph_node *join = graph_node_at(record, token->step);
    uint32_t filled = 0;
    bool awaited = false;
    for (uint32_t way = 1; way <= join->ways; way++) {
        bool is = is_filled(record->instance, token->scope, token->step, way);
        filled += is;
        awaited |= !is && can_come(record, token->scope, token->step, way);
    }
    if ((join->join == ALL_EDGES && filled == join->ways) ||
        (join->join == SO_MANY_EDGES && filled >= join->wanted) || (join->join == INCLUSIVE && !awaited))
        bad(record, "\"%.*s\" is closed, and it could open", STR_ARG(join->id));
    if (is_stuck(record->instance, token->scope))
        bad(record, "\"%.*s\" waits, and nothing can come any more", STR_ARG(join->id));
}

void graph_check_joins(struct record *record)
{
    const struct model_instance *instance = record->instance;
    for (size_t i = 0; i < instance->tokens.count && !record->world->failed; i++)
        if (instance->tokens.item[i].state == TOKEN_JOIN) check_closed(record, &instance->tokens.item[i]);
    for (size_t i = 0; i < instance->owed.count; i++) {
        const struct graph_owed *owed = &instance->owed.item[i];
        if (!can_come(record, owed->scope, owed->join, owed->way))
            bad(record, "\"%.*s\" would absorb a token of its next round",
                STR_ARG(graph_node_at(record, owed->join)->id));
    }
}
