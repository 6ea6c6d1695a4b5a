/* Placeholders in texts that are more than text: each is escaped for its place. */
#include "expr/built.h"
#include "expr/template/template.h"

/* Every text is of one kind. Notices are kept as text: "RAW vars.x, ". */
struct escaped {
    enum template_kind kind;
    char notices[256];
};

static enum status find_root(void *context, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    (void)context;
    (void)err;
    bool secret = str_equal(path->name[0], STR("secrets"));
    *ret_root = secret ? (struct template_root){ .name = path->name[1], .used = 2, .secret = true }
                       : (struct template_root){ .name = path->name[0], .used = 1 };
    return ST_OK;
}

static enum template_kind kind_of(void *context, str pointer)
{
    const struct escaped *escaped = context;
    assert_true(str_equal(pointer, STR("/t")));
    return escaped->kind;
}

static void take_notice(void *context, enum template_notice notice, enum template_kind kind,
                        const struct template_path *path)
{
    static const char *const names[] = { "RAW", "IGNORED", "SERVER" };
    struct escaped *escaped = context;
    assert_int_equal(kind, escaped->kind);
    size_t used = strlen(escaped->notices);
    snprintf(escaped->notices + used, sizeof escaped->notices - used, "%s%s %.*s", used ? ", " : "",
             names[notice], STR_ARG(path->text));
}

#define DATA                                                                                                 \
    "{\"v\":\"../../admin?x=1#\",\"s\":\"a b/c\",\"up\":\"..\",\"dot\":\".\",\"e\":\"\",\"n\":5,\"f\":1.50," \
    "\"nil\":null,\"o\":{\"k\":\"/\"},\"base\":\"https://api.example:8080/v1?\",\"host\":\"h.example\","     \
    "\"at\":\"x@evil.example\",\"https\":\"https\",\"url\":\"https://evil.example/\",\"amp\":\"a&b=c\","     \
    "\"tag\":\"<b class=\\\"x\\\">'&'</b>\",\"ann\":\"ann@a.example\",\"two\":\"a@a.example, b@b.example\"," \
    "\"semi\":\"a@a.example;b@b.example\",\"name\":\"\\\"Other, Ann\\\" <ann@a.example>\","                  \
    "\"open\":\"\\\"Ann\",\"quote\":\"A \\\"B\\\" \\\\C, D\","                                               \
    "\"list\":[\"a@a.example\",\"b@b.example\"],\"bad\":[\"a@a.example\",\"b@b.example,c@c.example\"]}"

struct row {
    const char *text, *want; /* Begins with '!': it fails with this message. */
    const char *notices;     /* NULL: none. */
};

static void expect(enum template_kind kind, const struct row *row)
{
    struct built built;
    struct escaped escaped = { .kind = kind };
    const struct template_roots roots = { .find = find_root,
                                          .context = &escaped,
                                          .kind = kind_of,
                                          .notice = take_notice,
                                          .secrets_member = STR("S") };
    const struct expr *expr;
    built_begin(&built, DATA);
    const struct json *value = json_set(&built.arena, json_empty_object(), STR("t"),
                                        json_of_string(&built.arena, str_of(row->text)));
    if (expr_template(value, &roots, &built.arena, &expr, &built.err) != ST_OK)
        fail_msg("%s: %s", row->text, built.err.message);
    enum status status = expr_eval(expr, &built.env, &built.fuel, &built.arena, &built.value, &built.err);
    if (row->want[0] == '!') {
        if (status == ST_OK) fail_msg("%s: got %s, want a failure", row->text, built_printed(&built));
        assert_string_equal(built.err.message, row->want + 1);
    } else {
        if (status != ST_OK) fail_msg("%s: %s", row->text, built.err.message);
        built.value = json_get(built.value, STR("t"));
        if (strcmp(built_printed(&built), row->want) != 0)
            fail_msg("%s: got %s, want %s", row->text, built_printed(&built), row->want);
    }
    if (strcmp(escaped.notices, row->notices ? row->notices : "") != 0)
        fail_msg("%s: noticed \"%s\"", row->text, escaped.notices);
    built_end(&built);
}

#define EXPECT(kind, rows) \
    for (size_t i = 0; i < COUNT(rows); i++) expect(kind, &rows[i])

