#include "api/grpc/descriptors_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <google/protobuf/descriptor.pb-c.h>

typedef Google__Protobuf__FileDescriptorSet file_set;
typedef Google__Protobuf__FileDescriptorProto file_descriptor;

static file_set *set;

static int unpack(void **state)
{
    (void)state;
    str bytes = grpc_descriptors();
    set = google__protobuf__file_descriptor_set__unpack(NULL, bytes.n, (const uint8_t *)bytes.p);
    return set ? 0 : 1;
}

static int drop(void **state)
{
    (void)state;
    google__protobuf__file_descriptor_set__free_unpacked(set, NULL);
    return 0;
}

static size_t place(const char *name)
{
    for (size_t i = 0; i < set->n_file; i++)
        if (!strcmp(set->file[i]->name, name)) return i;
    return SIZE_MAX;
}

static void every_file_stands_behind_those_that_it_imports(void **state)
{
    (void)state;
    assert_true(set->n_file > 6);
    for (size_t i = 0; i < set->n_file; i++)
        for (size_t d = 0; d < set->file[i]->n_dependency; d++)
            assert_true(place(set->file[i]->dependency[d]) < i);
}

/* Clients find a method by these names: one letter in another case is another method. */
static void services_and_methods_have_the_names_that_clients_know(void **state)
{
    static const struct {
        const char *file, *package, *service, *methods;
    } cases[] = {
        { "workflow/v1/engine.proto", "workflow.v1", "WorkflowEngine",
          "UploadDefinition GetDefinition ListDefinitions StartInstance GetInstance GetInstanceHistory "
          "CancelInstance ListInstances PollJobs CompleteJob FailJob CompleteUserTask SignalWait RetryStep" },
        { "org/cyoda/cloud/api/grpc/cloud_events.proto", "org.cyoda.cloud.api.grpc", "CloudEventsService",
          "startStreaming(><) entityModelManage entityManage entityManageCollection(<) entitySearch "
          "entitySearchCollection(<)" },
        { "grpc/health/v1/health.proto", "grpc.health.v1", "Health", "Check Watch(<)" },
        { "grpc/reflection/v1/reflection.proto", "grpc.reflection.v1", "ServerReflection",
          "ServerReflectionInfo(><)" },
        { "grpc/reflection/v1alpha/reflection.proto", "grpc.reflection.v1alpha", "ServerReflection",
          "ServerReflectionInfo(><)" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(place(cases[i].file) != SIZE_MAX);
        const file_descriptor *file = set->file[place(cases[i].file)];
        assert_string_equal(file->package, cases[i].package);
        assert_int_equal(file->n_service, 1);
        assert_string_equal(file->service[0]->name, cases[i].service);
        char names[512] = "";
        for (size_t m = 0; m < file->service[0]->n_method; m++) {
            const Google__Protobuf__MethodDescriptorProto *method = file->service[0]->method[m];
            const char *streams = method->client_streaming ? "(><)" : method->server_streaming ? "(<)" : "";
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s%s", m ? " " : "",
                     method->name, streams);
        }
        assert_string_equal(names, cases[i].methods);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_stands_behind_those_that_it_imports),
        cmocka_unit_test(services_and_methods_have_the_names_that_clients_know),
    };
    return cmocka_run_group_tests(tests, unpack, drop);
}
