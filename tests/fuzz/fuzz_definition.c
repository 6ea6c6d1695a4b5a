/* tests/fuzz/fuzz_definition.c — definitions: a document, then perhaps a NUL and choices that
 * say what is done to an instance of it. */

#include "mutate.h"

#include "base/utf8.h"
#include "dialect/fix/fixes.h"
#include "play.h"

#include "program/draw/sketch.h"
#include "source/source.h"

enum { COMMANDS = 12, DOCUMENT_BYTES_MAX = 64 << 10, PICTURE_NODES_MAX = 60 };

/* ---- problems ---- */

static void check_problem(const struct problem *problem, str text, const struct json *document)
{
    must(problem->message.n && utf8_is_valid(problem->message) && utf8_is_valid(problem->hint));
    must(problem->pointer.n == 0 || problem->pointer.p[0] == '/');
    must((problem->line == 0) == (problem->column == 0));
    must(!document || problem->line);
    uint32_t line, column;
    if (document && json_pointer(document, problem->pointer) &&
        json_locate(text, problem->pointer, &line, &column))
        must(line == problem->line && column == problem->column);
}

static void check_problems(const struct problems *problems, const struct json *document, str text,
                           struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    must(problems->count <= DEFINITION_PROBLEMS_MAX);
    must(problems->error_count + problems->warning_count >= problems->count);
    for (size_t i = 0; i < problems->count; i++) check_problem(&problems->problem[i], text, document);
    problems_print(problems, STR("file"), &out);
    must(utf8_is_valid(buf_str(&out)));
    const struct json *list = problems_json(problems, arena);
    must(json_count(list) == problems->count);
    fuzz_check_value(list, arena);
    must((dialect_refusal(problems, arena).n > 0) == (problems->error_count > 0));
}

/* ---- repairs ---- */

/* The first step of a repair knows the document as it is: it changes only what is there. */
static void check_step(const struct json *step, const struct json *document)
{
    str op = json_text(step, STR("op")), path = json_text(step, STR("path"));
    str place = str_equal(op, STR("move")) ? json_text(step, STR("from")) : path;
    bool adds = str_equal(op, STR("add"));
    must(op.n && (path.n == 0 || path.p[0] == '/'));
    must(adds || json_pointer(document, place));
}

static void check_repair(const struct json *repair, const struct json *document, struct arena *arena)
{
    const struct json *patch = json_get(repair, STR("patch"));
    str label = json_text(repair, STR("label"));
    must(label.n && utf8_is_valid(label) && json_is(patch, JSON_ARRAY) && json_count(patch));
    check_step(json_item(patch, 0), document);
    fuzz_check_value(repair, arena);
}

/* The repairs that checks of drafts offer. */
static void check_repairs(struct problems *problems, const struct json *document, struct arena *arena)
{
    dialect_add_fixes(document, problems);
    for (size_t i = 0; i < problems->count; i++)
        if (problems->problem[i].fix) check_repair(problems->problem[i].fix, document, arena);
    fuzz_check_value(problems_json(problems, arena), arena);
}

/* ---- pictures ---- */

/* One tag from its '<'. Adds to the depth what it opens or closes; NULL if it is malformed. */
static const char *skip_tag(const char *p, const char *end, int *depth)
{
    bool closes = end - p > 1 && p[1] == '/';
    char quote = 0, before = 0;
    for (p++; p < end; before = *p++) {
        if (quote) {
            if (*p == '<') return NULL;
            if (*p == quote) quote = 0;
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
        } else if (*p == '<') {
            return NULL;
        } else if (*p == '>') {
            *depth += closes ? -1 : before == '/' ? 0 : 1;
            return p + 1;
        }
    }
    return NULL;
}

