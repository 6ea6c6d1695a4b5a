/* tests/fuzz/fuzz_predicate.c — conditions on entities: JSON, or the text of a path, then perhaps a NUL and
 * the document it is about. */

#include "fuzz.h"

#include "base/utf8.h"

#include "expr/predicate/predicate.h"

enum { FUEL = 20000, MEMORY = 8 << 20, BOUNDS = 8 };

static const char usual_data[] = "{\"a\":{\"b\":[1,\"two\",{\"c\":null}],\"0\":true},\"n\":5,\"f\":1.50,"
                                 "\"s\":\"Text\",\"nil\":null,\"none\":[],"
                                 "\"list\":[{\"x\":1,\"t\":[\"red\"]},{\"x\":\"1\"},[2,[3]]]}";
static const char lifecycle[] = "{\"id\":\"e\",\"state\":\"NEW\",\"creationDate\":\"2026-11-15T03:50:11."
                                "250Z\",\"previousTransition\":\"go\","
                                "\"lastUpdateTime\":null,\"transactionId\":\"t\"}";
static const struct predicate_options options = { .lifecycle_name = STR_INIT("carried") };

/* ---- paths ---- */

static str printed(const struct predicate_path *path, struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    predicate_path_print(path, &out);
    return buf_str(&out);
}

static bool same_path(const struct predicate_path *a, const struct predicate_path *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct predicate_step *one = &a->step[i], *two = &b->step[i];
        if (one->kind != two->kind || one->index != two->index || !str_equal(one->name, two->name))
            return false;
    }
    return true;
}

static void check_path(str text, struct arena *arena)
{
    struct predicate_path path, again;
    struct error err;
    enum status status = predicate_path_parse(text, arena, &path, &err);
    if (status != ST_OK) {
        must(status == ST_INVALID || status == ST_LIMIT);
        must(err.message[0] && utf8_is_valid(str_of(err.message)));
        return;
    }
    str form = printed(&path, arena);
    must(utf8_is_valid(form));
    status = predicate_path_parse(form, arena, &again, NULL);
    if (status == ST_LIMIT) return; /* Quotes and escapes take room. */
    must(status == ST_OK && same_path(&path, &again));
    must(str_equal(printed(&again, arena), form));
}

/* ---- runs ---- */

struct run {
    enum status status;
    int64_t fuel;
    const struct json *value;
};

static struct run evaluate(const struct expr *expr, const struct json *data, int64_t fuel,
                           struct arena *arena)
{
    const struct expr_local local = { STR("carried"), fuzz_parse(str_of(lifecycle), arena) };
    const struct expr_env env = { .data = data, .local = &local, .local_count = 1 };
    struct run run = { .fuel = fuel };
    struct error err;
    arena->budget = arena->used + MEMORY;
    run.status = expr_eval(expr, &env, &run.fuel, arena, &run.value, &err);
    arena->budget = 0;
    if (run.status == ST_OK) must(json_is(run.value, JSON_BOOL));
    else must(err.message[0]);
    /* Only a pattern that calls itself without end, such as (?R), fails otherwise. */
    must(run.status != ST_INVALID || str_starts(str_of(err.message), STR("cannot match: ")));
    return run;
}

static struct run check_run(const struct expr *expr, const struct json *data, struct arena *arena)
{
    struct run first = evaluate(expr, data, FUEL, arena), again = evaluate(expr, data, FUEL, arena);
    must(first.status == again.status && first.fuel == again.fuel);
    if (first.status != ST_OK) return first;
    must(fuzz_same_cells(first.value, again.value));
    int64_t used = FUEL - first.fuel;
    must(evaluate(expr, data, used, arena).status == ST_OK);
    must(evaluate(expr, data, used - 1, arena).status == ST_LIMIT);
    struct buf out;
    buf_init(&out, arena);
    expr_print(expr, &out);
    must(out.n && utf8_is_valid(buf_str(&out)) && utf8_is_valid(expr_text(expr)));
    return first;
}

