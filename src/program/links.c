/* program/links.c — definitions that start each other.
 *
 * A program starts others by its tasks (children) and, when an instance ends, by chaining. A walk along edges
 * from the start, through nodes at which no token rests, finds the definitions that it can start *at once*,
 * before anything waits. Definitions that start each other at once in a circle make instances until a limit
 * stops them. Joins and scopes end the walk: whether they wait depends on what is in them, and a warning
 * should not guess.
 */
#include "program/check/check_int.h"

#include <stdlib.h>

/* A definition that only data names is not known here. */
static bool starts_child(const struct program_node *node)
{
    return node->kind == NODE_TASK && performer_starts(node->as.task.performer) && node->as.task.job_type.n;
}

static bool passes_at_once(const struct program_node *node)
{
    return !program_kind_waits(node->kind) || (node->kind == NODE_TASK && node->as.task.detached);
}

/* ---- the links of one program ---- */

static void walk_at_once(struct walk *walk, const struct check *check)
{
    const struct program *program = check->program;
    walk_init(walk, check);
    walk_add(walk, program->start, program->start);
    for (size_t i = 0; i < walk->count; i++) {
        const struct program_node *node = &program->node[walk->queue[i]];
        for (size_t k = 0; node->kind == NODE_SCOPE && k < node->as.scope.region_count; k++)
            walk_add(walk, node->as.scope.region[k].start, walk->queue[i]);
        for (size_t k = 0; passes_at_once(node) && k < node->edge_count; k++)
            walk_add(walk, node->edge[k].target, walk->queue[i]);
    }
}

static int compare_links(const void *a, const void *b)
{
    const struct program_link *one = a, *two = b;
    int order = str_compare(one->definition, two->definition);
    if (order) return order;
    if (one->version != two->version) return one->version < two->version ? -1 : 1;
    if (one->at_once != two->at_once) return one->at_once ? -1 : 1;
    return one->node < two->node ? -1 : one->node > two->node;
}

static bool chains(const struct program *program, const struct program_node *node)
{
    if (node->kind != NODE_END) return false;
    return node->as.end.next ? node->as.end.next->definition.n > 0
                             : node->as.end.chain && program->next_definition.n;
}

static struct program_link link_at(const struct check *check, const struct walk *walk, uint32_t index)
{
    const struct program_node *node = &check->program->node[index];
    const struct program_next *next = node->kind == NODE_END ? node->as.end.next : NULL;
    bool at_once = walk_seen(walk, index);
    return (struct program_link){ .definition = starts_child(node) ? node->as.task.job_type
                                                : next             ? next->definition
                                                                   : check->program->next_definition,
                                  .version = starts_child(node) ? node->as.task.definition_version
                                             : next             ? next->version
                                                                : 0,
                                  .node = index,
                                  .at_once = at_once,
                                  .way = at_once ? walk_path(walk, check, index) : "" };
}

static bool is_same(const struct program_link *a, const struct program_link *b)
{
    return a->version == b->version && str_equal(a->definition, b->definition);
}

bool program_version_of(const struct json *value, int32_t *ret_version)
{
    int64_t number = 0;
    *ret_version = 0;
    if (!value || json_is(value, JSON_NULL)) return true;
    if (json_is(value, JSON_STRING)) return str_equal(json_string(value), STR("latest"));
    if (!json_is(value, JSON_NUMBER) || !json_int64(value, &number) || number < 1 || number > INT32_MAX)
        return false;
    *ret_version = (int32_t)number;
    return true;
}

size_t program_links(const struct program *program, struct arena *arena, struct program_link **ret_link)
{
    const struct check check = { .program = program, .arena = arena };
    struct program_link *link = arena_make_n(arena, struct program_link, program->node_count);
    struct walk walk;
    size_t count = 0, kept = 0;
    bool any = program->next_definition.n > 0;
    for (uint32_t i = 0; !any && i < program->node_count; i++)
        any = starts_child(&program->node[i]) || chains(program, &program->node[i]);
    *ret_link = link;
    if (!any) return 0;
    walk_at_once(&walk, &check);
    for (uint32_t i = 0; i < program->node_count; i++)
        if (starts_child(&program->node[i]) || chains(program, &program->node[i]))
            link[count++] = link_at(&check, &walk, i);
    qsort(link, count, sizeof *link, compare_links);
    for (size_t i = 0; i < count; i++)
        if (!kept || !is_same(&link[kept - 1], &link[i])) link[kept++] = link[i];
    return kept;
}

static str place_of(const struct program *program, const struct program_link *link)
{
    const struct program_node *node = &program->node[link->node];
    return node->kind == NODE_END && !node->as.end.next ? STR("/nextWorkflowId") : node->pointer;
}

/* ---- circles ---- */

static const char circle_hint[] =
    "each instance starts the next at once, until a limit stops them: let something wait on the way";

void links_check_self(struct check *check)
{
    struct program_link *link;
    size_t count = program_links(check->program, check->arena, &link);
    for (size_t i = 0; i < count; i++) {
        if (!link[i].at_once || !str_equal(link[i].definition, check->program->id)) continue;
        problem_warning(check->problems, PROBLEM_STARTS_ITSELF, place_of(check->program, &link[i]),
                        circle_hint, "%s: the definition starts itself before anything waits: %s",
                        check_label(check, link[i].node), link[i].way);
    }
}

void program_check_self(const struct program *program, struct problems *problems)
{
    struct check check = { .program = program, .problems = problems, .arena = problems->arena };
    links_check_self(&check);
}

struct family_member {
    const struct program *program;
    struct problems *problems;
    const struct program_link *link;
    size_t count;
    uint32_t number; /* Where the caller has it. */
};

