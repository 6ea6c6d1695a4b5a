#include "expr/built.h"
#include "expr/template/template.h"

/* The roots of flow graphs: `nodes.a` and `triggers.a` are members of the data of that name, `__resume` is a
 * member of a local, and the names of secrets are what the data does not have. */
struct asked {
    size_t count;
    str text, pointer;
};

static enum status find_root(void *context, const struct template_path *path, struct template_root *ret_root,
                             struct error *err)
{
    static const str names[] = { STR_INIT("vars"), STR_INIT("trigger"), STR_INIT("item"), STR_INIT("loop") };
    static char joined[64];
    struct asked *asked = context;
    asked->count++;
    asked->text = path->text;
    asked->pointer = path->pointer;
    str first = path->name[0];
    if (str_equal(first, STR("nodes")) && path->count > 1) {
        int n = snprintf(joined, sizeof joined, "nodes.%.*s", STR_ARG(path->name[1]));
        *ret_root = (struct template_root){ .name = { joined, (size_t)n }, .used = 2 };
        return ST_OK;
    }
    if (str_equal(first, STR("secrets")) && path->count > 1) {
        *ret_root = (struct template_root){ .name = path->name[1], .used = 2, .secret = true };
        return ST_OK;
    }
    if (str_equal(first, STR("__resume"))) {
        *ret_root = (struct template_root){ .name = STR("carried"), .member = STR("resume"), .used = 1 };
        return ST_OK;
    }
    if (str_equal(first, STR("noted"))) return ST_OK;
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_equal(first, names[i])) {
            *ret_root = (struct template_root){ .name = first, .used = 1 };
            return ST_OK;
        }
    return (fail)(err, ST_NOT_FOUND, "", "nothing is called \"%.*s\"", STR_ARG(first));
}

#define DATA                                                                                               \
    "{\"vars\":{\"s\":\"text\",\"n\":5,\"f\":1.50,\"big\":12345678901234567890,\"yes\":true,\"nil\":null," \
    "\"e\":\"\",\"list\":[1,\"two\",{\"k\":[3]}],\"o\":{\"a\":{\"b\":1},\"length\":7},\"u\":\"Z\xc3\xbc"   \
    "rich\",\"evil\":\"{{ vars.n }}\",\"odd name\":\"x\",\"a-b\":8},\"nodes.a\":{\"body\":{\"x\":1}},"     \
    "\"nodes.x y\":{\"out\":true},\"trigger\":{\"payload\":{\"n\":20}}}"

static struct template_roots roots_of(struct asked *asked, const char *secrets)
{
    return (struct template_roots){ .find = find_root, .context = asked, .secrets_member = str_of(secrets) };
}

static const struct expr_local *locals_of(struct built *built)
{
    struct expr_local *local = arena_make(&built->arena, struct expr_local);
    *local = (struct expr_local){ STR("carried"),
                                  cases_data("{\"resume\":{\"decision\":\"yes\"}}", &built->arena) };
    return local;
}

/* Compiles and runs a template, or a condition. */
static enum status render(struct built *built, const char *text, const char *secrets)
{
    struct asked asked = { 0 };
    struct template_roots roots = roots_of(&asked, secrets);
    const struct expr *expr;
    built_begin(built, DATA);
    built->env.local = locals_of(built);
    built->env.local_count = 1;
    TRY(expr_template(cases_data(text, &built->arena), &roots, &built->arena, &expr, &built->err));
    return expr_eval(expr, &built->env, &built->fuel, &built->arena, &built->value, &built->err);
}

static enum status judge(struct built *built, const char *text, bool strict)
{
    struct asked asked = { 0 };
    struct template_roots roots = roots_of(&asked, "secrets");
    const struct expr *expr;
    built_begin(built, DATA);
    built->env.local = locals_of(built);
    built->env.local_count = 1;
    TRY(expr_structured(cases_data(text, &built->arena), strict, &roots, &built->arena, &expr, &built->err));
    return expr_eval(expr, &built->env, &built->fuel, &built->arena, &built->value, &built->err);
}

static void expect_rendered(const struct gives *cases, size_t count, const char *secrets)
{
    for (size_t i = 0; i < count; i++) {
        struct built built;
        if (render(&built, cases[i].text, secrets) != ST_OK)
            fail_msg("%s: %s %s", cases[i].text, built.err.where, built.err.message);
        if (strcmp(built_printed(&built), cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].text, built_printed(&built), cases[i].want);
        built_end(&built);
    }
}

