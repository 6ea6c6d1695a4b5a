/* bench/micro.c — single operations of json, expr, schema, access and core, for counting instructions.
 *
 *     micro                 the names of the operations, one a line
 *     micro OPERATION N     does it N times, and prints nanoseconds for one
 *
 * Run under callgrind with two different N, the difference is what the operation takes. Those called
 * `floor …` do as little as can be done in C for the same end.
 */
#include "access/directory/directory.h"
#include "access/token/token.h"
#include "base/clock.h"
#include "core/core.h"
#include "expr/expr.h"
#include "expr/template/template.h"
#include "jsonpath/jsonpath.h"
#include "schema/schema.h"
#include "source/source.h"

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

#define EACH                                                                                                 \
    "{\"dialect\":\"graph/"                                                                                  \
    "1\",\"name\":\"each\",\"nodes\":[{\"id\":\"t\",\"type\":\"trigger_manual\"},{\"id\":"                   \
    "\"l\",\"type\":\"for_each\",\"config\":{\"items\":\"{{ trigger.payload.items }}\",\"result\":\"{{ "     \
    "item }}\"}},"                                                                                           \
    "{\"id\":\"d\",\"type\":\"decision\",\"parent\":\"l\"},{\"id\":\"x\",\"type\":\"end\",\"parent\":\"l\"}" \
    ","                                                                                                      \
    "{\"id\":\"end\",\"type\":\"end\"}],\"edges\":[{\"from\":\"t\",\"to\":\"l\"},{\"from\":\"l\","           \
    "\"fromPort\":"                                                                                          \
    "\"body\",\"to\":\"d\"},{\"from\":\"d\",\"to\":\"x\",\"condition\":\"item > "                            \
    "500\"},{\"id\":\"else\",\"from\":"                                                                      \
    "\"d\",\"to\":\"x\",\"default\":true},{\"from\":\"l\",\"fromPort\":\"done\",\"to\":\"end\"}]}"

#define ISSUER                                                                                 \
    "{\"issuer\":\"https://idp/realms/a\",\"audience\":\"pawl\",\"groupsClaim\":\"$.groups\"," \
    "\"rolesClaim\":\"$.realm_access.roles\",\"roles\":{\"admin\":[\"pawl-admins\"]}}"
#define CLAIMS                                                                                               \
    "{\"exp\":4000000000,\"iat\":0,\"iss\":\"https://idp/realms/a\",\"aud\":[\"pawl\",\"account\"],\"sub\":" \
    "\"f:1c:ada\",\"azp\":\"portal\",\"realm_access\":{\"roles\":[\"offline_access\",\"pawl-admins\"]},"     \
    "\"groups\":[\"/sre\",\"/finance\"],\"preferred_username\":\"ada\",\"email\":\"ada@example.org\"}"