static void values_stay_inside_their_part_of_a_url(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "https://h/items/{{ v }}", "\"https://h/items/..%2F..%2Fadmin%3Fx%3D1%23\"" },
        { "https://h/{{ s }}/x{{ n }}.{{ f }}", "\"https://h/a%20b%2Fc/x5.1.5\"" },
        { "https://h/{{ o }}{{ nil }}{{ missing }}", "\"https://h/%7B%22k%22%3A%22%2F%22%7D\"" },
        { "https://h/a?q={{ amp }}&{{ amp }}=1", "\"https://h/a?q=a%26b%3Dc&a%26b%3Dc=1\"" },
        { "https://h/a#{{ v }}", "\"https://h/a#..%2F..%2Fadmin%3Fx%3D1%23\"" },
        { "https://h?q={{ up }}", "\"https://h?q=..\"" },
        /* A whole segment of dots; two values that would be one together. */
        { "https://h/a/{{ up }}/b", "!\"up\" is . or .., which leads to another path of the URL" },
        { "https://h/a/{{ dot }}{{ dot }}", "!\"dot\" is . or .., which leads to another path of the URL" },
        { "https://h/a/.{{ dot }}/b", "!\"dot\" is . or .., which leads to another path of the URL" },
        { "https://h/a/{{ e }}/b", "\"https://h/a//b\"" },
        /* Filters come first, and nothing is encoded twice. */
        { "https://h/{{ s | json }}", "\"https://h/%22a%20b%2Fc%22\"" },
        { "https://h/{{ nil | default(\"a/b\") }}", "\"https://h/a%2Fb\"" },
        { "https://h/{{{ v }}}/{{ s }}", "\"https://h/../../admin?x=1#/a%20b%2Fc\"", "RAW v" },
        { "no placeholder \\{{ v }}", "\"no placeholder {{ v }}\"" },
    };
    EXPECT(TEMPLATE_URL, rows);
}

static void a_value_may_be_a_host_but_nothing_more(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "https://{{ host }}/a", "\"https://h.example/a\"", "SERVER host" },
        { "https://{{ host }}", "\"https://h.example\"", "SERVER host" },
        { "https://{{ host }}:{{ n }}/a", "\"https://h.example:5/a\"", "SERVER host" },
        { "https://{{ host }}.shop.example/a", "\"https://h.example.shop.example/a\"" },
        { "https://shop.example{{ at }}/", "!\"at\" has characters that no host of a URL has", "SERVER at" },
        { "https://{{ s }}/", "!\"s\" has characters that no host of a URL has", "SERVER s" },
        { "{{ https }}://h/{{ s }}", "\"https://h/a%20b%2Fc\"" },
        { "http{{ e }}://h/{{ s }}", "\"http://h/a%20b%2Fc\"" },
        { "{{ url }}://h/", "!\"url\" is no scheme of a URL, such as https" },
        { "https:{{ url }}", "!\"url\" is no scheme of a URL, such as https" },
        { "https://{{{ at }}}/{{ s }}", "\"https://x@evil.example/a%20b%2Fc\"", "RAW at" },
    };
    EXPECT(TEMPLATE_URL, rows);
}

static void a_value_that_begins_a_url_is_the_url(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "{{ base }}", "\"https://api.example:8080/v1?\"", "SERVER base" },
        { " {{ base }}", "\" https://api.example:8080/v1?\"", "SERVER base" },
        { "{{ base }}/items/{{ v }}", "\"https://api.example:8080/v1?/items/..%2F..%2Fadmin%3Fx%3D1%23\"",
          "SERVER base" },
        { "{{ base }}?q={{ amp }}", "\"https://api.example:8080/v1??q=a%26b%3Dc\"", "SERVER base" },
        { "{{{ base }}}/{{ s }}", "\"https://api.example:8080/v1?/a%20b%2Fc\"", "RAW base" },
        /* The host may still go on: only the strictest rule is safe. */
        { "{{ base }}{{ s }}", "!\"s\" has characters that no host of a URL has", "SERVER base, SERVER s" },
        { "{{ base }}-{{ s }}/", "!\"s\" has characters that no host of a URL has", "SERVER base, SERVER s" },
        { "{{ base }}{{ host }}", "\"https://api.example:8080/v1?h.example\"", "SERVER base, SERVER host" },
        /* A type that is no text stays what it is. */
        { "{{ nil }}", "null", "SERVER nil" },
        { "{{ n }}", "5", "SERVER n" },
    };
    EXPECT(TEMPLATE_URL, rows);
}

static void secrets_go_in_as_they_are(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "{{ secrets.base }}/items/{{ s }}", "\"***/items/a%20b%2Fc\"" },
        { "https://h/{{ secrets.k }}/{{ s }}?k={{{ secrets.k }}}", "\"https://h/***/a%20b%2Fc?k=***\"" },
    };
    EXPECT(TEMPLATE_URL, rows);
    expect(TEMPLATE_RECIPIENTS, &(struct row){ "{{ secrets.k }}", "\"***\"", NULL });
    expect(TEMPLATE_HTML, &(struct row){ "{{ secrets.k }}", "\"***\"", NULL });
    expect(TEMPLATE_REFERENCE, &(struct row){ "{{ secrets.k }}", "\"***\"", NULL });
}

