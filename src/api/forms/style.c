/* api/forms/style.c — the style sheet of forms, as a part of the program. It needs no secret. */
#include "api/forms/forms_int.h"

/* Global and hidden for the reason that openapi.c gives. */
__asm__(".section .rodata\n"
        ".global api_forms_css_begin, api_forms_css_end\n"
        ".hidden api_forms_css_begin\n"
        ".hidden api_forms_css_end\n"
        "api_forms_css_begin:\n"
        ".incbin \"src/api/forms/forms.css\"\n"
        "api_forms_css_end:\n"
        ".byte 0\n"
        ".text\n");

extern const char api_forms_css_begin[] __attribute__((visibility("hidden")));
extern const char api_forms_css_end[] __attribute__((visibility("hidden")));

enum status forms_style(struct api_request *request, struct error *err)
{
    (void)err;
    answer_lasting(request, 200, STR("text/css; charset=utf-8"), STR("Cache-Control: no-cache\r\n"),
                   (str){ api_forms_css_begin, (size_t)(api_forms_css_end - api_forms_css_begin) });
    return ST_OK;
}