static struct {
    struct arena kept, arena; /* The second is emptied after each operation. */
    str text;
    const struct json *order, *patch;
    const struct expr *compare, *calculate, *filter, *template, *row;
    const struct jsonpath *definite, *wild, *chosen;
    const struct json *schema_document;
    const struct schema *schema;
    struct program *ten, *each;
    const struct json *number, *items; /* What starts them. */
    struct buf stored;
    char copy[4096];
    struct directory *directory;
    str key;
    struct credential_hash key_hash;
    struct jwk_set *token_keys;
    struct issuer issuer;
    str token;
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
static void json_merge_order(void) { json_merge_deep(micro.order, micro.patch, &micro.arena); }
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

/* The check of a request's key: its hash, its principal, and one decision. */
static void access_check(void)
{
    struct principal *principal;
    const char *why;
    struct credential_hash hash = credential_hash(micro.key);
    if (directory_find(micro.directory, &hash, 1, &principal, &why) != DIRECTORY_FOUND) abort();
    if (!principal_may(principal, TENANT_DEFAULT, MAY_JOBS_WORK, STR("reserve-stock"))) abort();
    principal_unref(principal);
}

static void access_hash(void) { micro.key_hash = credential_hash(micro.key); }

/* A token that nobody has seen yet: its parts, its signature (RS256), and its claims. */
static void access_token(void)
{
    struct token_text token;
    struct token_bearer bearer;
    if (token_parse(micro.token, &micro.arena, &token, NULL) != ST_OK) abort();
    if (token_verify(&token, micro.token_keys, NULL) != ST_OK) abort();
    if (token_claims(&micro.issuer, &token, STR_NONE, 1, &micro.arena, &bearer, NULL) != ST_OK) abort();
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

/* ---- core ---- */

static struct program *program_of(str document)
{
    struct problems problems;
    problems_init(&problems, &micro.kept);
    struct program *program = source_compile(document, SOURCE_ANY, 1 << 20, &problems, NULL);
    if (!program) abort();
    return program;
}

/* An instance that runs to its end without waiting. */
static void run_to_end(const struct program *program, const struct json *value)
{
    const struct limits limits = limits_default();
    const struct command_start asked = { .instance = 1, .definition = 1, .arrival = STR("t") };
    const struct command command = command_start(1000, STR_NONE, value, asked);
    struct outcome outcome;
    struct error err;
    if (core_step(program, NULL, &command, &limits, &micro.arena, &outcome, &err) != ST_OK ||
        outcome.instance->status != INSTANCE_COMPLETED)
        abort();
}

static void core_ten_nodes(void) { run_to_end(micro.ten, micro.number); }
static void core_thousand_items(void) { run_to_end(micro.each, micro.items); }

static const struct {
    const char *name;
    void (*run)(void);
} operations[] = {
    { "json_parse", json_parse_1k },
    { "json_print", json_print_1k },
    { "json_decode", json_decode_1k },
    { "json_merge_deep", json_merge_order },
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
    { "access: the hash of a key", access_hash },
    { "access: the check of a key", access_check },
    { "access: the check of a new token", access_token },
    { "core: a flow graph of ten nodes", core_ten_nodes },
    { "core: a region for each of 1000 items", core_thousand_items },
};

/* ---- preparations ---- */

/* Set values and Decision, five times over. */
static struct program *ten_nodes(void)
{
    struct buf text;
    buf_init(&text, &micro.kept);
    buf_printf(&text, "{\"dialect\":\"graph/1\",\"name\":\"ten\",\"nodes\":[{\"id\":\"t\",\"type\":"
                      "\"trigger_manual\"},{\"id\":\"end\",\"type\":\"end\"}");
    for (int i = 0; i < 5; i++)
        buf_printf(&text,
                   ",{\"id\":\"v%d\",\"type\":\"set_variables\",\"config\":{\"values\":{\"n\":\"{{ "
                   "trigger.payload.n }}\",\"m%d\":1}}},{\"id\":\"d%d\",\"type\":\"decision\"}",
                   i, i, i);
    buf_printf(&text, "],\"edges\":[{\"from\":\"t\",\"to\":\"v0\"}");
    for (int i = 0; i < 5; i++) {
        buf_printf(&text, ",{\"from\":\"v%d\",\"to\":\"d%d\"}", i, i);
        buf_printf(&text, ",{\"from\":\"d%d\",\"to\":\"end\",\"condition\":\"vars.n > 100\"}", i);
        buf_printf(&text, ",{\"id\":\"on%d\",\"from\":\"d%d\",\"default\":true,\"to\":\"", i, i);
        if (i < 4) buf_printf(&text, "v%d\"}", i + 1);
        else buf_printf(&text, "end\"}");
    }
    buf_printf(&text, "]}");
    return program_of(buf_str(&text));
}

static const struct json *thousand_items(void)
{
    struct json_builder builder;
    json_builder_init(&builder, &micro.kept);
    json_open_object(&builder);
    json_add_name(&builder, STR("payload"));
    json_open_object(&builder);
    json_add_name(&builder, STR("items"));
    json_open_array(&builder);
    for (int i = 0; i < 1000; i++) json_add_int(&builder, i);
    json_close(&builder);
    json_close(&builder);
    json_close(&builder);
    return json_built(&builder);
}

static const struct json *kept_json(const char *text)
{
    const struct json *value;
    if (json_parse(str_of(text), NULL, &micro.kept, &value, NULL) != ST_OK) abort();
    return value;
}

static void sign_token(void)
{
    struct signing_key *key;
    struct buf set;
    if (signing_key_make(&key, NULL) != ST_OK) abort();
    buf_init(&set, &micro.kept);
    buf_printf(&set, "{\"keys\":[");
    json_print(signing_key_jwk(key, &micro.kept), &set);
    buf_printf(&set, "]}");
    if (jwk_set_read(buf_str(&set), &micro.token_keys, NULL) != ST_OK) abort();
    if (issuer_read(STR("idp"), kept_json(ISSUER), &micro.kept, &micro.issuer, NULL) != ST_OK) abort();
    if (token_sign(key, kept_json(CLAIMS), &micro.kept, &micro.token, NULL) != ST_OK) abort();
    signing_key_free(key);
}

/* As many keys as the directory keeps; the one that is asked for lies somewhere among them. */
static void fill_directory(void)
{
    enum { KEYS = 65536 };
    static const struct access_scope scope = { MAY_JOBS_WORK, STR_INIT("reserve-*") };
    static const struct grant grant[] = {
        { .role = ROLE_VIEWER, .tenant = 7 },
        { .role = ROLE_WORKER, .tenant = TENANT_DEFAULT, .scope = &scope, .scope_count = 1 }
    };
    micro.directory = directory_new(&(struct directory_config){ .root_secret = STR("secret") });
    for (int i = 0; i < KEYS; i++) {
        str id, key = key_make(&micro.arena, &id);
        struct credential_hash hash = credential_hash(key);
        struct principal *principal = principal_new(PRINCIPAL_KEY);
        principal->grant = grant;
        principal->grant_count = COUNT(grant);
        directory_keep(micro.directory, &hash, 0, principal, NULL, 0);
        principal_unref(principal);
        if (i == KEYS / 2) micro.key = arena_str(&micro.kept, key);
        arena_reset(&micro.arena);
    }
}

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
    micro.ten = ten_nodes();
    micro.each = program_of(STR(EACH));
    if (json_parse(STR("{\"payload\":{\"n\":3}}"), NULL, &micro.kept, &micro.number, &err) != ST_OK) abort();
    micro.items = thousand_items();
}

int main(int argc, char **argv)
{
    prepare();
    if (argc > 2 && str_starts(str_of(argv[1]), STR("access")))
        fill_directory(), sign_token(); /* Others need not wait for them. */
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
