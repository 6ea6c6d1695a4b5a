/* core/on_migrate.c — the instance goes on with another version of its definition.
 *
 *     find each node's successor ──► can it hold what stands there? ──► rename ──► retry ──► verify
 *
 * A migration moves nothing: tokens, scopes, jobs, timers and mail keep their numbers, times and data, and
 * only the names of their nodes change. So the new version must be able to go on from exactly this state. The
 * instance is refused if a node is gone, if it waits for something else now, or if the fork, the join or the
 * region around it has changed. All of it happens, or nothing does.
 *
 * Nodes that the front end made (`inner`) are called "node/part", and follow the node of their author.
 */

#include "core/core_int.h"

#define NOT_LOOKED_UP (NODE_NONE - 1)

/* The places of one scope in the new version. */
struct migrate_places {
    uint32_t opener; /* NODE_NONE: the top level. */
    uint32_t region; /* Which of the opener's regions; 0 for a fork. */
    const bool *inside;
    struct migrate_places *next;
};

struct migrating {
    struct step *step;
    const struct program *from, *to;
    struct error *rejection;
    uint32_t *successor; /* For each node of `from`: the node of `to`, NODE_NONE or NOT_LOOKED_UP. */
    bool *is_told;       /* For each node of `from`: it is among `renamed` already. */
    struct json_builder renamed;
    size_t renamed_count;
    struct migrate_places *places;
};

/* A node of the version before and its successor. */
struct succession {
    const struct program_node *old, *now;
    uint32_t index; /* The index of the successor. */
};

/* ---- successors ---- */

/* The mapping of the node itself, or the one of the longest name in front of a slash. */
static const struct node_mapping *find_mapping(const struct migrating *migrating, str name)
{
    const struct command_migrate *asked = &migrating->step->command->as.migrate;
    const struct node_mapping *best = NULL;
    for (size_t i = 0; i < asked->mapping_count; i++) {
        const struct node_mapping *mapping = &asked->mapping[i];
        if (str_equal(mapping->from, name)) return mapping;
        bool leads =
            str_starts(name, mapping->from) && name.n > mapping->from.n && name.p[mapping->from.n] == '/';
        if (leads && (!best || best->from.n < mapping->from.n)) best = mapping;
    }
    return best;
}

static uint32_t look_up(struct migrating *migrating, const struct program_node *old)
{
    const struct node_mapping *mapping = find_mapping(migrating, old->name);
    uint32_t same = program_find(migrating->to, old->name);
    step_spend(migrating->step, 1 + (int64_t)migrating->step->command->as.migrate.mapping_count / 8);
    if (!mapping) return same;
    bool is_part = !str_equal(mapping->from, old->name);
    if (is_part && !old->inner && same != NODE_NONE) return same;
    str rest = { old->name.p + mapping->from.n, old->name.n - mapping->from.n };
    return program_find(
        migrating->to, arena_printf(migrating->step->arena, "%.*s%.*s", STR_ARG(mapping->to), STR_ARG(rest)));
}

static uint32_t successor_of(struct migrating *migrating, uint32_t old)
{
    must(old < migrating->from->node_count);
    if (migrating->successor[old] == NOT_LOOKED_UP)
        migrating->successor[old] = look_up(migrating, &migrating->from->node[old]);
    return migrating->successor[old];
}

static void note_rename(struct migrating *migrating, uint32_t old, const struct program_node *now)
{
    str name = migrating->from->node[old].name;
    if (migrating->is_told[old] || (now && str_equal(now->name, name))) return;
    migrating->is_told[old] = true;
    migrating->renamed_count++;
    json_add_name(&migrating->renamed, name);
    if (now) json_add_string(&migrating->renamed, now->name);
    else json_add_null(&migrating->renamed);
}

/* ---- refusals ---- */

/* The name that people know the node by. */
static str shown(const struct program_node *node) { return node->title.n ? node->title : node->name; }

static enum status changed(const struct migrating *migrating, const char *code,
                           const struct program_node *node, const char *what)
{
    return fail_code(migrating->rejection, ST_CONFLICT, code, "\"%.*s\" %s", STR_ARG(shown(node)), what);
}