/* ---- templates ---- */

static void one_placeholder_gives_the_typed_value(void **state)
{
    (void)state;
    static const struct gives cases[] = {
        { "\"{{ vars.n }}\"", "5" },
        { "\"{{vars.n}}\"", "5" },
        { "\"{{ vars.f }}\"", "1.50" },
        { "\"{{ vars.yes }}\"", "true" },
        { "\"{{ vars.nil }}\"", "null" },
        { "\"{{ vars.missing }}\"", "null" },
        { "\"{{ vars.missing.deep[3].deeper }}\"", "null" },
        { "\"{{ vars.s.deep }}\"", "null" },
        { "\"{{ vars.list }}\"", "[1,\"two\",{\"k\":[3]}]" },
        { "\"{{ vars.list[0] }}\"", "1" },
        { "\"{{ vars.list[ 2 ].k[0] }}\"", "3" },
        { "\"{{ vars.list[-1].k }}\"", "[3]" },
        { "\"{{ vars.list[3] }}\"", "null" },
        { "\"{{ vars.list[-4] }}\"", "null" },
        { "\"{{ vars.list.k }}\"", "null" },
        { "\"{{ vars.o[0] }}\"", "null" },
        { "\"{{ vars.list.length }}\"", "3" },
        { "\"{{ vars.list[\\\"length\\\"] }}\"", "null" },
        { "\"{{ vars.u.length }}\"", "6" },
        { "\"{{ vars.o.length }}\"", "7" },
        { "\"{{ vars.n.length }}\"", "null" },
        { "\"{{ vars[\\\"odd name\\\"] }}\"", "\"x\"" },
        { "\"{{ vars['odd name'] }}\"", "\"x\"" },
        { "\"{{ vars.a-b }}\"", "8" },
        { "\"{{ vars['a\\u0000'] }}\"", "null" },
        { "\"{{ nodes.a.body.x }}\"", "1" },
        { "\"{{ nodes.a }}\"", "{\"body\":{\"x\":1}}" },
        { "\"{{ nodes[\\\"x y\\\"].out }}\"", "true" },
        { "\"{{ nodes.none.out }}\"", "null" },
        { "\"{{ __resume.decision }}\"", "\"yes\"" },
        { "\"{{ __resume }}\"", "{\"decision\":\"yes\"}" },
        { "\"{{ item }}\"", "null" },
        { "\"{{ noted.x.y }}\"", "null" },
    };
    expect_rendered(cases, COUNT(cases), "");
}

static void anything_else_gives_text(void **state)
{
    (void)state;
    static const struct gives cases[] = {
        { "\"<{{ vars.n }}>\"", "\"<5>\"" },
        { "\"{{ vars.f }} \"", "\"1.5 \"" },
        { "\"{{ vars.big }}.\"", "\"12345678901234567890.\"" },
        { "\"{{ vars.yes }}{{ vars.nil }}{{ vars.missing }}!\"", "\"true!\"" },
        { "\"{{ vars.nil }}{{ vars.nil }}\"", "\"\"" },
        { "\"a {{ vars.list }}\"", "\"a [1,\\\"two\\\",{\\\"k\\\":[3]}]\"" },
        { "\"{{ vars.s }}-{{ vars.u }}\"", "\"text-Z\xc3\xbcrich\"" },
        /* Values are never expanded again. */
        { "\"<{{ vars.evil }}>\"", "\"<{{ vars.n }}>\"" },
        { "\"{{ vars.evil }}\"", "\"{{ vars.n }}\"" },
        /* Literal braces. */
        { "\"\\\\{{ vars.n }}\"", "\"{{ vars.n }}\"" },
        { "\"a\\\\{{b{{ vars.n }}}}\"", "\"a{{b5}}\"" },
        { "\"\\\\\\\\{{ x\"", "\"\\\\{{ x\"" },
        { "\"{ { } } }}\"", "\"{ { } } }}\"" },
        { "\"{{ vars.n }}}\"", "\"5}\"" },
        { "\"\"", "\"\"" },
    };
    expect_rendered(cases, COUNT(cases), "");
}

