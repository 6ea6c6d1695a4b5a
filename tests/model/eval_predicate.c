/* tests/model/eval_predicate.c — what the engine says about conditions on entities.
 *
 * Each line of the input is {"condition": …, "data": …, "lifecycle": …}. A line of the output is true, false,
 * "wrong" with the JSON Pointer of the wrong part, or "failed" with a message. */
#include "base/limits.h"
#include "expr/predicate/predicate.h"

#include <stdio.h>
#include <stdlib.h>

static void answer(str line, struct arena *arena)
{
    const struct predicate_options options = { .lifecycle_name = STR("carried") };
    const struct json *input, *value;
    const struct expr *expr;
    struct error err = { 0 };
    int64_t fuel = limits_default().fuel_max;
    if (json_parse(line, NULL, arena, &input, &err) != ST_OK) {
        printf("failed %s\n", err.message);
        return;
    }
    const struct expr_local local = { STR("carried"), json_get(input, STR("lifecycle")) };
    const struct expr_env env = { .data = json_get(input, STR("data")), .local = &local, .local_count = 1 };
    if (expr_predicate(json_get(input, STR("condition")), &options, arena, &expr, &err) != ST_OK)
        printf("wrong %s\n", err.where);
    else if (expr_eval(expr, &env, &fuel, arena, &value, &err) != ST_OK) printf("failed %s\n", err.message);
    else printf("%s\n", json_bool(value) ? "true" : "false");
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
