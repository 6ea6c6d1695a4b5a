/* expr/predicate/predicate.c — conditions on entities: JSON → parts → expression. */
#include "expr/predicate/predicate_int.h"

#include "base/utf8.h"
#include "expr/tree_int.h"

#include <stdarg.h>
#include <stdio.h>

struct predicate_reader {
    const struct predicate_options *options;
    struct arena *arena;
    struct error *err;
    struct buf pointer; /* To the condition that is read. */
    size_t count;       /* Conditions so far. */
};

/* ---- errors ---- */

/* A failure of a member or, if that is empty, of the condition itself. */
static enum status fail_member(struct predicate_reader *reader, enum status status, const char *member,
                               const char *message)
{
    if (member[0]) json_pointer_add(&reader->pointer, str_of(member));
    buf_add_char(&reader->pointer, '\0');
    return fail(reader->err, status, reader->pointer.p, "%s", message);
}

__attribute__((format(printf, 3, 4), cold)) static enum status complain(struct predicate_reader *reader,
                                                                        const char *member,
                                                                        const char *format, ...)
{
    char message[ERROR_MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return fail_member(reader, ST_INVALID, member, message);
}

/* ---- members ---- */

static enum status read_path(struct predicate_reader *reader, const struct json *condition,
                             struct predicate_path *ret_path)
{
    struct error inner = { 0 };
    const struct json *text = json_get(condition, STR("jsonPath"));
    if (!json_is(text, JSON_STRING)) return complain(reader, "jsonPath", "a jsonPath is needed, a text");
    enum status status = predicate_path_parse(json_string(text), reader->arena, ret_path, &inner);
    return status == ST_OK ? ST_OK : fail_member(reader, status, "jsonPath", inner.message);
}

static const struct {
    str name, field;
    bool date;
} lifecycle[] = {
    { STR_INIT("state"), STR_INIT("state"), false },
    { STR_INIT("creationDate"), STR_INIT("creationDate"), true },
    { STR_INIT("previousTransition"), STR_INIT("previousTransition"), false },
    { STR_INIT("transitionForLatestSave"), STR_INIT("previousTransition"), false },
    { STR_INIT("lastUpdateTime"), STR_INIT("lastUpdateTime"), true },
    { STR_INIT("transactionId"), STR_INIT("transactionId"), false },
    { STR_INIT("id"), STR_INIT("id"), false },
};

static bool is_date(str field)
{
    for (size_t i = 0; i < COUNT(lifecycle); i++)
        if (str_equal(lifecycle[i].field, field)) return lifecycle[i].date;
    return false;
}

static enum status read_field(struct predicate_reader *reader, const struct json *condition,
                              struct predicate_leaf *leaf)
{
    const struct json *name = json_get(condition, STR("field"));
    if (!json_is(name, JSON_STRING)) return complain(reader, "field", "a field is needed, a text");
    for (size_t i = 0; i < COUNT(lifecycle); i++) {
        if (!str_equal(lifecycle[i].name, json_string(name))) continue;
        struct predicate_step *step = arena_make(reader->arena, struct predicate_step);
        *step = (struct predicate_step){ .kind = PREDICATE_NAME, .name = lifecycle[i].field };
        leaf->field = lifecycle[i].field;
        leaf->path = (struct predicate_path){ step, 1 };
        return ST_OK;
    }
    str shown = utf8_cut(json_string(name), SHOWN_BYTES_MAX);
    return complain(reader, "field",
                    "the lifecycle has no field \"%.*s\"; it has state, creationDate, lastUpdateTime, "
                    "previousTransition, transactionId and id",
                    STR_ARG(shown));
}

/* The operator may have three names: the first that is there and not empty counts. */
static enum status read_op(struct predicate_reader *reader, const struct json *condition,
                           enum predicate_op *ret_op)
{
    static const char *const names[] = { "operatorType", "operator", "operation" };
    struct error inner = { 0 };
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct json *word = json_get(condition, str_of(names[i]));
        if (!word || json_is(word, JSON_NULL)) continue;
        if (!json_is(word, JSON_STRING)) return complain(reader, names[i], "an operator is a text");
        if (!json_string(word).n) continue;
        if (predicate_find_op(json_string(word), ret_op, &inner) == ST_OK) return ST_OK;
        return complain(reader, names[i], "%s", inner.message);
    }
    return complain(reader, names[0], "an operatorType is needed");
}

/* ---- conditions ---- */

static str pointer_now(struct predicate_reader *reader)
{
    return arena_str(reader->arena, buf_str(&reader->pointer));
}

