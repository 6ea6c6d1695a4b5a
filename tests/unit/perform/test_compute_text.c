/* What a calculation node is told: from the job of a task to the JSON of its request. */
#include "perform/compute_performer.h"

#include "documents.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

static void requests_say_what_is_asked(void **state)
{
    static const char *const names[] = { "a processor", "one that commits first and gets no entity",
                                         "a function that chooses the workflow" };
    struct arena arena;
    struct error err;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct json *item = document_value("perform/compute_text", names[i]), *said;
        const struct engine_job job = { .config = json_get(item, STR("config")),
                                        .input = json_get(item, STR("input")),
                                        .carried = json_get(item, STR("carried")) };
        struct buf out;
        buf_init(&out, &arena);
        compute_text_write(&job, STR("r1"), &out);
        if (json_parse(buf_str(&out), NULL, &arena, &said, &err) != ST_OK) fail_msg("%s", err.message);
        if (!json_equal(said, json_get(item, STR("text")))) fail_msg("%s: %.*s", names[i], (int)out.n, out.p);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(requests_say_what_is_asked) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
