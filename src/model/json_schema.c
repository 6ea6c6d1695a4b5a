/* model/json_schema.c — JSON_SCHEMA: a model as JSON Schema, draft 2020-12.
 *
 * Keywords of JSON Schema concern only values of their own type, so a place with several types needs no
 * anyOf. Null is allowed everywhere but for the entity itself, as model_check() has it.
 */
#include "model/model_int.h"

#include "json/put.h"

enum {
    INTEGERS = 1 << MODEL_INTEGER | 1 << MODEL_LONG | 1 << MODEL_BIG_INTEGER | 1 << MODEL_UNBOUND_INTEGER,
    DECIMALS = 1 << MODEL_DOUBLE | 1 << MODEL_BIG_DECIMAL | 1 << MODEL_UNBOUND_DECIMAL,
};

static void put_json_type(struct buf *out, model_types types, bool null)
{
    static const struct {
        model_types any, none;
        const char *name;
    } rows[] = {
        { DECIMALS, 0, "number" },          { INTEGERS, DECIMALS, "integer" },
        { 1 << MODEL_STRING, 0, "string" }, { 1 << MODEL_BOOLEAN, 0, "boolean" },
        { 1 << MODEL_OBJECT, 0, "object" }, { 1 << MODEL_ARRAY, 0, "array" },
    };
    PUT(out, "\"type\":[");
    for (size_t i = 0; i < COUNT(rows); i++)
        if ((types & rows[i].any) && !(types & rows[i].none))
            buf_printf(out, "%s\"%s\"", out->p[out->n - 1] == '[' ? "" : ",", rows[i].name);
    if (null) buf_printf(out, "%s\"null\"", out->p[out->n - 1] == '[' ? "" : ",");
    PUT(out, "]");
}

static void put_bounds(struct buf *out, model_types types)
{
    if (types & DECIMALS) return;
    if (model_types_have(types, MODEL_INTEGER))
        buf_printf(out, ",\"minimum\":%d,\"maximum\":%d", INT32_MIN, INT32_MAX);
    if (model_types_have(types, MODEL_LONG))
        buf_printf(out, ",\"minimum\":%lld,\"maximum\":%lld", (long long)INT64_MIN, (long long)INT64_MAX);
}

/* The keywords, without the braces. */
static void put_node(struct buf *out, const struct model_node *node, bool null)
{
    put_json_type(out, node->types, null);
    put_bounds(out, node->types);
    if (model_types_have(node->types, MODEL_OBJECT)) {
        PUT(out, ",\"properties\":{");
        for (size_t i = 0; i < node->field_count; i++) {
            if (i) PUT(out, ",");
            put_text(out, node->field[i].name);
            PUT(out, ":{");
            put_node(out, node->field[i].node, true);
            PUT(out, "}");
        }
        PUT(out, "},\"additionalProperties\":false");
    }
    if (node->element) {
        PUT(out, ",\"items\":{");
        put_node(out, node->element, true);
        PUT(out, "}");
    }
}

void model_put_json_schema(const struct model_schema *schema, struct buf *out)
{
    PUT(out, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",");
    put_node(out, schema->root, false);
    PUT(out, "}");
}