static bool is_reference(const char *p, const char *end)
{
    static const char *const names[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&apos;" };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_starts((str){ p, (size_t)(end - p) }, str_of(names[i]))) return true;
    return end - p > 3 && p[1] == '#';
}

/* Not all of XML: tags balance, every '&' is a reference, every character may be there. */
static bool is_xml(str text)
{
    const char *p = text.p, *end = text.p + text.n;
    int depth = 0;
    while (p && p < end) {
        if (*p == '<') {
            p = skip_tag(p, end, &depth);
            if (!p || depth < 0) return false;
            continue;
        }
        if (*p == '&' && !is_reference(p, end)) return false;
        p++;
    }
    for (size_t i = 0; i < text.n; i++) {
        uint8_t c = (uint8_t)text.p[i];
        if (c < ' ' && c != '\n' && c != '\t') return false;
        if (c == 0xef && (uint8_t)text.p[i + 1] == 0xbf && (uint8_t)text.p[i + 2] >= 0xbe) return false;
    }
    return depth == 0 && utf8_is_valid(text);
}

static str drawn(const struct program *program, enum picture picture, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    program_draw(program, picture, &out);
    return buf_str(&out);
}

static str printed(const struct program *program, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    program_print(program, &out);
    return buf_str(&out);
}

static void check_timer(const struct program *program, const struct program_node *node,
                        const struct program_timer *timer)
{
    must((timer->does == TIMER_GO_TO) == (timer->target != NODE_NONE));
    must(timer->target == NODE_NONE || timer->target < program->node_count);
    must(timer->does == TIMER_GO_TO ? timer->delay_ms > 0 : timer->delay_ms >= 0);
    if (timer->does == TIMER_EXPIRE) must(timer->event_case < node->as.wait.event_case_count);
}

static void check_event_case(const struct program *program, const struct program_event_case *one)
{
    must(one->when && one->target < program->node_count && one->positive_count <= one->mentioned_count);
    for (size_t i = 0; i < one->mentioned_count; i++) must(one->mentioned[i] < program->trigger_count);
    for (size_t i = 0; i < one->positive_count; i++) must(one->positive[i] < program->trigger_count);
}

/* What only some kinds have leads somewhere, too. */
static void check_inside(const struct program *program, const struct program_node *node)
{
    for (size_t i = 0; i < node->handler_count; i++) must(node->handler[i].way.target < program->node_count);
    switch (node->kind) {
    case NODE_TASK:
        for (size_t i = 0; i < node->as.task.retry_count; i++) {
            const struct program_retry *rule = &node->as.task.retry[i];
            must(rule->exit.target == NODE_NONE ||
                 (rule->exit.target < program->node_count && rule->exit_error));
        }
        break;
    case NODE_WAIT:
        must((node->as.wait.what == WAIT_FOR_EVENT) == (node->as.wait.event_case_count > 0));
        for (size_t i = 0; i < node->as.wait.event_case_count; i++)
            check_event_case(program, &node->as.wait.event_case[i]);
        break;
    case NODE_FORK: must(program->node[node->as.fork.join].kind == NODE_JOIN); break;
    case NODE_SCOPE:
        must(node->as.scope.region_count && node->as.scope.data);
        for (size_t i = 0; i < node->as.scope.region_count; i++)
            must(node->as.scope.region[i].start < program->node_count && node->as.scope.region[i].name.n);
        break;
    default: break;
    }
}

static void check_program(const struct program *program, struct arena *arena)
{
    must(program->node_count && program->start < program->node_count);
    for (uint32_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        must(node->name.n && program_find(program, node->name) == i);
        for (size_t k = 0; k < node->edge_count; k++) must(node->edge[k].target < program->node_count);
        for (size_t k = 0; k < node->timer_count; k++) check_timer(program, node, &node->timer[k]);
        check_inside(program, node);
    }
    for (size_t i = 0; i < program->starting_count; i++) must(program->starting[i] < program->trigger_count);
    must(utf8_is_valid(printed(program, arena)));
    if (program->node_count > PICTURE_NODES_MAX) return;
    must(is_xml(drawn(program, PICTURE_SVG, arena)));
    must(utf8_is_valid(drawn(program, PICTURE_DOT, arena)));
    must(utf8_is_valid(drawn(program, PICTURE_MERMAID, arena)));
}

/* White space in the document means nothing: same program, same problems. */
static void check_reformatted(const struct json *document, const struct program *program,
                              const struct problems *problems, struct arena *arena)
{
    struct problems others;
    problems_init(&others, arena);
    str text = fuzz_printed(json_print_pretty, document, arena);
    struct program *other = source_compile(text, SOURCE_JSON, text.n, &others, NULL);
    must(!other == !program);
    must(others.count == problems->count && others.error_count == problems->error_count);
    for (size_t i = 0; i < others.count; i++) {
        must(others.problem[i].code == problems->problem[i].code);
        must(str_equal(others.problem[i].pointer, problems->problem[i].pointer));
        must(str_equal(others.problem[i].message, problems->problem[i].message));
    }
    if (program) must(str_equal(printed(other, arena), printed(program, arena)));
    program_unref(other);
}

/* The one spelling of a document means the same, and is its own. */
static void check_normal(const struct json *normal, const struct program *program, struct arena *arena)
{
    struct problems problems;
    struct buf content, again;
    const struct json *same = NULL;
    problems_init(&problems, arena);
    buf_init(&content, arena);
    buf_init(&again, arena);
    fuzz_check_value(normal, arena);
    str text = fuzz_printed(json_print, normal, arena);
    struct program *other = source_compile(text, SOURCE_JSON, text.n, &problems, &same);
    must(other && same && fuzz_same_cells(same, normal));
    must(str_equal(printed(other, arena), printed(program, arena)));
    dialect_print_content(normal, arena, &content);
    dialect_print_content(same, arena, &again);
    must(content.n && str_equal(buf_str(&content), buf_str(&again)));
    program_unref(other);
}

static void play(const struct program *program, struct choices choices)
{
    struct play *play = malloc(sizeof *play);
    must(play);
    play_begin(play, program);
    if (play_start(play, &choices) == ST_OK)
        for (int i = 0; i < COMMANDS; i++) play_any(play, &choices);
    play_check_views(play);
    play_end(play);
    free(play);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str text, rest;
    struct arena arena;
    struct problems problems;
    const struct json *document = NULL, *normal = NULL;
    fuzz_split((str){ (const char *)data, size }, &text, &rest);
    arena_init(&arena, 0);
    problems_init(&problems, &arena);
    struct program *program = source_compile(text, SOURCE_JSON, DOCUMENT_BYTES_MAX, &problems, &normal);
    must((program == NULL) == (problems.error_count > 0) && (program == NULL) == (normal == NULL));
    size_t rest_at; /* Whatever is behind a document is ignored. */
    const struct json_limits limits = { .rest = &rest_at };
    if (json_parse(text, &limits, &arena, &document, NULL) != ST_OK) document = NULL;
    check_problems(&problems, document, text, &arena);
    if (document) check_reformatted(document, program, &problems, &arena);
    if (document) check_repairs(&problems, document, &arena);
    if (program) {
        check_program(program, &arena);
        check_normal(normal, program, &arena);
        play(program, choices_from(rest, text));
    }
    program_unref(program);
    arena_done(&arena);
    return 0;
}
