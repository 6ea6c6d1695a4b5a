#include "base/id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void ids_come_back(void **state)
{
    static const struct id cases[] = {
        { 0, 0, 0, 0 },
        { 1763178611123, 1, 0, 0 },
        { 1763178611123, 123456789, 42, 3 },
        { (INT64_C(1) << 48) - 1, ID_INSTANCE_MAX, ID_NUMBER_MAX, UINT8_MAX },
        { 0, ID_INSTANCE_MAX, 0, UINT8_MAX },
        { 0, 0, ID_NUMBER_MAX, 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[ID_CHARS + 1];
        id_print(cases[i], text);
        assert_int_equal(strlen(text), ID_CHARS);
        struct id id;
        assert_true(id_parse(str_of(text), &id));
        assert_int_equal(id.ms, cases[i].ms);
        assert_int_equal(id.instance, cases[i].instance);
        assert_int_equal(id.number, cases[i].number);
        assert_int_equal(id.delivery, cases[i].delivery);
        for (char *p = text; *p; p++)
            if (*p >= 'A') *p += 'a' - 'A';
        assert_true(id_parse(str_of(text), &id));
        assert_int_equal(id.instance, cases[i].instance);
    }
}

static void each_character_is_a_digit_or_spoils_the_id(void **state)
{
    static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    (void)state;
    for (int c = 0; c < 256; c++) {
        bool letter = c >= 'a' && c <= 'z';
        const char *at = c ? strchr(alphabet, letter ? c - 32 : c) : NULL;
        for (size_t place = 0; place < ID_CHARS; place++) {
            char text[] = "00000000000000000000000000";
            text[place] = (char)c;
            struct id id;
            bool fits = at && (place || at - alphabet < 8); /* The first has three bits. */
            assert_int_equal(id_parse((str){ text, ID_CHARS }, &id), fits);
            if (!fits) continue;
            char again[ID_CHARS + 1];
            id_print(id, again);
            text[place] = *at;
            assert_string_equal(again, text);
        }
    }
}

static void ids_sort_by_time_then_instance_then_number(void **state)
{
    static const struct id ordered[] = {
        { 5, 9, 9, 9 }, { 6, 0, 0, 0 }, { 6, 1, 0, 0 }, { 6, 1, 0, 1 }, { 6, 1, 1, 0 }, { 1000, 0, 0, 0 },
    };
    (void)state;
    for (size_t i = 1; i < COUNT(ordered); i++) {
        char a[ID_CHARS + 1], b[ID_CHARS + 1];
        id_print(ordered[i - 1], a);
        id_print(ordered[i], b);
        assert_true(strcmp(a, b) < 0);
    }
}

static void other_texts_are_no_ids(void **state)
{
    static const str cases[] = {
        STR_INIT(""),
        STR_INIT("0000000000000000000000000"),   /* 25. */
        STR_INIT("000000000000000000000000000"), /* 27. */
        STR_INIT("80000000000000000000000000"),  /* 129 bits. */
        STR_INIT("Z0000000000000000000000000"),
        STR_INIT("0000000000000000000000000I"),
        STR_INIT("0000000000000000000000000L"),
        STR_INIT("0000000000000000000000000O"),
        STR_INIT("0000000000000000000000000u"),
        STR_INIT("0000000000000000000000000-"),
        STR_INIT("0000000000000 000000000000"),
        STR_INIT("000000000000\0"
                 "0000000000000"),
        STR_INIT("0000000000000000000000000\xff"),
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct id id = { .ms = 77 };
        assert_false(id_parse(cases[i], &id));
        assert_int_equal(id.ms, 77);
    }
    struct id id;
    assert_true(id_parse(STR("7ZZZZZZZZZZZZZZZZZZZZZZZZZ"), &id));
    assert_int_equal(id.number, ID_NUMBER_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_come_back),
        cmocka_unit_test(each_character_is_a_digit_or_spoils_the_id),
        cmocka_unit_test(ids_sort_by_time_then_instance_then_number),
        cmocka_unit_test(other_texts_are_no_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