static enum status find(struct migrating *migrating, str name, struct succession *ret_found)
{
    uint32_t old = program_find(migrating->from, name), now;
    if (old == NODE_NONE)
        return fail_code(migrating->rejection, ST_CONFLICT, "NODE_GONE",
                         "the instance stands at \"%.*s\", which the version it comes from lacks",
                         STR_ARG(name));
    now = successor_of(migrating, old);
    if (now == NODE_NONE)
        return fail_code(migrating->rejection, ST_CONFLICT, "NODE_GONE",
                         "the new version has no %.*s for \"%.*s\": map it to another one",
                         STR_ARG(migrating->to->node_word), STR_ARG(name));
    *ret_found = (struct succession){ &migrating->from->node[old], &migrating->to->node[now], now };
    note_rename(migrating, old, ret_found->now);
    return ST_OK;
}

/* ---- places ---- */

static const bool *inside_of(const struct program *program, uint32_t opener, uint32_t region,
                             struct arena *arena)
{
    if (opener == NODE_NONE || program_opens_scope(&program->node[opener]))
        return program_inside(program, opener, arena);
    return program_inside_from(program, program->node[opener].as.scope.region[region].start, arena);
}

static const bool *places_of(struct migrating *migrating, uint32_t opener, uint32_t region)
{
    for (const struct migrate_places *known = migrating->places; known; known = known->next)
        if (known->opener == opener && known->region == region) return known->inside;
    struct migrate_places *places = arena_make(migrating->step->arena, struct migrate_places);
    *places =
        (struct migrate_places){ .opener = opener,
                                 .region = region,
                                 .inside = inside_of(migrating->to, opener, region, migrating->step->arena),
                                 .next = migrating->places };
    migrating->places = places;
    step_spend(migrating->step, (int64_t)migrating->to->node_count);
    return places->inside;
}

/* A token that failed because it was in no place of its scope may go on standing there. */
static bool was_inside(const struct migrating *migrating, const struct succession *opener, uint32_t region,
                       const struct succession *at)
{
    const struct program *from = migrating->from;
    uint32_t old = opener ? (uint32_t)(opener->old - from->node) : NODE_NONE;
    step_spend(migrating->step, (int64_t)from->node_count);
    return inside_of(from, old, region, migrating->step->arena)[at->old - from->node];
}

/* May a token of this scope stand at the node? */
static enum status check_place(struct migrating *migrating, uint32_t number, const struct succession *at)
{
    bool ends_all = at->now->kind == NODE_END && !at->now->as.end.branch && !at->now->as.end.region;
    if (ends_all && at->old->kind == NODE_END)
        return ST_OK; /* It ends the instance, whichever token comes. */
    const struct scope *scope = number ? scope_find(migrating->step->instance, number) : NULL;
    if (!scope) {
        bool fits = places_of(migrating, NODE_NONE, 0)[at->index] || !was_inside(migrating, NULL, 0, at);
        if (fits) return ST_OK;
        return changed(migrating, "PLACE_CHANGED", at->old, "is inside of a fork or another node now");
    }
    struct succession opener;
    TRY(find(migrating, scope->fork_name, &opener));
    bool is_fork = scope->state == REGION_NONE;
    uint32_t region = is_fork || opener.now->as.scope.each ? 0 : scope->index;
    if (places_of(migrating, opener.index, region)[at->index] || !was_inside(migrating, &opener, region, at))
        return ST_OK;
    return fail_code(
        migrating->rejection, ST_CONFLICT, "FORK_CHANGED",
        "a token stands in the %s \"%.*s\", which changed: \"%.*s\" is not a part of it any more",
        is_fork ? "fork" : "branch of", STR_ARG(shown(opener.old)), STR_ARG(shown(at->old)));
}

static bool same_fork(struct migrating *migrating, const struct succession *fork)
{
    if (!program_opens_scope(fork->old) || !program_opens_scope(fork->now)) return false;
    return successor_of(migrating, fork->old->as.fork.join) == fork->now->as.fork.join &&
           fork->old->edge_count == fork->now->edge_count &&
           fork->old->as.fork.chooses == fork->now->as.fork.chooses;
}

/* Regions are known by their place among those of their node, and by their name. */
static bool same_region(const struct succession *opener, const struct scope *region)
{
    if (opener->old->kind != NODE_SCOPE || opener->now->kind != NODE_SCOPE) return false;
    if (!opener->old->as.scope.each != !opener->now->as.scope.each) return false;
    uint32_t index = opener->now->as.scope.each ? 0 : region->index;
    if (index >= opener->old->as.scope.region_count || index >= opener->now->as.scope.region_count)
        return false;
    const struct program_region *old = &opener->old->as.scope.region[index];
    const struct program_region *now = &opener->now->as.scope.region[index];
    return str_equal(old->name, now->name) && old->awaited == now->awaited;
}