static enum status read_simple(struct predicate_reader *reader, const struct json *condition,
                               struct predicate_part *ret_part)
{
    const struct json *value = json_get(condition, STR("value"));
    struct predicate_leaf leaf = {
        .is_lifecycle = str_equal(json_string(json_get(condition, STR("type"))), STR("lifecycle")),
        .element = -1,
        .operand = value ? value : json_null(),
        .pointer = pointer_now(reader),
    };
    if (leaf.is_lifecycle) TRY(read_field(reader, condition, &leaf));
    else TRY(read_path(reader, condition, &leaf.path));
    TRY(read_op(reader, condition, &leaf.op));
    *ret_part = (struct predicate_part){ .leaf = leaf };
    return ST_OK;
}

static enum status count_conditions(struct predicate_reader *reader, size_t more)
{
    char message[ERROR_MESSAGE_BYTES];
    reader->count += more;
    if (reader->count <= PREDICATE_CONDITIONS_MAX) return ST_OK;
    snprintf(message, sizeof message, "the condition has more than %d parts (PREDICATE_CONDITIONS_MAX)",
             PREDICATE_CONDITIONS_MAX);
    return fail_member(reader, ST_LIMIT, "", message);
}

/* An `array` is a group of tests of single elements. */
static enum status read_array(struct predicate_reader *reader, const struct json *condition,
                              struct predicate_part *ret_part)
{
    const struct json *values = json_get(condition, STR("values"));
    struct predicate_path path;
    TRY(read_path(reader, condition, &path));
    if (!json_is(values, JSON_ARRAY)) return complain(reader, "values", "values are needed, a list");
    TRY(count_conditions(reader, json_count(values)));
    struct predicate_part *part = arena_make_n(reader->arena, struct predicate_part, json_count(values));
    size_t count = 0, length = reader->pointer.n;
    struct json_each each = json_each(values);
    for (int64_t i = 0; json_next(&each); i++) {
        if (json_is(each.value, JSON_NULL)) continue;
        buf_printf(&reader->pointer, "/values/%lld", (long long)i);
        part[count++].leaf = (struct predicate_leaf){
            .path = path,
            .element = i,
            .op = PREDICATE_EQUALS,
            .operand = each.value,
            .pointer = pointer_now(reader),
        };
        reader->pointer.n = length;
    }
    *ret_part = (struct predicate_part){ .group = true, .part = part, .count = count };
    return ST_OK;
}

static enum status read_condition(struct predicate_reader *reader, const struct json *condition,
                                  uint32_t depth, struct predicate_part *ret_part);

static enum status read_group(struct predicate_reader *reader, const struct json *condition, uint32_t depth,
                              struct predicate_part *ret_part)
{
    const struct json *word = json_get(condition, STR("operator"));
    const struct json *list = json_get(condition, STR("conditions"));
    if (depth > PREDICATE_DEPTH_MAX) {
        char message[ERROR_MESSAGE_BYTES];
        snprintf(message, sizeof message, "groups nest more than %d levels deep (PREDICATE_DEPTH_MAX)",
                 PREDICATE_DEPTH_MAX);
        return fail_member(reader, ST_LIMIT, "", message);
    }
    str joined_by = json_is(word, JSON_STRING) ? json_string(word) : STR("");
    bool any = str_equal(joined_by, STR("OR"));
    if (!any && !str_equal(joined_by, STR("AND")))
        return complain(reader, "operator", "the operator of a group is AND or OR%s",
                        str_equal(joined_by, STR("NOT"))
                            ? "; there is no NOT: use operators such as NOT_EQUAL or NOT_CONTAINS"
                            : "");
    if (!json_is(list, JSON_ARRAY)) return complain(reader, "conditions", "a group needs conditions, a list");
    size_t count = json_count(list), length = reader->pointer.n;
    TRY(count_conditions(reader, count));
    struct predicate_part *part = arena_make_n(reader->arena, struct predicate_part, count);
    struct json_each each = json_each(list);
    for (size_t i = 0; json_next(&each); i++) {
        buf_printf(&reader->pointer, "/conditions/%zu", i);
        TRY(read_condition(reader, each.value, depth + 1, &part[i]));
        reader->pointer.n = length;
    }
    *ret_part = (struct predicate_part){ .group = true, .any = any, .part = part, .count = count };
    return ST_OK;
}

