/* The methods of workflow.v1.WorkflowEngine, between a network and an engine that are made up. */
#include "api/fake.h"
#include "api/grpc/services_int.h"
#include "api/grpc/workflow_int.h"

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

static const struct grpc_method *method_of(const char *name)
{
    for (size_t i = 0; i < workflow_service.count; i++)
        if (str_equal(workflow_service.methods[i].name, str_of(name))) return &workflow_service.methods[i];
    fail_msg("no method %s", name);
    return NULL;
}

static const char *key; /* The metadata idempotency-key of the next calls; NULL: none. */

/* Calls a method with these bytes. */
static void send_bytes(const char *name, str bytes)
{
    const struct grpc_method *method = method_of(name);
    fake.http.header_count = 0;
    if (key) fake_header("idempotency-key", key);
    size_t headers = fake.http.header_count;
    fake_clear();
    fake.http = (struct http_request){ .arena = &fake.arena };
    http_set_headers(&fake.http, fake.header, headers);
    grpc_start(&fake.http, method, fake.api);
    method->message(&fake.grpc, bytes, fake.api);
}

static void send_message(const char *name, const void *message)
{
    struct buf bytes;
    buf_init(&bytes, &fake.arena);
    message_pack(message, &bytes);
    send_bytes(name, buf_str(&bytes));
}

/* The message that was sent, after everything else has happened as it must. */
static void *sent(const ProtobufCMessageDescriptor *type)
{
    ProtobufCMessage *message;
    struct error err;
    assert_int_equal(fake.message_count, 1);
    assert_true(fake.grpc_finished);
    assert_int_equal(fake.grpc.code, GRPC_OK);
    assert_int_equal(message_unpack(type, buf_str(&fake.messages), &fake.arena, &message, &err), ST_OK);
    return message;
}

static void assert_refused(enum grpc_status code, const char *text)
{
    assert_int_equal(fake.message_count, 0);
    assert_true(fake.grpc_finished);
    assert_int_equal(fake.grpc.code, code);
    if (!strstr(fake.grpc_text, text)) fail_msg("\"%s\" is not in: %s", text, fake.grpc_text);
}

#define TEXT(literal) ((char[]){ literal })
#define IS(text, literal) assert_true(str_equal((text), STR(literal)))

static char *id_of(uint64_t instance, uint32_t number)
{
    return workflow_write_id((struct id){ .ms = 1000, .instance = instance, .number = number }, &fake.arena);
}

static const struct json *parsed(const char *text)
{
    const struct json *value;
    struct error err;
    assert_int_equal(json_parse(str_of(text), NULL, &fake.arena, &value, &err), ST_OK);
    return value;
}

static Google__Protobuf__Struct *struct_of(const char *text)
{
    Google__Protobuf__Struct *made_struct;
    value_write_struct(parsed(text), &fake.arena, &made_struct);
    return made_struct;
}

/* ---- instances ---- */

static void an_instance_is_started(void **state)
{
    Workflow__V1__StartInstanceRequest request;
    (void)state;
    workflow__v1__start_instance_request__init(&request);
    request.definition_id = TEXT("d");
    request.definition_version = 3;
    request.business_key = TEXT("k");
    request.variables = struct_of("{\"b\":1,\"a\":[true]}");
    request.wait_seconds = 1.5;
    send_message("StartInstance", &request);
    assert_non_null(fake.call);
    assert_int_equal(fake.call->kind, CALL_START);
    IS(fake.call->as.start.definition_id, "d");
    assert_int_equal(fake.call->as.start.version, 3);
    IS(fake.call->as.start.business_key, "k");
    assert_int_equal(fake.call->as.start.wait_ms, 1500);
    assert_true(json_equal(fake.call->as.start.data, parsed("{\"b\":1,\"a\":[true]}")));
    assert_false(fake.grpc_finished);

    fake.call->value.instances.view = fake_instance();
    fake.call->value.instances.view->data = parsed("{\"x\":9007199254740993}");
    fake_answer(ST_OK);
    const Workflow__V1__WorkflowInstance *instance =
        ((Workflow__V1__StartInstanceResponse *)sent(&workflow__v1__start_instance_response__descriptor))
            ->instance;
    assert_string_equal(instance->id, id_of(7, 0));
    assert_int_equal(instance->status, WORKFLOW__V1__INSTANCE_STATUS__INSTANCE_STATUS_WAITING);
    assert_int_equal(instance->n_current_step_ids, 2);
    assert_string_equal(instance->current_step_ids[0], "a\"b");
    assert_int_equal(instance->started_at->seconds, 1);
    assert_null(instance->completed_at);
    assert_true(instance->variables->fields[0]->value->number_value == 9007199254740992.0);
    assert_string_equal(instance->variables_json, "{\"x\":9007199254740993}");
    assert_false(instance->variables_omitted);
}