static enum status check_scopes(struct migrating *migrating)
{
    const struct instance *instance = migrating->step->instance;
    for (size_t i = 0; i < instance->scope_count; i++) {
        const struct scope *scope = &instance->scope[i];
        struct succession opener;
        TRY(find(migrating, scope->fork_name, &opener));
        bool is_fork = scope->state == REGION_NONE;
        if (!(is_fork ? same_fork(migrating, &opener) : same_region(&opener, scope)))
            return fail_code(migrating->rejection, ST_CONFLICT, "FORK_CHANGED",
                             "a token stands in the %s \"%.*s\", which changed",
                             is_fork ? "fork" : "branch of", STR_ARG(shown(opener.old)));
        if (is_fork) TRY(check_place(migrating, scope->parent, &opener));
    }
    return ST_OK;
}

/* ---- joins ---- */

/* The node from which this incoming edge of the join comes, or NODE_NONE. */
static uint32_t source_of(const struct program *program, uint32_t join, uint32_t arrival)
{
    for (uint32_t i = 0; i < program->node_count; i++)
        for (size_t k = 0; k < program->node[i].edge_count; k++)
            if (program->node[i].edge[k].target == join && program->node[i].edge[k].arrival == arrival)
                return i;
    return NODE_NONE;
}

/* A token that came by this edge counts at the join as before. */
static enum status check_join(struct migrating *migrating, const struct succession *at, uint32_t arrival)
{
    const struct program_node *old = at->old, *now = at->now;
    bool same = old->kind == NODE_JOIN && now->kind == NODE_JOIN && old->as.join.mode == now->as.join.mode &&
                old->as.join.count == now->as.join.count && old->as.join.cancels == now->as.join.cancels &&
                old->as.join.arrivals == now->as.join.arrivals;
    if (same && arrival) {
        uint32_t before = source_of(migrating->from, (uint32_t)(old - migrating->from->node), arrival);
        uint32_t after = source_of(migrating->to, at->index, arrival);
        step_spend(migrating->step, (int64_t)(migrating->from->node_count + migrating->to->node_count));
        same = before == NODE_NONE ? after == NODE_NONE : successor_of(migrating, before) == after;
    }
    return same ? ST_OK
                : changed(migrating, "JOIN_CHANGED", old, "is a join where a token waits, and it changed");
}

/* ---- tokens ---- */

static bool same_trigger(const struct program_trigger *old, const struct program_trigger *now)
{
    return str_equal(old->name, now->name) && str_equal(old->source, now->source) &&
           str_equal(old->type, now->type) && old->correlated == now->correlated &&
           old->envelope == now->envelope;
}

static bool same_triggers(const struct migrating *migrating, const uint32_t *old, size_t old_count,
                          const uint32_t *now, size_t now_count)
{
    if (old_count != now_count) return false;
    for (size_t i = 0; i < old_count; i++)
        if (!same_trigger(&migrating->from->trigger[old[i]], &migrating->to->trigger[now[i]])) return false;
    return true;
}

/* Which of its cases a wait has given up shows in the timers that are open: they must be the same, too. */
static bool same_cases(const struct migrating *migrating, const struct succession *at)
{
    const struct program_node *old = at->old, *now = at->now;
    if (old->as.wait.event_case_count != now->as.wait.event_case_count ||
        old->timer_count != now->timer_count)
        return false;
    for (size_t i = 0; i < old->as.wait.event_case_count; i++) {
        const struct program_event_case *a = &old->as.wait.event_case[i], *b = &now->as.wait.event_case[i];
        if (!same_triggers(migrating, a->mentioned, a->mentioned_count, b->mentioned, b->mentioned_count) ||
            !same_triggers(migrating, a->positive, a->positive_count, b->positive, b->positive_count))
            return false;
    }
    return true;
}

static bool same_wait(const struct migrating *migrating, const struct succession *at)
{
    const struct program_node *old = at->old, *now = at->now;
    if (old->kind != NODE_WAIT || now->kind != NODE_WAIT || old->as.wait.what != now->as.wait.what)
        return false;
    if (now->as.wait.what == WAIT_FOR_EVENT) return same_cases(migrating, at);
    if (now->as.wait.what != WAIT_FOR_ARRIVAL) return true;
    const struct program_rules *a = migrating->from->rules, *b = migrating->to->rules;
    if (old->as.wait.arrival >= a->arrival_count || now->as.wait.arrival >= b->arrival_count) return false;
    str was = a->arrival[old->as.wait.arrival].name, is = b->arrival[now->as.wait.arrival].name;
    const struct node_mapping *mapping = find_mapping(migrating, was);
    bool is_mapped = mapping && str_equal(mapping->from, was);
    return str_equal(is_mapped ? mapping->to : was, is);
}

