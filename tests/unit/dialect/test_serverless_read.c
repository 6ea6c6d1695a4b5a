#include "dialect/workflow.h"

/* ---- the document ---- */

static void top_level_fields_are_checked(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW("", RELAY("A")), "" },
        { "{'states':[]}", "W UNUSUAL , E REQUIRED /name, E REQUIRED /startsAt, E REQUIRED /states" },
        { "{'startsAt':'A'}", "E REQUIRED /name, E REQUIRED /states" },
        { "{'name':'','startsAt':'','states':[" RELAY("A") "]}", "E REQUIRED /name, E REQUIRED /startsAt" },
        { "{'name':1,'startsAt':[],'states':{}}",
          "E WRONG_TYPE /name, E WRONG_TYPE /startsAt, E WRONG_TYPE /states" },
        { "{'name':'W','startsAt':'A','states':[1,'x',null,[]]}",
          "E WRONG_TYPE /states/0, E WRONG_TYPE /states/1, E WRONG_TYPE /states/2, E WRONG_TYPE /states/3, "
          "E UNRESOLVED /startsAt" },
        /* null is absent. */
        { "{'id':null,'name':'W','version':null,'startsAt':'A','onError':null,'extensions':null,'triggers':"
          "null,"
          "'functions':null,'expressionLanguage':null,'states':[" RELAY("A") "]}",
          "" },
        { "{'name':'W','version':'','startsAt':'A','states':[" RELAY("A") "]}", "E REQUIRED /version" },
        { WORKFLOW(",'version':2", RELAY("A")), "" },
        { WORKFLOW(",'version':[]", RELAY("A")), "E WRONG_TYPE /version" },
        /* Results of a run, and free texts. */
        { WORKFLOW(",'execStatus':'Nonsense','schemaVersion':'whatever','description':'d'", RELAY("A")), "" },
        { WORKFLOW(",'expresionLanguage':'x','a/b~c':1", RELAY("A")),
          "E UNKNOWN_FIELD /expresionLanguage, W UNKNOWN_FIELD /a~1b~0c" },
        { "{'name':'!?','startsAt':'A','states':[" RELAY("A") "]}", "" },
        { "{'id':'a\\nb','name':'W','startsAt':'A','states':[" RELAY("A") "]}", "E BAD_ID /id" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

/* Names that differ in punctuation only are names of different definitions. */
static void the_name_is_the_id_of_a_document_without_one(void **state)
{
    static const char *const cases[] = { "Hello World", "Hello-World", "Hello World!", " a  (b)/c! ",
                                         "Größe & Maß" };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct read_result result;
        arena_init(&arena, 0);
        read_workflow(
            &result,
            arena_printf(&arena, "{'name':'%s','startsAt':'A','states':[" RELAY("A") "]}", cases[i]).p);
        assert_non_null(result.workflow);
        assert_string_equal(arena_str(&arena, result.workflow->id).p, cases[i]);
        assert_string_equal(arena_str(&arena, result.workflow->version).p, "1.0");
        read_done(&result);
        arena_done(&arena);
    }
}