static void filters_replace_null_and_print_json(void **state)
{
    (void)state;
    static const struct gives cases[] = {
        { "\"{{ vars.missing | default([]) }}\"", "[]" },
        { "\"{{ vars.missing|default( {\\\"a\\\":{\\\"b\\\":\\\"}}\\\"}} ) }}\"", "{\"a\":{\"b\":\"}}\"}}" },
        { "\"{{ vars.nil | default(1.0) }}\"", "1.0" },
        { "\"{{ vars.e | default(1) }}\"", "\"\"" },
        { "\"{{ vars.n | default(1) }}!\"", "\"5!\"" },
        { "\"{{ vars.missing | default(\\\"x\\\") }}!\"", "\"x!\"" },
        { "\"{{ vars.missing | default(null) }}!\"", "\"!\"" },
        { "\"{{ vars.o.a | json }}\"", "\"{\\\"b\\\":1}\"" },
        { "\"{{ vars.s | json }}\"", "\"\\\"text\\\"\"" },
        { "\"{{ vars.missing | json }}\"", "\"null\"" },
        { "\"{{ vars.missing | default([1]) | json }}\"", "\"[1]\"" },
        { "\"{{ vars.f | json }}\"", "\"1.50\"" },
    };
    expect_rendered(cases, COUNT(cases), "");
}

static void whole_values_are_templates_and_names_of_members_are_not(void **state)
{
    (void)state;
    static const struct gives cases[] = {
        { "{\"a\":\"{{ vars.n }}\",\"b\":[1,\"{{ vars.s }}!\",{\"c\":null}],\"{{ vars.n }}\":\"x\"}",
          "{\"a\":5,\"b\":[1,\"text!\",{\"c\":null}],\"{{ vars.n }}\":\"x\"}" },
        { "[[],{},\"{{ vars.yes }}\"]", "[[],{},true]" },
        { "{\"a\":1}", "{\"a\":1}" },
        { "5", "5" },
        { "null", "null" },
    };
    expect_rendered(cases, COUNT(cases), "");
}

static void a_value_without_placeholders_is_a_constant(void **state)
{
    (void)state;
    static const char *const cases[] = { "{\"a\":[1,{\"b\":\"}} {\"}]}", "\"plain\"", "\"\\\\{{ x }}\"",
                                         "[]" };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct asked asked = { 0 };
        struct error err;
        struct template_roots roots = roots_of(&asked, "");
        const struct expr *expr;
        const struct json *value;
        arena_init(&arena, 0);
        assert_int_equal(expr_template(cases_data(cases[i], &arena), &roots, &arena, &expr, &err), ST_OK);
        assert_true(expr_is_constant(expr, &value));
        assert_int_equal(asked.count, 0);
        arena_done(&arena);
    }
}

static void mistakes_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        { "\"{{ vars.x\"", "", "\"{{\" is never closed (character 1)" },
        { "\"ab {{\"", "", "\"{{\" is never closed (character 4)" },
        { "\"ab {{{ vars.x\"", "", "\"{{{\" is never closed (character 4)" },
        { "\"{{{ vars.x }}\"", "", "\"}}}\" or a filter is missing here (character 12)" },
        { "\"{{{ }}}\"", "", "the placeholder is empty (character 1)" },
        { "\"{{{{ vars.x }}}}\"", "", "a name is missing here (character 4)" },
        { "{\"a\":[0,\"{{ }}\"]}", "/a/1", "the placeholder is empty (character 1)" },
        { "{\"a/b\":\"x {{}}\"}", "/a~1b", "the placeholder is empty (character 3)" },
        { "\"{{ vars. }}\"", "", "a name is missing here (character 9)" },
        { "\"{{ vars.0 }}\"", "", "a name is missing here; an item of a list is [0] (character 9)" },
        { "\"{{ .x }}\"", "", "a name is missing here (character 4)" },
        { "\"{{ vars x }}\"", "", "\"}}\" or a filter is missing here (character 9)" },
        { "\"{{ vars }\"", "", "\"}}\" or a filter is missing here (character 9)" },
        { "\"{{ vars.x + 1 }}\"", "", "\"}}\" or a filter is missing here (character 11)" },
        { "\"{{ vars[x] }}\"", "", "[ ] takes a whole number or a name in quotes (character 9)" },
        { "\"{{ vars[1.5] }}\"", "", "\"[\" is never closed (character 8)" },
        { "\"{{ vars[] }}\"", "", "[ ] takes a whole number or a name in quotes (character 9)" },
        { "\"{{ vars[99999999999999999999] }}\"", "",
          "[ ] takes a whole number or a name in quotes (character 9)" },
        { "\"{{ vars['x }}\"", "", "the quote is never closed (character 9)" },
        { "\"{{ vars | upper }}\"", "",
          "there is no filter \"upper\"; there are default(…) and json (character 11)" },
        { "\"{{ vars | default }}\"", "", "default needs a JSON value in parentheses (character 11)" },
        { "\"{{ vars | default(1 }}\"", "", "the \"(\" of default is never closed (character 11)" },
        { "\"\xc3\xbc\\n{{ }}\"", "", "the placeholder is empty (line 2, character 1)" },
        { "\"{{ secrets.k }}\"", "", "a secret cannot be read here (character 4)" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        if (render(&built, cases[i].text, "") != ST_INVALID) fail_msg("%s: no mistake", cases[i].text);
        assert_string_equal(built.err.message, cases[i].message);
        assert_string_equal(built.err.where, cases[i].where);
        built_end(&built);
    }
}

