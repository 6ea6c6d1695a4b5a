/* scenario/hints.c — values worth trying, read off a program's conditions.
 *
 * `creditScore < 650` makes 649, 650 and 651 interesting, wherever in a condition it stands.
 * `tier == 'GOLD'` makes the text interesting and, if no other text is compared with, one that differs. A
 * bare `approved` makes both truth values interesting. Paths (`$.order.total gt 100`) count if they have
 * plain names only. Conditions of other forms give no hints.
 */
#include "scenario/scenario_int.h"

#include "base/ascii.h"
#include "base/list.h"

struct hint_list {
    struct arena *arena;
    struct hint *first, *last;
};

const struct hint *hints_find(const struct hint *hints, str path)
{
    for (; hints; hints = hints->next)
        if (str_equal(hints->path, path)) return hints;
    return NULL;
}

static void add_value(struct hint_list *gathering, str path, const struct json *value)
{
    struct hint *hint = gathering->first;
    while (hint && !str_equal(hint->path, path)) hint = hint->next;
    if (!hint) {
        hint = arena_make(gathering->arena, struct hint);
        hint->path = arena_str(gathering->arena, path);
        list_append(gathering, hint, next);
    }
    for (size_t i = 0; i < hint->count; i++)
        if (json_equal(hint->value[i], value)) return;
    if (hint->count < COUNT(hint->value)) hint->value[hint->count++] = value;
}

static void add_test(struct hint_list *gathering, const struct expr_test *test)
{
    const struct json *near;
    add_value(gathering, test->path, test->literal);
    if (json_is(test->literal, JSON_BOOL))
        add_value(gathering, test->path, json_of_bool(!json_bool(test->literal)));
    if (!json_is(test->literal, JSON_NUMBER)) return;
    const struct json *one = json_of_int(gathering->arena, 1);
    if (json_calculate(JSON_MINUS, test->literal, one, gathering->arena, &near, NULL) == ST_OK)
        add_value(gathering, test->path, near);
    if (json_calculate(JSON_PLUS, test->literal, one, gathering->arena, &near, NULL) == ST_OK)
        add_value(gathering, test->path, near);
}

static bool is_name(str text)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool letter = ascii_is_letter(c) || c == '_';
        bool later = ascii_is_digit(c) || c == '.';
        if (!letter && !(i && later)) return false;
    }
    return text.n > 0 && !str_equal(text, STR("true")) && !str_equal(text, STR("false")) &&
           !str_equal(text, STR("nil"));
}

/* ---- paths ---- */

static size_t skip_blanks(str text, size_t at)
{
    while (at < text.n && text.p[at] == ' ') at++;
    return at;
}

/* The literal behind a comparison, as JSON or in single quotes; NULL if it is none. */
static const struct json *literal_at(str text, size_t at, struct arena *arena)
{
    const struct json *value = NULL;
    size_t rest;
    str behind = str_slice(text, at, text.n);
    if (!str_starts(behind, STR("'"))) {
        const struct json_limits limits = { .rest = &rest };
        if (json_parse(behind, &limits, arena, &value, NULL) != ST_OK) return NULL;
        return json_is(value, JSON_OBJECT) || json_is(value, JSON_ARRAY) ? NULL : value;
    }
    size_t end = str_find(behind, STR("'"), 1);
    return end == SIZE_MAX ? NULL : json_of_string(arena, str_slice(behind, 1, end));
}

/* Finds the literals behind paths: blanks, a word or sign, blanks, a literal. For a program that looks at all
 * nodes of a path, the text says nodes("$.a", data). */
static void gather_paths(struct hint_list *gathering, str text)
{
    static const str nodes = STR_INIT("\", data)");
    for (size_t at = 0; (at = str_find(text, STR("$."), at)) != SIZE_MAX;) {
        size_t end = at + 2;
        while (end < text.n && is_name(str_slice(text, at + 2, end + 1))) end++;
        str path = str_slice(text, at + 2, end);
        at += 2;
        if (str_starts(str_slice(text, end, text.n), nodes)) end += nodes.n;
        size_t sign = skip_blanks(text, end);
        size_t behind = str_find(text, STR(" "), sign);
        if (!path.n || behind == SIZE_MAX || str_starts(path, STR("exception"))) continue;
        const struct json *literal = literal_at(text, skip_blanks(text, behind), gathering->arena);
        if (literal) add_test(gathering, &(struct expr_test){ .path = path, .literal = literal });
    }
}