static void what_a_start_is_refused_for(void **state)
{
    static char long_text[DEFINITION_ID_BYTES_MAX + 2];
    static const struct {
        const char *definition, *key, *json;
        bool variables;
        double wait;
        const char *text;
    } cases[] = {
        { "", "", "", false, 0, "definition_id is required" },
        { long_text, "", "", false, 0, "definition_id has 257 bytes; the most is 256" },
        { "d", long_text, "", false, 0, "business_key has 257 bytes; the most is 256" },
        { "d", "", "{}", true, 0, "variables and variables_json cannot both be set" },
        { "d", "", "{", false, 0, "variables_json: line 1, column 2" },
        { "d", "", "[1]", false, 0, "variables_json must be of type object, not array" },
        { "d", "", "", false, -1, "wait_seconds must be between 0 and 60 seconds" },
        { "d", "", "", false, 61, "wait_seconds must be between 0 and 60 seconds" },
    };
    (void)state;
    memset(long_text, 'x', sizeof long_text - 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        Workflow__V1__StartInstanceRequest request;
        workflow__v1__start_instance_request__init(&request);
        request.definition_id = message_text(&fake.arena, str_of(cases[i].definition));
        request.business_key = message_text(&fake.arena, str_of(cases[i].key));
        request.variables_json = message_text(&fake.arena, str_of(cases[i].json));
        if (cases[i].variables) request.variables = struct_of("{}");
        request.wait_seconds = cases[i].wait;
        send_message("StartInstance", &request);
        assert_refused(GRPC_INVALID_ARGUMENT, cases[i].text);
        assert_int_equal(fake.submitted, 0);
    }
    send_bytes("StartInstance", STR("\xff"));
    assert_refused(GRPC_INVALID_ARGUMENT, "not a message of type workflow.v1.StartInstanceRequest");
}

static void start(const char *definition)
{
    Workflow__V1__StartInstanceRequest request;
    workflow__v1__start_instance_request__init(&request);
    request.definition_id = message_text(&fake.arena, str_of(definition));
    send_message("StartInstance", &request);
}

static void errors_have_the_code_of_their_status(void **state)
{
    static const struct {
        enum status status;
        const char *where;
        enum grpc_status code;
    } cases[] = {
        { ST_NOT_FOUND, "", GRPC_NOT_FOUND },
        { ST_CONFLICT, "", GRPC_FAILED_PRECONDITION },
        { ST_CONFLICT, "businessKey", GRPC_ALREADY_EXISTS },
        { ST_UNPROCESSABLE, "", GRPC_INVALID_ARGUMENT },
        { ST_OVERLOAD, "", GRPC_RESOURCE_EXHAUSTED },
        { ST_STORE, "", GRPC_UNAVAILABLE },
        { ST_FULL, "", GRPC_RESOURCE_EXHAUSTED },
        { ST_INTERNAL, "", GRPC_INTERNAL },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        start("d");
        snprintf(fake.call->error.message, sizeof fake.call->error.message, "this is why");
        snprintf(fake.call->error.where, sizeof fake.call->error.where, "%s", cases[i].where);
        fake_answer(cases[i].status);
        assert_refused(cases[i].code, "this is why");
    }
    start("d"); /* An error that nobody put into words. */
    fake_answer(ST_STORE);
    assert_refused(GRPC_UNAVAILABLE, "the database refused or went away");
    fake.refusal = ST_DRAINING;
    start("d");
    assert_refused(GRPC_UNAVAILABLE, "the engine is stopping");
    fake.refusal = ST_OK;
}

