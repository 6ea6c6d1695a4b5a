/* tests/model/eval_schema.c — what the engine says about models of entities.
 *
 * Each line of the input is {"samples": […], "level": "TYPE" or "", "values": […], "paths": […]}. The samples
 * make a model, and the values come to it one after the other. A line of the output is a list: for each value
 * "fits", "grows" or a code and a path, then for each path the types there. */
#include "base/limits.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>

static const struct model_schema *schema_of(const struct json *samples, struct arena *arena)
{
    const struct model_schema *schema = NULL, *more;
    struct error err;
    for (size_t i = 0; i < json_count(samples); i++) {
        if (model_infer(json_item(samples, i), arena, &more, &err) != ST_OK) return NULL;
        if (!schema) schema = more;
        else if (model_merge(schema, more, arena, &schema, &err) != ST_OK) return NULL;
    }
    return schema;
}

static void tell_value(const struct model_schema **schema, const struct json *value, enum model_level level,
                       struct arena *arena)
{
    struct model_problem problem;
    struct error err;
    bool grows = false;
    if (!model_check(*schema, value, level, arena, &grows, &problem))
        printf("\"%s %.*s\",", problem.code, STR_ARG(problem.path));
    else printf("\"%s\",", grows ? "grows" : "fits");
    if (grows && model_extend(*schema, value, arena, schema, &err) != ST_OK) printf("\"failed\",");
}

static void tell_path(const struct model_schema *schema, str path, struct arena *arena)
{
    model_types types;
    struct buf out;
    buf_init(&out, arena);
    if (model_find(schema, path, &types) == MODEL_FOUND) model_put_types(&out, types);
    else buf_add_str(&out, STR("null"));
    printf("%.*s,", STR_ARG(buf_str(&out)));
}

static void answer(str line, struct arena *arena)
{
    const struct json *input;
    enum model_level level = MODEL_LEVEL_NONE;
    struct error err;
    if (json_parse(line, NULL, arena, &input, &err) != ST_OK) {
        printf("[\"%s\"]\n", err.message);
        return;
    }
    const struct model_schema *schema = schema_of(json_get(input, STR("samples")), arena);
    const struct json *values = json_get(input, STR("values")), *paths = json_get(input, STR("paths"));
    model_level_find(json_string(json_get(input, STR("level"))), &level);
    printf("[");
    for (size_t i = 0; schema && i < json_count(values); i++)
        tell_value(&schema, json_item(values, i), level, arena);
    for (size_t i = 0; schema && i < json_count(paths); i++)
        tell_path(schema, json_string(json_item(paths, i)), arena);
    printf("\"end\"]\n");
}

int main(void)
{
    struct arena arena;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    arena_init(&arena, 0);
    while ((length = getline(&line, &room, stdin)) > 0) {
        answer((str){ line, (size_t)length }, &arena);
        arena_reset(&arena);
    }
    free(line);
    arena_done(&arena);
    return 0;
}