static void html_shows_what_a_value_says(void **state)
{
    (void)state;
    static const char escaped[] = "\"<p>&lt;b class=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;</p>\"";
    expect(TEMPLATE_HTML, &(struct row){ "<p>{{ tag }}</p>", escaped, NULL });
    expect(TEMPLATE_MARKUP, &(struct row){ "<p>{{ tag }}</p>", escaped, NULL });
    static const struct row html[] = {
        { "{{ tag }}", "\"&lt;b class=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;\"" },
        { "{{{ tag }}}", "\"<b class=\\\"x\\\">'&'</b>\"", "RAW tag" },
        { "<i>{{{ tag }}}</i>{{ amp }}", "\"<i><b class=\\\"x\\\">'&'</b></i>a&amp;b=c\"", "RAW tag" },
        { "{{ nil }}", "null" }, /* Absent, as without the field. */
        { "{{ n }}", "\"5\"" },
    };
    EXPECT(TEMPLATE_HTML, html);
    /* The body of a call that is one placeholder is a document of its own. */
    expect(TEMPLATE_MARKUP, &(struct row){ "{{ tag }}", "\"<b class=\\\"x\\\">'&'</b>\"", NULL });
}

static void a_value_adds_no_field_to_a_form(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "a={{ amp }}&b={{ s }}", "\"a=a%26b%3Dc&b=a%20b%2Fc\"" },
        { "a={{{ amp }}}", "\"a=a&b=c\"", "RAW amp" },
        { "{{ o }}", "{\"k\":\"/\"}" },
        { "{{ amp }}", "\"a&b=c\"" },
    };
    EXPECT(TEMPLATE_FORM, rows);
}

static void one_placeholder_is_one_recipient(void **state)
{
    (void)state;
#define SEVERAL " is more than one address of e-mail: several must be a list of texts"
    static const struct row rows[] = {
        { "{{ ann }}", "\"ann@a.example\"" },
        { "{{ two }}", "!\"two\"" SEVERAL },
        { "{{ semi }}", "!\"semi\"" SEVERAL },
        { "{{{ two }}}", "!\"two\"" SEVERAL, "IGNORED two" },
        { "{{ nil | default(\"a@a.example,b@b.example\") }}", "!\"nil\"" SEVERAL },
        { "{{ name }}",
          "\"\\\"Other, Ann\\\" <ann@a.example>\"" }, /* A comma between quotes separates nothing. */
        { "{{ open }}", "!\"open\" is no address of e-mail: its quote is never closed" },
        { "{{ list }}", "[\"a@a.example\",\"b@b.example\"]" },
        { "{{ bad }}", "!\"bad\"" SEVERAL },
        { "{{ nil }}", "null" },
        { "{{ n }}", "5" }, /* No address: the performer says so. */
        /* Several addresses in one text of the author's. */
        { "{{ ann }}, {{ name }}", "\"ann@a.example, \\\"Other, Ann\\\" <ann@a.example>\"" },
        { "{{ ann }}, {{ two }}", "!\"two\"" SEVERAL },
        { "{{ ann }}, {{ list }}", "!\"list\" is a list: a list of addresses must be the whole text" },
        { "{{ open }} <{{ ann }}>, {{ open }} <{{ ann }}>",
          "!\"open\" is no address of e-mail: its quote is never closed" },
        { "n{{ n }}@a.example", "\"n5@a.example\"" },
        /* Between the author's quotes. */
        { "\"{{ quote }}\" <{{ ann }}>", "\"\\\"A \\\\\\\"B\\\\\\\" \\\\\\\\C, D\\\" <ann@a.example>\"" },
        { "\"x\\\" {{ quote }}\" <a@a.example>",
          "\"\\\"x\\\\\\\" A \\\\\\\"B\\\\\\\" \\\\\\\\C, D\\\" <a@a.example>\"" },
    };
#undef SEVERAL
    EXPECT(TEMPLATE_RECIPIENTS, rows);
}

static void plain_texts_and_values_stay_as_they_were(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "<{{ tag }}>", "\"<<b class=\\\"x\\\">'&'</b>>\"" },
        { "{{{ tag }}}", "\"<b class=\\\"x\\\">'&'</b>\"" },
        { "{{{ o }}}", "{\"k\":\"/\"}" },
        { "{ {{ n }} }", "\"{ 5 }\"" },
        { "{{{ n }}}}", "\"5}\"" },
        { "{{{ nil | default({\"a\":{}}) }}}", "{\"a\":{}}" },
    };
    EXPECT(TEMPLATE_PLAIN, rows);
    expect(TEMPLATE_REFERENCE, &(struct row){ "vault:{{ host }}", "\"vault:h.example\"", "SERVER host" });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_stay_inside_their_part_of_a_url),
        cmocka_unit_test(a_value_may_be_a_host_but_nothing_more),
        cmocka_unit_test(a_value_that_begins_a_url_is_the_url),
        cmocka_unit_test(secrets_go_in_as_they_are),
        cmocka_unit_test(html_shows_what_a_value_says),
        cmocka_unit_test(a_value_adds_no_field_to_a_form),
        cmocka_unit_test(one_placeholder_is_one_recipient),
        cmocka_unit_test(plain_texts_and_values_stay_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
