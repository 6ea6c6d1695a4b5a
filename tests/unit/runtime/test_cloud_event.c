/* Which objects are CloudEvents, and in what form they are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "documents.h"
#include "runtime/call/cloud_event.h"

#include "base/base64.h"

#include <cmocka.h>

static void events_as_they_are_kept(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    struct json_each each = json_each(document_value("runtime/cloud_event", "kept"));
    while (json_next(&each)) {
        const struct json *given = json_get(each.value, STR("given")), *kept;
        struct error err;
        if (cloud_event_check(given, &arena, &kept, &err) != ST_OK)
            fail_msg("%s: %s", document_text(given), err.message);
        if (!json_equal(kept, json_get(each.value, STR("kept")))) fail_msg("%s", document_text(given));
    }
    arena_done(&arena);
}

static void what_is_no_event(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    struct json_each each = json_each(document_value("runtime/cloud_event", "refused"));
    while (json_next(&each)) {
        const struct json *given = json_get(each.value, STR("given")), *kept = NULL;
        struct error err;
        assert_int_equal(cloud_event_check(given, &arena, &kept, &err), ST_INVALID);
        assert_null(kept);
        assert_string_equal(err.where, document_member(each.value, "where"));
        if (!strstr(err.message, document_member(each.value, "says")))
            fail_msg("%s: %s", document_text(given), err.message);
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_as_they_are_kept),
        cmocka_unit_test(what_is_no_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