static bool holds(const struct json *condition, const struct json *data, struct arena *arena)
{
    const struct expr *expr;
    must(expr_predicate(condition, &options, arena, &expr, NULL) == ST_OK);
    struct run run = evaluate(expr, data, INT64_C(1) << 40, arena);
    return run.status != ST_OK || json_bool(run.value);
}

/* ---- what is told without running ---- */

static const struct json *simple(str path, bool is_lifecycle, enum predicate_op op,
                                 const struct json *operand, struct arena *arena)
{
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("type"));
    json_add_string(&builder, is_lifecycle ? STR("lifecycle") : STR("simple"));
    json_add_name(&builder, is_lifecycle ? STR("field") : STR("jsonPath"));
    json_add_string(&builder, path);
    json_add_name(&builder, STR("operatorType"));
    json_add_string(&builder, predicate_op_name(op));
    json_add_name(&builder, STR("value"));
    json_add(&builder, operand);
    json_close(&builder);
    return json_built(&builder);
}

/* A bound holds wherever the condition does. */
static void check_bounds(const struct json *condition, const struct json *data, struct arena *arena)
{
    struct predicate_bound bound[BOUNDS];
    size_t count = predicate_bounds(condition, arena, bound, BOUNDS);
    for (size_t i = 0; i < count && i < BOUNDS; i++) {
        str path = bound[i].path;
        if (path.n > PATH_BYTES_MAX) continue;
        must(holds(simple(path, bound[i].is_lifecycle, bound[i].op, bound[i].operand, arena), data, arena));
    }
}

struct visited {
    const struct json *condition, *data;
    struct arena *arena;
    size_t count;
};

/* Each test compiles by itself, and if it holds there is something that is not null; but for IS_NULL. */
static enum status visit(void *context, const struct predicate_leaf *leaf, struct error *err)
{
    struct visited *visited = context;
    struct arena *arena = visited->arena;
    (void)err;
    must(json_pointer(visited->condition, leaf->pointer));
    str path = leaf->is_lifecycle ? leaf->field : printed(&leaf->path, arena);
    if (visited->count++ >= BOUNDS || path.n > PATH_BYTES_MAX) return ST_OK;
    bool there =
        holds(simple(path, leaf->is_lifecycle, PREDICATE_NOT_NULL, json_null(), arena), visited->data, arena);
    const struct json *alone = simple(path, leaf->is_lifecycle, leaf->op, leaf->operand, arena);
    if (leaf->op != PREDICATE_IS_NULL && holds(alone, visited->data, arena)) must(there);
    return ST_OK;
}

static void check_condition(const struct json *condition, const struct json *data, struct arena *arena)
{
    const struct expr *expr;
    struct error err;
    struct visited visited = { .condition = condition, .data = data, .arena = arena };
    struct predicate_function function;
    enum status status = expr_predicate(condition, &options, arena, &expr, &err);
    if (status != ST_OK) {
        must(status == ST_INVALID || status == ST_LIMIT);
        must(err.message[0] && utf8_is_valid(str_of(err.message)) && utf8_is_valid(str_of(err.where)));
        predicate_bounds(condition, arena, NULL, 0);
        return;
    }
    must(!predicate_is_function(condition, &function));
    struct run run = check_run(expr, data, arena);
    must(predicate_visit(condition, arena, visit, &visited, NULL) == ST_OK);
    if (run.status == ST_OK && json_bool(run.value)) check_bounds(condition, data, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    str first, second;
    arena_init(&arena, 0);
    fuzz_split((str){ (const char *)data, size }, &first, &second);
    const struct json *document = fuzz_parse(second, &arena);
    if (!document) document = fuzz_parse(str_of(usual_data), &arena);
    const struct json *condition = fuzz_parse(first, &arena);
    if (condition) check_condition(condition, document, &arena);
    else if (utf8_is_valid(first)) check_path(first, &arena);
    arena_done(&arena);
    return 0;
}