static void the_caller_refuses_roots_and_learns_where_they_stand(void **state)
{
    (void)state;
    struct built built;
    assert_int_equal(render(&built, "\"{{ what.x }}\"", ""), ST_NOT_FOUND);
    assert_string_equal(built.err.message, "nothing is called \"what\"");
    struct asked asked = { 0 };
    struct template_roots roots = roots_of(&asked, "");
    const struct expr *expr;
    const struct json *value = cases_data("{\"a\":[\"{{ nodes['p q'].x[0] | json }}\"]}", &built.arena);
    assert_int_equal(expr_template(value, &roots, &built.arena, &expr, &built.err), ST_OK);
    assert_int_equal(asked.count, 1);
    assert_true(str_equal(asked.text, STR("nodes['p q'].x[0]")));
    assert_true(str_equal(asked.pointer, STR("/a/0")));
    assert_true(str_equal(expr_text(expr), STR("{\"a\": [json(nodes['p q'].x[0])]}")));
    str name[1];
    assert_int_equal(expr_variables(expr, name, 1), 1);
    assert_true(str_equal(name[0], STR("nodes.p q")));
    built_end(&built);
}

/* ---- secrets ---- */

static void secrets_are_masked_and_listed(void **state)
{
    (void)state;
    static const struct gives cases[] = {
        { "{\"h\":{\"A/b\":\"Bearer {{ secrets.key }}\"},\"n\":\"{{ vars.n }}\"}",
          "{\"h\":{\"A/b\":\"Bearer ***\"},\"n\":5,\"S\":[{\"at\":\"/h/A~1b\",\"parts\":[\"Bearer "
          "\",{\"secret\":"
          "\"key\"}]}]}" },
        { "{\"a\":[\"{{ secrets.x }}\",\"{{ vars.n }}:{{ secrets['y'] }}{{ secrets.z }}\"]}",
          "{\"a\":[\"***\",\"5:******\"],\"S\":[{\"at\":\"/a/0\",\"parts\":[{\"secret\":\"x\"}]},{\"at\":\"/"
          "a/"
          "1\",\"parts\":[\"5\",\":\",{\"secret\":\"y\"},{\"secret\":\"z\"}]}]}" },
        { "{\"a\":\"{{ vars.n }}\"}", "{\"a\":5}" },
    };
    expect_rendered(cases, COUNT(cases), "S");
    static const char *const wrong[] = {
        "{\"a\":\"{{ secrets.k | json }}\"}",
        "{\"a\":\"{{ secrets.k.x }}\"}",
        "\"{{ secrets.k }}\"",
        "[\"{{ secrets.k }}\"]",
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct built built;
        assert_int_equal(render(&built, wrong[i], "S"), ST_INVALID);
        built_end(&built);
    }
}

/* ---- conditions ---- */

