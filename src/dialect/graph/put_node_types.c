/* dialect/graph/put_node_types.c — the table of node types as JSON: params become forms, ports and outputs
 * become what the builder offers. */
#include "dialect/graph/node_types.h"

#include "base/must.h"
#include "dialect/limits.h"
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

/* "mode=Cron|Interval" */
static void put_only_if(struct buf *out, str text)
{
    size_t equals = str_find(text, STR("="), 0);
    PUT(out, ",\"onlyIf\":{\"field\":");
    put_text(out, str_slice(text, 0, equals));
    put_words(out, str_slice(text, equals + 1, text.n));
    buf_add_char(out, '}');
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
    if (param->help) put_named(out, "help", str_of(param->help));
    if (param->other) put_named(out, "otherName", str_of(param->other));
    if (param->decided_by) {
        put_named(out, "decidedBy", str_of(param->decided_by));
        buf_printf(out, ",\"decided\":%s", param->decided);
    }
    if (param->only_if) put_only_if(out, str_of(param->only_if));
    if (param->least != param->most) buf_printf(out, ",\"min\":%ld,\"max\":%ld", param->least, param->most);
    buf_add_char(out, '}');
}

void graph_put_params(struct buf *out, const char *name, struct graph_params params)
{
    buf_printf(out, "\"%s\":[", name);
    for (size_t i = 0; i < params.count; i++) {
        if (i) buf_add_char(out, ',');
        put_param(out, &params.param[i]);
    }
    buf_add_char(out, ']');
}

static void put_names(struct buf *out, const char *name, const str *names, size_t count)
{
    buf_printf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, names[i]);
    }
    buf_add_char(out, ']');
}

/* The fields beside the config that have an effect on the type. */
static void put_fields(struct buf *out, const struct graph_type *type)
{
    struct graph_params params = graph_node_params();
    str names[GRAPH_NODE_FIELDS_MAX];
    size_t count = 0;
    must(params.count <= GRAPH_NODE_FIELDS_MAX);
    for (size_t i = 0; i < params.count; i++)
        if (graph_node_field_works(type, str_of(params.param[i].name)))
            names[count++] = str_of(params.param[i].name);
    put_names(out, "fields", names, count);
}

static void put_aliases(struct buf *out, const struct graph_type *type)
{
    str names[GRAPH_ALIASES_MAX];
    put_names(out, "aliases", names, graph_type_aliases(type, names, GRAPH_ALIASES_MAX));
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
    PUT(out, "],");
    graph_put_params(out, "params", (struct graph_params){ type->param, type->param_count });
    put_fields(out, type);
    put_aliases(out, type);
    PUT(out, ",\"outputs\":[");
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
    PUT(out, "\"nodeTypes\":[");
    for (size_t i = 0; i < GRAPH_TYPE_COUNT; i++) {
        if (i) buf_add_char(out, ',');
        put_type(out, graph_type((enum graph_type_id)i));
    }
    PUT(out, "],");
    graph_put_params(out, "settings", graph_setting_params());
    buf_add_char(out, ',');
    graph_put_params(out, "retry", graph_params_of_retry());
    buf_add_char(out, ',');
    graph_put_params(out, "nodeFields", graph_node_params());
}
