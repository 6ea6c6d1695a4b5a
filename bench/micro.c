/* bench/micro.c — single operations of json, expr and schema, for counting instructions.
 *
 *     micro                 the names of the operations, one a line
 *     micro OPERATION N     does it N times, and prints nanoseconds for one
 *
 * Run under callgrind with two different N, the difference is what the operation takes. Those called
 * `floor …` do as little as can be done in C for the same end.
 */
#include "base/clock.h"
#include "expr/expr.h"
#include "expr/template.h"
#include "jsonpath/jsonpath.h"
#include "schema/schema.h"

#include <stdio.h>
#include <stdlib.h>

#define ORDER                                                                                               \
    "{\"id\":\"order-4711\",\"customer\":{\"name\":\"Ada "                                                  \
    "Lovelace\",\"email\":\"ada@example.com\",\"level\":3,"                                                 \
    "\"address\":{\"street\":\"12 St James's Square\",\"city\":\"London\",\"zip\":\"SW1Y "                  \
    "4JH\"}},\"items\":["                                                                                   \
    "{\"sku\":\"A-1\",\"name\":\"Difference "                                                               \
    "engine\",\"quantity\":2,\"price\":9.99,\"tags\":[\"brass\",\"gears\"]},"                               \
    "{\"sku\":\"B-2\",\"name\":\"Punched cards\",\"quantity\":1,\"price\":24.5,\"tags\":[\"paper\"]},"      \
    "{\"sku\":\"C-3\",\"name\":\"Jacquard "                                                                 \
    "loom\",\"quantity\":1,\"price\":1250,\"tags\":[\"wood\",\"large\"]},"                                  \
    "{\"sku\":\"D-4\",\"name\":\"Oil can\",\"quantity\":12,\"price\":3.75,\"tags\":[]}],\"total\":1339.48," \
    "\"currency\":\"GBP\",\"paid\":false,\"placedAt\":\"1843-09-01T10:00:00Z\",\"notes\":\"handle with "    \
    "care, "                                                                                                \
    "\\u00e0 "                                                                                              \
    "bient\\u00f4t\",\"history\":[{\"at\":1843,\"what\":\"placed\"},{\"at\":1844,\"what\":\"packed\"},"     \
    "{\"at\":1845,\"what\":\"shipped\"}],\"score\":720,\"risk\":0.12}"
#define ORDER_SCHEMA                                                                                         \
    "{\"type\":\"object\",\"required\":[\"id\",\"customer\",\"items\"],\"properties\":{\"id\":{\"type\":"    \
    "\"string\","                                                                                            \
    "\"minLength\":1},\"customer\":{\"type\":\"object\",\"required\":[\"name\"],\"properties\":{\"level\":{" \
    "\"enum\":"                                                                                              \
    "[1,2,3]}}},\"items\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#/$defs/"                 \
    "item\"}},\"total\":{"                                                                                   \
    "\"type\":\"number\",\"multipleOf\":0.01}},\"$defs\":{\"item\":{\"type\":\"object\",\"required\":["      \
    "\"sku\"],"                                                                                              \
    "\"properties\":{\"sku\":{\"pattern\":\"^[A-Z]-[0-9]+$\"},\"quantity\":{\"type\":\"integer\","           \
    "\"minimum\":1}}}}}"
#define PATCH "{\"result\":{\"ok\":true,\"code\":17},\"customer\":{\"level\":4},\"paid\":true}"

static struct {
    struct arena kept, arena; /* The second is emptied after each operation. */
    str text;
    const struct json *order, *patch;
    const struct expr *compare, *calculate, *filter, *template, *row;
    const struct jsonpath *definite, *wild, *chosen;
    const struct json *schema_document;
    const struct schema *schema;
    struct buf stored;
    char copy[4096];
} micro;

/* ---- what is measured ---- */

static void json_parse_1k(void)
{
    struct error err;
    const struct json *value;
    if (json_parse(micro.text, NULL, &micro.arena, &value, &err) != ST_OK) abort();
}

