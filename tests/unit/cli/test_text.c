/* Output that people read: tables, help, and the files made from the tables of verbs and options. */
#include "cli/help.h"
#include "cli/output.h"
#include "cli/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *text_of(struct buf *out)
{
    buf_add_char(out, '\0');
    return out->p;
}

static bool has(str text, const char *part) { return str_find(text, str_of(part), 0) != SIZE_MAX; }

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    static const char *const headings[] = { "ID", "NAME", "STATUS", NULL };
    struct arena arena;
    struct text_table table;
    struct buf out;
    (void)state;
    arena_init(&arena, 0);
    table_init(&table, &arena, headings);
    table_add(&table, (str[]){ STR("1"), STR("Grüße"), STR("FAILED") }); /* 5 characters in 7 bytes. */
    table_add(&table, (str[]){ STR("20"), STR("x"), STR("") });
    buf_init(&out, &arena);
    table_print(&table, false, &out);
    assert_string_equal(text_of(&out), "ID  NAME   STATUS\n"
                                       "1   Grüße  FAILED\n"
                                       "20  x\n");
    arena_done(&arena);
}

static void colours_mark_statuses_and_do_not_move_columns(void **state)
{
    static const char *const headings[] = { "STATUS", "AT", NULL };
    struct arena arena;
    struct text_table table;
    struct buf out;
    (void)state;
    arena_init(&arena, 0);
    table_init(&table, &arena, headings);
    table_add(&table, (str[]){ STR("Failed"), STR("here") });
    buf_init(&out, &arena);
    table_print(&table, true, &out);
    assert_string_equal(text_of(&out), "\033[1mSTATUS  AT\n\033[0m\033[31mFailed\033[0m  here\n");
    arena_done(&arena);
}

static void text_from_elsewhere_cannot_steer_the_terminal(void **state)
{
    static const struct {
        str text;
        bool keep_newlines;
        const char *want;
    } cases[] = {
        { STR_INIT("a\033[2Jb"), false, "a?[2Jb" },
        { STR_INIT("a\nb\rc\td"), false, "a?b?c?d" },
        { STR_INIT("a\nb\rc"), true, "a\nb?c" },
        { STR_INIT("\x7f\xc2\x9b"), false, "??" }, /* DEL; CSI as one character. */
        { STR_INIT("é\xc2\xa0ü"), false, "é\xc2\xa0ü" },
        { STR_INIT("a\0b"), false, "a?b" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out;
        buf_init(&out, NULL);
        output_add_safe(&out, cases[i].text, cases[i].keep_newlines);
        assert_string_equal(text_of(&out), cases[i].want);
        buf_done(&out);
    }
}

static void help_names_every_verb_and_option(void **state)
{
    struct buf overview;
    (void)state;
    buf_init(&overview, NULL);
    help_overview(&overview);
    for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
        struct buf out;
        buf_init(&out, NULL);
        help_of(verb, &out);
        if (verb_specs[verb].group != GROUP_HIDDEN)
            assert_true(has(buf_str(&overview), verb_specs[verb].summary));
        for (enum option option = 0; option < OPTION_COUNT; option++) {
            if (!(option_specs[option].verbs >> verb & 1)) continue;
            assert_true(has(buf_str(&out), option_specs[option].flag));
            if (option_specs[option].environment)
                assert_true(has(buf_str(&out), option_specs[option].environment));
        }
        buf_done(&out);
    }
    for (int code = 0; code <= EXIT_CODE_HIGHEST; code++) {
        struct buf meaning;
        buf_init(&meaning, NULL);
        help_exit_meaning(code, &meaning);
        assert_true(meaning.n > 0);
        buf_done(&meaning);
    }
    buf_done(&overview);
}

static void every_exit_code_is_documented(void **state)
{
    (void)state;
    for (enum status status = 0; status < STATUS_COUNT; status++)
        assert_in_range(status_exit(status), 0, EXIT_CODE_HIGHEST);
}

static void help_keeps_to_the_width_of_a_terminal(void **state)
{
    (void)state;
    for (enum verb verb = 0; verb < VERB_COUNT; verb++) {
        struct buf out;
        buf_init(&out, NULL);
        help_of(verb, &out);
        str text = buf_str(&out);
        size_t examples = str_find(text, STR("\nLimits\n"), 0);
        if (examples == SIZE_MAX) examples = str_find(text, STR("\nExamples\n"), 0);
        text = str_slice(text, 0, examples);
        for (size_t from = 0; from < text.n;) {
            size_t to = str_find(text, STR("\n"), from);
            if (to == SIZE_MAX) to = text.n;
            assert_in_range(to - from, 0, 80);
            assert_false(to > from && text.p[to - 1] == ' ');
            from = to + 1;
        }
        buf_done(&out);
    }
}

static void the_man_page_and_completions_name_everything(void **state)
{
    static const struct {
        void (*print)(struct buf *out);
    } documents[] = {
        { docs_bash },
        { docs_zsh },
        { docs_fish },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(documents); i++) {
        struct buf out;
        buf_init(&out, NULL);
        documents[i].print(&out);
        for (enum verb verb = 0; verb < VERB_COUNT; verb++)
            if (verb_specs[verb].group != GROUP_HIDDEN)
                assert_true(has(buf_str(&out), verb_specs[verb].word));
        for (enum option option = 0; option < OPTION_COUNT; option++)
            assert_true(has(buf_str(&out), option_specs[option].flag));
        buf_done(&out);
    }
    struct buf man;
    buf_init(&man, NULL);
    docs_man(&man);
    for (enum option option = 0; option < OPTION_COUNT; option++)
        if (option_specs[option].environment)
            assert_true(has(buf_str(&man), option_specs[option].environment));
    assert_true(has(buf_str(&man), ".SH EXIT STATUS"));
    assert_true(has(buf_str(&man), "body_bytes_max"));
    buf_done(&man);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(colours_mark_statuses_and_do_not_move_columns),
        cmocka_unit_test(text_from_elsewhere_cannot_steer_the_terminal),
        cmocka_unit_test(help_names_every_verb_and_option),
        cmocka_unit_test(every_exit_code_is_documented),
        cmocka_unit_test(help_keeps_to_the_width_of_a_terminal),
        cmocka_unit_test(the_man_page_and_completions_name_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
