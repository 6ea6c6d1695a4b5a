/* api/openapi.c — contract/openapi.json, as a part of the program. */
#include "api/api_int.h"

__asm__(".section .rodata\n"
        "openapi_begin:\n"
        ".incbin \"contract/openapi.json\"\n"
        "openapi_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char openapi_begin[], openapi_end[];

enum status api_openapi_get(struct api_request *request, struct error *err)
{
    (void)err;
    answer(request, 200, STR("Cache-Control: no-cache\r\n"),
           (str){ openapi_begin, (size_t)(openapi_end - openapi_begin) });
    return ST_OK;
}
