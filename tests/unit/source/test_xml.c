#include "source/xml.h"

#include "json/json_test.h"
#include "source/limits.h"

static void texts_become_documents_or_are_refused(void **state)
{
    const struct json *rows = document_value("source/xml", "rows");
    for (size_t i = 0; i < json_count(rows); i++) {
        const struct json *row = json_item(rows, i), *value = NULL;
        struct error err = { 0 };
        enum status status = xml_parse(json_string(json_get(row, STR("xml"))), 0, *state, &value, &err);
        if (!json_get(row, STR("status"))) {
            if (status != ST_OK) fail_msg("%zu: %u:%u %s", i, err.line, err.column, err.message);
            assert_string_equal(print(*state, value), document_member(row, "want"));
            continue;
        }
        assert_null(value);
        assert_string_equal(status_word(status), document_member(row, "status"));
        int64_t line, column;
        assert_true(json_int64(json_get(row, STR("line")), &line) &&
                    json_int64(json_get(row, STR("column")), &column));
        if (err.line != line || err.column != column)
            fail_msg("%zu: %u:%u %s", i, err.line, err.column, err.message);
    }
}

static enum status status_of(struct arena *arena, str text)
{
    const struct json *value;
    struct error err;
    enum status status = xml_parse(text, 0, arena, &value, &err);
    if (status == ST_OK) assert_true(json_depth(value) <= JSON_DEPTH_MAX);
    return status;
}

static void other_encodings_are_refused(void **state)
{
    assert_int_equal(status_of(*state, STR("<?xml version='1.0' encoding='ISO-8859-1'?><r>\xe4</r>")),
                     ST_INVALID);
    assert_int_equal(status_of(*state, STR("<r>\xed\xa0\x80</r>")), ST_INVALID); /* Half of a pair. */
    assert_int_equal(status_of(*state, STR("<r>\xc0\xaf</r>")), ST_INVALID);
    assert_int_equal(status_of(*state, STR("<r>\0</r>")), ST_INVALID);
    assert_int_equal(status_of(*state, STR("\xff\xfe<\0r\0/\0>\0")), ST_INVALID);
}

/* Elements that are each an object and an item of an array. */
static str nested(struct arena *arena, int depth)
{
    struct buf text;
    buf_init(&text, arena);
    for (int i = 0; i < depth; i++) buf_printf(&text, "<a>");
    for (int i = 0; i < depth; i++) buf_printf(&text, i + 1 < depth ? "</a><a/>" : "</a>");
    return buf_str(&text);
}

static void elements_nest_so_deep(void **state)
{
    assert_int_equal(status_of(*state, nested(*state, XML_DEPTH_MAX)), ST_OK);
    assert_int_equal(status_of(*state, nested(*state, XML_DEPTH_MAX + 1)), ST_LIMIT);
}

static str many(struct arena *arena, int elements)
{
    struct buf text;
    buf_init(&text, arena);
    buf_printf(&text, "<r a='1'>"); /* Two nodes. */
    for (int i = 0; i < elements; i++) buf_printf(&text, "<b/>");
    buf_printf(&text, "</r>");
    return buf_str(&text);
}

static void documents_have_so_many_nodes(void **state)
{
    assert_int_equal(status_of(*state, many(*state, XML_NODES_MAX - 2)), ST_OK);
    assert_int_equal(status_of(*state, many(*state, XML_NODES_MAX - 1)), ST_LIMIT);
}

static void texts_have_so_many_bytes(void **state)
{
    const struct json *value;
    struct error err;
    str text = STR("<r>12345</r>");
    assert_int_equal(xml_parse(text, text.n, *state, &value, &err), ST_OK);
    assert_int_equal(xml_parse(text, text.n - 1, *state, &value, &err), ST_LIMIT);
    char *large = malloc(XML_BYTES_MAX + 1);
    memset(large, ' ', XML_BYTES_MAX + 1);
    assert_int_equal(status_of(*state, (str){ large, XML_BYTES_MAX }), ST_INVALID);
    assert_int_equal(status_of(*state, (str){ large, XML_BYTES_MAX + 1 }), ST_LIMIT);
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        json_test(texts_become_documents_or_are_refused),
        json_test(other_encodings_are_refused),
        json_test(elements_nest_so_deep),
        json_test(documents_have_so_many_nodes),
        json_test(texts_have_so_many_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