static void ops_compare_without_coercion(void **state)
{
    (void)state;
    static const struct {
        const char *left, *op, *right, *want; /* want: true, false, or empty for an error. */
    } cases[] = {
        { "\"{{ vars.n }}\"", "eq", "5", "true" },
        { "\"{{ vars.n }}\"", "eq", "5.0", "true" },
        { "\"{{ vars.n }}\"", "eq", "\"5\"", "false" },
        { "\"{{ vars.n }}\"", "neq", "\"5\"", "true" },
        { "\"{{ vars.missing }}\"", "eq", "null", "true" },
        { "\"{{ vars.o.a }}\"", "eq", "{\"b\":1.0}", "true" },
        { "12345678901234567890", "eq", "12345678901234567891", "false" },
        { "\"{{ vars.n }}\"", "gt", "4.9", "true" },
        { "\"{{ vars.n }}\"", "gte", "5.0", "true" },
        { "\"{{ vars.n }}\"", "lt", "5", "false" },
        { "\"{{ vars.n }}\"", "lte", "5", "true" },
        { "\"b\"", "gt", "\"a\"", "true" },
        { "\"{{ vars.n }}\"", "gt", "\"4\"", "" },
        { "\"{{ vars.missing }}\"", "lt", "1", "" },
        { "null", "lte", "null", "" },
        { "true", "lt", "true", "" },
        { "[1]", "lt", "[2]", "" },
        { "\"{{ vars.list }}\"", "contains", "\"two\"", "true" },
        { "\"{{ vars.list }}\"", "contains", "1.0", "true" },
        { "\"{{ vars.list }}\"", "contains", "\"1\"", "false" },
        { "\"{{ vars.s }}\"", "contains", "\"ex\"", "true" },
        { "\"{{ vars.s }}\"", "contains", "5", "false" },
        { "\"{{ vars.o }}\"", "contains", "\"a\"", "true" },
        { "\"{{ vars.missing }}\"", "contains", "\"a\"", "false" },
        { "\"{{ vars.s }}\"", "starts_with", "\"te\"", "true" },
        { "\"{{ vars.n }}\"", "starts_with", "\"5\"", "false" },
        { "\"{{ vars.n }}\"", "in", "[4,\"{{ trigger.payload.n }}\",5]", "true" },
        { "\"{{ vars.n }}\"", "in", "[\"5\"]", "false" },
        { "\"ex\"", "in", "\"{{ vars.s }}\"", "true" },
        { "\"{{ vars.n }}\"", "in", "5", "false" },
        { "\"{{ vars.n }}\"", "exists", NULL, "true" },
        { "\"{{ vars.nil }}\"", "exists", NULL, "false" },
        { "\"{{ vars.missing }}\"", "not_exists", NULL, "true" },
        { "\"{{ vars.e }}\"", "is_empty", NULL, "true" },
        { "\"{{ vars.missing }}\"", "is_empty", NULL, "true" },
        { "[]", "is_empty", NULL, "true" },
        { "0", "is_empty", NULL, "false" },
        { "\"{{ vars.list }}\"", "is_not_empty", NULL, "true" },
        { "\"{{ vars.yes }}\"", "is_true", NULL, "true" },
        { "\"true\"", "is_true", NULL, "false" },
        { "1", "is_true", NULL, "false" },
        { "false", "is_false", NULL, "true" },
        { "null", "is_false", NULL, "false" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"left\":%s,\"op\":\"%s\"%s%s}", cases[i].left, cases[i].op,
                 cases[i].right ? ",\"right\":" : "", cases[i].right ? cases[i].right : "");
        for (int strict = 0; strict < 2; strict++) {
            struct built built;
            enum status status = judge(&built, text, strict);
            bool wrong = !cases[i].want[0];
            if (wrong && strict) {
                if (status != ST_INVALID) fail_msg("%s: no error", text);
                assert_true(str_starts(str_of(built.err.message), STR("cannot order ")));
            } else {
                if (status != ST_OK) fail_msg("%s: %s", text, built.err.message);
                if (strcmp(built_printed(&built), wrong ? "false" : cases[i].want) != 0)
                    fail_msg("%s: got %s", text, built_printed(&built));
            }
            built_end(&built);
        }
    }
}