/* A token that is stuck has chosen its edge: it must still be the same one. */
static enum status check_exit_of(struct migrating *migrating, const struct token *token,
                                 const struct succession *at)
{
    const struct stuck *stuck = &migrating->step->instance->stuck;
    if (stuck->execution != token->execution) return ST_OK;
    size_t edge = stuck->edge - 1;
    bool same = at->old->kind == at->now->kind; /* A fork has other ways out than a choice. */
    if (stuck->edge)
        same = same && edge < at->old->edge_count && edge < at->now->edge_count &&
               str_equal(at->old->edge[edge].name, at->now->edge[edge].name) &&
               successor_of(migrating, at->old->edge[edge].target) == at->now->edge[edge].target;
    return same ? ST_OK
                : changed(migrating, "EXIT_CHANGED", at->old,
                          "failed on its way out, and the new version has another way there");
}

static bool same_home(struct migrating *migrating, const struct succession *at)
{
    if (!at->old->home || !at->now->home) return at->old->home == at->now->home;
    return successor_of(migrating, at->old->home) == at->now->home;
}

/* A token that waits for its milestone begins when the same nodes are reached. */
static bool same_milestone(struct migrating *migrating, const struct succession *at)
{
    const struct program_milestone *old = program_milestone(migrating->from, at->old),
                                   *now = program_milestone(migrating->to, at->now);
    if (!old || !now || at->old->kind != at->now->kind) return false;
    bool same_from =
        old->from == NODE_NONE ? now->from == NODE_NONE : successor_of(migrating, old->from) == now->from;
    return same_from && (old->until == NODE_NONE ? now->until == NODE_NONE
                                                 : successor_of(migrating, old->until) == now->until);
}

static enum status check_state(struct migrating *migrating, const struct token *token,
                               const struct succession *at)
{
    switch (token->state) {
    case TOKEN_JOB:
        if (at->now->kind == NODE_TASK && same_home(migrating, at)) return ST_OK;
        return changed(migrating, "JOB_CHANGED", at->old, "has an open job, and is another kind of node now");
    case TOKEN_JOIN: return check_join(migrating, at, token->arrival);
    case TOKEN_REGION:
    case TOKEN_REMAINDER:
        if (at->now->kind == NODE_SCOPE) return ST_OK;
        return changed(migrating, "FORK_CHANGED", at->old, "has begun something inside, and it changed");
    case TOKEN_MILESTONE:
        if (same_milestone(migrating, at)) return ST_OK;
        return changed(migrating, "WAIT_CHANGED", at->old,
                       "waits for a point of the run, and the new version waits otherwise there");
    case TOKEN_LOCK:
        if (program_lock(migrating->to, at->now) && at->now->kind == at->old->kind) return ST_OK;
        return changed(migrating, "WAIT_CHANGED", at->old,
                       "waits for a lock, and needs none in the new version");
    case TOKEN_FAILED:
        TRY(check_exit_of(migrating, token, at));
        return token->arrival ? check_join(migrating, at, token->arrival) : ST_OK;
    case TOKEN_READY:
    case TOKEN_RESTING: return token->arrival ? check_join(migrating, at, token->arrival) : ST_OK;
    default:
        if (same_wait(migrating, at)) return ST_OK;
        return changed(migrating, "WAIT_CHANGED", at->old,
                       "waits, and the new version waits otherwise there");
    }
}

static enum status check_tokens(struct migrating *migrating)
{
    const struct instance *instance = migrating->step->instance;
    for (size_t i = 0; i < instance->token_count && !step_is_spent(migrating->step); i++) {
        struct succession at;
        step_spend(migrating->step, 1);
        TRY(find(migrating, instance->token[i].node_name, &at));
        TRY(check_state(migrating, &instance->token[i], &at));
        TRY(check_place(migrating, instance->token[i].scope, &at));
    }
    return ST_OK;
}

/* ---- jobs, timers, counts, mail ---- */