static void gather(struct hint_list *gathering, const struct expr *expr)
{
    struct expr_test test[HINT_TESTS_MAX];
    if (!expr) return;
    gather_paths(gathering, expr_text(expr));
    size_t count = expr_comparisons(expr, gathering->arena, test, COUNT(test));
    if (count) {
        for (size_t i = 0; i < count && i < COUNT(test); i++) add_test(gathering, &test[i]);
        return;
    }
    str text = str_trim(expr_text(expr));
    if (str_starts(text, STR("!"))) text = str_trim(str_slice(text, 1, text.n));
    if (str_starts(text, STR("#"))) text = str_slice(text, 1, text.n);
    if (!is_name(text)) return;
    add_value(gathering, text, json_of_bool(true));
    add_value(gathering, text, json_of_bool(false));
}

static void gather_node(struct hint_list *gathering, const struct program_node *node)
{
    for (size_t i = 0; i < node->edge_count; i++) gather(gathering, node->edge[i].when);
    for (size_t i = 0; node->kind == NODE_SET && i < node->as.set.count; i++)
        gather(gathering, node->as.set.value[i].expr);
    if (node->kind != NODE_TABLE) return;
    for (size_t r = 0; r < node->as.table.rule_count; r++)
        for (size_t c = 0; c < node->as.table.rule[r].cell_count; c++)
            gather(gathering, node->as.table.rule[r].cell[c].test);
}

/* Adds another text where a variable is compared with one text only. */
static struct hint *complete(struct hint_list *gathering)
{
    for (struct hint *hint = gathering->first; hint; hint = hint->next)
        if (hint->count == 1 && json_is(hint->value[0], JSON_STRING))
            hint->value[hint->count++] = json_of_string(gathering->arena, STR("other"));
    return gathering->first;
}

struct hint *hints_of_program(const struct program *program, struct arena *arena)
{
    struct hint_list gathering = { .arena = arena };
    for (size_t i = 0; i < program->node_count; i++) gather_node(&gathering, &program->node[i]);
    return complete(&gathering);
}

struct hint *hints_after(const struct program *program, uint32_t node, struct arena *arena)
{
    struct hint_list gathering = { .arena = arena };
    if (node >= program->node_count) return NULL;
    uint32_t *queue = arena_make_n(arena, uint32_t, program->node_count);
    bool *seen = arena_make_n(arena, bool, program->node_count);
    size_t head = 0, tail = 0;
    queue[tail++] = node;
    seen[node] = true;
    while (head < tail) {
        const struct program_node *at = &program->node[queue[head++]];
        bool waits = program_kind_waits(at->kind) && at->kind != NODE_JOIN;
        if (waits && head > 1) continue;
        gather_node(&gathering, at);
        for (size_t i = 0; i < at->edge_count; i++) {
            if (seen[at->edge[i].target]) continue;
            seen[at->edge[i].target] = true;
            queue[tail++] = at->edge[i].target;
        }
    }
    return complete(&gathering);
}

struct hint *hints_inside(const struct hint *hints, struct arena *arena)
{
    struct hint_list gathering = { .arena = arena };
    for (const struct hint *hint = hints; hint; hint = hint->next)
        for (str path = hint->path; path.n;) {
            for (size_t i = 0; i < hint->count; i++) add_value(&gathering, path, hint->value[i]);
            size_t dot = str_find(path, STR("."), 0);
            path = dot == SIZE_MAX ? STR_NONE : str_slice(path, dot + 1, path.n);
        }
    return gathering.first;
}

const struct json *hints_guess(const struct hint *hints, const struct json *data, bool anew,
                               struct choices *choices, struct arena *arena)
{
    const struct json *object = json_empty_object();
    for (; hints; hints = hints->next)
        if (anew || !path_get(data, hints->path))
            object = path_set(arena, object, hints->path,
                              hints->value[choices_below(choices, (uint32_t)hints->count)]);
    return object;
}