/* Recursion goes as deep as groups may nest. */
static enum status read_condition(struct predicate_reader *reader, const struct json *condition,
                                  uint32_t depth, struct predicate_part *ret_part)
{
    if (!json_is(condition, JSON_OBJECT)) return complain(reader, "", "a condition is an object");
    const struct json *word = json_get(condition, STR("type"));
    str type = json_is(word, JSON_STRING) ? json_string(word) : STR("");
    if (str_equal(type, STR("simple")) || str_equal(type, STR("lifecycle")))
        return read_simple(reader, condition, ret_part);
    if (str_equal(type, STR("group"))) return read_group(reader, condition, depth, ret_part);
    if (str_equal(type, STR("array"))) return read_array(reader, condition, ret_part);
    if (!str_equal(type, STR("function"))) {
        str shown = utf8_cut(type, SHOWN_BYTES_MAX);
        return complain(reader, "type",
                        "\"%.*s\" is no type of a condition; there are simple, lifecycle, "
                        "group, array and function",
                        STR_ARG(shown));
    }
    return complain(reader, "type", "%s",
                    reader->options->allows_function
                        ? "a function must be the whole condition; it cannot be part of a group"
                        : "a function cannot be asked here: only criteria of workflows may be functions");
}

static enum status read_whole(const struct json *condition, const struct predicate_options *options,
                              struct arena *arena, struct predicate_part *ret_part, struct error *err)
{
    struct predicate_reader reader = { .options = options, .arena = arena, .err = err, .count = 1 };
    buf_init(&reader.pointer, arena);
    return read_condition(&reader, condition, 0, ret_part);
}

/* ---- functions ---- */

static bool is_function(const struct json *condition)
{
    const struct json *type = json_get(condition, STR("type"));
    return json_is(type, JSON_STRING) && str_equal(json_string(type), STR("function"));
}

static enum status read_function(const struct json *condition, struct predicate_function *ret_function,
                                 struct error *err)
{
    const struct json *function = json_get(condition, STR("function"));
    const struct json *name = json_get(function, STR("name")), *config = json_get(function, STR("config"));
    if (!json_is(function, JSON_OBJECT))
        return fail(err, ST_INVALID, "/function", "a function is an object with a name");
    if (!json_is(name, JSON_STRING) || !json_string(name).n)
        return fail(err, ST_INVALID, "/function/name", "a function needs a name, a text");
    if (json_string(name).n > NODE_NAME_BYTES_MAX)
        return fail(err, ST_LIMIT, "/function/name",
                    "the name has %zu bytes; the most is %d (NODE_NAME_BYTES_MAX)", json_string(name).n,
                    NODE_NAME_BYTES_MAX);
    if (json_is(config, JSON_NULL)) config = NULL;
    if (config && !json_is(config, JSON_OBJECT))
        return fail(err, ST_INVALID, "/function/config", "a config is an object");
    *ret_function = (struct predicate_function){ json_string(name), config };
    return ST_OK;
}

bool predicate_is_function(const struct json *condition, struct predicate_function *ret_function)
{
    return is_function(condition) && read_function(condition, ret_function, NULL) == ST_OK;
}

/* ---- compiling ---- */

static enum status make_test(const struct predicate_options *options, const struct predicate_leaf *leaf,
                             struct arena *arena, struct expr_tree **ret_tree, struct error *err)
{
    struct error inner = { 0 };
    const struct predicate_test *test;
    enum status status =
        predicate_compile(leaf, leaf->is_lifecycle && is_date(leaf->field), arena, &test, &inner);
    if (status != ST_OK) {
        struct buf pointer;
        buf_init(&pointer, arena);
        buf_printf(&pointer, "%s%s%c", leaf->pointer.p, leaf->element < 0 ? "/value" : "", '\0');
        return fail(err, status, pointer.p, "%s", inner.message);
    }
    struct expr_tree *of =
        leaf->is_lifecycle ? tree_variable_or_null(options->lifecycle_name, arena) : tree_data(arena);
    *ret_tree = tree_predicate(of, test, arena);
    return ST_OK;
}

static enum status make_tree(const struct predicate_options *options, const struct predicate_part *part,
                             struct arena *arena, struct expr_tree **ret_tree, struct error *err)
{
    if (!part->group) return make_test(options, &part->leaf, arena, ret_tree, err);
    struct expr_tree **child = arena_make_n(arena, struct expr_tree *, part->count);
    for (size_t i = 0; i < part->count; i++) TRY(make_tree(options, &part->part[i], arena, &child[i], err));
    *ret_tree = part->any ? tree_or(child, part->count, arena) : tree_and(child, part->count, arena);
    return ST_OK;
}