static void json_print_1k(void)
{
    struct buf out;
    buf_init(&out, &micro.arena);
    json_print(micro.order, &out);
}

static void json_decode_1k(void) { json_decode((str){ micro.stored.p, micro.stored.n }, &micro.arena); }
static void json_merge_patch(void) { json_merge_deep(micro.order, micro.patch, &micro.arena); }
static void json_diff_patch(void)
{
    json_diff(micro.order, json_merge(micro.order, micro.patch, &micro.arena), &micro.arena);
}

static void json_get_3(void)
{
    volatile const void *city =
        json_get(json_get(json_get(micro.order, STR("customer")), STR("address")), STR("city"));
    (void)city;
}

static void floor_copy_1k(void) { memcpy(micro.copy, micro.text.p, micro.text.n); }

static void compile(const char *text)
{
    struct error err;
    const struct expr *expr;
    if (expr_compile(str_of(text), &micro.arena, &expr, &err) != ST_OK) abort();
}

static void eval(const struct expr *expr)
{
    struct error err;
    const struct json *value;
    const struct expr_env env = { .data = micro.order };
    int64_t fuel = 100000;
    if (expr_eval(expr, &env, &fuel, &micro.arena, &value, &err) != ST_OK) abort();
}

#define COMPARE "score >= 700 && customer.level in [2, 3, 4]"
#define CALCULATE "total * 0.01 + len(items) * 1.5"
#define FILTER "items | filter(#.price > 5) | len()"
#define TEMPLATE \
    "{\"to\":\"{{ customer.name }} <{{ customer.email }}>\",\"items\":\"{{ items }}\",\"kind\":\"order\"}"
#define ROW "{\"left\":\"{{ customer.level }}\",\"op\":\"gte\",\"right\":2}"

static void expr_compile_compare(void) { compile(COMPARE); }
static void expr_compare(void) { eval(micro.compare); }
static void expr_calculate(void) { eval(micro.calculate); }
static void expr_filter(void) { eval(micro.filter); }
static void template_render(void) { eval(micro.template); }
static void structured_row(void) { eval(micro.row); }

/* The comparison as C would have it. */
static void floor_compare(void)
{
    int64_t score = 0, level = 0;
    json_int64(json_get(micro.order, STR("score")), &score);
    json_int64(json_get(json_get(micro.order, STR("customer")), STR("level")), &level);
    volatile bool holds = score >= 700 && (level == 2 || level == 3 || level == 4);
    (void)holds;
}

static void choose(const struct jsonpath *path)
{
    struct error err;
    const struct json *value;
    int64_t fuel = 100000;
    if (jsonpath_value(path, micro.order, &fuel, &micro.arena, &value, &err) != ST_OK || !value) abort();
}

static void path_compile(void)
{
    struct error err;
    const struct jsonpath *path;
    if (jsonpath_compile(STR("$.items[?@.price > 5].sku"), JSONPATH_STRICT, &micro.arena, &path, &err) !=
        ST_OK)
        abort();
}

static void path_definite(void) { choose(micro.definite); }
static void path_wildcard(void) { choose(micro.wild); }
static void path_filter(void) { choose(micro.chosen); }

static void schema_compile_order(void)
{
    struct error err;
    const struct schema *schema;
    if (schema_compile(micro.schema_document, &micro.arena, &schema, &err) != ST_OK) abort();
}

static void schema_check_order(void)
{
    struct error err;
    const struct schema_problem *problem;
    size_t count;
    int64_t fuel = 100000;
    if (schema_check(micro.schema, micro.order, &fuel, &micro.arena, &problem, &count, &err) != ST_OK ||
        count)
        abort();
}

