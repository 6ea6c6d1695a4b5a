#include "api/fake.h"
#include "api/members_int.h"

static const struct api_route *find(const char *method, const char *path, struct route_match *ret_match)
{
    route_find(routes_all, str_of(method), str_of(path), &fake.arena, ret_match);
    return ret_match->route;
}

static void a_path_leads_to_its_handler(void **state)
{
    static const struct {
        const char *method, *path;
        route_fn *handle;
        const char *param[2];
    } cases[] = {
        { "POST", "/v1/jobs/poll", v1_jobs_poll, { 0 } },
        { "POST", "/v1/jobs/batch", v1_jobs_batch, { 0 } },
        { "POST", "/v1/jobs/poll/complete", v1_jobs_complete, { "poll" } },
        { "GET", "/v1/jobs", v1_jobs_list, { 0 } },
        { "HEAD", "/v1/jobs", v1_jobs_list, { 0 } },
        { "GET", "/v1/instances/x", v1_instances_get, { "x" } },
        { "GET", "/v1/instances/history", v1_instances_get, { "history" } },
        { "POST", "/v1/instances/x/user-tasks/y%2Fz/complete", v1_tasks_complete_step, { "x", "y%2Fz" } },
        { "POST", "/v1/definitions/a::b/instances", v1_instances_start_of, { "a::b" } },
        { "GET", "/v1/definitions/a/versions/3", v1_definitions_get_version, { "a", "3" } },
        { "POST", "/v1/events", events_take, { 0 } },
        { "GET", "/v1/events/unmatched", events_unmatched, { 0 } },
        { "GET", "/healthz", probes_health, { 0 } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct route_match match;
        const struct api_route *route = find(cases[i].method, cases[i].path, &match);
        assert_non_null(route);
        assert_ptr_equal(route->handle, cases[i].handle);
        assert_int_equal(match.allow.n, 0);
        for (size_t k = 0; k < ROUTE_PARAMS_MAX; k++)
            assert_true(str_equal(match.param[k], k < 2 ? str_of(cases[i].param[k]) : STR_NONE));
    }
}

static void a_path_of_no_route_or_another_method(void **state)
{
    static const struct {
        const char *method, *path, *allow;
    } cases[] = {
        { "GET", "", "" },
        { "GET", "/v1/instances/", "" },
        { "GET", "/v1/instances//history", "" }, /* A parameter is never empty. */
        { "GET", "/v1/instances/x/", "" },
        { "GET", "/healthzz", "" },
        { "GET", "/health", "" },
        { "DELETE", "/v1/instances", "GET, HEAD, POST" },
        { "GET", "/v1/jobs/poll", "POST" },
        { "POST", "/v1/instances/x", "GET, HEAD" },
        { "get", "/v1/instances/x", "GET, HEAD" }, /* Methods have a case. */
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct route_match match;
        assert_null(find(cases[i].method, cases[i].path, &match));
        assert_null(match.surface);
        assert_int_equal(match.number, 0);
        assert_true(str_equal(match.allow, str_of(cases[i].allow)));
    }
}

static void routes_are_numbered_from_one(void **state)
{
    struct route_match match;
    (void)state;
    find("POST", "/v1/jobs/poll", &match);
    assert_int_equal(match.number, 1);
    find("POST", "/v1/jobs/batch", &match);
    assert_int_equal(match.number, 2);
    find("POST", "/v1/events", &match);
    assert_int_equal(match.number, v1_surface.route_count + 1);
}

static void surfaces_choose_the_format_of_errors(void **state)
{
    struct route_match match;
    (void)state;
    find("POST", "/v1/jobs/poll", &match);
    assert_ptr_equal(match.surface->errors, &error_plain);
    find("POST", "/v1/events", &match);
    assert_ptr_equal(match.surface->errors, &error_problem);
    find("GET", "/v1/instances/x/events", &match); /* Another kind of events. */
    assert_ptr_equal(match.surface->errors, &error_plain);
}

/* ---- a table with everything that a later surface may want ---- */

static enum status handle(struct api_request *request, struct error *err)
{
    (void)request;
    (void)err;
    return ST_OK;
}

static const struct api_route many[] = {
    { .method = "PUT", .pattern = "/e/{type}/{id}", .handle = handle },
    { .method = "DELETE", .pattern = "/e/{type}/{id}", .handle = handle },
    { .method = "GET", .pattern = "/e/{type}/{id}", .handle = handle },
    { .method = "PATCH", .pattern = "/e/{a}/b/{c}/d/{e}/f/{g}/h/{i}/{j}/{k}/{l}", .handle = handle },
    { .method = "POST", .pattern = "/e/{a}/b", .handle = handle },
    { .method = "HEAD", .pattern = "/e/only-head", .handle = handle },
};

static const struct surface many_surface = {
    .prefix = STR_INIT("/e/"), .errors = &error_plain, .route = many, .route_count = COUNT(many)
};
static const struct surface *const with_many[] = { &v1_surface, &many_surface, NULL };

static void any_method_and_many_parameters(void **state)
{
    struct route_match match;
    (void)state;
    static const char *const methods[] = { "PUT", "DELETE", "GET" };
    for (size_t i = 0; i < COUNT(methods); i++) {
        route_find(with_many, str_of(methods[i]), STR("/e/order/7"), &fake.arena, &match);
        assert_ptr_equal(match.route, &many[i]);
        assert_int_equal(match.number, v1_surface.route_count + i + 1);
        assert_true(str_equal(match.param[0], STR("order")));
        assert_true(str_equal(match.param[1], STR("7")));
        assert_int_equal(match.param[2].n, 0);
    }
    route_find(with_many, STR("PATCH"), STR("/e/1/b/2/d/3/f/4/h/5/6/7/8"), &fake.arena, &match);
    assert_ptr_equal(match.route, &many[3]);
    for (size_t i = 0; i < ROUTE_PARAMS_MAX; i++) assert_int_equal(match.param[i].p[0], '1' + (int)i);

    /* Patterns that fitted for a while leave no parameters behind. */
    route_find(with_many, STR("POST"), STR("/e/x/b"), &fake.arena, &match);
    assert_ptr_equal(match.route, &many[4]);
    assert_true(str_equal(match.param[0], STR("x")));
    assert_int_equal(match.param[1].n, 0);

    route_find(with_many, STR("PATCH"), STR("/e/x/b"), &fake.arena, &match);
    assert_null(match.route);
    assert_true(str_equal(match.allow, STR("DELETE, GET, HEAD, POST, PUT")));
    route_find(with_many, STR("OPTIONS"), STR("/e/1/2"), &fake.arena, &match);
    assert_true(str_equal(match.allow, STR("DELETE, GET, HEAD, PUT")));
    assert_true(str_equal(route_all_methods(routes_all, &fake.arena), STR("DELETE, GET, PATCH, POST, PUT")));
}

/* ---- the tables themselves ---- */

static str segment(str *rest)
{
    size_t end = str_find(*rest, STR("/"), 1);
    str part = str_slice(*rest, 0, end);
    *rest = str_slice(*rest, part.n, rest->n);
    return part;
}

/* Compares two patterns of the same method. 0: no path fits both. 1: a word stands in the first where the
 * second has a parameter, and nowhere the other way round. -1: the second could be meant as well. */
static int precedence(str first, str second)
{
    bool narrower = false, wider = false;
    while (first.n && second.n) {
        str a = segment(&first), b = segment(&second);
        bool any_a = str_starts(a, STR("/{")), any_b = str_starts(b, STR("/{"));
        if (!any_a && !any_b && !str_equal(a, b)) return 0;
        wider |= any_a && !any_b;
        narrower |= !any_a && any_b;
    }
    if (first.n || second.n) return 0;
    return narrower && !wider ? 1 : -1;
}

static bool is_answered_by(const struct api_route *route, const char *method)
{
    return strcmp(route->method, method) == 0 ||
           (strcmp(route->method, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

static void check_pair(const struct api_route *first, const struct api_route *second)
{
    if (!is_answered_by(first, second->method)) return;
    if (precedence(str_of(first->pattern), str_of(second->pattern)) < 0)
        fail_msg("%s %s hides %s, or some of its paths", first->method, first->pattern, second->pattern);
}

static void check_pattern(const struct surface *surface, const struct api_route *route)
{
    str rest = str_of(route->pattern);
    size_t params = 0;
    bool known = false;
    for (size_t i = 0; route_methods[i]; i++) known |= strcmp(route->method, route_methods[i]) == 0;
    if (!known) fail_msg("%s %s: no such method", route->method, route->pattern);
    if (!route->handle) fail_msg("%s: no handler", route->pattern);
    if (!str_starts(rest, surface->prefix)) fail_msg("%s is not below its surface", route->pattern);
    while (rest.n) {
        str part = segment(&rest);
        bool param = str_starts(part, STR("/{")) && str_ends(part, STR("}")) && part.n > 3;
        bool brace = memchr(part.p, '{', part.n) || memchr(part.p, '}', part.n);
        /* Only the last one may be empty: clients of models ask for /api/model/. */
        if ((part.n < 2 && rest.n) || (brace && !param)) fail_msg("%s: a malformed segment", route->pattern);
        params += param;
    }
    if (params > ROUTE_PARAMS_MAX) fail_msg("%s has too many parameters", route->pattern);
}

static void no_route_is_hidden_or_malformed(void **state)
{
    const struct api_route *all[256];
    size_t count = 0;
    (void)state;
    for (const struct surface *const *surface = routes_all; *surface; surface++)
        for (size_t i = 0; i < (*surface)->route_count; i++) {
            all[count] = &(*surface)->route[i];
            check_pattern(*surface, all[count]);
            for (size_t k = 0; k < count; k++) check_pair(all[k], all[count]);
            assert_true(++count < COUNT(all));
        }
}

static void patterns_are_compared(void **state)
{
    static const struct {
        const char *first, *second;
        int want;
    } cases[] = {
        { "/a", "/b", 0 },          { "/a", "/a", -1 },          { "/a/{x}", "/a/b", -1 },
        { "/a/b", "/a/{x}", 1 },    { "/a/{x}", "/a/{y}", -1 },  { "/a/{x}", "/a/{x}/c", 0 },
        { "/{x}/b", "/a/{y}", -1 }, { "/a/{x}/c", "/a/b/d", 0 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(precedence(str_of(cases[i].first), str_of(cases[i].second)), cases[i].want);
}

static void every_route_names_its_permission(void **state)
{
    (void)state;
    for (const struct surface *const *surface = routes_all; *surface; surface++)
        for (size_t i = 0; i < (*surface)->route_count; i++)
            if ((*surface)->route[i].needs == MAY_NONE)
                fail_msg("%s %s names no permission", (*surface)->route[i].method,
                         (*surface)->route[i].pattern);
}

/* The largest page of a pattern that leads to several. */
static const char *page_of(const char *pattern)
{
    static const struct {
        const char *pattern, *page;
    } pages[] = {
        { "/schemas/{name}", "/schemas/graph.json" },
        { "/docs/{page}", "/docs/entities.md" },
        { "/api/help/{topic*}", "/api/help/entities" },
        { "/ui/{path*}", "/ui/index.html" },
        { "/api/oidc/{name}/start", "/api/oidc/x/start" },
        { "/api/oidc/{name}/callback", "/api/oidc/x/callback" },
    };
    if (!strchr(pattern, '{')) return pattern;
    for (size_t i = 0; i < COUNT(pages); i++)
        if (strcmp(pages[i].pattern, pattern) == 0) return pages[i].page;
    fail_msg("%s needs no secret: which is its largest page?", pattern);
    return NULL;
}

/* Strangers may ask for a page again and again without reading it: it is small, or it is not copied. */
static void pages_for_everybody_are_small_or_not_copied(void **state)
{
    enum { SMALL_PAGE_BYTES = 2048 };
    (void)state;
    for (const struct surface *const *surface = routes_all; *surface; surface++) {
        for (size_t i = 0; i < (*surface)->route_count; i++) {
            const struct api_route *route = &(*surface)->route[i];
            if (route->needs != MAY_OPEN) continue;
            fake_send(route->method, page_of(route->pattern), "");
            if (!fake.answers) continue; /* It asks the engine, whose answer is not a page. */
            if (!fake.lasting && fake.body.n > SMALL_PAGE_BYTES)
                fail_msg("%s: %zu bytes are copied for everybody who asks; see answer_lasting()",
                         route->pattern, fake.body.n);
        }
    }
}

/* ---- the parameters of the query, and contract/openapi.json ---- */

/* A path of the contract with a word for each parameter: the one that it may be, or any. */
static str example_of(str path, const struct json *parameters)
{
    struct buf out;
    buf_init(&out, &fake.arena);
    for (size_t at = 0; at < path.n;) {
        if (path.p[at] != '{') {
            buf_add_char(&out, path.p[at++]);
            continue;
        }
        size_t end = str_find(path, STR("}"), at);
        str name = str_slice(path, at + 1, end), word = STR("x");
        struct json_each each = json_each(parameters);
        while (json_next(&each)) {
            const struct json *words = json_get(json_get(each.value, STR("schema")), STR("enum"));
            const struct json *named = json_get(each.value, STR("name"));
            if (named && str_equal(json_string(named), name) && json_count(words) == 1)
                word = json_string(json_item(words, 0));
        }
        buf_add_str(&out, word);
        at = end + 1;
    }
    return buf_str(&out);
}

static const struct json *referred(const struct json *contract, const struct json *part)
{
    const struct json *ref = json_get(part, STR("$ref"));
    if (!ref) return part;
    str path = json_string(ref); /* "#/components/parameters/Page" */
    const struct json *found = contract;
    path = str_slice(path, 1, path.n);
    while (path.n) {
        str name = segment(&path);
        found = json_get(found, str_slice(name, 1, name.n));
    }
    return found;
}

/* The bits of enum route_takes that the headers of the list are. */
static unsigned headers_of(const struct json *contract, const struct json *parameters)
{
    unsigned parts = 0;
    struct json_each each = json_each(parameters);
    while (parameters && json_next(&each)) {
        const struct json *parameter = referred(contract, each.value);
        if (str_equal(json_string(json_get(parameter, STR("in"))), STR("header")))
            parts |= takes_header_part(json_string(json_get(parameter, STR("name"))));
    }
    return parts;
}

static void check_headers(const struct api_route *route, unsigned described)
{
    unsigned taken = route->takes & ~(unsigned)TAKES_PAST;
    if (described != taken)
        fail_msg("%s %s: the contract has other headers (bits %x) than the table of routes (%x)",
                 route->method, route->pattern, described, taken);
}

/* How many parameters of the query the list has; each of them must be one that the route takes. */
static size_t count_taken(const struct json *contract, const struct json *parameters,
                          const struct api_route *route)
{
    size_t count = 0;
    struct json_each each = json_each(parameters);
    while (parameters && json_next(&each)) {
        const struct json *parameter = referred(contract, each.value);
        str name = json_string(json_get(parameter, STR("name")));
        bool repeats;
        if (!str_equal(json_string(json_get(parameter, STR("in"))), STR("query"))) continue;
        if (!route_takes_query(route, name, &repeats))
            fail_msg("%s %s: contract/openapi.json has %.*s, and the table of routes has not", route->method,
                     route->pattern, STR_ARG(name));
        count++;
    }
    return count;
}

static size_t count_listed(const struct api_route *route)
{
    size_t count = (route->takes & TAKES_TIME ? 1 : 0) + (route->takes & TAKES_TRANSACTION ? 1 : 0);
    for (const char *at = route->query; at && *at; at++) count += *at == ' ';
    return count + (route->query ? 1 : 0);
}

/* ---- the members of the body ---- */

/* The schema of a member of an object, or of the objects of a list; NULL: it has no such member. */
static const struct json *member_of(const struct json *contract, const struct json *schema, str name)
{
    static const char *const several[] = { "allOf", "anyOf" };
    schema = referred(contract, schema);
    const struct json *found = json_get(json_get(schema, STR("properties")), name);
    if (!found && json_get(schema, STR("items")))
        found = member_of(contract, json_get(schema, STR("items")), name);
    for (size_t i = 0; !found && i < COUNT(several); i++) {
        const struct json *list = json_get(schema, str_of(several[i]));
        for (size_t k = 0; !found && k < json_count(list); k++)
            found = member_of(contract, json_item(list, k), name);
    }
    return found;
}

static bool lists(str names, str name, str *ret_inner)
{
    str known;
    while (members_next(&names, &known, ret_inner))
        if (str_equal(known, name)) return true;
    return false;
}

/* Each member of the schema is in the list of names, and so are the members of its members. */
static void check_schema(const struct json *contract, const struct json *schema, str names,
                         const struct api_route *route)
{
    static const char *const several[] = { "allOf", "anyOf" };
    str inner;
    schema = referred(contract, schema);
    struct json_each each = json_each(json_get(schema, STR("properties")));
    while (json_get(schema, STR("properties")) && json_next(&each)) {
        if (!lists(names, each.name, &inner))
            fail_msg("%s %s: contract/openapi.json has the member %.*s, and the table of routes has not",
                     route->method, route->pattern, STR_ARG(each.name));
        check_schema(contract, each.value, inner, route);
    }
    if (json_get(schema, STR("items"))) check_schema(contract, json_get(schema, STR("items")), names, route);
    for (size_t i = 0; i < COUNT(several); i++) {
        const struct json *list = json_get(schema, str_of(several[i]));
        for (size_t k = 0; k < json_count(list); k++)
            check_schema(contract, json_item(list, k), names, route);
    }
}

/* Each name of the list is a member of the schema. */
static void check_names(const struct json *contract, const struct json *schema, str names,
                        const struct api_route *route)
{
    str name, inner;
    if (str_equal(names, STR("CONDITION"))) return; /* Its members depend on its type. */
    while (members_next(&names, &name, &inner)) {
        const struct json *member = member_of(contract, schema, name);
        if (!member)
            fail_msg("%s %s: contract/openapi.json has no member %.*s of the body", route->method,
                     route->pattern, STR_ARG(name));
        check_names(contract, member, inner, route);
    }
}

static void check_body(const struct json *contract, const struct json *operation,
                       const struct route_match *match)
{
    const struct api_route *route = match->route;
    const struct json *body = referred(contract, json_get(operation, STR("requestBody")));
    if (route->any_query) return;
    if (!body != !(route->body || route->any_body))
        fail_msg("%s %s: contract/openapi.json and the table do not agree on a body", route->method,
                 route->pattern);
    if (!route->body) return;
    const struct json *schema =
        json_get(json_get(json_get(body, STR("content")), STR("application/json")), STR("schema"));
    check_schema(contract, schema, str_of(route->body), route);
    check_names(contract, schema, str_of(route->body), route);
    const struct json *more = json_get(referred(contract, schema), STR("additionalProperties"));
    if (json_is(more, JSON_BOOL) == (match->surface->lenient && !route->exact))
        fail_msg("%s %s: additionalProperties is false if an unknown member is refused", route->method,
                 route->pattern);
}

static void check_item(const struct json *contract, str path, const struct json *item, bool *described)
{
    struct json_each each = json_each(item);
    const struct json *shared = json_get(item, STR("parameters"));
    str example = example_of(path, shared);
    while (json_next(&each)) {
        if (str_equal(each.name, STR("parameters"))) continue;
        char method[8];
        snprintf(method, sizeof method, "%.*s", STR_ARG(each.name));
        for (char *c = method; *c; c++) *c = (char)(*c - 'a' + 'A');
        struct route_match match;
        route_find(routes_all, str_of(method), example, &fake.arena, &match);
        if (!match.route) fail_msg("%s %.*s: no route leads there", method, STR_ARG(path));
        described[match.number] = true;
        check_body(contract, each.value, &match);
        const struct json *own = json_get(each.value, STR("parameters"));
        if (match.route->any_query) continue;
        check_headers(match.route, headers_of(contract, shared) | headers_of(contract, own));
        assert_int_equal(count_taken(contract, shared, match.route) + count_taken(contract, own, match.route),
                         count_listed(match.route));
    }
}

/* Whoever adds a route or a parameter says so in both places. */
static void routes_take_what_the_contract_describes(void **state)
{
    static bool described[512];
    const struct json *contract;
    struct error err;
    (void)state;
    fake_send("GET", "/openapi.json", "");
    const struct json_limits limits = { .bytes_max = 4 << 20, .depth_max = 64 };
    assert_int_equal(
        json_parse(fake.body.n ? buf_str(&fake.body) : STR_NONE, &limits, &fake.arena, &contract, &err),
        ST_OK);
    struct json_each each = json_each(json_get(contract, STR("paths")));
    while (json_next(&each)) check_item(contract, each.name, each.value, described);
    size_t number = 1;
    for (const struct surface *const *surface = routes_all; *surface; surface++)
        for (size_t i = 0; i < (*surface)->route_count; i++, number++) {
            const struct api_route *route = &(*surface)->route[i];
            bool is_same_page = *surface == &ui_surface || strcmp(route->pattern, "/api/model/") == 0 ||
                                strcmp(route->pattern, "/docs/") == 0;
            if (!described[number] && !is_same_page)
                fail_msg("%s %s is not in contract/openapi.json", route->method, route->pattern);
        }
}

static int begin(void **state)
{
    (void)state;
    fake_begin(NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    fake_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_leads_to_its_handler),
        cmocka_unit_test(a_path_of_no_route_or_another_method),
        cmocka_unit_test(routes_are_numbered_from_one),
        cmocka_unit_test(surfaces_choose_the_format_of_errors),
        cmocka_unit_test(any_method_and_many_parameters),
        cmocka_unit_test(no_route_is_hidden_or_malformed),
        cmocka_unit_test(patterns_are_compared),
        cmocka_unit_test(every_route_names_its_permission),
        cmocka_unit_test(pages_for_everybody_are_small_or_not_copied),
        cmocka_unit_test(routes_take_what_the_contract_describes),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
