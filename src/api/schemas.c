/* api/schemas.c — contract/schema, as a part of the program: JSON Schemas for editors and other tools.
 *
 * They need no secret: an editor has none, and they say nothing about this engine.
 */
#include "api/answer_int.h"
#include "api/pages_int.h"
#include "api/route_int.h"

/* clang-format off */
#define SCHEMA_MAP(XX) \
    XX(steps)          \
    XX(serverless)     \
    XX(graph)          \
    XX(scenario)
/* clang-format on */

/* Global and hidden for the reason that openapi.c gives. */
#define XX(name)                                                                         \
    __asm__(".section .rodata\n"                                                         \
            ".global api_schema_" #name "_begin\n"                                       \
            ".global api_schema_" #name "_end\n"                                         \
            ".hidden api_schema_" #name "_begin\n"                                       \
            ".hidden api_schema_" #name "_end\n"                                         \
            "api_schema_" #name "_begin:\n"                                              \
            ".incbin \"contract/schema/" #name ".schema.json\"\n"                        \
            "api_schema_" #name "_end:\n"                                                \
            ".byte 0\n"                                                                  \
            ".text\n");                                                                  \
    extern const char api_schema_##name##_begin[] __attribute__((visibility("hidden"))); \
    extern const char api_schema_##name##_end[] __attribute__((visibility("hidden")));
SCHEMA_MAP(XX)
#undef XX

static const struct schema_file {
    str file;
    const char *begin, *end;
} schemas[] = {
#define XX(name) { STR_INIT(#name ".json"), api_schema_##name##_begin, api_schema_##name##_end },
    SCHEMA_MAP(XX)
#undef XX
};

bool schemas_page(size_t index, struct page *ret_page)
{
    if (index >= COUNT(schemas)) return false;
    *ret_page =
        (struct page){ schemas[index].file,
                       schemas[index].file,
                       { schemas[index].begin, (size_t)(schemas[index].end - schemas[index].begin) } };
    return true;
}

enum status schemas_get(struct api_request *request, struct error *err)
{
    for (size_t i = 0; i < COUNT(schemas); i++) {
        if (!str_equal(schemas[i].file, request->param[0])) continue;
        answer_lasting(request, 200, STR("application/schema+json"), STR("Cache-Control: no-cache\r\n"),
                       (str){ schemas[i].begin, (size_t)(schemas[i].end - schemas[i].begin) });
        return ST_OK;
    }
    return fail(
        err, ST_NOT_FOUND, "",
        "there is no schema \"%.*s\"; there are steps.json, serverless.json, graph.json and scenario.json",
        STR_ARG(request->param[0]));
}