static const struct {
    const char *name;
    void (*run)(void);
} operations[] = {
    { "json_parse", json_parse_1k },
    { "json_print", json_print_1k },
    { "json_decode", json_decode_1k },
    { "json_merge_deep", json_merge_patch },
    { "json_diff", json_diff_patch },
    { "json_get ×3", json_get_3 },
    { "floor memcpy", floor_copy_1k },
    { "expr_compile " COMPARE, expr_compile_compare },
    { "expr_eval " COMPARE, expr_compare },
    { "floor compare", floor_compare },
    { "expr_eval " CALCULATE, expr_calculate },
    { "expr_eval " FILTER, expr_filter },
    { "template of three members", template_render },
    { "structured {{ customer.level }} gte 2", structured_row },
    { "jsonpath_compile $.items[?@.price > 5].sku", path_compile },
    { "jsonpath $.customer.address.city", path_definite },
    { "jsonpath $.items[*].sku", path_wildcard },
    { "jsonpath $.items[?@.price > 5].sku", path_filter },
    { "schema_compile order", schema_compile_order },
    { "schema_check order", schema_check_order },
};

/* ---- the run ---- */

static const struct expr *expression(const char *text)
{
    struct error err;
    const struct expr *expr;
    if (expr_compile(str_of(text), &micro.kept, &expr, &err) != ST_OK) abort();
    return expr;
}

static const struct jsonpath *path_of(const char *text)
{
    struct error err;
    const struct jsonpath *path;
    if (jsonpath_compile(str_of(text), JSONPATH_STRICT, &micro.kept, &path, &err) != ST_OK) abort();
    return path;
}

/* The first name of a path is a member of the data. */
static enum status find_root(void *context, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    (void)context;
    (void)err;
    *ret_root = (struct template_root){ .name = path->name[0], .used = 1 };
    return ST_OK;
}

static const struct expr *of_document(const char *text, bool condition)
{
    static const struct template_roots roots = { .find = find_root };
    struct error err;
    const struct json *value;
    const struct expr *expr;
    if (json_parse(str_of(text), NULL, &micro.kept, &value, &err) != ST_OK) abort();
    enum status status = condition ? expr_structured(value, true, &roots, &micro.kept, &expr, &err)
                                   : expr_template(value, &roots, &micro.kept, &expr, &err);
    if (status != ST_OK) abort();
    return expr;
}

static void prepare(void)
{
    struct error err;
    arena_init(&micro.kept, 0);
    arena_init(&micro.arena, 0);
    micro.text = STR(ORDER);
    if (json_parse(micro.text, NULL, &micro.kept, &micro.order, &err) != ST_OK) abort();
    if (json_parse(STR(PATCH), NULL, &micro.kept, &micro.patch, &err) != ST_OK) abort();
    buf_init(&micro.stored, &micro.kept);
    buf_add_str(&micro.stored, json_encoded(micro.order));
    micro.compare = expression(COMPARE);
    micro.calculate = expression(CALCULATE);
    micro.filter = expression(FILTER);
    micro.template = of_document(TEMPLATE, false);
    micro.row = of_document(ROW, true);
    micro.definite = path_of("$.customer.address.city");
    micro.wild = path_of("$.items[*].sku");
    micro.chosen = path_of("$.items[?@.price > 5].sku");
    if (json_parse(STR(ORDER_SCHEMA), NULL, &micro.kept, &micro.schema_document, &err) != ST_OK) abort();
    if (schema_compile(micro.schema_document, &micro.kept, &micro.schema, &err) != ST_OK) abort();
}

int main(int argc, char **argv)
{
    prepare();
    for (size_t i = 0; i < COUNT(operations); i++) {
        if (argc < 3) {
            printf("%s\n", operations[i].name);
            continue;
        }
        if (strcmp(argv[1], operations[i].name) != 0) continue;
        long rounds = atol(argv[2]);
        int64_t began_us = clock_monotonic_us();
        for (long k = 0; k < rounds; k++, arena_reset(&micro.arena)) operations[i].run();
        printf("{\"ns\":%.1f,\"bytes\":%zu}\n",
               (double)(clock_monotonic_us() - began_us) * 1000 / (double)rounds, micro.text.n);
        return 0;
    }
    return argc < 3 ? 0 : 2;
}