static void extensions_need_an_id_of_their_own(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW(",'extensions':[{'extensionid':'a','x':{'deep':[1]}},{'extensionid':'b'}]", RELAY("A")),
          "" },
        { WORKFLOW(",'extensions':[{'x':1},{'extensionid':''},3]", RELAY("A")),
          "E REQUIRED /extensions/0/extensionid, E REQUIRED /extensions/1/extensionid, E WRONG_TYPE "
          "/extensions/2" },
        { WORKFLOW(",'extensions':[{'extensionid':'a'},{'extensionid':'a'}]", RELAY("A")),
          "E DUPLICATE_ID /extensions/1/extensionid" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

/* ---- triggers and functions ---- */

static void triggers_have_a_name_a_source_and_a_type(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW(",'triggers':[{}]", RELAY("A")),
          "E REQUIRED /triggers/0/name, E REQUIRED /triggers/0/source, E REQUIRED /triggers/0/type" },
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t'},{'name':'e','source':'s','type':'u'}]",
                   RELAY("A")),
          "E DUPLICATE_NAME /triggers/1/name" },
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t','correlationToken':'$.a['}]",
                   RELAY("A")),
          "E BAD_PATH /triggers/0/correlationToken" },
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t','correlationToken':''}]", RELAY("A")),
          "E REQUIRED /triggers/0/correlationToken" },
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t','corelationToken':'x'}]", RELAY("A")),
          "E UNKNOWN_FIELD /triggers/0/corelationToken" },
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t','correlation':'x'}]", RELAY("A")),
          "E UNKNOWN_FIELD /triggers/0/correlation" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'inject':{'a':['x ${y}']}}"),
          "W TEMPLATE_TEXT /states/0/inject/a/0" },
        { FULL(OPERATION("'actions':[{'functionref':{'refname':'f','parameters':{'a':'{{y}}','b':'$.x'}}}]")),
          "W TEMPLATE_TEXT /states/0/actions/0/functionref/parameters/a" },
        /* What it is like is there, or it is like nothing. */
        { WORKFLOW(
              ",'triggers':[{'name':'e','source':'s','type':'t','correlation':'x','correlationToken':'y'}]",
              RELAY("A")),
          "W UNKNOWN_FIELD /triggers/0/correlation" },
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t','note':'x','owner':'y'}]", RELAY("A")),
          "W UNKNOWN_FIELD /triggers/0/note, W UNKNOWN_FIELD /triggers/0/owner" },
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t','envelope':'yes'}]", RELAY("A")),
          "E WRONG_TYPE /triggers/0/envelope" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void a_token_is_a_path_or_an_attribute(void **state)
{
    struct read_result result;
    (void)state;
    read_workflow(&result,
                  WORKFLOW(",'triggers':[{'name':'a','source':'s','type':'t','correlationToken':'$.data.id'},"
                           "{'name':'b','source':'s','type':'t','correlationToken':'patientid'},"
                           "{'name':'c','source':'s','type':'t','correlationToken':'order.id'},"
                           "{'name':'d','source':'s','type':'t'}]",
                           RELAY("A")));
    const struct trigger *trigger = result.workflow->trigger;
    assert_int_equal(result.workflow->trigger_count, 4);
    assert_true(trigger[0].correlated && trigger[0].key && !trigger[0].attribute.n);
    assert_true(trigger[1].correlated && !trigger[1].key &&
                str_equal(trigger[1].attribute, STR("patientid")));
    assert_true(trigger[2].correlated && trigger[2].key && !trigger[2].attribute.n);
    assert_true(!trigger[3].correlated && !trigger[3].key && !trigger[3].attribute.n);
    read_done(&result);
}

