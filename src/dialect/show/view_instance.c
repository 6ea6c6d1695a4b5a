/* dialect/show/view_instance.c — writes the head, the relatives and the signals of an instance as JSON. */
#include "dialect/show/view_int.h"

#include "base/must.h"

/* ---- the head ---- */

/* Returns false if the data was left out. */
static bool put_variables(struct buf *out, const struct instance_view *view, int64_t bytes_max)
{
    PUT(out, "],\"variables\":");
    size_t before = out->n;
    if (!view->data_omitted && put_may_fit(out, view->data, bytes_max)) {
        json_print(json_is(view->data, JSON_OBJECT) ? view->data : json_empty_object(), out);
        if (!put_is_beyond(out, bytes_max)) return true;
    }
    out->n = before;
    PUT(out, "{},\"variablesOmitted\":true");
    return false;
}

bool view_put_head(struct buf *out, const struct instance_view *view, enum instance_style style,
                   int64_t bytes_max)
{
    PUT(out, "{\"id\":");
    put_id(out, instance_view_id(view));
    PUT(out, ",\"definitionId\":");
    put_text(out, view->definition_id);
    PUT(out, ",\"definitionVersion\":");
    put_int(out, view->definition_version);
    PUT(out, ",\"status\":\"");
    buf_add_str(out, str_of(instance_status_word(view->status)));
    PUT(out, "\",\"currentStepIds\":[");
    for (size_t i = 0; i < view->current_count; i++) {
        if (i) buf_add_char(out, ',');
        put_text(out, view->current[i]);
    }
    bool with_data = put_variables(out, view, bytes_max);
    PUT(out, ",\"startedAt\":");
    put_time(out, view->created_ms);
    if (style == INSTANCE_WHOLE && view->ended_ms) {
        PUT(out, ",\"completedAt\":");
        put_time(out, view->ended_ms);
    }
    if (style == INSTANCE_STOPPED || (style == INSTANCE_WHOLE && view->failure.n)) {
        PUT(out, ",\"failureReason\":");
        put_text(out, view->failure);
    }
    if (style != INSTANCE_STOPPED && view->business_key.n) {
        PUT(out, ",\"businessKey\":");
        put_text(out, view->business_key);
    }
    if (view->is_test) PUT(out, ",\"isTest\":true");
    return with_data;
}

/* ---- relatives ---- */

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
    must(view->child_count > 0);
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

void view_put_relatives(struct buf *out, const struct instance_view *view)
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

/* ---- signals and arrivals that came early ---- */

void view_put_signals(struct buf *out, const struct instance_view *view)
{
    const char *between = ",\"pendingSignals\":[{\"stepId\":";
    for (size_t i = 0; i < view->mail_count; i++) {
        const struct mail_view *mail = &view->mail[i];
        if (!mail->node.n) continue;
        buf_add_str(out, str_of(between));
        between = ",{\"stepId\":";
        put_text(out, mail->node);
        PUT(out, ",\"receivedAt\":");
        put_time(out, mail->received_ms);
        PUT(out, ",\"variables\":");
        json_print(mail->data, out);
        buf_add_char(out, '}');
    }
    if (between[1] == '{') buf_add_char(out, ']');
}

void view_put_arrivals(struct buf *out, const struct instance_view *view)
{
    const char *between = ",\"pendingArrivals\":[{\"trigger\":";
    for (size_t i = 0; i < view->mail_count; i++) {
        const struct mail_view *mail = &view->mail[i];
        if (!mail->arrival.n) continue;
        buf_add_str(out, str_of(between));
        between = ",{\"trigger\":";
        put_text(out, mail->arrival);
        PUT(out, ",\"receivedAt\":");
        put_time(out, mail->received_ms);
        buf_add_char(out, '}');
    }
    if (between[1] == '{') buf_add_char(out, ']');
}
