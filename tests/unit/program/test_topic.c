/* MQTT topics and filters. */
#include "program/limits.h"
#include "program/topic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void filters_select_topics(void **state)
{
    static const struct {
        const char *filter, *topic;
        bool want;
    } cases[] = {
        { "a/b", "a/b", true },
        { "a/b", "a/B", false },
        { "a/b", "a/b/c", false },
        { "a/b/c", "a/b", false },
        { "sensors/+/reading", "sensors/s1/reading", true },
        { "sensors/+/reading", "sensors/s1/s2/reading", false },
        { "sensors/+/reading", "sensors//reading", true }, /* A level may be empty. */
        { "+", "a", true },
        { "+", "/a", false },
        { "+/+", "/a", true },
        { "/+", "/a", true },
        { "+/a", "a", false },
        { "a/+", "a", false },
        { "a/+", "a/", true },
        { "#", "a/b/c", true },
        { "#", "/", true },
        { "a/#", "a", true }, /* The level above the # belongs to it. */
        { "a/#", "a/", true },
        { "a/#", "a/b/c", true },
        { "a/#", "ab", false },
        { "a/#", "b", false },
        { "+/#", "a", true },
        { "a/+/#", "a/b", true },
        { "a/+/#", "a", false },
        { "/", "/", true },
        { "/", "", false },
        { "a/", "a", false },
        { "a", "a/", false },
        /* Topics of the broker itself are selected only by name. */
        { "#", "$SYS/broker/uptime", false },
        { "+/broker/uptime", "$SYS/broker/uptime", false },
        { "$SYS/#", "$SYS/broker/uptime", true },
        { "$SYS/+/uptime", "$SYS/broker/uptime", true },
        { "a/#", "a/$b", true },
        { "+/+", "a/$b", true },
        /* Shared subscriptions. */
        { "$share/group/a/+", "a/b", true },
        { "$share/group/a/+", "$share/group/a/b", false },
        { "$share/group/#", "$SYS/a", false },
        { "$share/group//a", "/a", true },
        { "$shared/a", "$shared/a", true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (topic_matches(str_of(cases[i].filter), str_of(cases[i].topic)) != cases[i].want)
            fail_msg("%s and %s", cases[i].filter, cases[i].topic);
}

static void mistakes_of_filters_are_named(void **state)
{
    static const struct {
        const char *filter;
        bool right;
    } cases[] = {
        { "a", true },           { "/", true },
        { "a//b", true },        { "+", true },
        { "#", true },           { "+/a/+/#", true },
        { "$SYS/#", true },      { "a b/\xc3\xa4", true },
        { "$share/g/a", true },  { "$share/g//", true },
        { "$sharex", true },     { "", false },
        { "a#", false },         { "a/b+", false },
        { "++", false },         { "##", false },
        { "#/a", false },        { "a/#/b", false },
        { "#/", false },         { "a/\xff", false },
        { "$share/", false },    { "$share/g", false },
        { "$share/g/", false },  { "$share//a", false },
        { "$share/+/a", false }, { "$share/g/a#", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (!topic_filter_check(str_of(cases[i].filter)) != cases[i].right) fail_msg("%s", cases[i].filter);
    assert_non_null(topic_filter_check(STR("a\0b")));
}

static void topics_have_no_wildcards(void **state)
{
    (void)state;
    assert_null(topic_check(STR("a/b")));
    assert_null(topic_check(STR("$SYS/a")));
    assert_non_null(topic_check(STR("")));
    assert_non_null(topic_check(STR("a/+")));
    assert_non_null(topic_check(STR("a#")));
    assert_non_null(topic_check(STR("a\0")));
}

static void the_longest_topic_has_a_limit(void **state)
{
    (void)state;
    char *text = malloc(TOPIC_BYTES_MAX + 1);
    memset(text, 'a', TOPIC_BYTES_MAX + 1);
    assert_null(topic_check((str){ text, TOPIC_BYTES_MAX }));
    assert_null(topic_filter_check((str){ text, TOPIC_BYTES_MAX }));
    assert_non_null(topic_check((str){ text, TOPIC_BYTES_MAX + 1 }));
    assert_non_null(topic_filter_check((str){ text, TOPIC_BYTES_MAX + 1 }));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_select_topics),
        cmocka_unit_test(mistakes_of_filters_are_named),
        cmocka_unit_test(topics_have_no_wildcards),
        cmocka_unit_test(the_longest_topic_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
