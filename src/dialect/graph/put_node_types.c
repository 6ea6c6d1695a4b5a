/* dialect/graph/put_node_types.c — the table of node types as JSON: params become forms, ports and outputs
 * become what the builder offers. */
#include "dialect/graph/node_types.h"
#include "json/put.h"

static void put_named(struct buf *out, const char *name, str text)
{
    buf_printf(out, ",\"%s\":", name);
    put_text(out, text);
}

static void put_words(struct buf *out, str words)
{
    PUT(out, ",\"words\":[");
    for (size_t at = 0; at <= words.n;) {
        size_t end = str_find(words, STR("|"), at);
        if (end == SIZE_MAX) end = words.n;
        if (at) buf_add_char(out, ',');
        put_text(out, str_slice(words, at, end));
        at = end + 1;
    }
    buf_add_char(out, ']');
}

static void put_param(struct buf *out, const struct graph_param *param)
{
    PUT(out, "{\"name\":");
    put_text(out, str_of(param->name));
    put_named(out, "label", str_of(param->label));
    put_named(out, "kind", str_of(graph_param_word(param->kind)));
    buf_printf(out, ",\"required\":%s", param->need == GRAPH_NEEDED ? "true" : "false");
    buf_printf(out, ",\"template\":%s", graph_param_takes_template(param->kind) ? "true" : "false");
    if (param->fallback) buf_printf(out, ",\"default\":%s", param->fallback);
    if (param->words) put_words(out, str_of(param->words));
    buf_add_char(out, '}');
}

static void put_type(struct buf *out, const struct graph_type *type)
{
    static const char *const effects[] = {
        [GRAPH_EFFECT_NONE] = "none",
        [GRAPH_EFFECT_WAITS] = "waits",
        [GRAPH_EFFECT_CHANGES] = "changes",
    };
    static const char *const kinds[] = {
        [GRAPH_KIND_TRIGGER] = "trigger", [GRAPH_KIND_END] = "end",         [GRAPH_KIND_ACTION] = "action",
        [GRAPH_KIND_STEP] = "step",       [GRAPH_KIND_GATEWAY] = "gateway", [GRAPH_KIND_LOOP] = "loop",
        [GRAPH_KIND_GATE] = "gate",
    };
    PUT(out, "{\"type\":");
    put_text(out, type->name);
    put_named(out, "label", str_of(type->label));
    put_named(out, "category", str_of(type->category));
    put_named(out, "kind", str_of(kinds[type->kind]));
    put_named(out, "effect", str_of(effects[type->effect]));
    PUT(out, ",\"ports\":[");
    for (size_t i = 0; i < type->port_count; i++) {
        buf_add_str(out, i ? STR(",{\"name\":") : STR("{\"name\":"));
        put_text(out, type->port[i].name);
        put_named(out, "label", str_of(type->port[i].label));
        buf_add_char(out, '}');
    }
    const char *ports_of = type->wiring->ports_of;
    buf_printf(out, "],\"portsByDecision\":%s",
               ports_of && strcmp(ports_of, "decisions") == 0 ? "true" : "false");
    if (ports_of) put_named(out, "portsBy", str_of(ports_of));
    PUT(out, ",\"inputs\":[");
    if (type->kind != GRAPH_KIND_TRIGGER)
        put_text(out, type->wiring->input_count ? type->wiring->input[0] : STR("in"));
    PUT(out, "],\"params\":[");
    for (size_t i = 0; i < type->param_count; i++) {
        if (i) buf_add_char(out, ',');
        put_param(out, &type->param[i]);
    }
    PUT(out, "],\"outputs\":[");
    for (size_t i = 0; i < type->output_count; i++) {
        buf_add_str(out, i ? STR(",{\"name\":") : STR("{\"name\":"));
        put_text(out, type->output[i].name);
        put_named(out, "label", str_of(type->output[i].label));
        put_named(out, "type", str_of(graph_output_word(type->output[i].kind)));
        buf_add_char(out, '}');
    }
    PUT(out, "]}");
}

void graph_put_node_types(struct buf *out)
{
    PUT(out, "{\"nodeTypes\":[");
    for (size_t i = 0; i < GRAPH_TYPE_COUNT; i++) {
        if (i) buf_add_char(out, ',');
        put_type(out, graph_type((enum graph_type_id)i));
    }
    PUT(out, "]}");
}