static void the_key_of_a_request_depends_on_its_content(void **state)
{
    (void)state;
    key = "once";
    start("d");
    IS(fake.call->idempotency_key, "once");
    uint64_t hash = fake.call->request_hash;
    fake.call->value.instances.view = fake_instance();
    fake.call->replayed = true;
    fake_answer(ST_OK);
    assert_string_equal(fake.grpc_trailers, "idempotency-replayed: true\n");
    start("d");
    assert_true(fake.call->request_hash == hash);
    start("e");
    assert_true(fake.call->request_hash != hash);
    Workflow__V1__GetInstanceRequest get;
    workflow__v1__get_instance_request__init(&get);
    get.id = id_of(7, 0);
    send_message("GetInstance", &get); /* Reads have none. */
    assert_int_equal(fake.call->idempotency_key.n, 0);
    char long_key[IDEMPOTENCY_KEY_BYTES_MAX + 2] = "";
    memset(long_key, 'k', sizeof long_key - 1);
    key = long_key;
    start("d");
    assert_refused(GRPC_INVALID_ARGUMENT, "Idempotency-Key must be at most 255 bytes");
    key = NULL;
}

static void ids_that_are_none_are_not_found(void **state)
{
    static const char *const methods[] = { "GetInstance", "GetInstanceHistory", "CancelInstance",
                                           "SignalWait",  "RetryStep",          "CompleteJob",
                                           "FailJob" };
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) {
        send_bytes(methods[i], STR(""));
        assert_refused(GRPC_INVALID_ARGUMENT, "is required");
        send_bytes(methods[i], STR("\x0a\x03"
                                   "abc")); /* Field 1 is the id in all of them. */
        assert_refused(GRPC_NOT_FOUND, "\"abc\" not found");
    }
    send_bytes("CompleteUserTask", STR("\x22\x03"
                                       "abc"));
    assert_refused(GRPC_NOT_FOUND, "instance \"abc\" not found");
}

static void commands_on_an_instance(void **state)
{
    Workflow__V1__SignalWaitRequest signal;
    Workflow__V1__CompleteUserTaskRequest task;
    Workflow__V1__RetryStepRequest retry;
    Workflow__V1__CancelInstanceRequest cancel;
    (void)state;
    workflow__v1__signal_wait_request__init(&signal);
    signal.instance_id = id_of(7, 0);
    send_message("SignalWait", &signal);
    assert_refused(GRPC_INVALID_ARGUMENT, "wait_step_id is required");
    signal.wait_step_id = TEXT("w");
    send_message("SignalWait", &signal);
    assert_int_equal(fake.call->kind, CALL_SIGNAL);
    assert_int_equal(fake.call->as.instance.id.instance, 7);
    IS(fake.call->as.instance.node, "w");
    assert_null(fake.call->as.instance.data);
    assert_false(fake.call->as.instance.early);
    fake_answer(ST_OK);
    sent(&workflow__v1__signal_wait_response__descriptor);

    workflow__v1__complete_user_task_request__init(&task);
    task.instance_id = id_of(7, 0);
    task.user_task_step_id = TEXT("u");
    task.completed_by = TEXT("ann");
    task.result_json = TEXT("{\"n\":12345678901234567890}");
    send_message("CompleteUserTask", &task);
    assert_int_equal(fake.call->kind, CALL_COMPLETE_TASK);
    IS(fake.call->as.instance.actor, "ann");
    IS(fake.call->as.instance.node, "u");
    assert_true(json_equal(fake.call->as.instance.data, parsed("{\"n\":12345678901234567890}")));
    fake_answer(ST_OK);
    sent(&workflow__v1__complete_user_task_response__descriptor);

    workflow__v1__retry_step_request__init(&retry);
    retry.instance_id = id_of(7, 0);
    retry.variables = struct_of("{\"fixed\":true}");
    send_message("RetryStep", &retry);
    assert_int_equal(fake.call->kind, CALL_RETRY);
    assert_int_equal(fake.call->as.instance.node.n, 0);
    assert_true(json_bool(json_get(fake.call->as.instance.data, STR("fixed"))));
    fake.call->value.instances.view = fake_instance();
    fake_answer(ST_OK);
    sent(&workflow__v1__retry_step_response__descriptor);

    workflow__v1__cancel_instance_request__init(&cancel);
    cancel.id = id_of(7, 0);
    cancel.reason = TEXT("no longer needed");
    send_message("CancelInstance", &cancel);
    assert_int_equal(fake.call->kind, CALL_CANCEL);
    IS(fake.call->as.instance.text, "no longer needed");
    assert_false(fake.call->as.instance.failed_too);
    fake.call->value.instances.view = fake_instance();
    fake_answer(ST_OK);
    sent(&workflow__v1__cancel_instance_response__descriptor);
}

