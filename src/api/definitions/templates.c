/* api/definitions/templates.c — the flows to begin with, which are a part of the program.
 *
 * The build makes one JSON object of examples/templates: each file under its name. NAME.json is a definition,
 * or an object that has one as its `document`; NAME.scenario.json beside it tests it.
 */
#include "api/definitions/definitions_int.h"

/* Global and hidden for the reason that openapi.c gives. */
__asm__(".section .rodata\n"
        ".global api_templates_begin\n"
        ".global api_templates_end\n"
        ".hidden api_templates_begin\n"
        ".hidden api_templates_end\n"
        "api_templates_begin:\n"
        ".incbin \"" PAWL_GEN "/templates.json\"\n"
        "api_templates_end:\n"
        ".byte 0\n"
        ".text\n");
extern const char api_templates_begin[] __attribute__((visibility("hidden")));
extern const char api_templates_end[] __attribute__((visibility("hidden")));

static const struct json *member_or(const struct json *object, const char *name, const struct json *otherwise)
{
    const struct json *value = json_get(object, str_of(name));
    return value ? value : otherwise;
}

static void put_template(struct buf *out, str id, const struct json *file, const struct json *scenario)
{
    const struct json *document = member_or(file, "document", file), *empty = json_empty_object();
    const struct json *sample = json_get(file, STR("sample"));
    if (!sample) sample = json_get(json_get(document, STR("metadata")), STR("sample"));
    const struct json *name = member_or(file, "name", json_get(document, STR("name")));
    const struct json *description = member_or(file, "description", json_get(document, STR("description")));
    PUT(out, "{\"id\":");
    put_text(out, id);
    PUT(out, ",\"name\":");
    put_text(out, json_is(name, JSON_STRING) ? json_string(name) : id);
    PUT(out, ",\"description\":");
    put_text(out, json_is(description, JSON_STRING) ? json_string(description) : STR(""));
    PUT(out, ",\"document\":");
    json_print(document, out);
    PUT(out, ",\"sample\":");
    json_print(json_is(sample, JSON_OBJECT) ? sample : empty, out);
    if (scenario) {
        PUT(out, ",\"scenario\":");
        json_print(scenario, out);
    }
    buf_add_char(out, '}');
}

enum status definitions_templates(struct api_request *request, struct error *err)
{
    str text = { api_templates_begin, (size_t)(api_templates_end - api_templates_begin) };
    str ending = STR(".json"), tests = STR(".scenario.json");
    const struct json *files;
    struct arena *arena = request->http->arena;
    struct buf out;
    bool first = true;
    TRY(json_parse(text, NULL, arena, &files, err));
    buf_init(&out, arena);
    PUT(&out, "{\"items\":[");
    struct json_each each = json_each(files);
    while (json_next(&each)) {
        if (str_ends(each.name, tests) || !str_ends(each.name, ending)) continue;
        str id = str_slice(each.name, 0, each.name.n - ending.n);
        if (!first) buf_add_char(&out, ',');
        first = false;
        str scenario = arena_printf(arena, "%.*s.scenario.json", STR_ARG(id));
        put_template(&out, id, each.value, json_get(files, scenario));
    }
    PUT(&out, "]}");
    answer(request, 200, STR_NONE, buf_str(&out));
    return ST_OK;
}
