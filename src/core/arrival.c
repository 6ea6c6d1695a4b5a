/* core/arrival.c — what arrives is put into the data, where its program says. */

#include "core/core_int.h"

enum status arrival_put(struct step *step, const struct program_arrival *arrival, const struct json *value,
                        struct error *err)
{
    const struct token nobody = { .execution = 0 };
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("arrival"), value);
    return data_put_output(step, &nobody, arrival->output, arrival->output_count, &locals, err);
}
