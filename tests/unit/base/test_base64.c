#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void base64_is_taken_in_one_form_only(void **state)
{
    static const struct {
        const char *text, *bytes;
    } cases[] = {
        { "", "" },         { "Zg==", "f" },        { "Zm8=", "fo" },
        { "Zm9v", "foo" },  { "Zm9vYg==", "foob" }, { "+/+/", "\xfb\xff\xbf" },
        { "Z", NULL },      { "Zg", NULL },         { "Zg=", NULL },
        { "Zg===", NULL },  { "====", NULL },       { "=Zg=", NULL },
        { "Zm9v\n", NULL }, { "Zm 9", NULL },       { "-_-_", NULL },
        { "Zh==", NULL },   { "Zm9=", NULL }, /* Bits left over. */
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        str bytes;
        bool good = base64_decode(str_of(cases[i].text), &arena, &bytes);
        if (good != (cases[i].bytes != NULL)) fail_msg("%s", cases[i].text);
        if (good) assert_true(str_equal(bytes, str_of(cases[i].bytes)));
    }
    arena_done(&arena);
}

static void base64_of_urls_is_taken_in_one_form_only(void **state)
{
    static const struct {
        const char *text, *bytes;
    } cases[] = {
        { "", "" },         { "Zg", "f" },        { "Zm8", "fo" },
        { "Zm9v", "foo" },  { "Zm9vYg", "foob" }, { "-_-_", "\xfb\xff\xbf" },
        { "Z", NULL },      { "Zm9vY", NULL },    { "Zg==", NULL },
        { "Zm8=", NULL },   { "Zg=", NULL },      { "=", NULL },
        { "Zm9v\n", NULL }, { "Zm 9", NULL },     { "+/+/", NULL },
        { "Zh", NULL },     { "Zm9", NULL }, /* Bits left over. */
    };
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        str bytes;
        bool good = base64_decode_url(str_of(cases[i].text), &arena, &bytes);
        if (good != (cases[i].bytes != NULL)) fail_msg("%s", cases[i].text);
        if (good) assert_true(str_equal(bytes, str_of(cases[i].bytes)));
    }
    arena_done(&arena);
}

static void any_bytes_come_back(void **state)
{
    struct arena arena;
    (void)state;
    arena_init(&arena, 0);
    char bytes[256];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 7);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        str given = { bytes, n }, back;
        assert_true(base64_decode(base64_encode(given, &arena), &arena, &back));
        assert_true(str_equal(back, given));
        assert_true(base64_decode_url(base64_encode_url(given, &arena), &arena, &back));
        assert_true(str_equal(back, given));
    }
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_taken_in_one_form_only),
        cmocka_unit_test(base64_of_urls_is_taken_in_one_form_only),
        cmocka_unit_test(any_bytes_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