static void instances_are_listed(void **state)
{
    Workflow__V1__ListInstancesRequest request;
    (void)state;
    workflow__v1__list_instances_request__init(&request);
    request.status = WORKFLOW__V1__INSTANCE_STATUS__INSTANCE_STATUS_FAILED;
    request.page = 2;
    request.page_size = 1000;
    send_message("ListInstances", &request);
    const struct call_instances *asked = &fake.call->as.instances;
    assert_true(asked->with_total);
    assert_int_equal(asked->filter.status, INSTANCE_FAILED);
    assert_int_equal(asked->filter.max, 200);
    assert_int_equal(asked->filter.skip, 400);
    request.status = 0;
    request.page = -1;
    request.page_size = 0;
    send_message("ListInstances", &request);
    assert_int_equal(fake.call->as.instances.filter.status, -1);
    assert_int_equal(fake.call->as.instances.filter.max, 20);
    assert_int_equal(fake.call->as.instances.filter.skip, 0);
    request.status = (Workflow__V1__InstanceStatus)77; /* No instance has it. */
    send_message("ListInstances", &request);
    assert_int_equal(fake.submitted, 0);
    sent(&workflow__v1__list_instances_response__descriptor);
}

/* Clients take 4 MiB. What does not fit comes without variables, and says so. */
static void a_long_list_leaves_variables_out(void **state)
{
    enum { COUNT_ALL = 5, TEXT_BYTES = 1 << 20 };
    struct instance_view view[COUNT_ALL];
    (void)state;
    char *text = arena_alloc(&fake.arena, TEXT_BYTES);
    memset(text, 'x', TEXT_BYTES);
    struct json_builder builder;
    json_builder_init(&builder, &fake.arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("text"));
    json_add_string(&builder, (str){ text, TEXT_BYTES });
    json_close(&builder);
    for (size_t i = 0; i < COUNT_ALL; i++) {
        view[i] = *fake_instance();
        view[i].data = json_built(&builder);
    }
    send_bytes("ListInstances", STR(""));
    fake.call->value.instances = (struct answer_instances){ .view = view, .count = COUNT_ALL, .total = 9 };
    fake_answer(ST_OK);
    const Workflow__V1__ListInstancesResponse *page =
        sent(&workflow__v1__list_instances_response__descriptor);
    assert_true(fake.messages.n <= MESSAGE_ANSWER_BYTES_MAX + 1000);
    assert_int_equal(page->n_instances, COUNT_ALL);
    assert_int_equal(page->total, 9);
    for (size_t i = 0; i < COUNT_ALL; i++) {
        assert_int_equal(page->instances[i]->variables_omitted, i >= 3);
        assert_int_equal(page->instances[i]->variables != NULL, i < 3);
    }
}

