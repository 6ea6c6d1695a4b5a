/* api/openapi.c — contract/openapi.json, as a part of the program, and a page that leads to it.
 *
 * They need no secret: they say nothing about this engine.
 */
#include "api/answer_int.h"
#include "api/route_int.h"

/* Global, because a reference to a local label through the offset table loses its offset on
 * some machines; hidden, because nobody else needs them. */
__asm__(".section .rodata\n"
        ".global api_openapi_begin, api_openapi_end\n"
        ".hidden api_openapi_begin\n"
        ".hidden api_openapi_end\n"
        "api_openapi_begin:\n"
        ".incbin \"contract/openapi.json\"\n"
        "api_openapi_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char api_openapi_begin[] __attribute__((visibility("hidden")));
extern const char api_openapi_end[] __attribute__((visibility("hidden")));

enum status openapi_get(struct api_request *request, struct error *err)
{
    (void)err;
    answer_lasting(request, 200, STR("application/json"), STR("Cache-Control: no-cache\r\n"),
                   (str){ api_openapi_begin, (size_t)(api_openapi_end - api_openapi_begin) });
    return ST_OK;
}

enum status openapi_docs(struct api_request *request, struct error *err)
{
    (void)err;
    answer_typed(request, 200, STR("text/html; charset=utf-8"), STR_NONE,
                 STR("<!doctype html>\n<html lang=\"en\"><title>Pawl</title>\n<h1>Pawl</h1>\n<ul>\n"
                     "<li><a href=\"/openapi.json\">The description of the API (OpenAPI 3.1)</a>\n"
                     "<li><a href=\"/api/help\">Help on entities and on the codes of their errors</a>\n"
                     "</ul>\n</html>\n"));
    return ST_OK;
}
