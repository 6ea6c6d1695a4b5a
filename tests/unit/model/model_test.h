/* tests/unit/model/model_test.h — what all tests of model/ start with: samples and values written as text. */
#ifndef MODEL_TEST_H
#define MODEL_TEST_H

#include "model/model.h"

#include "json/json_test.h"
#include "model/limits.h"

static inline const struct model_schema *infer(struct arena *arena, const char *sample)
{
    const struct model_schema *schema = NULL;
    struct error err = { .message = "" };
    if (model_infer(parse(arena, sample), arena, &schema, &err) != ST_OK)
        fail_msg("%s: %s: %s", sample, err.where, err.message);
    return schema;
}

static inline const struct model_schema *merge(struct arena *arena, const struct model_schema *a,
                                               const struct model_schema *b)
{
    const struct model_schema *schema = NULL;
    struct error err;
    assert_int_equal(model_merge(a, b, arena, &schema, &err), ST_OK);
    return schema;
}

/* The stored form, in an order that depends on nothing: equal for schemas that are equal but for the order of
 * fields. */
static inline const char *shape(struct arena *arena, const struct model_schema *schema)
{
    return canonical(arena, model_encode(schema, arena));
}

typedef void put_fn(const struct model_schema *schema, struct buf *out);

static inline const char *put(struct arena *arena, put_fn *put_schema, const struct model_schema *schema)
{
    struct buf out;
    buf_init(&out, arena);
    put_schema(schema, &out);
    buf_add_char(&out, '\0');
    return out.p;
}

/* An object with random members, of many types. */
static inline const struct json *random_object(struct arena *arena, struct random *random)
{
    static const char *const names[] = { "a", "b", "c", "d e" };
    static const char *const numbers[] = { "7",
                                           "3000000000",
                                           "1.0",
                                           "2.5",
                                           "170141183460469231731687303715884105728",
                                           "9223372036854775808",
                                           "0.1234567890123456",
                                           "1e-300" };
    struct json_builder builder;
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    for (size_t i = 0; i < COUNT(names); i++) {
        uint32_t choice = random_below(random, 4);
        if (!choice) continue;
        json_add_name(&builder, str_of(names[i]));
        if (choice == 1) json_add(&builder, parse(arena, numbers[random_below(random, COUNT(numbers))]));
        else add_random_value(&builder, random, 2);
    }
    json_close(&builder);
    return json_built(&builder);
}

#endif