struct family {
    struct family_member *member; /* By id. */
    size_t count;
};

static int compare_members(const void *a, const void *b)
{
    const struct family_member *one = a, *two = b;
    int order = str_compare(one->program->id, two->program->id);
    if (order) return order;
    return one->number < two->number ? -1 : one->number > two->number;
}

/* Any one of that id, or NODE_NONE. */
static uint32_t find_member(const struct family *family, str id)
{
    size_t low = 0, high = family->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_compare(family->member[middle].program->id, id) < 0) low = middle + 1;
        else high = middle;
    }
    return low < family->count && str_equal(family->member[low].program->id, id) ? (uint32_t)low : NODE_NONE;
}

/* "a → b → a" if the member leads back to itself over others, or NULL. */
static const char *find_circle(const struct family *family, uint32_t first, uint32_t *parent, uint32_t *queue,
                               struct arena *arena)
{
    size_t count = 0;
    memset(parent, 0xff, family->count * sizeof *parent);
    queue[count++] = first;
    parent[first] = first;
    for (size_t i = 0; i < count; i++) {
        const struct family_member *member = &family->member[queue[i]];
        for (size_t k = 0; k < member->count; k++) {
            uint32_t to =
                member->link[k].at_once ? find_member(family, member->link[k].definition) : NODE_NONE;
            if (to == NODE_NONE) continue;
            if (to == first && queue[i] != first) {
                str way = family->member[first].program->id;
                for (uint32_t at = queue[i]; at != first; at = parent[at])
                    way = arena_printf(arena, "%.*s → %.*s", STR_ARG(family->member[at].program->id),
                                       STR_ARG(way));
                return arena_printf(arena, "%.*s → %.*s", STR_ARG(family->member[first].program->id),
                                    STR_ARG(way))
                    .p;
            }
            if (parent[to] != NODE_NONE) continue;
            parent[to] = queue[i];
            queue[count++] = to;
        }
    }
    return NULL;
}

void program_unknown_link(const struct program *program, const struct program_link *link, const char *where,
                          struct problems *problems)
{
    const struct check check = { .program = program, .problems = problems, .arena = problems->arena };
    problem_warning(problems, PROBLEM_UNKNOWN_DEFINITION, place_of(program, link),
                    program->node[link->node].kind == NODE_END ? "its start waits until there is one"
                                                               : "until there is one, entering this fails",
                    "%s: it starts %s, and no definition %s has that id", check_label(&check, link->node),
                    problem_quote(problems->arena, link->definition), where);
}

void program_unknown_version(const struct program *program, const struct program_link *link,
                             struct problems *problems)
{
    const struct check check = { .program = program, .problems = problems, .arena = problems->arena };
    problem_error(problems, PROBLEM_UNKNOWN_VERSION, place_of(program, link),
                  "pin a version that was published, or start the latest",
                  "%s: it starts version %d of %s, which has no such version",
                  check_label(&check, link->node), link->version,
                  problem_quote(problems->arena, link->definition));
}

static void warn_of_circle(const struct family *family, uint32_t index, uint32_t *parent, uint32_t *queue)
{
    struct problems *problems = family->member[index].problems;
    const char *circle = find_circle(family, index, parent, queue, problems->arena);
    if (circle)
        problem_warning(problems, PROBLEM_STARTS_ITSELF, STR(""), circle_hint,
                        "definitions start each other in a circle before anything waits: %s", circle);
}

static void check_member(const struct family *family, uint32_t index, uint32_t *parent, uint32_t *queue)
{
    const struct family_member *member = &family->member[index];
    for (size_t i = 0; i < member->count; i++)
        if (find_member(family, member->link[i].definition) == NODE_NONE &&
            (!i || !str_equal(member->link[i - 1].definition, member->link[i].definition)))
            program_unknown_link(member->program, &member->link[i], "that was given", member->problems);
    warn_of_circle(family, index, parent, queue);
}

/* In the order of their ids. */
static struct family family_of(const struct program *const *program, struct problems *const *problems,
                               size_t count, struct arena *arena)
{
    struct family family = { .member = arena_make_n(arena, struct family_member, count) };
    for (uint32_t i = 0; i < count; i++) {
        if (!program[i]) continue;
        struct program_link *link;
        size_t links = program_links(program[i], arena, &link);
        family.member[family.count++] = (struct family_member){
            .program = program[i], .problems = problems[i], .link = link, .count = links, .number = i
        };
    }
    if (family.count) qsort(family.member, family.count, sizeof *family.member, compare_members);
    return family;
}

void program_check_circle(const struct program *const *program, size_t count, struct problems *problems,
                          struct arena *arena)
{
    struct problems **told = arena_make_n(arena, struct problems *, count);
    for (size_t i = 0; i < count; i++) told[i] = problems;
    struct family family = family_of(program, told, count, arena);
    uint32_t *parent = arena_make_n(arena, uint32_t, count);
    uint32_t *queue = arena_make_n(arena, uint32_t, count);
    for (uint32_t i = 0; i < family.count; i++)
        if (!family.member[i].number) warn_of_circle(&family, i, parent, queue);
}

void program_check_family(const struct program *const *program, struct problems *const *problems,
                          size_t count, struct arena *arena)
{
    struct family family = family_of(program, problems, count, arena);
    if (!family.count) return;
    uint32_t *parent = arena_make_n(arena, uint32_t, family.count);
    uint32_t *queue = arena_make_n(arena, uint32_t, family.count);
    for (uint32_t i = 0; i < family.count; i++) check_member(&family, i, parent, queue);
}
