/* tests/fuzz/fuzz_model.c — a sample, then perhaps a NUL and a value; both are XML if they begin with <, else
 * JSON. */

#include "fuzz.h"

#include "model/model.h"
#include "schema/schema.h"
#include "source/xml.h"

static const struct json *read_value(str text, struct arena *arena)
{
    const struct json *value = NULL;
    struct error err = { 0 };
    bool xml = text.n && text.p[0] == '<';
    enum status status =
        xml ? xml_parse(text, 0, arena, &value, &err) : json_parse(text, NULL, arena, &value, &err);
    if (status != ST_OK) {
        must((status == ST_INVALID || status == ST_LIMIT) && err.status == status && err.message[0]);
        return NULL;
    }
    must(json_decode(json_encoded(value), arena)); /* UTF-8, no name twice, not too deep. */
    return value;
}

typedef void put_fn(const struct model_schema *model, struct buf *out);

static const struct json *exported(put_fn *put, const struct model_schema *model, struct arena *arena)
{
    struct buf out;
    struct error err;
    const struct json *value;
    buf_init(&out, arena);
    put(model, &out);
    must(json_parse(buf_str(&out), NULL, arena, &value, &err) == ST_OK);
    return value;
}

static bool fits(const struct model_schema *model, const struct json *value, enum model_level level,
                 bool *ret_changes, struct arena *arena)
{
    struct model_problem problem;
    *ret_changes = false;
    if (model_check(model, value, level, arena, ret_changes, &problem)) return true;
    must(problem.path.n && problem.message.n && problem.code[0]);
    return false;
}

static void check_schema(const struct model_schema *model, const struct json *sample, struct arena *arena)
{
    const struct schema *schema;
    const struct schema_problem *problem;
    struct error err;
    size_t count;
    int64_t fuel = INT64_MAX;
    if (schema_compile(exported(model_put_json_schema, model, arena), arena, &schema, &err) != ST_OK) return;
    must(schema_check(schema, sample, &fuel, arena, &problem, &count, &err) == ST_OK && count == 0);
}

static void check_sample(const struct model_schema *model, const struct json *sample, struct arena *arena)
{
    const struct model_schema *again;
    struct error err;
    bool changes;
    must(fits(model, sample, MODEL_LEVEL_STRUCTURAL, &changes, arena) && !changes);
    const struct json *stored = model_encode(model, arena);
    must(json_decode(json_encoded(stored), arena));
    must(model_decode(stored, arena, &again, &err) == ST_OK);
    must(json_equal(stored, model_encode(again, arena)));
    must(json_get(exported(model_put_simple_view, model, arena), STR("$")));
    check_schema(model, sample, arena);
}

static void check_value(const struct model_schema *model, const struct json *value, struct arena *arena)
{
    bool before = false, changes;
    for (enum model_level level = MODEL_LEVEL_NONE; level < MODEL_LEVEL_COUNT; level++) {
        bool now = fits(model, value, level, &changes, arena);
        must(now || !before);
        before = now;
        const struct model_schema *larger;
        struct error err;
        if (!now || !changes || model_extend(model, value, arena, &larger, &err) != ST_OK) continue;
        must(fits(larger, value, MODEL_LEVEL_STRUCTURAL, &changes, arena) && !changes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    str first, second;
    struct arena arena;
    struct error err = { 0 };
    const struct model_schema *model;
    arena_init(&arena, 0);
    fuzz_split((str){ (const char *)data, size }, &first, &second);
    const struct json *sample = read_value(first, &arena), *value = read_value(second, &arena);
    enum status status = sample ? model_infer(sample, &arena, &model, &err) : ST_INVALID;
    if (status == ST_OK) {
        if (json_is(sample, JSON_OBJECT)) check_sample(model, sample, &arena);
        if (value) check_value(model, value, &arena);
        model_types types;
        if (model_find(model, second, &types) == MODEL_FOUND) must(types);
    } else if (sample) {
        must((status == ST_INVALID || status == ST_LIMIT) && err.where[0] == '$' && err.message[0]);
    }
    arena_done(&arena);
    return 0;
}