enum status expr_predicate(const struct json *condition, const struct predicate_options *options,
                           struct arena *arena, const struct expr **ret_expr, struct error *err)
{
    struct predicate_function function;
    struct predicate_part part;
    struct expr_tree *tree;
    if (options->allows_function && is_function(condition)) {
        TRY(read_function(condition, &function, err));
        *ret_expr = NULL;
        return ST_OK;
    }
    TRY(read_whole(condition, options, arena, &part, err));
    TRY(make_tree(options, &part, arena, &tree, err));
    *ret_expr = expr_of_tree(tree, arena);
    return ST_OK;
}

/* ---- analysis ---- */

static enum status visit_part(const struct predicate_part *part, predicate_visit_fn *visit, void *context,
                              struct error *err)
{
    if (!part->group) return visit(context, &part->leaf, err);
    for (size_t i = 0; i < part->count; i++) TRY(visit_part(&part->part[i], visit, context, err));
    return ST_OK;
}

enum status predicate_visit(const struct json *condition, struct arena *arena, predicate_visit_fn *visit,
                            void *context, struct error *err)
{
    const struct predicate_options options = { .allows_function = true };
    struct predicate_function function;
    struct predicate_part part;
    if (is_function(condition)) return read_function(condition, &function, err);
    TRY(read_whole(condition, &options, arena, &part, err));
    return visit_part(&part, visit, context, err);
}

enum status predicate_read(const struct json *condition, struct arena *arena,
                           const struct predicate_part **ret_part, struct error *err)
{
    const struct predicate_options options = { .allows_function = false };
    struct predicate_part *part = arena_make(arena, struct predicate_part);
    TRY(read_whole(condition, &options, arena, part, err));
    *ret_part = part;
    return ST_OK;
}

struct bounds {
    struct predicate_bound *bound;
    size_t count, max;
    struct arena *arena;
};

static void bounds_add(struct bounds *bounds, const struct predicate_leaf *leaf, enum predicate_op op,
                       const struct json *operand)
{
    size_t at = bounds->count++;
    if (at >= bounds->max) return;
    struct buf path;
    buf_init(&path, bounds->arena);
    predicate_path_print(&leaf->path, &path);
    bounds->bound[at] = (struct predicate_bound){
        .path = leaf->is_lifecycle ? leaf->field : buf_str(&path),
        .is_lifecycle = leaf->is_lifecycle,
        .op = op,
        .operand = operand,
    };
}

static bool has_only_names(const struct predicate_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        if (path->step[i].kind != PREDICATE_NAME) return false;
    return path->count > 0;
}

static void find_bounds_of_test(struct bounds *bounds, const struct predicate_leaf *leaf)
{
    const struct json *range[2];
    bool exclusive = leaf->op == PREDICATE_BETWEEN;
    if (leaf->element >= 0 || !has_only_names(&leaf->path)) return;
    switch (leaf->op) {
    case PREDICATE_EQUALS:
    case PREDICATE_GREATER_THAN:
    case PREDICATE_GREATER_OR_EQUAL:
    case PREDICATE_LESS_THAN:
    case PREDICATE_LESS_OR_EQUAL:
        if (!json_is(leaf->operand, JSON_NULL)) bounds_add(bounds, leaf, leaf->op, leaf->operand);
        return;
    case PREDICATE_BETWEEN:
    case PREDICATE_BETWEEN_INCLUSIVE:
        if (predicate_range(leaf->op, leaf->operand, bounds->arena, range, NULL) != ST_OK) return;
        bounds_add(bounds, leaf, exclusive ? PREDICATE_GREATER_THAN : PREDICATE_GREATER_OR_EQUAL, range[0]);
        bounds_add(bounds, leaf, exclusive ? PREDICATE_LESS_THAN : PREDICATE_LESS_OR_EQUAL, range[1]);
        return;
    default: return;
    }
}

/* A group of one part is that part, whatever joins it. */
static void find_bounds(struct bounds *bounds, const struct predicate_part *part)
{
    if (!part->group) find_bounds_of_test(bounds, &part->leaf);
    if (part->any && part->count != 1) return;
    for (size_t i = 0; i < part->count; i++) find_bounds(bounds, &part->part[i]);
}

size_t predicate_bounds(const struct json *condition, struct arena *arena, struct predicate_bound *ret_bounds,
                        size_t max)
{
    const struct predicate_options options = { .allows_function = true };
    struct bounds bounds = { .bound = ret_bounds, .max = max, .arena = arena };
    struct predicate_part part;
    if (read_whole(condition, &options, arena, &part, NULL) == ST_OK) find_bounds(&bounds, &part);
    return bounds.count;
}
