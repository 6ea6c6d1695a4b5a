/* schema/metaschemas.c — the meta-schemas of both drafts, as a part of the program: meta/ has their
 * documents. */
#include "schema/schema_int.h"

/* clang-format off */
#define METASCHEMA_MAP(XX)                                                                                         \
    XX(draft_07,          "draft-07",                  "http://json-schema.org/draft-07/schema")                   \
    XX(schema,            "2020-12",                   "https://json-schema.org/draft/2020-12/schema")             \
    XX(core,              "2020-12-core",              "https://json-schema.org/draft/2020-12/meta/core")          \
    XX(applicator,        "2020-12-applicator",        "https://json-schema.org/draft/2020-12/meta/applicator")    \
    XX(unevaluated,       "2020-12-unevaluated",       "https://json-schema.org/draft/2020-12/meta/unevaluated")   \
    XX(validation,        "2020-12-validation",        "https://json-schema.org/draft/2020-12/meta/validation")    \
    XX(meta_data,         "2020-12-meta-data",         "https://json-schema.org/draft/2020-12/meta/meta-data")     \
    XX(format_annotation, "2020-12-format-annotation", "https://json-schema.org/draft/2020-12/meta/format-annotation") \
    XX(format_assertion,  "2020-12-format-assertion",  "https://json-schema.org/draft/2020-12/meta/format-assertion") \
    XX(content,           "2020-12-content",           "https://json-schema.org/draft/2020-12/meta/content")
/* clang-format on */

/* Global and hidden for the reason that api/openapi.c gives. */
#define XX(name, file, uri)                                                               \
    __asm__(".section .rodata\n"                                                          \
            ".global schema_meta_" #name "_begin\n"                                       \
            ".global schema_meta_" #name "_end\n"                                         \
            ".hidden schema_meta_" #name "_begin\n"                                       \
            ".hidden schema_meta_" #name "_end\n"                                         \
            "schema_meta_" #name "_begin:\n"                                              \
            ".incbin \"src/schema/meta/" file ".json\"\n"                                 \
            "schema_meta_" #name "_end:\n"                                                \
            ".byte 0\n"                                                                   \
            ".text\n");                                                                   \
    extern const char schema_meta_##name##_begin[] __attribute__((visibility("hidden"))); \
    extern const char schema_meta_##name##_end[] __attribute__((visibility("hidden")));
METASCHEMA_MAP(XX)
#undef XX

const struct json *schema_metaschema(str uri, struct arena *arena)
{
    static const struct {
        str uri;
        const char *begin, *end;
    } metaschemas[] = {
#define XX(name, file, uri) { STR_INIT(uri), schema_meta_##name##_begin, schema_meta_##name##_end },
        METASCHEMA_MAP(XX)
#undef XX
    };
    for (size_t i = 0; i < COUNT(metaschemas); i++) {
        if (!str_equal(metaschemas[i].uri, uri)) continue;
        const struct json *document;
        str text = { metaschemas[i].begin, (size_t)(metaschemas[i].end - metaschemas[i].begin) };
        must(json_parse(text, NULL, arena, &document, NULL) == ST_OK);
        return document;
    }
    return NULL;
}
