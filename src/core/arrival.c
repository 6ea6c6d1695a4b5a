/* core/arrival.c — what arrives is put into the data, where its program says. */

#include "core/core_int.h"

static enum status put(struct step *step, const struct program_value *output, size_t count,
                       const struct json *value, struct error *err)
{
    const struct token nobody = { .execution = 0 };
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("arrival"), value);
    return data_put_output(step, &nobody, output, count, &locals, err);
}

enum status arrival_put(struct step *step, const struct program_arrival *arrival, const struct json *value,
                        struct error *err)
{
    return put(step, arrival->output, arrival->output_count, value, err);
}

enum status arrival_put_unknown(struct step *step, str name, const struct json *value, struct error *err)
{
    const struct program_rules *rules = step->program->rules;
    size_t count = rules->other_output_count;
    if (!count) return ST_OK;
    struct program_value *output = arena_make_n(step->arena, struct program_value, count);
    for (size_t i = 0; i < count; i++) {
        output[i] = rules->other_output[i];
        if (str_ends(output[i].name, STR(".")))
            output[i].name = arena_printf(step->arena, "%.*s%.*s", STR_ARG(output[i].name), STR_ARG(name));
    }
    return put(step, output, count, value, err);
}