static void conditions_nest_and_stop_early(void **state)
{
    (void)state;
#define BAD "{\"left\":null,\"op\":\"gt\",\"right\":1}"
    static const struct {
        const char *text, *strict, *lenient; /* Empty: an error. */
    } cases[] = {
        { "{\"all\":[]}", "true", "true" },
        { "{\"any\":[]}", "false", "false" },
        { "{\"all\":[true,{\"not\":false}]}", "true", "true" },
        { "{\"all\":[{\"left\":1,\"op\":\"eq\",\"right\":2}," BAD "]}", "false", "false" },
        { "{\"any\":[{\"left\":1,\"op\":\"eq\",\"right\":1}," BAD "]}", "true", "true" },
        { "{\"any\":[" BAD ",{\"left\":1,\"op\":\"eq\",\"right\":1}]}", "", "true" },
        { "{\"not\":" BAD "}", "", "true" },
        { BAD, "", "false" },
        /* Texts, whose names go through the roots. */
        { "\"trigger.payload.n > 10 && nodes.a.body.x == 1\"", "true", "true" },
        { "\"nodes['x y'].out\"", "true", "true" },
        { "\"__resume.decision == 'yes' && __resume != null\"", "true", "true" },
        { "\"let n = vars.n; any(vars.list, # == n) || n in [5]\"", "true", "true" },
        { "\"nodes.none == null\"", "true", "true" },
        { "\"nodes.none?.x ?? true\"", "true", "true" },
        { "\"nodes.none.x > 1\"", "", "false" },
        { "\"vars.list > 1\"", "", "false" },
        { "{\"all\":[\"vars.n == 5\",\"vars[nodes.a.body.x == 1 ? 'yes' : 'no']\"]}", "true", "true" },
        { "{\"any\":[\"vars.list > 1\",true]}", "", "true" },
        { "{\"all\":[\"noted.x == null\"]}", "true", "true" },
        { "{\"all\":[\"vars.n\"]}", "", "false" }, /* No boolean. */
    };
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        struct built built;
        bool strict = i % 2;
        const char *text = cases[i / 2].text, *want = strict ? cases[i / 2].strict : cases[i / 2].lenient;
        enum status status = judge(&built, text, strict);
        if (!want[0]) {
            if (status != ST_INVALID) fail_msg("%s: no error", text);
        } else {
            if (status != ST_OK) fail_msg("%s: %s", text, built.err.message);
            if (strcmp(built_printed(&built), want) != 0) fail_msg("%s: got %s", text, built_printed(&built));
        }
        built_end(&built);
    }
}

static void conditions_are_checked_when_compiled(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        { "5", "", "a condition is an object or a text" },
        { "{}", "", "a condition has left and op, or one of all, any and not" },
        { "{\"all\":[],\"not\":true}", "", "a condition has left and op, or one of all, any and not" },
        { "{\"all\":[{\"any\":5}]}", "/all/0/any", "any needs a list of conditions" },
        { "{\"left\":1}", "/op", "a condition needs an op, a text" },
        { "{\"op\":\"eq\",\"right\":1}", "/left", "a condition needs left, a value to look at" },
        { "{\"left\":1,\"op\":\"gt\"}", "/right", "gt needs right, a value to compare with" },
        { "{\"not\":{\"left\":1,\"op\":\"equals\",\"right\":1}}", "/not/op",
          "there is no op \"equals\"; there are eq neq gt gte lt lte contains starts_with in exists "
          "not_exists "
          "is_empty is_not_empty is_true is_false" },
        { "{\"any\":[true,{\"left\":[\"{{ }}\"],\"op\":\"eq\",\"right\":1}]}", "/any/1/left/0",
          "the placeholder is empty (character 1)" },
        { "{\"left\":\"{{ secrets.k }}\",\"op\":\"exists\"}", "/left",
          "a secret cannot be read here (character 4)" },
        { "{\"all\":[\"1 +\"]}", "/all/0",
          "expected a value, but the expression ends here (line 1, column 4)" },
        { "\"1 + secrets.k\"", "", "a secret cannot be read here" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct built built;
        if (judge(&built, cases[i].text, true) != ST_INVALID) fail_msg("%s: no mistake", cases[i].text);
        assert_string_equal(built.err.message, cases[i].message);
        assert_string_equal(built.err.where, cases[i].where);
        built_end(&built);
    }
    struct built built;
    assert_int_equal(judge(&built, "\"1 +\"", true), ST_INVALID);
    assert_int_equal(built.err.column, 4);
    built_end(&built);
    assert_int_equal(judge(&built, "\"nodes == 1\"", true), ST_NOT_FOUND);
    built_end(&built);
}

