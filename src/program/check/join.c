/* program/check/join.c — forks and joins that fit each other.
 *
 * A fork opens a scope with a token for each branch, and its join waits for all of them.
 * So every branch must be able to arrive there; it must not arrive at a join that waits
 * for other tokens; and nothing that is in no scope may arrive at a join at all. A branch
 * passes another fork in one stride, to what follows that fork's join, and forks must not
 * lie in each other's branches. Each branch is walked three times over: along its edges,
 * which is what it usually does; then from the timers of what it passed, which may as well
 * lead to an END (an escalation) without anybody having made a mistake; and then along its
 * side branches, which the join does not miss.
 */
#include "program/check/check_int.h"

#include "base/must.h"

enum way { BY_EDGE, BY_TIMER, BY_SIDE_BRANCH };

struct branch {
    uint32_t fork;
    uint32_t join;
    bool joins;      /* Arrives at its join. */
    bool ends;       /* Arrives at an END. */
    bool misled;     /* An error was reported: another would only repeat it. */
    bool bypass;     /* A way around the join was reported. */
    uint32_t *outer; /* For each fork: a fork in whose branches it lies, or NODE_NONE. */
};

static const struct program_node *node_at(const struct check *check, uint32_t index)
{
    return &check->program->node[index];
}

static void report_foreign_join(struct check *check, const struct walk *walk, struct branch *branch,
                                uint32_t at)
{
    branch->misled = true;
    problem_error(check->problems, PROBLEM_JOIN_MISMATCH, node_at(check, at)->pointer,
                  "a branch must arrive at the join of its own fork first",
                  "%s: a branch of %s arrives here, but joins at %s: %s", check_label(check, at),
                  problem_quote(check->arena, node_at(check, branch->fork)->name),
                  problem_quote(check->arena, node_at(check, branch->join)->name),
                  walk_path(walk, check, at));
}

static void report_nested(struct check *check, const struct walk *walk, struct branch *branch, uint32_t at)
{
    branch->misled = true;
    problem_error(
        check->problems, PROBLEM_NESTED_FORK, node_at(check, at)->pointer,
        "a fork inside a branch needs a join of its own, which that branch passes before it goes on",
        "%s: it cannot be nested in a branch of %s: %s", check_label(check, at),
        problem_quote(check->arena, node_at(check, branch->fork)->name), walk_path(walk, check, at));
}

static void report_return(struct check *check, const struct walk *walk, struct branch *branch, uint32_t from)
{
    branch->misled = true;
    const struct program_node *fork = node_at(check, branch->fork);
    problem_error(check->problems, PROBLEM_NESTED_FORK, fork->pointer, "pass the join before going back",
                  "%s: a branch leads back to it without passing %s: %s → %.*s",
                  check_label(check, branch->fork),
                  problem_quote(check->arena, node_at(check, branch->join)->name),
                  walk_path(walk, check, from), STR_ARG(fork->name));
}

/* A branch comes to another fork: that must have another join, and must not lie around this one. */
static void enter_nested(struct check *check, const struct walk *walk, struct branch *branch, uint32_t at)
{
    bool around = node_at(check, at)->as.fork.join == branch->join;
    size_t left = check->program->node_count; /* A circle is reported when it is closed. */
    for (uint32_t fork = branch->fork; fork != NODE_NONE && !around && left-- > 0; fork = branch->outer[fork])
        around = fork == at;
    if (around) report_nested(check, walk, branch, at);
    else if (branch->outer[at] == NODE_NONE) branch->outer[at] = branch->fork;
}

/* Ends the instance, and not only the token that arrives. */
static bool ends_all(const struct program_node *node)
{
    return node->kind == NODE_END && !node->as.end.branch;
}

static void report_bypass(struct check *check, const struct walk *walk, struct branch *branch, uint32_t at)
{
    branch->bypass = true;
    problem_warning(check->problems, PROBLEM_JOIN_BYPASSED, node_at(check, branch->fork)->pointer,
                    ends_all(node_at(check, at))
                        ? "an END completes the instance at once, whatever the other branches are doing"
                        : "on that way the join waits for a branch that never arrives",
                    "%s: a branch can go round its join %s: %s", check_label(check, branch->fork),
                    problem_quote(check->arena, node_at(check, branch->join)->name),
                    walk_path(walk, check, at));
}

