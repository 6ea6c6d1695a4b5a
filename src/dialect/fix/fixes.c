/* dialect/fix/fixes.c — gives every problem its fix: the dialect's own, else one that fits all families. */
#include "dialect/fix/fixes.h"

#include "dialect/fix/fixing.h"

/* A misspelled name: of a member it is moved, of anything else the text is replaced. */
static void use_what_was_meant(struct fixing *fixing)
{
    str pointer = fixing->problem->pointer, meant = fixing_meant(fixing), parent = fixing_parent(pointer);
    const struct json *value = json_pointer(fixing->document, pointer);
    if (!meant.n || !value) return;
    if (fixing->problem->code == PROBLEM_UNKNOWN_FIELD) {
        if (json_get(json_pointer(fixing->document, parent), meant)) return;
        fixing_label(fixing, "Call it \"%.*s\"", STR_ARG(meant));
        fixing_move(fixing, pointer, problem_pointer(fixing->arena, parent, meant));
        return;
    }
    if (json_is(value, JSON_ARRAY) && json_is(json_item(value, 0), JSON_STRING)) /* ["node", "port"] */
        pointer = arena_printf(fixing->arena, "%.*s/0", STR_ARG(pointer));
    else if (!json_is(value, JSON_STRING)) return;
    fixing_label(fixing, "Use \"%.*s\"", STR_ARG(meant));
    fixing_replace(fixing, pointer, json_of_string(fixing->arena, meant));
}

/* A field without effect can go. */
static void take_away(struct fixing *fixing)
{
    const struct problem *problem = fixing->problem;
    bool useless = problem->code == PROBLEM_UNKNOWN_FIELD || problem->code == PROBLEM_IGNORED ||
                   problem->code == PROBLEM_NOT_ALLOWED_HERE || problem->code == PROBLEM_REMOVED_FIELD;
    if (!useless || !problem->pointer.n || !json_pointer(fixing->document, problem->pointer)) return;
    fixing_label(fixing, "Remove \"%.*s\"", STR_ARG(fixing_last(problem->pointer, fixing->arena)));
    fixing_remove(fixing, problem->pointer);
}

/* "/edges/3/condition" is about the edge at "/edges/3". */
static str edge_of(const struct json *document, str pointer, struct arena *arena)
{
    static const char *const lists[] = { "/edges/", "/connections/" };
    for (size_t i = 0; i < COUNT(lists); i++) {
        str list = str_of(lists[i]);
        if (!str_starts(pointer, list)) continue;
        size_t end = str_find(pointer, STR("/"), list.n);
        int64_t number;
        if (end == SIZE_MAX) end = pointer.n;
        const struct json *edge = json_pointer(document, str_slice(pointer, 0, end));
        str id = json_text(edge, STR("id"));
        if (!id.n) id = json_text(edge, STR("edgeId"));
        if (!id.n && str_to_int64(str_slice(pointer, list.n, end), &number))
            id = arena_printf(arena, "edge_%lld", (long long)number + 1);
        return id;
    }
    return STR_NONE;
}

void dialect_add_fixes(const struct json *document, struct problems *problems)
{
    const struct dialect *dialect = dialect_of(document);
    if (!dialect) return;
    for (size_t i = 0; i < problems->count; i++) {
        struct problem *problem = &problems->problem[i];
        struct fixing fixing;
        fixing_init(&fixing, document, problem, problems->arena);
        if (dialect->fix) dialect->fix(&fixing);
        if (!fixing.operations) use_what_was_meant(&fixing);
        if (!fixing.operations) take_away(&fixing);
        problem->fix = fixing_done(&fixing);
        problem->edge = edge_of(document, problem->pointer, problems->arena);
    }
}
