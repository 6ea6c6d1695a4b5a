/* tests/unit/program/graph.h — programs written down in a few words.
 *
 *     "choose a: b?x>1 c; task b: d @60c @!60d; fork f/j: p q; table t: n; join j: n; end e"
 *
 * Kind and name, then the targets: with a condition behind "?", or a timer's when it starts
 * with "@" (and "!" if it interrupts), the seconds and the target. A fork names its join
 * behind a slash; "end e/branch" ends its branch only. The first node is the start.
 */
#ifndef TESTS_PROGRAM_GRAPH_H
#define TESTS_PROGRAM_GRAPH_H

#include "program/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

enum { GRAPH_EXITS_MAX = 32 };

static inline str graph_next(str *text, char end)
{
    size_t n = 0;
    while (n < text->n && text->p[n] != end) n++;
    str part = str_trim(str_slice(*text, 0, n));
    *text = str_slice(*text, n + 1, text->n);
    return part;
}

static inline const struct expr *graph_expr(struct program *program, str text)
{
    const struct expr *expr = NULL;
    struct error err = { 0 };
    if (expr_compile(text, program_arena(program), &expr, &err) != ST_OK)
        fail_msg("%.*s: %s", STR_ARG(text), err.message);
    return expr;
}

static inline enum node_kind graph_kind(str word)
{
    for (int i = 0; i < NODE_KIND_COUNT; i++)
        if (str_equal(word, str_of(program_kind_word((enum node_kind)i)))) return (enum node_kind)i;
    fail_msg("no such kind: %.*s", STR_ARG(word));
    return NODE_END;
}

static inline uint32_t graph_target(struct program *program, str name)
{
    uint32_t node = program_find(program, name);
    if (node == NODE_NONE) fail_msg("no such node: %.*s", STR_ARG(name));
    return node;
}

static inline void graph_timer(struct program *program, struct program_node *node, str text)
{
    struct program_timer *timer = (struct program_timer *)(uintptr_t)node->timer + node->timer_count++;
    text = str_slice(text, 1, text.n);
    timer->interrupting = text.p[0] == '!';
    text = str_slice(text, timer->interrupting, text.n);
    size_t digits = 0;
    while (text.p[digits] >= '0' && text.p[digits] <= '9') digits++;
    int64_t seconds = 0;
    assert_true(str_to_int64(str_slice(text, 0, digits), &seconds));
    timer->delay_ms = seconds * 1000;
    timer->target = graph_target(program, str_slice(text, digits, text.n));
}

static inline void graph_exits(struct program *program, struct program_node *node, str targets)
{
    struct program_edge *edge = arena_make_n(program_arena(program), struct program_edge, GRAPH_EXITS_MAX);
    node->timer = arena_make_n(program_arena(program), struct program_timer, GRAPH_EXITS_MAX);
    node->edge = edge;
    while (targets.n) {
        str item = graph_next(&targets, ' ');
        if (!item.n) continue;
        if (item.p[0] == '@') {
            graph_timer(program, node, item);
            continue;
        }
        str name = graph_next(&item, '?');
        edge[node->edge_count++] = (struct program_edge){
            .target = graph_target(program, name),
            .when = item.n ? graph_expr(program, item) : NULL,
        };
    }
}

/* A linked program with one reference. */
static inline struct program *graph(const char *description)
{
    struct program *program = program_new(0);
    struct arena *arena = program_arena(program);
    str text = arena_str(arena, str_of(description));
    str targets[64], joins[64];
    struct program_node *node = arena_make_n(arena, struct program_node, 64);
    size_t count = 0;
    while (text.n) {
        str line = graph_next(&text, ';');
        str head = graph_next(&line, ':');
        targets[count] = line;
        node[count].kind = graph_kind(graph_next(&head, ' '));
        node[count].name = graph_next(&head, '/');
        joins[count] = head;
        node[count].as.end.branch = node[count].kind == NODE_END && str_equal(head, STR("branch"));
        node[count].title = node[count].name;
        node[count].type = str_of(program_kind_word(node[count].kind));
        node[count].pointer = arena_printf(arena, "/%zu", count);
        count++;
    }
    program->id = STR("graph");
    program->title = STR("Graph");
    program->dialect = STR("test");
    program->node_word = STR("node");
    program->node = node;
    program->node_count = count;
    program_link(program);
    for (size_t i = 0; i < count; i++) {
        graph_exits(program, &node[i], targets[i]);
        if (node[i].kind == NODE_FORK) node[i].as.fork.join = graph_target(program, joins[i]);
    }
    return program;
}

#endif