static enum status check_jobs(struct migrating *migrating)
{
    const struct instance *instance = migrating->step->instance;
    for (size_t i = 0; i < instance->job_count; i++) {
        const struct job *job = &instance->job[i];
        const struct token *token = instance_find_token(instance, job->execution);
        struct succession at;
        if (!token) continue;                       /* core_verify() says so. */
        if (token->state == TOKEN_PERSON) continue; /* A notice, which has nothing of its node. */
        TRY(find(migrating, token->node_name, &at));
        if (at.now->kind != NODE_TASK || job->performer != at.now->as.task.performer ||
            (!at.now->as.task.type_in_input && !str_equal(job->type, at.now->as.task.job_type)))
            return changed(migrating, "JOB_CHANGED", at.old,
                           "has an open job, and the new version does it by another type of job");
        if (job->used_count && job->used_count != at.now->as.task.retry_count)
            return changed(migrating, "JOB_CHANGED", at.old,
                           "is being retried, and the new version has other rules for that");
    }
    return ST_OK;
}

static bool same_timer(struct migrating *migrating, const struct succession *at, uint32_t index)
{
    if (index >= at->old->timer_count || index >= at->now->timer_count) return false;
    const struct program_timer *old = &at->old->timer[index], *now = &at->now->timer[index];
    if (old->does != now->does || old->interrupting != now->interrupting ||
        old->per_attempt != now->per_attempt || old->event_case != now->event_case || old->edge != now->edge)
        return false;
    if (old->target == NODE_NONE || now->target == NODE_NONE) return old->target == now->target;
    /* A node's only timer may lead elsewhere in the new version. The target tells several timers
     * apart. */
    bool is_only = at->old->timer_count == 1 && at->now->timer_count == 1;
    return is_only || successor_of(migrating, old->target) == now->target;
}

static enum status check_timers(struct migrating *migrating)
{
    const struct instance *instance = migrating->step->instance;
    for (size_t i = 0; i < instance->timer_count; i++) {
        const struct timer *timer = &instance->timer[i];
        const struct token *token = instance_find_token(instance, timer->execution);
        struct succession at;
        if (!token || timer->index == TIMER_YIELD) continue;
        TRY(find(migrating, token->node_name, &at));
        if (!same_timer(migrating, &at, timer->index))
            return changed(migrating, "TIMER_CHANGED", at.old,
                           "has a timer that runs, and the new version has another one there");
    }
    return ST_OK;
}

/* Visits to a node that is gone count no more. */
static void rename_or_forget(struct migrating *migrating, str name)
{
    uint32_t old = program_find(migrating->from, name);
    uint32_t now = old == NODE_NONE ? NODE_NONE : successor_of(migrating, old);
    if (old != NODE_NONE) note_rename(migrating, old, now == NODE_NONE ? NULL : &migrating->to->node[now]);
}

static enum status check_counts(struct migrating *migrating)
{
    const struct instance *instance = migrating->step->instance;
    for (size_t i = 0; i < instance->owed_count; i++) {
        struct succession at;
        TRY(find(migrating, instance->owed[i].node_name, &at));
        TRY(check_join(migrating, &at, instance->owed[i].arrival));
    }
    for (size_t i = 0; i < instance->visited_count; i++)
        rename_or_forget(migrating, instance->visited[i].node_name);
    for (size_t i = 0; i < instance->reached_count; i++)
        rename_or_forget(migrating, instance->reached[i].node_name);
    return ST_OK;
}

static enum status check_kept(struct migrating *migrating)
{
    const struct instance *instance = migrating->step->instance;
    struct succession at;
    for (size_t i = 0; i < instance->undo_item_count; i++) {
        TRY(find(migrating, instance->undo_item[i].node_name, &at));
        if (!program_is_undoable(at.now))
            return changed(migrating, "UNDO_CHANGED", at.old,
                           "was done and can be undone, and nothing undoes it in the new version");
    }
    for (size_t i = 0; i < instance->mail_count; i++) {
        str arrival = instance->mail[i].arrival;
        if (arrival.n && program_find_arrival(migrating->to, arrival) == ARRIVAL_NONE)
            return fail_code(migrating->rejection, ST_CONFLICT, "WAIT_CHANGED",
                             "\"%.*s\" came early and is kept, and the new version does not take it",
                             STR_ARG(arrival));
        if (!instance->mail[i].node.n) continue;
        TRY(find(migrating, instance->mail[i].node, &at));
        if (at.now->kind != NODE_WAIT || at.now->as.wait.what != WAIT_FOR_SIGNAL)
            return changed(migrating, "WAIT_CHANGED", at.old,
                           "has a signal that came early, and does not wait for one in the new version");
    }
    return ST_OK;
}