static void the_history_of_an_instance(void **state)
{
    struct execution visit[] = {
        { .number = 1,
          .node_name = STR("a"),
          .type = STR("SERVICE_TASK"),
          .attempt = 1,
          .status = EXECUTION_FAILED,
          .started_ms = 5000,
          .ended_ms = 6500,
          .failure = STR("why") },
        { .number = 2,
          .node_name = STR("b"),
          .type = STR("event"),
          .attempt = 2,
          .started_ms = 7000,
          .status = EXECUTION_RUNNING },
    };
    Workflow__V1__GetInstanceHistoryRequest request;
    (void)state;
    workflow__v1__get_instance_history_request__init(&request);
    request.id = id_of(7, 0);
    send_message("GetInstanceHistory", &request);
    assert_int_equal(fake.call->kind, CALL_GET_HISTORY);
    fake.call->value.instances = (struct answer_instances){
        .view = fake_instance(), .count = 1, .execution = visit, .execution_count = COUNT(visit), .cut = true
    };
    fake_answer(ST_OK);
    const Workflow__V1__GetInstanceHistoryResponse *history =
        sent(&workflow__v1__get_instance_history_response__descriptor);
    assert_int_equal(history->n_executions, 2);
    assert_true(history->truncated);
    const Workflow__V1__StepExecution *first = history->executions[0], *second = history->executions[1];
    assert_string_equal(first->step_id, "a");
    assert_string_equal(first->instance_id, id_of(7, 0));
    assert_int_equal(first->step_type, WORKFLOW__V1__STEP_TYPE__STEP_TYPE_SERVICE_TASK);
    assert_int_equal(first->status, WORKFLOW__V1__STEP_EXECUTION_STATUS__STEP_EXECUTION_STATUS_FAILED);
    assert_int_equal(first->ended_at->nanos, 500000000);
    assert_string_equal(first->failure_reason, "why");
    assert_int_equal(second->step_type, WORKFLOW__V1__STEP_TYPE__STEP_TYPE_UNSPECIFIED);
    assert_string_equal(second->step_type_name, "event");
    assert_int_equal(second->attempt_number, 2);
    assert_null(second->ended_at);
}

/* ---- jobs ---- */

static void jobs_are_polled(void **state)
{
    Workflow__V1__PollJobsRequest request;
    char *types[] = { TEXT("a"), TEXT("b") };
    (void)state;
    workflow__v1__poll_jobs_request__init(&request);
    request.worker_id = TEXT("w");
    send_message("PollJobs", &request);
    assert_refused(GRPC_INVALID_ARGUMENT, "job_types is required");
    request.job_types = types;
    request.n_job_types = COUNT(types);
    send_message("PollJobs", &request);
    const struct call_poll *asked = &fake.call->as.poll;
    IS(asked->worker, "w");
    assert_int_equal(asked->type_count, 2);
    IS(asked->type[1], "b");
    assert_int_equal(asked->max, 1); /* Not 10 as over HTTP. */
    assert_int_equal(asked->lease_ms, 0);
    assert_int_equal(asked->wait_ms, 0);
    assert_int_equal(fake.call->answer_max, MESSAGE_ANSWER_TEXT_MAX);

    struct job_view job = { .instance = 7,
                            .instance_created_ms = 1000,
                            .number = 2,
                            .created_ms = 1000,
                            .execution = 1,
                            .execution_ms = 1000,
                            .type = STR("a"),
                            .node = STR("n"),
                            .retries_left = 3,
                            .lock_expires_ms = 31000,
                            .data = parsed("[1]") };
    fake.call->value.jobs = (struct answer_jobs){ .view = &job, .count = 1 };
    fake_answer(ST_OK);
    const Workflow__V1__PollJobsResponse *jobs = sent(&workflow__v1__poll_jobs_response__descriptor);
    assert_int_equal(jobs->n_jobs, 1);
    assert_string_equal(jobs->jobs[0]->id, id_of(7, 2));
    assert_string_equal(jobs->jobs[0]->step_id, "n");
    assert_string_equal(jobs->jobs[0]->step_execution_id, id_of(7, 1));
    assert_int_equal(jobs->jobs[0]->retries_remaining, 3);
    assert_int_equal(jobs->jobs[0]->lock_expires_at->seconds, 31);
    assert_int_equal(jobs->jobs[0]->variables->n_fields, 0); /* The input of a function may be any value. */
    assert_string_equal(jobs->jobs[0]->variables_json, "[1]");

    request.max_jobs = 5000;
    request.lease_seconds = -1;
    send_message("PollJobs", &request);
    assert_refused(GRPC_INVALID_ARGUMENT, "lease_seconds must be between 0 and 86400 seconds");
    request.lease_seconds = 90;
    request.wait_seconds = 0.25;
    send_message("PollJobs", &request);
    assert_int_equal(fake.call->as.poll.max, 1000);
    assert_int_equal(fake.call->as.poll.lease_ms, 90000);
    assert_int_equal(fake.call->as.poll.wait_ms, 250);
}

