#include "base/ascii.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Each class as the characters it holds; every other byte is tried too. */
static void classes_hold_their_characters_and_no_other_byte(void **state)
{
#define DIGITS "0123456789"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    static const struct {
        bool (*is)(char c);
        const char *characters;
    } classes[] = {
        { ascii_is_digit, DIGITS },
        { ascii_is_lower, LOWER },
        { ascii_is_upper, UPPER },
        { ascii_is_letter, LOWER UPPER },
        { ascii_is_alphanumeric, LOWER UPPER DIGITS },
        { ascii_is_space, " \t\n\r" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        for (int c = 0; c < 256; c++) {
            bool want = c && strchr(classes[i].characters, c);
            if (classes[i].is((char)c) != want) fail_msg("class %zu, character %d", i, c);
        }
}

static void only_letters_have_another_case(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        const char *lower = c ? strchr(LOWER, c) : NULL, *upper = c ? strchr(UPPER, c) : NULL;
        assert_int_equal(ascii_lower((char)c), upper ? LOWER[upper - UPPER] : (char)c);
        assert_int_equal(ascii_upper((char)c), lower ? UPPER[lower - LOWER] : (char)c);
    }
}

static void hexadecimal_digits_have_values(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *found = c ? strchr(digits, c) : NULL;
        assert_int_equal(ascii_hex((char)c), found ? (found - digits) % 16 : -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_hold_their_characters_and_no_other_byte),
        cmocka_unit_test(only_letters_have_another_case),
        cmocka_unit_test(hexadecimal_digits_have_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
