/* api/v1/family.c — whom an instance comes from, and what it started. What it has none of is left out. */
#include "api/api_int.h"

/* Without the closing brace. */
static void put_relative(struct buf *out, const struct child_view *relative)
{
    PUT(out, "{\"id\":");
    put_id(out, child_view_id(relative));
    PUT(out, ",\"definitionId\":");
    put_text(out, relative->definition_id);
    PUT(out, ",\"definitionVersion\":");
    put_int(out, relative->definition_version);
    PUT(out, ",\"status\":");
    put_text(out, str_of(instance_status_word(relative->status)));
}

static void put_children(struct buf *out, const struct instance_view *view)
{
    PUT(out, ",\"children\":[");
    for (size_t i = 0; i < view->child_count; i++) {
        if (i) buf_add_char(out, ',');
        put_relative(out, &view->child[i]);
        PUT(out, ",\"awaited\":");
        buf_add_str(out, view->child[i].awaited ? STR("true}") : STR("false}"));
    }
    buf_add_char(out, ']');
    if (view->child_total <= (int64_t)view->child_count) return;
    PUT(out, ",\"childrenTotal\":");
    put_int(out, view->child_total);
}

void put_family(struct buf *out, const struct instance_view *view)
{
    if (view->parent && view->parent_created_ms) {
        PUT(out, ",\"parentId\":");
        put_id(out, (struct id){ .ms = view->parent_created_ms, .instance = view->parent });
    }
    if (view->parent_node.n) {
        PUT(out, ",\"parentStepId\":");
        put_text(out, view->parent_node);
    }
    if (view->child_count) put_children(out, view);
    if (view->chained_from && view->chained_from_created_ms) {
        PUT(out, ",\"chainedFromId\":");
        put_id(out, (struct id){ .ms = view->chained_from_created_ms, .instance = view->chained_from });
    }
    if (view->chained_to) {
        PUT(out, ",\"chainedTo\":");
        put_relative(out, view->chained_to);
        buf_add_char(out, '}');
    }
}