static void a_poll_whose_client_leaves_is_abandoned(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        Workflow__V1__PollJobsRequest request;
        char *types[] = { TEXT("a") };
        workflow__v1__poll_jobs_request__init(&request);
        request.worker_id = TEXT("w");
        request.job_types = types;
        request.n_job_types = 1;
        request.wait_seconds = waits;
        send_message("PollJobs", &request);
        struct call *call = fake.call;
        fake.grpc.method->gone(&fake.grpc, fake.api);
        assert_int_equal(call->abandoned, waits);
        assert_false(fake.grpc_finished); /* The call still has the arena. */
        fake_answer(ST_OK);
        assert_refused(GRPC_CANCELLED, "");
    }
}

static void results_of_jobs(void **state)
{
    Workflow__V1__CompleteJobRequest complete;
    Workflow__V1__FailJobRequest failing;
    (void)state;
    workflow__v1__complete_job_request__init(&complete);
    complete.job_id = id_of(7, 2);
    send_message("CompleteJob", &complete);
    assert_refused(GRPC_INVALID_ARGUMENT, "worker_id is required");
    complete.worker_id = TEXT("w");
    complete.variables_to_set = struct_of("{\"done\":1}");
    send_message("CompleteJob", &complete);
    assert_int_equal(fake.call->kind, CALL_COMPLETE_JOB);
    assert_int_equal(fake.call->as.job.id.number, 2);
    assert_true(json_equal(fake.call->as.job.data, parsed("{\"done\":1}")));
    fake_answer(ST_OK);
    sent(&workflow__v1__complete_job_response__descriptor);
    complete.variables_to_set = NULL;
    complete.variables_json = TEXT("[1.10]"); /* The result of a function. */
    send_message("CompleteJob", &complete);
    assert_true(json_equal(fake.call->as.job.data, parsed("[1.1]")));

    workflow__v1__fail_job_request__init(&failing);
    failing.job_id = id_of(7, 2);
    failing.worker_id = TEXT("w");
    failing.retryable = true;
    failing.error_message = TEXT("boom");
    send_message("FailJob", &failing);
    assert_int_equal(fake.call->kind, CALL_FAIL_JOB);
    assert_true(fake.call->as.job.retryable);
    IS(fake.call->as.job.text, "boom");
    fake_answer(ST_OK);
    sent(&workflow__v1__fail_job_response__descriptor);
}

/* ---- definitions ---- */

static void a_definition_is_uploaded(void **state)
{
    Workflow__V1__UploadDefinitionRequest request;
    Workflow__V1__WorkflowDefinition definition;
    struct definition_row row = { .id = STR("d"), .version = 4, .created_ms = 2000 };
    struct problem problem = { .warning = true, .message = STR("odd") };
    (void)state;
    send_bytes("UploadDefinition", STR(""));
    assert_refused(GRPC_INVALID_ARGUMENT, "one of definition and document is required");
    workflow__v1__upload_definition_request__init(&request);
    workflow__v1__workflow_definition__init(&definition);
    definition.id = TEXT("d");
    definition.metadata = struct_of("{\"owner\":\"ann\"}");
    request.definition = &definition;
    request.document = TEXT("{}");
    send_message("UploadDefinition", &request);
    assert_refused(GRPC_INVALID_ARGUMENT, "one of definition and document is required");
    request.document = TEXT("");
    send_message("UploadDefinition", &request);
    IS(fake.call->as.deploy.text, "{\"id\":\"d\",\"metadata\":{\"owner\":\"ann\"}}");
    fake.call->value.definitions = (struct answer_definitions){
        .row = &row, .count = 1, .problems = { .problem = &problem, .count = 1, .warning_count = 1 }
    };
    fake_answer(ST_OK);
    const Workflow__V1__UploadDefinitionResponse *uploaded =
        sent(&workflow__v1__upload_definition_response__descriptor);
    assert_string_equal(uploaded->id, "d");
    assert_int_equal(uploaded->version, 4);
    assert_int_equal(uploaded->uploaded_at->seconds, 2);
    assert_int_equal(uploaded->n_warnings, 1);
    assert_string_equal(uploaded->warnings[0], "odd");
    request.definition = NULL;
    request.document = TEXT("id: d\n");
    send_message("UploadDefinition", &request);
    IS(fake.call->as.deploy.text, "id: d\n");
}