static void conditions_have_a_text_and_variables(void **state)
{
    (void)state;
    struct built built;
    struct asked asked = { 0 };
    struct template_roots roots = roots_of(&asked, "");
    const struct expr *expr;
    str name[4];
    built_begin(&built, DATA);
    const struct json *condition = cases_data(
        "{\"all\":[{\"left\":\"{{ nodes.a.body.x | default(1) }}\",\"op\":\"gt\",\"right\":10},{\"not\":{"
        "\"left\":\"{{ vars.s }}\",\"op\":\"is_empty\"}},\"item == 2\"]}",
        &built.arena);
    assert_int_equal(expr_structured(condition, false, &roots, &built.arena, &expr, &built.err), ST_OK);
    assert_true(str_equal(expr_text(expr),
                          STR("((nodes.a.body.x ?? 1) gt 10) and (not (vars.s is_empty)) and (item == 2)")));
    assert_int_equal(expr_variables(expr, name, COUNT(name)), 3);
    struct buf out;
    buf_init(&out, &built.arena);
    expr_print(expr, &out);
    assert_true(str_find(buf_str(&out), STR("gt or false"), 0) != SIZE_MAX);
    assert_true(str_find(buf_str(&out), STR("item == 2 or false"), 0) != SIZE_MAX);
    built_end(&built);
}

/* ---- limits ---- */

static void fuel_and_size_bound_templates(void **state)
{
    (void)state;
    struct arena arena;
    struct asked asked = { 0 };
    struct template_roots roots = roots_of(&asked, "");
    const struct expr *expr;
    struct error err;
    arena_init(&arena, 0);
    struct json_builder builder;
    json_builder_init(&builder, &arena);
    json_open_array(&builder);
    json_add_string(&builder, STR("{{ vars }}"));
    for (int i = 0; i < 20000; i++) json_add_int(&builder, i);
    json_close(&builder);
    assert_int_equal(expr_template(json_built(&builder), &roots, &arena, &expr, &err), ST_LIMIT);

    struct buf text;
    buf_init(&text, &arena);
    for (int i = 0; i < 10000; i++) buf_add_str(&text, STR("{{ vars }}-"));
    const struct json *value = json_of_string(&arena, buf_str(&text));
    assert_int_equal(expr_template(value, &roots, &arena, &expr, &err), ST_OK);
    /* 10,000 copies of 100 KB are more than the fuel is worth. */
    struct buf large;
    buf_init(&large, &arena);
    for (int i = 0; i < 10000; i++) buf_add_str(&large, STR("0123456789"));
    const struct json *data =
        json_set(&arena, json_empty_object(), STR("vars"), json_of_string(&arena, buf_str(&large)));
    const struct expr_env env = { .data = data };
    int64_t fuel = limits_default().fuel_max;
    assert_int_equal(expr_eval(expr, &env, &fuel, &arena, &value, &err), ST_LIMIT);
    assert_int_equal(fuel, 0);
    buf_add_str(&text, STR("{{ vars }}"));
    value = json_of_string(&arena, buf_str(&text));
    assert_int_equal(expr_template(value, &roots, &arena, &expr, &err), ST_LIMIT);

    /* A condition that runs out of fuel is not false, strict or not. */
    value = json_of_string(&arena, STR("reduce(1..5000, #acc + #) > 0"));
    assert_int_equal(expr_structured(value, false, &roots, &arena, &expr, &err), ST_OK);
    fuel = 1000;
    assert_int_equal(expr_eval(expr, &env, &fuel, &arena, &value, &err), ST_LIMIT);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_placeholder_gives_the_typed_value),
        cmocka_unit_test(anything_else_gives_text),
        cmocka_unit_test(filters_replace_null_and_print_json),
        cmocka_unit_test(whole_values_are_templates_and_names_of_members_are_not),
        cmocka_unit_test(a_value_without_placeholders_is_a_constant),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(the_caller_refuses_roots_and_learns_where_they_stand),
        cmocka_unit_test(secrets_are_masked_and_listed),
        cmocka_unit_test(ops_compare_without_coercion),
        cmocka_unit_test(conditions_nest_and_stop_early),
        cmocka_unit_test(conditions_are_checked_when_compiled),
        cmocka_unit_test(conditions_have_a_text_and_variables),
        cmocka_unit_test(fuel_and_size_bound_templates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
