/* CloudEvents with JSON in them: what is read, and what is refused. */
#include "api/grpc/envelope_int.h"

#include <io/cloudevents/v1/cloudevents.pb-c.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static void what_is_written_can_be_read(void **state)
{
    const struct envelope_origin origin = { STR_INIT("system"), STR_INIT("pawl"), STR_INIT("admin"),
                                            STR_INIT("t") };
    struct envelope read;
    struct error err;
    struct buf out;
    (void)state;
    for (int ours = 0; ours < 2; ours++) {
        buf_init(&out, &arena);
        envelope_write(STR("outer"), "Some", STR("{\"id\":\"inner\",\"n\":1}"), ours ? &origin : NULL, &out);
        assert_int_equal(envelope_read(buf_str(&out), &arena, &read, &err), ST_OK);
        assert_true(str_equal(read.type, STR("Some")) && str_equal(read.id, STR("inner")));
        assert_true(str_equal(envelope_text(&read, STR("id")), STR("inner")));
        assert_int_equal(envelope_text(&read, STR("n")).n, 0); /* No text. */
    }
    buf_init(&out, &arena);
    envelope_write(STR("outer"), "Some", STR("{}"), NULL, &out);
    assert_int_equal(envelope_read(buf_str(&out), &arena, &read, &err), ST_OK);
    assert_true(str_equal(read.id, STR("outer")));
}

static str packed(Io__Cloudevents__V1__CloudEvent *event)
{
    struct buf out;
    buf_init(&out, &arena);
    message_pack(&event->base, &out);
    return buf_str(&out);
}

static void data_may_be_bytes(void **state)
{
    static char text[] = "{\"id\":\"x\"}";
    Io__Cloudevents__V1__CloudEvent event;
    struct envelope read;
    struct error err;
    (void)state;
    io__cloudevents__v1__cloud_event__init(&event);
    event.data_case = IO__CLOUDEVENTS__V1__CLOUD_EVENT__DATA_BINARY_DATA;
    event.binary_data = (ProtobufCBinaryData){ sizeof text - 1, (uint8_t *)text };
    assert_int_equal(envelope_read(packed(&event), &arena, &read, &err), ST_OK);
    assert_true(str_equal(read.id, STR("x")));
}

static void what_is_no_object_is_refused(void **state)
{
    static const char *const texts[] = { "", "[]", "1", "null", "{", "{\"a\":1,\"a\":2}", "{} {}" };
    Io__Cloudevents__V1__CloudEvent event;
    struct envelope read;
    struct error err;
    (void)state;
    io__cloudevents__v1__cloud_event__init(&event);
    assert_int_equal(envelope_read(STR("\xff\xff"), &arena, &read, &err), ST_INVALID);
    assert_int_equal(envelope_read(packed(&event), &arena, &read, &err), ST_INVALID);
    event.data_case = IO__CLOUDEVENTS__V1__CLOUD_EVENT__DATA_TEXT_DATA;
    for (size_t i = 0; i < COUNT(texts); i++) {
        event.text_data = message_text(&arena, str_of(texts[i]));
        if (envelope_read(packed(&event), &arena, &read, &err) != ST_INVALID) fail_msg("%s", texts[i]);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_can_be_read),
        TEST(data_may_be_bytes),
        TEST(what_is_no_object_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