/* Decides about a branch that arrives at this node. */
static void arrive(struct check *check, const struct walk *walk, struct branch *branch, const bool *beyond,
                   uint32_t at, enum way way)
{
    enum node_kind kind = node_at(check, at)->kind;
    if (at == branch->join) {
        branch->joins = true;
    } else if (program_closes_scope(node_at(check, at))) {
        report_foreign_join(check, walk, branch, at);
    } else if (program_opens_scope(node_at(check, at))) {
        enter_nested(check, walk, branch, at);
    } else {
        if (ends_all(node_at(check, at))) branch->ends = true;
        bool astray = kind == NODE_END ? way == BY_EDGE || (way == BY_TIMER && !ends_all(node_at(check, at)))
                                       : way == BY_EDGE && beyond[at];
        if (astray && !branch->bypass) report_bypass(check, walk, branch, at);
    }
}

static void step_to(struct check *check, struct walk *walk, struct branch *branch, const bool *beyond,
                    uint32_t from, uint32_t to, enum way way)
{
    if (to == NODE_NONE) return;
    /* The fork is where the walk began, so it counts as seen; coming back is news. */
    if (to == branch->fork) {
        if (!branch->misled) report_return(check, walk, branch, from);
    } else if (walk_add(walk, to, from)) {
        arrive(check, walk, branch, beyond, to, way);
    }
}

/* A branch's walk ends at joins. */
static bool walked_on(const struct check *check, const struct branch *branch, uint32_t at)
{
    const struct program_node *node = node_at(check, at);
    if (program_opens_scope(node)) return node->as.fork.join != branch->join;
    return at != branch->join && !program_closes_scope(node);
}

/* The node whose ways out lead on from there: forks are passed in one stride. */
static const struct program_node *node_passed(const struct check *check, uint32_t at)
{
    const struct program_node *node = node_at(check, at);
    return program_opens_scope(node) ? node_at(check, node->as.fork.join) : node;
}

/* Goes on from everything seen so far. False when it became too much work. */
static bool walk_on(struct check *check, struct walk *walk, struct branch *branch, const bool *beyond,
                    enum way way)
{
    for (size_t i = 1; i < walk->count; i++) {
        const struct program_node *node = node_passed(check, walk->queue[i]);
        if (!walked_on(check, branch, walk->queue[i])) continue;
        size_t count = way == BY_EDGE ? node->edge_count : check_exit_count(node);
        if (!check_work(check, count + 1)) return false;
        for (size_t k = 0; k < count; k++)
            step_to(check, walk, branch, beyond, walk->queue[i],
                    way == BY_SIDE_BRANCH ? check_exit(node, k) : check_main_exit(node, k), way);
    }
    return true;
}

/* False when it became too much work. */
static bool walk_branch(struct check *check, struct walk *walk, struct branch *branch, const bool *beyond,
                        uint32_t head)
{
    walk_restart(walk);
    walk_add(walk, branch->fork, branch->fork);
    step_to(check, walk, branch, beyond, branch->fork, head, BY_EDGE);
    return walk_on(check, walk, branch, beyond, BY_EDGE) && walk_on(check, walk, branch, beyond, BY_TIMER) &&
           walk_on(check, walk, branch, beyond, BY_SIDE_BRANCH);
}

/* Where the branch gets stuck: a node that nothing follows, or the last one of a loop. */
static uint32_t stuck_at(const struct check *check, const struct walk *walk)
{
    for (size_t i = 1; i < walk->count; i++)
        if (!check_exit_count(node_at(check, walk->queue[i]))) return walk->queue[i];
    return walk->queue[walk->count - 1];
}

/* Does it come to an END, and is that one of its own alone? */
static bool ends_its_branch(const struct check *check, const struct walk *walk)
{
    return node_at(check, stuck_at(check, walk))->kind == NODE_END;
}

/* The nodes behind the join: what can be entered from it without going through the fork
 * again. The heads of the branches are not beyond, even if a later node jumps there. False
 * when it became too much work. */