static void a_definition_is_shown(void **state)
{
    Workflow__V1__GetDefinitionRequest request;
    (void)state;
    workflow__v1__get_definition_request__init(&request);
    request.id = TEXT("d");
    request.version = -1;
    send_message("GetDefinition", &request);
    assert_refused(GRPC_NOT_FOUND, "definition \"d\" has no version -1");
    request.version = 2;
    send_message("GetDefinition", &request);
    assert_int_equal(fake.call->as.definition.version, 2);
    struct definition_row row = {
        .id = STR("d"),
        .version = 2,
        .title = STR("D"),
        .source = STR(
            "{\"name\":\"D\",\"id\":\"d\",\"steps\":[{\"id\":\"e\",\"type\":\"END\",\"chain\":false}]}")
    };
    fake.call->value.definitions = (struct answer_definitions){ .row = &row, .count = 1 };
    fake_answer(ST_OK);
    const Workflow__V1__GetDefinitionResponse *shown =
        sent(&workflow__v1__get_definition_response__descriptor);
    assert_int_equal(shown->definition->version, 2);
    assert_int_equal(shown->definition->n_steps, 1);
    assert_int_equal(shown->definition->steps[0]->type, WORKFLOW__V1__STEP_TYPE__STEP_TYPE_END);
    assert_string_equal(shown->document,
                        "{\"name\":\"D\",\"id\":\"d\",\"steps\":[{\"id\":\"e\",\"type\":\"END\","
                        "\"chain\":false}],\"version\":2}");
    send_message("GetDefinition", &request);
    row.source = STR("{");
    fake.call->value.definitions = (struct answer_definitions){ .row = &row, .count = 1 };
    fake_answer(ST_OK);
    assert_refused(GRPC_INTERNAL, "the stored document is damaged");
}

static void definitions_are_listed(void **state)
{
    Workflow__V1__ListDefinitionsRequest request;
    struct definition_row row[] = { { .id = STR("a"), .version = 1, .title = STR("A") },
                                    { .id = STR("b"), .version = 7, .title = STR("B") } };
    (void)state;
    workflow__v1__list_definitions_request__init(&request);
    request.keyword = TEXT("loan");
    request.page = 1;
    request.page_size = 2;
    send_message("ListDefinitions", &request);
    IS(fake.call->as.definitions.keyword, "loan");
    assert_int_equal(fake.call->as.definitions.skip, 2);
    fake.call->value.definitions = (struct answer_definitions){ .row = row, .count = 2, .total = 4 };
    fake_answer(ST_OK);
    const Workflow__V1__ListDefinitionsResponse *page =
        sent(&workflow__v1__list_definitions_response__descriptor);
    assert_int_equal(page->n_definitions, 2);
    assert_int_equal(page->total, 4);
    assert_string_equal(page->definitions[1]->id, "b");
    assert_int_equal(page->definitions[1]->version, 7);
    assert_string_equal(page->definitions[1]->name, "B");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_is_started),
        cmocka_unit_test(what_a_start_is_refused_for),
        cmocka_unit_test(errors_have_the_code_of_their_status),
        cmocka_unit_test(the_key_of_a_request_depends_on_its_content),
        cmocka_unit_test(ids_that_are_none_are_not_found),
        cmocka_unit_test(commands_on_an_instance),
        cmocka_unit_test(instances_are_listed),
        cmocka_unit_test(a_long_list_leaves_variables_out),
        cmocka_unit_test(the_history_of_an_instance),
        cmocka_unit_test(jobs_are_polled),
        cmocka_unit_test(a_poll_whose_client_leaves_is_abandoned),
        cmocka_unit_test(results_of_jobs),
        cmocka_unit_test(a_definition_is_uploaded),
        cmocka_unit_test(a_definition_is_shown),
        cmocka_unit_test(definitions_are_listed),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