static void who_performs_a_function_is_seen_from_resource_and_type(void **state)
{
    static const struct {
        const char *fields;
        enum performer performer;
        const char *type, *handler;
    } cases[] = {
        { "", PERFORM_WORKER, "", "fn" },
        { ",'type':'serverless'", PERFORM_WORKER, "serverless", "fn" },
        { ",'type':'worker'", PERFORM_WORKER, "worker", "fn" },
        { ",'resource':'functionResource'", PERFORM_WORKER, "", "functionResource" },
        { ",'resource':'local:x','type':'anything'", PERFORM_WORKER, "anything", "x" },
        { ",'resource':'LOCAL:x'", PERFORM_WORKER, "", "x" },
        { ",'resource':'https://h/p','type':'Worker'", PERFORM_WORKER, "Worker", "fn" },
        { ",'resource':'https://h/p'", PERFORM_HTTP, "POST", "" },
        { ",'resource':'http://h','type':'REST'", PERFORM_HTTP, "POST", "" },
        { ",'resource':'HTTP://h','type':'http:get'", PERFORM_HTTP, "GET", "" },
        { ",'resource':'http://h','type':'Rest:options'", PERFORM_HTTP, "OPTIONS", "" },
        { ",'resource':'http://h/{id}?x=1','type':'delete'", PERFORM_HTTP, "DELETE", "" },
        { ",'resource':'http://h','type':'CloudEvent'", PERFORM_HTTP, "cloudevent", "" },
        { ",'resource':'http://h','type':'cloudevent:binary'", PERFORM_HTTP, "cloudevent", "" },
        { ",'resource':'http://h','type':'cloudevent:Structured'", PERFORM_HTTP, "cloudevent:structured",
          "" },
        { ",'resource':'http://h','type':'emit'", PERFORM_EMIT, "emit", "" },
        { ",'resource':'arn:aws:lambda:eu:1:f','type':'worker'", PERFORM_WORKER, "worker", "fn" },
        { ",'resource':'urn:a:b','type':'WORKER'", PERFORM_WORKER, "WORKER", "fn" },
        { ",'resource':'grpc://h:50051/pkg.S/M','type':'worker'", PERFORM_WORKER, "worker", "fn" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena arena;
        struct read_result result;
        arena_init(&arena, 0);
        read_workflow(
            &result,
            arena_printf(&arena, WORKFLOW(",'functions':[{'name':'fn'%s}]", RELAY("A")), cases[i].fields).p);
        if (!result.workflow) fail_msg("%s: %s", cases[i].fields, read_problems(&result));
        const struct function *function = result.workflow->function;
        assert_int_equal(function->performer, cases[i].performer);
        assert_string_equal(arena_str(&arena, function->type).p, cases[i].type);
        assert_string_equal(arena_str(&arena, function->handler).p, cases[i].handler);
        assert_int_equal(result.problems.count, 0);
        read_done(&result);
        arena_done(&arena);
    }
}

static void functions_nobody_can_perform_are_refused(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW(",'functions':[{}]", RELAY("A")), "E REQUIRED /functions/0/name" },
        { WORKFLOW(",'functions':[{'name':'f'},{'name':'f'}]", RELAY("A")),
          "E DUPLICATE_NAME /functions/1/name" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'ftp://x'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/resource" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'arn:aws:lambda'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/resource" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'local:'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/resource" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'http://'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/resource" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'http:x'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/resource" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'http://a b'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/resource" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'http://h','type':'grpc'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/type" },
        { WORKFLOW(",'functions':[{'name':'f','resource':'http://h','type':'http:'}]", RELAY("A")),
          "E BAD_VALUE /functions/0/type" },
        { WORKFLOW(",'functions':[{'name':'f','operation':'x'}]", RELAY("A")),
          "W UNKNOWN_FIELD /functions/0/operation" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

#define FUNCTION(more) WORKFLOW(",'functions':[{'name':'f'" more "}]", RELAY("A"))
#define CALLED(type, metadata) FUNCTION(",'resource':'http://h','type':'" type "','metadata':" metadata)

static void metadata_of_functions_is_checked(void **state)
{
    static const struct read_case cases[] = {
        { CALLED("GET", "{'headers':{'X-A':1,'b':true,'c':null},'query':{'q':'\\\\{{ x'}}"), "" },
        { CALLED("emit", "{'headers':{'Authorization':'Bearer {{ secrets.k }}'}}"), "" },
        { CALLED("http", "{'headers':{'Content-Type':'application/x+json'}}"), "" },
        { CALLED("http", "[]"), "E WRONG_TYPE /functions/0/metadata" },
        { CALLED("http", "{'headers':[]}"), "E WRONG_TYPE /functions/0/metadata/headers" },
        { CALLED("http", "{'headers':{'a b':'x'}}"), "E BAD_VALUE /functions/0/metadata/headers/a b" },
        { CALLED("http", "{'headers':{'HOST':'x'}}"), "E BAD_VALUE /functions/0/metadata/headers/HOST" },
        { CALLED("http", "{'headers':{'Idempotency-Key':'x'}}"),
          "E BAD_VALUE /functions/0/metadata/headers/Idempotency-Key" },
        { CALLED("cloudevent", "{'headers':{'Ce-Id':'x'}}"),
          "E BAD_VALUE /functions/0/metadata/headers/Ce-Id" },
        { CALLED("http", "{'query':{'q':[1]}}"), "E WRONG_TYPE /functions/0/metadata/query/q" },
        { CALLED("http", "{'query':{'q':'$.a'}}"), "E NOT_ALLOWED_HERE /functions/0/metadata/query/q" },
        { CALLED("http", "{'query':{'q':'{{ vars.a }}'}}"),
          "E TEMPLATE_SYNTAX /functions/0/metadata/query/q" },
        { CALLED("http", "{'query':{'q':'{{ secrets }}'}}"),
          "E TEMPLATE_SYNTAX /functions/0/metadata/query/q" },
        { CALLED("http", "{'owner':'me'}"), "W UNKNOWN_FIELD /functions/0/metadata/owner" },
        { FUNCTION(",'metadata':{'headers':{'a':'b'}}"), "W UNKNOWN_FIELD /functions/0/metadata/headers" },
        { FUNCTION(",'resource':'http://h/{{ secrets.k }}'"), "E BAD_VALUE /functions/0/resource" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

/* ---- states ---- */

static void states_need_a_name_a_type_and_a_way_on(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW("", "{'type':'RELAY','end':true,'id':'A'}"), "E REQUIRED /states/0/name" },
        { WORKFLOW("", "{'name':'A'}"), "E REQUIRED /states/0/type" },
        { WORKFLOW("", "{'name':'A','type':'CUSTOM','end':true}"), "E BAD_VALUE /states/0/type" },
        { WORKFLOW("", "{'name':'A','type':'relay','end':true}"), "" },
        { WORKFLOW("", "{'name':'A','type':'RELAY'}"), "E REQUIRED /states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':false,'transition':null}"),
          "E REQUIRED /states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':{'kind':'DEFAULT'}}"),
          "E WRONG_TYPE /states/0/end, E REQUIRED /states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':7}"), "E WRONG_TYPE /states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':{}}"),
          "E REQUIRED /states/0/transition/nextState" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':''}"), "E REQUIRED /states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'OPERATION','end':true}"), "E REQUIRED /states/0/actions" },
        { WORKFLOW("", "{'name':'A','type':'OPERATION','end':true,'actions':[]}"), "" },
        { WORKFLOW("", "{'name':'A','type':'DELAY','end':true}"), "E REQUIRED /states/0/timeDelay" },
        { WORKFLOW("", "{'name':'A','type':'PARALLEL','end':true}"), "E REQUIRED /states/0/branches" },
        { WORKFLOW("", "{'name':'A','type':'PARALLEL','end':true,'branches':[]}"),
          "E REQUIRED /states/0/branches" },
        { WORKFLOW("", "{'name':'A','type':'SUBFLOW','end':true}"), "E REQUIRED /states/0/workflowId" },
        { WORKFLOW("",
                   "{'name':'A','type':'SUBFLOW','workflowId':'x','waitForCompletion':'true','end':true}"),
          "E WRONG_TYPE /states/0/waitForCompletion" },
        { WORKFLOW("", "{'name':'A','type':'SWITCH','end':true}"), "E REQUIRED /states/0/choices" },
        { WORKFLOW("", "{'name':'A','type':'SWITCH','end':true,'choices':[]}"),
          "E REQUIRED /states/0/choices" },
        { WORKFLOW("", "{'name':'A','type':'EVENT','end':true}"), "E REQUIRED /states/0/eventActions" },
        { WORKFLOW("", "{'name':'A','type':'EVENT','end':true,'eventActions':[]}"),
          "E REQUIRED /states/0/eventActions" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'inject':[1]}"),
          "E WRONG_TYPE /states/0/inject" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void fields_of_other_types_and_versions_are_warned_of(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'loop':{},'onError':7}"),
          "W UNKNOWN_FIELD /states/0/loop, W UNKNOWN_FIELD /states/0/onError" },
        { FULL("{'name':'A','type':'EVENT','transition':'B','eventActions':[{'condition':'e','actions':[],"
               "'transition':'B'}]}"),
          "W UNKNOWN_FIELD /states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'DELAY','end':true,'timeDelay':'PT1S','onerror':[],'data':{}}"),
          "E UNKNOWN_FIELD /states/0/onerror, W UNKNOWN_FIELD /states/0/data" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void hints_name_what_was_meant(void **state)
{
    static const struct {
        const char *document, *hint;
    } cases[] = {
        { WORKFLOW(",'triggers':[{'name':'e','source':'s','type':'t','correlation':'x'}]", RELAY("A")),
          "did you mean \"correlationToken\"? without it every instance takes every event of this source and "
          "type" },
        { WORKFLOW("", "{'name':'A','type':'OPERATON','end':true}"), "did you mean \"OPERATION\"?" },
        { WORKFLOW("", "{'name':'A','type':'sleep','end':true}"),
          "in this draft it is a DELAY state, with `timeDelay`" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':'Filter'}," RELAY("Filtre")),
          "did you mean \"Filtre\"?" },
        { WORKFLOW("", "{'name':'A','type':'DELAY','timeDelay':'90','end':true}"),
          "write PT90S for seconds" },
        { WORKFLOW(
              ",'functions':[{'name':'check'}]",
              "{'name':'A','type':'OPERATION','actions':[{'functionref':{'refname':'chekc'}}],'end':true}"),
          "did you mean \"check\"?" },
        { WORKFLOW(",'triggers':[{'name':'paid','source':'s','type':'t'}]",
                   "{'name':'A','type':'EVENT','eventActions':[{'condition':'not "
                   "(piad)','actions':[]}],'end':true}"),
          "did you mean \"paid\"?" },
        { WORKFLOW("",
                   "{'name':'A','type':'RELAY','transition':'x'},{'name':'P','type':'PARALLEL','end':true,"
                   "'branches':[{'name':'b','startsAt':'x','states':[" RELAY("x") "]}]}"),
          "there is one elsewhere, but no transition leads into a branch, out of one or into another" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct read_result result;
        read_workflow(&result, cases[i].document);
        assert_true(result.problems.count > 0);
        assert_string_equal(arena_str(&result.arena, result.problems.problem[0].hint).p, cases[i].hint);
        read_done(&result);
    }
}

/* ---- names and references ---- */

static void references_stay_in_their_scope(void **state)
{
    static const struct read_case cases[] = {
        { "{'name':'W','startsAt':'Nope','states':[" RELAY("A") "]}", "E UNRESOLVED /startsAt" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':{'nextState':'Nope'}}"),
          "E UNRESOLVED /states/0/transition/nextState" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':'Nope'}"),
          "E UNRESOLVED /states/0/transition" },
        { WORKFLOW(",'onError':[{'condition':'true','transition':'Nope'}]", RELAY("A")),
          "E UNRESOLVED /onError/0/transition" },
        { FULL(OPERATION("'actions':[" ACTION(
              ",'retry':[{'condition':'true','transition':'Nope'}]") "],"
                                                                     "'onError':[{'condition':'true','"
                                                                     "transition':{'nextState':'Nope'}}]")),
          "E UNRESOLVED /states/0/actions/0/retry/0/transition, "
          "E UNRESOLVED /states/0/onError/0/transition/nextState" },
        { FULL("{'name':'A','type':'SWITCH','choices':[{'path':'$.a','operator':'Exists','transition':'No'}],"
               "'default':{'nextState':'Nope'}}"),
          "E UNRESOLVED /states/0/choices/0/transition, E UNRESOLVED /states/0/default/nextState" },
        /* Out of a branch, into one, and from the workflow's handlers into one. */
        { WORKFLOW(
              "", "{'name':'A','type':'PARALLEL','end':true,'branches':[{'name':'b','startsAt':'x','states':["
                  "{'name':'x','type':'RELAY','transition':'B'}," RELAY("y") "]}]}," RELAY("B")),
          "E UNRESOLVED /states/0/branches/0/states/0/transition" },
        { WORKFLOW(",'onError':[{'condition':'true','transition':'x'}]",
                   "{'name':'A','type':'PARALLEL','transition':'x','branches':[{'name':'b','startsAt':'x','"
                   "states':[" RELAY("x") "]}]}"),
          "E UNRESOLVED /onError/0/transition, E UNRESOLVED /states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'PARALLEL','end':true,'branches':[{'name':'b','startsAt':'A','"
                       "states':[" RELAY("x") "]}]}"),
          "E UNRESOLVED /states/0/branches/0/startsAt" },
        { FULL(OPERATION("'actions':[{'functionref':{'refname':'nope'}}]")),
          "E UNRESOLVED /states/0/actions/0/functionref/refname" },
        { FULL("{'name':'A','type':'EVENT','eventActions':[{'condition':{'body':'e and nope'},'actions':[],"
               "'transition':'B'}]}"),
          "E UNRESOLVED /states/0/eventActions/0/condition/body" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void ids_tell_states_of_one_name_apart(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':'B'}," RELAY("B") "," RELAY("B")),
          "E DUPLICATE_NAME /states/1/name, E DUPLICATE_NAME /states/2/name, W UNUSUAL "
          "/states/0/transition" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':'b1'},{'id':'b1','name':'B','type':'RELAY',"
                       "'transition':'b2'},{'id':'b2','name':'B','type':'RELAY','end':true}"),
          "" },
        { WORKFLOW("", "{'name':'A','type':'RELAY','transition':'b1'},{'id':'b1','name':'B','type':'RELAY',"
                       "'end':true}," RELAY("B")),
          "E DUPLICATE_NAME /states/2/name" },
        { WORKFLOW("", "{'id':'A','name':'x','type':'RELAY','end':true},{'id':'A','name':'y','type':'RELAY','"
                       "end':true}"),
          "E DUPLICATE_ID /states/1/id" },
        /* The same name in another scope is another state. */
        { WORKFLOW("", "{'name':'A','type':'PARALLEL','end':true,'branches':["
                       "{'name':'b','startsAt':'A','states':[" RELAY(
                           "A") "]},"
                                "{'name':'c','startsAt':'A','states':[" RELAY("A") "]}]}"),
          "" },
        { WORKFLOW("", "{'name':'A','type':'PARALLEL','end':true,'branches':["
                       "{'name':'b','startsAt':'A','states':[" RELAY(
                           "A") "]},"
                                "{'name':'b','startsAt':'A','states':[" RELAY("A") "]}]}"),
          "E DUPLICATE_NAME /states/0/branches/1/name" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

static void an_id_is_looked_for_before_a_name(void **state)
{
    struct read_result result;
    (void)state;
    read_workflow(&result, WORKFLOW("", "{'name':'A','type':'RELAY','transition':'X'},"
                                        "{'id':'y','name':'X','type':'RELAY','end':true},"
                                        "{'id':'X','name':'Y','type':'RELAY','transition':'y'}"));
    const struct state_scope *scope = &result.workflow->scope;
    assert_ptr_equal(scope->start, &scope->state[0]);
    assert_ptr_equal(scope->state[0].transition.state, &scope->state[2]);
    assert_ptr_equal(scope->state[2].transition.state, &scope->state[1]);
    read_done(&result);
}

static void end_beats_a_transition(void **state)
{
    struct read_result result;
    (void)state;
    read_workflow(&result, FULL("{'name':'A','type':'EVENT','end':true,'eventActions':["
                                "{'condition':'e','actions':[],'transition':'B'}],"
                                "'onError':[{'condition':'true','transition':'B'}]}"));
    assert_string_equal(read_problems(&result), "W IGNORED /states/0/eventActions/0/transition");
    const struct state *first = result.workflow->scope.start;
    assert_null(first->as.event.entry[0].transition.state);
    assert_non_null(first->handler[0].transition.state);
    read_done(&result);

    read_workflow(&result,
                  WORKFLOW("", "{'name':'A','type':'RELAY','end':true,'transition':'B'}," RELAY("B")));
    assert_string_equal(read_problems(&result), "W IGNORED /states/0/transition, W UNREACHABLE /states/1");
    assert_null(result.workflow->scope.start->transition.state);
    read_done(&result);
}

/* ---- reach ---- */

static void what_no_way_leads_to_is_left_out(void **state)
{
    struct read_result result;
    (void)state;
    read_workflow(&result, document("dialect/serverless_read", "two states that no way leads to"));
    assert_string_equal(read_problems(&result),
                        "W UNREACHABLE /states/0, W UNREACHABLE /states/3/branches/0/states/0");
    const struct state_scope *scope = &result.workflow->scope;
    assert_int_equal(scope->count, 3);
    assert_ptr_equal(scope->start, &scope->state[0]);
    assert_ptr_equal(scope->state[0].transition.state, &scope->state[2]);
    assert_ptr_equal(result.workflow->handler[0].transition.state, &scope->state[1]);
    const struct state_branch *branch = &scope->state[2].as.parallel.branch[0];
    assert_ptr_equal(branch->of, &scope->state[2]);
    assert_int_equal(branch->scope.count, 1);
    assert_ptr_equal(branch->scope.start, branch->scope.state);
    assert_ptr_equal(branch->scope.state->scope, &branch->scope);
    read_done(&result);
}

static void an_end_can_be_reached(void **state)
{
    static const struct read_case cases[] = {
        { WORKFLOW(
              "", "{'name':'A','type':'PARALLEL','end':true,'branches':[{'name':'b','startsAt':'x','states':["
                  "{'name':'x','type':'RELAY','transition':'x'}]}]}"),
          "E NO_END /states/0/branches/0/states" },
        { WORKFLOW("", "{'name':'A','type':'DELAY','timeDelay':'PT1S','transition':'A'}"),
          "W NO_END /states" },
        { WORKFLOW("", "{'name':'A','type':'DELAY','timeDelay':'PT1S','transition':'A'}," RELAY("B")),
          "W NO_END /states, W UNREACHABLE /states/1" },
        /* A way through a handler, through a retry that is used up. */
        { FULL("{'name':'A','type':'OPERATION','actions':[],'transition':'A',"
               "'onError':[{'condition':'true','transition':'B'}]}"),
          "" },
        { FULL("{'name':'A','type':'OPERATION','transition':'A','actions':[" ACTION(
              ",'retry':[{'condition':'true','transition':'B'}]") "]}"),
          "" },
        /* With a default a SWITCH never ends. */
        { WORKFLOW("", "{'name':'A','type':'SWITCH','end':true,'default':'A','choices':[{'path':'$','"
                       "operator':'Exists',"
                       "'transition':'A'}]}"),
          "W NO_END /states" },
        { WORKFLOW("", "{'name':'A','type':'SWITCH','end':true,'choices':[{'path':'$','operator':'Exists',"
                       "'transition':'A'}]}"),
          "" },
    };
    (void)state;
    expect_problems(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(top_level_fields_are_checked),
        cmocka_unit_test(the_name_is_the_id_of_a_document_without_one),
        cmocka_unit_test(extensions_need_an_id_of_their_own),
        cmocka_unit_test(triggers_have_a_name_a_source_and_a_type),
        cmocka_unit_test(a_token_is_a_path_or_an_attribute),
        cmocka_unit_test(who_performs_a_function_is_seen_from_resource_and_type),
        cmocka_unit_test(functions_nobody_can_perform_are_refused),
        cmocka_unit_test(metadata_of_functions_is_checked),
        cmocka_unit_test(states_need_a_name_a_type_and_a_way_on),
        cmocka_unit_test(fields_of_other_types_and_versions_are_warned_of),
        cmocka_unit_test(hints_name_what_was_meant),
        cmocka_unit_test(references_stay_in_their_scope),
        cmocka_unit_test(ids_tell_states_of_one_name_apart),
        cmocka_unit_test(an_id_is_looked_for_before_a_name),
        cmocka_unit_test(end_beats_a_transition),
        cmocka_unit_test(what_no_way_leads_to_is_left_out),
        cmocka_unit_test(an_end_can_be_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