static bool mark_beyond(struct check *check, struct walk *walk, const struct branch *branch, bool *beyond)
{
    memset(beyond, 0, check->program->node_count * sizeof *beyond);
    walk_restart(walk);
    walk_add(walk, branch->join, branch->join);
    for (size_t i = 0; i < walk->count; i++) {
        const struct program_node *node = node_at(check, walk->queue[i]);
        if (!check_work(check, check_exit_count(node) + 1)) return false;
        for (size_t k = 0; k < check_exit_count(node); k++)
            if (check_exit(node, k) != branch->fork) walk_add(walk, check_exit(node, k), walk->queue[i]);
        if (i) beyond[walk->queue[i]] = true;
    }
    const struct program_node *fork = node_at(check, branch->fork);
    for (size_t i = 0; i < fork->edge_count; i++) beyond[fork->edge[i].target] = false;
    return true;
}

/* True if some branch arrives at the join, or if that cannot be told. */
static bool check_fork(struct check *check, struct walk *walk, bool *beyond, uint32_t *outer, uint32_t fork)
{
    const struct program_node *node = node_at(check, fork);
    must(node->as.fork.join < check->program->node_count);
    must(node_at(check, node->as.fork.join)->kind == NODE_JOIN);
    struct branch of_fork = { .fork = fork, .join = node->as.fork.join, .outer = outer };
    if (!check_work(check, check->program->node_count)) return true;
    if (!mark_beyond(check, walk, &of_fork, beyond)) return true;

    bool joins = false;
    for (size_t i = 0; i < node->edge_count; i++) {
        struct branch branch = of_fork;
        if (!walk_branch(check, walk, &branch, beyond, node->edge[i].target)) return true;
        joins |= branch.joins;
        if (branch.joins || branch.ends || branch.misled) continue;
        problem_error(check->problems, PROBLEM_JOIN_UNSATISFIABLE, node->pointer,
                      "every branch must be able to reach the join",
                      "%s: a branch reaches neither its join %s nor an END%s: %s", check_label(check, fork),
                      problem_quote(check->arena, node_at(check, branch.join)->name),
                      ends_its_branch(check, walk) ? " of the instance" : "",
                      walk_path(walk, check, stuck_at(check, walk)));
    }
    return joins;
}

/* Joins that a token in no scope can arrive at. A fork is passed in one stride, to what
 * follows its join: its branches have been looked at. */
static void check_strays(struct check *check, struct walk *walk, const bool *fed)
{
    const struct program *program = check->program;
    walk_restart(walk);
    walk_add(walk, program->start, program->start);
    for (size_t i = 0; i < walk->count; i++) {
        uint32_t at = walk->queue[i];
        const struct program_node *node = &program->node[at];
        if (program_closes_scope(node)) {
            if (fed[at])
                problem_error(check->problems, PROBLEM_JOIN_MISMATCH, node->pointer,
                              "only the branches of its fork may lead to a join",
                              "%s: it can be reached without passing its fork: %s", check_label(check, at),
                              walk_path(walk, check, at));
            continue;
        }
        const struct program_node *from =
            program_opens_scope(node) ? &program->node[node->as.fork.join] : node;
        for (size_t k = 0; k < check_exit_count(from); k++) walk_add(walk, check_exit(from, k), at);
    }
}

void check_joins(struct check *check)
{
    const struct program *program = check->program;
    struct walk walk;
    walk_init(&walk, check);
    bool *fed = arena_make_n(check->arena, bool, program->node_count);
    bool *beyond = arena_make_n(check->arena, bool, program->node_count);
    uint32_t *outer = arena_alloc(check->arena, program->node_count * sizeof *outer);
    memset(outer, 0xff, program->node_count * sizeof *outer);

    for (uint32_t i = 0; i < program->node_count; i++)
        if (program_opens_scope(&program->node[i]) && check_fork(check, &walk, beyond, outer, i))
            fed[program->node[i].as.fork.join] = true;

    for (uint32_t i = 0; i < program->node_count; i++)
        if (program_closes_scope(&program->node[i]) && !fed[i])
            problem_error(check->problems, PROBLEM_JOIN_ORPHAN, program->node[i].pointer,
                          "name it as the join of a fork, and lead that fork's branches to it",
                          "%s: no fork's branches lead to this join", check_label(check, i));
    check_strays(check, &walk, fed);
    if (!check->work_left)
        problem_warning(check->problems, PROBLEM_TOO_LARGE, STR(""), NULL,
                        "the graph is too large to look at all of its forks and joins");
}
