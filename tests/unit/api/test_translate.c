/* Definitions as messages of gRPC. */
#include "api/grpc/translate_int.h"

#include <workflow/v1/engine.pb-c.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static const struct json *parsed(str text)
{
    const struct json *value;
    struct error err;
    if (json_parse(text, NULL, &arena, &value, &err) != ST_OK)
        fail_msg("%.*s: %s", STR_ARG(text), err.message);
    return value;
}

/* To a message, its bytes, and back to a text. */
static str travel(const char *text)
{
    Workflow__V1__WorkflowDefinition message;
    ProtobufCMessage *again;
    struct buf bytes, back;
    struct error err;
    workflow__v1__workflow_definition__init(&message);
    translate_read(parsed(str_of(text)), &arena, &message.base);
    buf_init(&bytes, &arena);
    message_pack(&message.base, &bytes);
    assert_int_equal(
        message_unpack(&workflow__v1__workflow_definition__descriptor, buf_str(&bytes), &arena, &again, &err),
        ST_OK);
    buf_init(&back, &arena);
    assert_int_equal(translate_print(again, &arena, &back, &err), ST_OK);
    return buf_str(&back);
}

#define SAME(text) \
    {              \
        text, text \
    }

static void documents_come_back_as_they_were(void **state)
{
    static const struct {
        const char *document, *back;
    } cases[] = {
        SAME("{}"),
        SAME(
            "{\"id\":\"a\",\"version\":3,\"name\":\"A \\\"quoted\\\" name\",\"description\":\"d\","
            "\"autoStartNextWorkflow\":true,\"nextWorkflowId\":\"b\",\"metadata\":{\"z\":[1,2.5],\"a\":null},"
            "\"input_schema\":{\"properties\":{\"n\":{\"type\":\"number\"}},\"required\":[\"n\"]}}"),
        SAME("{\"steps\":[{\"id\":\"s\",\"name\":\"S\",\"type\":\"SERVICE_TASK\",\"nextStep\":\"e\","
             "\"jobType\":\"j\","
             "\"delegateClass\":\"c\",\"retryCount\":3,\"boundaryEvents\":[{\"type\":\"TIMER\",\"duration\":"
             "\"PT5S\","
             "\"interrupting\":true,\"targetStepId\":\"t\"}],\"outputs_schema\":{\"required\":[]}},"
             "{\"id\":\"e\",\"type\":\"END\"}]}"),
        /* In the order of the author: these are tried one after the other. */
        SAME("{\"steps\":[{\"id\":\"d\",\"type\":\"DECISION\",\"conditionalNextSteps\":{\"z > "
             "1\":\"a\",\"a\":\"b\","
             "\"true\":\"c\"}}]}"),
        SAME("{\"steps\":[{\"type\":\"TRANSFORMATION\",\"transformations\":{\"z\":\"${a}\",\"a\":1,\"l\":[{"
             "\"x\":null}]}}]}"),
        SAME("{\"steps\":[{\"type\":\"PARALLEL_GATEWAY\",\"parallelNextSteps\":[\"b\",\"a\"],\"joinStep\":"
             "\"j\"},"
             "{\"type\":\"JOIN_GATEWAY\"},{\"type\":\"USER_TASK\"},{\"type\":\"WAIT\"}]}"),
        SAME("{\"steps\":[{\"type\":\"DECISION_TABLE\",\"decisionTable\":{\"rules\":[{\"when\":{\"b\":\"> "
             "1\",\"a\":\"2\"},"
             "\"outputs\":{\"r\":true}}]},\"hitPolicy\":\"C+\"}]}"),
        /* Members that are refused when they come as JSON are refused when they come as a message, too. */
        SAME("{\"steps\":[{\"decisionTable\":{\"rules\":[{\"then\":\"x\"}],\"defaultNextStep\":\"y\"}}]}"),
        SAME("{\"steps\":[{\"decisionTable\":{}}]}"),
        /* What a message has no field for is left out, and so are fields of another type. */
        { "{\"id\":1,\"name\":\"n\",\"chain\":true,\"steps\":[{\"id\":\"s\",\"priority\":5,\"retryCount\":"
          "\"3\","
          "\"parallelNextSteps\":[\"a\",1]},7]}",
          "{\"name\":\"n\",\"steps\":[{\"id\":\"s\",\"parallelNextSteps\":[\"a\"]}]}" },
        { "{\"steps\":[{\"retryCount\":99999999999}]}", "{\"steps\":[{}]}" },
        { "{\"steps\":[{\"type\":\"UNHEARD_OF\"}]}", "{\"steps\":[{}]}" },
        { "{\"steps\":{},\"metadata\":[]}", "{}" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        str back = travel(cases[i].document);
        if (!str_equal(back, str_of(cases[i].back)))
            fail_msg("%s became %.*s", cases[i].document, STR_ARG(back));
    }
}

static str print_step(Workflow__V1__StepType type)
{
    Workflow__V1__WorkflowStep step;
    struct buf out;
    struct error err;
    workflow__v1__workflow_step__init(&step);
    step.type = type;
    buf_init(&out, &arena);
    assert_int_equal(translate_print(&step.base, &arena, &out, &err), ST_OK);
    return buf_str(&out);
}

/* A newer client may send a type that we do not know: whoever reads the document refuses it by its name. */
static void numbers_of_unknown_types_are_kept(void **state)
{
    (void)state;
    assert_true(str_equal(print_step((Workflow__V1__StepType)42), STR("{\"type\":\"42\"}")));
    assert_true(str_equal(print_step((Workflow__V1__StepType)-1), STR("{\"type\":\"-1\"}")));
    assert_true(str_equal(print_step(WORKFLOW__V1__STEP_TYPE__STEP_TYPE_UNSPECIFIED), STR("{}")));
}

static void a_value_that_is_no_json_is_named(void **state)
{
    Workflow__V1__WorkflowStep step;
    Workflow__V1__WorkflowStep__TransformationsEntry entry, *entries[] = { &entry };
    Google__Protobuf__Value value = GOOGLE__PROTOBUF__VALUE__INIT;
    struct buf out;
    struct error err;
    (void)state;
    workflow__v1__workflow_step__init(&step);
    workflow__v1__workflow_step__transformations_entry__init(&entry);
    char key[] = "total";
    entry.key = key;
    entry.value = &value;
    step.transformations = entries;
    step.n_transformations = 1;
    value.kind_case = GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE;
    value.number_value = NAN;
    buf_init(&out, &arena);
    assert_int_equal(translate_print(&step.base, &arena, &out, &err), ST_INVALID);
    assert_string_equal(err.message, "total: NaN and the infinities are no numbers of JSON");
}

static void words_of_an_enum_are_found(void **state)
{
    const ProtobufCEnumDescriptor *type = &workflow__v1__instance_status__descriptor;
    char name[300];
    (void)state;
    assert_int_equal(translate_enum(type, STR("CANCELLED")), 5);
    assert_int_equal(translate_enum(type, STR("cancelled")), 0);
    assert_int_equal(translate_enum(type, STR("")), 0);
    memset(name, 'X', sizeof name);
    assert_int_equal(translate_enum(type, (str){ name, sizeof name }), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_come_back_as_they_were),
        cmocka_unit_test(numbers_of_unknown_types_are_kept),
        cmocka_unit_test(a_value_that_is_no_json_is_named),
        cmocka_unit_test(words_of_an_enum_are_found),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