/* ---- the whole ---- */

/* Rules by which the stored data would mean something else. */
static enum status check_programs(const struct migrating *migrating)
{
    const struct program *from = migrating->from, *to = migrating->to;
    const struct program_rules *a = from->rules, *b = to->rules;
    const char *why = NULL;
    if (!str_equal(from->dialect, to->dialect)) why = "is written in another format";
    else if (!str_equal(from->id, to->id)) why = "is another definition";
    else if (a->moves || b->moves)
        why = "is a workflow of entities, which go on with the latest one by themselves";
    else if (from->data_shape != to->data_shape || from->named_errors != to->named_errors)
        why = "keeps its data in another way";
    else if (a->is_ephemeral != b->is_ephemeral) why = "keeps its instances in another place";
    else if (a->is_atomic != b->is_atomic || a->lists_state != b->lists_state ||
             a->counts_states != b->counts_states)
        why = "has other rules for its instances";
    if (!why) return ST_OK;
    return fail_code(migrating->rejection, ST_CONFLICT, "VERSIONS_DIFFER", "the new version %s", why);
}

static enum status reject_migrate(const struct step *step, struct error *rejection)
{
    const struct command_migrate *asked = &step->command->as.migrate;
    const struct instance *instance = step->instance;
    if (instance->status != INSTANCE_FAILED) TRY(instance_reject_ended(instance, rejection));
    if (instance->undo.error)
        return fail_code(rejection, ST_CONFLICT, "UNDONE",
                         "what the instance did is undone: it cannot go on with another version");
    if (asked->definition == instance->definition)
        return fail(rejection, ST_CONFLICT, "", "the instance is of this version already");
    if (asked->if_revision && asked->if_revision != instance->revision)
        return fail_code(rejection, ST_CONFLICT, "MOVED_ON",
                         "the instance has moved on: its revision is %u, not %u", instance->revision,
                         asked->if_revision);
    if (asked->mapping_count > NODE_MAPPINGS_MAX)
        return fail(rejection, ST_LIMIT, "map", "at most %d nodes can be mapped (NODE_MAPPINGS_MAX)",
                    NODE_MAPPINGS_MAX);
    return ST_OK;
}

static enum status check_all(struct migrating *migrating)
{
    TRY(check_programs(migrating));
    TRY(check_scopes(migrating));
    TRY(check_tokens(migrating));
    TRY(check_jobs(migrating));
    TRY(check_timers(migrating));
    TRY(check_counts(migrating));
    TRY(check_kept(migrating));
    if (!step_is_spent(migrating->step)) return ST_OK;
    return fail(migrating->rejection, ST_LIMIT, "",
                "the migration costs more than one command may (command_fuel_max)");
}

enum status on_migrate(struct step *step, struct error *rejection)
{
    const struct command_migrate *asked = &step->command->as.migrate;
    TRY(reject_migrate(step, rejection));
    size_t count = asked->from->node_count;
    struct migrating migrating = { .step = step,
                                   .from = asked->from,
                                   .to = step->program,
                                   .rejection = rejection,
                                   .successor = arena_make_n(step->arena, uint32_t, count),
                                   .is_told = arena_make_n(step->arena, bool, count) };
    for (size_t i = 0; i < count; i++) migrating.successor[i] = NOT_LOOKED_UP;
    json_builder_init(&migrating.renamed, step->arena);
    json_open_object(&migrating.renamed);
    TRY(check_all(&migrating));
    json_close(&migrating.renamed);
    note(step, &(struct entry){ .kind = ENTRY_KIND_MIGRATE,
                                .moved_to = (uint64_t)asked->definition,
                                .reason = reason_cut(asked->reason),
                                .renamed = migrating.renamed_count ? json_built(&migrating.renamed) : NULL });
    step->rests = !asked->retries || step->instance->status != INSTANCE_FAILED;
    if (step->rests) return ST_OK;
    return on_retry_failed(step, STR_NONE, NULL, rejection);
}

enum status on_migrate_verify(const struct step *step, struct error *rejection)
{
    struct error broken;
    if (core_verify(step->program, step->instance, &broken) == ST_OK) return ST_OK;
    return fail_code(rejection, ST_CONFLICT, "VERSIONS_DIFFER", "the new version cannot go on from there: %s",
                     broken.message);
}
