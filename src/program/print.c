/* program/print.c — a program as text.
 *
 * One block per node, in index order: what it is, what it does, where it leads. The text
 * is compared with golden files, so it changes only when programs do.
 */
#include "program/program.h"

#include "base/datetime.h"
#include "base/duration.h"

static const char *const field_type_words[] = {
    [FIELD_STRING] = "string",   [FIELD_NUMBER] = "number", [FIELD_INTEGER] = "integer",
    [FIELD_BOOLEAN] = "boolean", [FIELD_ANY] = "any",
};

static void print_header_line(struct buf *out, const char *word, str text)
{
    if (text.n) buf_printf(out, "  %-8s %.*s\n", word, STR_ARG(text));
}

static void print_fields(struct buf *out, const struct program_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct program_field *field = &fields->field[i];
        buf_printf(out, "%s%.*s %s%s", i ? ", " : "", STR_ARG(field->name), field_type_words[field->type],
                   field->required ? " required" : "");
    }
}

static void print_duration(struct buf *out, int64_t ms)
{
    char text[64];
    duration_print(ms, text, sizeof text);
    buf_printf(out, "%s", text);
}

static void print_target(struct buf *out, const struct program *program, uint32_t target)
{
    buf_printf(out, "→ %u %.*s\n", target, STR_ARG(program->node[target].name));
}

static void print_milestone(struct buf *out, const struct program *program,
                            const struct program_milestone *milestone)
{
    if (milestone->from != NODE_NONE) {
        buf_add_str(out, STR("     possible from "));
        print_target(out, program, milestone->from);
    }
    if (milestone->until == NODE_NONE) return;
    buf_add_str(out, STR("     possible until "));
    print_target(out, program, milestone->until);
    if (milestone->way.target == NODE_NONE) return;
    buf_add_str(out, STR("     withdrawn, it goes "));
    print_target(out, program, milestone->way.target);
}

/* One line, whatever is in the text. */
static void print_on_one_line(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++) buf_add_char(out, (unsigned char)text.p[i] < ' ' ? ' ' : text.p[i]);
}

static void print_expr(struct buf *out, const char *before, const struct expr *expr, const char *behind)
{
    if (!expr) return;
    buf_printf(out, "%s", before);
    print_on_one_line(out, expr_text(expr));
    buf_printf(out, "%s", behind);
}

static void print_value(struct buf *out, const struct program_value *value)
{
    buf_add_str(out, value->name.n ? value->name : STR("everything"));
    buf_printf(out, value->append ? " += " : value->expr ? " := " : " = ");
    if (value->expr) print_on_one_line(out, expr_text(value->expr));
    else json_print(value->literal, out);
}

static void print_values(struct buf *out, const char *before, const struct program_value *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s", before);
        print_value(out, &value[i]);
        buf_add_char(out, '\n');
    }
}

static void print_rule(struct buf *out, size_t number, const struct program_rule *rule)
{
    buf_printf(out, "     rule %zu: ", number);
    if (!rule->cell_count) buf_add_str(out, STR("always"));
    for (size_t i = 0; i < rule->cell_count; i++) {
        buf_printf(out, "%s%.*s: ", i ? " and " : "", STR_ARG(rule->cell[i].column));
        print_on_one_line(out, expr_text(rule->cell[i].test));
    }
    buf_add_char(out, '\n');
    print_values(out, "       ", rule->output, rule->output_count);
}

/* Where an edge leads, and what must hold for that. */
static void print_way(struct buf *out, const struct program *program, const struct program_edge *edge)
{
    print_expr(out, "if ", edge->guard, " or halt ");
    print_target(out, program, edge->target);
}

static void print_delay(struct buf *out, const struct program_delay *delay)
{
    if (!delay->first_ms) return;
    if (delay->factor == 1) {
        buf_add_str(out, STR(", each after "));
        print_duration(out, delay->first_ms);
        return;
    }
    buf_add_str(out, STR(", first after "));
    print_duration(out, delay->first_ms);
    if (delay->is_linear) buf_add_str(out, STR(", then each time longer by that, at most "));
    else buf_printf(out, ", then %g times as long, at most ", delay->factor);
    print_duration(out, delay->max_ms);
}

static void print_retry(struct buf *out, const struct program *program, const struct program_retry *retry)
{
    buf_add_str(out, STR("     retries "));
    if (retry->unlimited) buf_add_str(out, STR("without limit"));
    else buf_printf(out, "%u", retry->count);
    print_delay(out, &retry->delay);
    print_expr(out, ", when ", retry->when, "");
    buf_add_char(out, '\n');
    if (retry->exit.target == NODE_NONE) return;
    print_expr(out, "       used up by a failure: everything := ", retry->exit_error, "\n");
    print_expr(out, "       used up by a result: everything := ", retry->exit_result, "\n");
    buf_printf(out, "       used up, leaves %u regions ", retry->exit_levels);
    print_way(out, program, &retry->exit);
}

static void print_performer(struct buf *out, const struct program_node *node)
{
    buf_add_str(out, STR("     "));
    bool outside = performer_place(node->as.task.performer) == PERFORMED_OUTSIDE;
    buf_printf(out, "%s %.*s", outside ? "job" : performer_word(node->as.task.performer),
               STR_ARG(node->as.task.job_type));
    if (node->as.task.type_in_input) buf_add_str(out, STR("(the definition that the input names)"));
    if (node->as.task.definition_version)
        buf_printf(out, ", version %d", (int)node->as.task.definition_version);
    if (node->as.task.detached) buf_add_str(out, STR(", not awaited"));
    if (node->as.task.holds) buf_add_str(out, STR(", before anything is written"));
    if (!node->output_count && !node->as.task.detached)
        buf_printf(out, ", result merged %s", node->as.task.merge == MERGE_DEEP ? "deeply" : "shallowly");
    buf_add_char(out, '\n');
    if (!node->as.task.config) return;
    buf_add_str(out, STR("     config "));
    json_print(node->as.task.config, out);
    buf_add_char(out, '\n');
}

/* The instance that goes on after an END. */
static void print_next(struct buf *out, const struct program_next *next)
{
    bool is_known = next->definition.n > 0;
    buf_printf(out, "     goes on as %.*s", STR_ARG(is_known ? next->definition : STR("what data names")));
    if (next->version) buf_printf(out, ", version %d", (int)next->version);
    buf_add_char(out, '\n');
    print_expr(out, "     with the input of ", next->request, "\n");
    print_values(out, "     with ", next->value, next->value_count);
}

static void print_task(struct buf *out, const struct program *program, const struct program_node *node)
{
    print_performer(out, node);
    print_expr(out, "     input ", node->as.task.input, "\n");
    for (size_t i = 0; i < node->as.task.retry_count; i++) print_retry(out, program, &node->as.task.retry[i]);
    if (!node->as.task.outputs.count) return;
    buf_add_str(out, STR("     outputs "));
    print_fields(out, &node->as.task.outputs);
    buf_add_char(out, '\n');
}

static void print_event_case(struct buf *out, const struct program *program, size_t number,
                             const struct program_event_case *event_case)
{
    buf_printf(out, "     case %zu: ", number);
    print_on_one_line(out, expr_text(event_case->when));
    for (size_t i = 0; i < event_case->mentioned_count; i++)
        buf_printf(out, "%s%.*s", i ? ", " : ", takes ",
                   STR_ARG(program->trigger[event_case->mentioned[i]].name));
    for (size_t i = 0; i < event_case->positive_count; i++)
        buf_printf(out, "%s%.*s", i ? ", " : ", needs one of ",
                   STR_ARG(program->trigger[event_case->positive[i]].name));
    buf_add_char(out, '\n');
    print_values(out, "       output ", event_case->output, event_case->output_count);
    buf_add_str(out, STR("       "));
    print_target(out, program, event_case->target);
}

static void print_wait(struct buf *out, const struct program *program, const struct program_node *node)
{
    static const char *const words[] = {
        [WAIT_FOR_SIGNAL] = "a signal",    [WAIT_FOR_PERSON] = "a person",
        [WAIT_FOR_EVENT] = "events",       [WAIT_FOR_TIME] = "a time",
        [WAIT_FOR_ARRIVAL] = "an arrival", [WAIT_FOR_TRANSITION] = "a transition",
    };
    buf_printf(out, "     for %s", words[node->as.wait.what]);
    if (node->as.wait.what == WAIT_FOR_ARRIVAL)
        buf_printf(out, " at %.*s%s", STR_ARG(program->rules->arrival[node->as.wait.arrival].name),
                   node->as.wait.takes_early ? ", also early" : "");
    if (node->as.wait.what == WAIT_FOR_TRANSITION)
        buf_printf(out, "; without a name to %.*s", STR_ARG(program->node[node->as.wait.again].name));
    if (node->as.wait.label.n) buf_printf(out, ", label %.*s", STR_ARG(node->as.wait.label));
    buf_add_char(out, '\n');
    for (size_t i = 0; i < node->as.wait.event_case_count; i++)
        print_event_case(out, program, i, &node->as.wait.event_case[i]);
}

static void print_join(struct buf *out, const struct program_node *node)
{
    switch (node->as.join.mode) {
    case JOIN_OF_FORK: return;
    case JOIN_ALL: buf_add_str(out, STR("     opens when a token has come by each of its edges\n")); return;
    case JOIN_COUNT:
        buf_printf(out, "     opens when tokens have come by %u of its %u edges; others are %s%s\n",
                   node->as.join.count, node->as.join.arrivals,
                   node->as.join.cancels ? "cancelled" : "absorbed",
                   node->as.join.blocks ? ", and block the next round until then" : "");
        return;
    case JOIN_INCLUSIVE:
        buf_add_str(out, STR("     opens when no other token can come to it any more\n"));
        return;
    }
}

static void print_each(struct buf *out, const struct program_each *each)
{
    print_expr(out, "     for each of ", each->items, "");
    buf_printf(out, ", as %.*s and %.*s, %u at a time%s\n", STR_ARG(each->item_name),
               STR_ARG(each->index_name), each->window,
               each->goes_on ? "; the others go on if one fails" : "");
    if (each->result) print_expr(out, "     result ", each->result, "\n");
    if (each->takes_more) buf_printf(out, "     arrival %u adds an item\n", each->arrival);
    if (each->until)
        print_expr(out, "     until ", each->until, each->keeps_rest ? "; the others finish\n" : "\n");
}

static void print_scope(struct buf *out, const struct program *program, const struct program_node *node)
{
    if (node->as.scope.each) print_each(out, node->as.scope.each);
    if (node->as.scope.data) print_expr(out, "     regions begin with ", node->as.scope.data, "\n");
    for (size_t i = 0; i < node->as.scope.region_count; i++) {
        const struct program_region *region = &node->as.scope.region[i];
        buf_printf(out, "     region %.*s%s ", STR_ARG(region->name),
                   region->awaited ? "" : ", not awaited,");
        print_target(out, program, region->start);
    }
}

static void print_details(struct buf *out, const struct program *program, const struct program_node *node)
{
    switch (node->kind) {
    case NODE_TASK: print_task(out, program, node); break;
    case NODE_WAIT: print_wait(out, program, node); break;
    case NODE_TABLE:
        buf_printf(out, "     hit policy %s\n", program_policy_code(node->as.table.policy));
        for (size_t i = 0; i < node->as.table.rule_count; i++) print_rule(out, i, &node->as.table.rule[i]);
        break;
    case NODE_SET: print_values(out, "     ", node->as.set.value, node->as.set.count); break;
    case NODE_FORK:
        if (program_opens_scope(node))
            buf_printf(out, "     joined at %u %.*s\n", node->as.fork.join,
                       STR_ARG(program->node[node->as.fork.join].name));
        if (node->as.fork.chooses) buf_add_str(out, STR("     only edges that hold are taken\n"));
        break;
    case NODE_JOIN: print_join(out, node); break;
    case NODE_END:
        if (node->as.end.region) buf_add_str(out, STR("     ends its region, or the instance\n"));
        if (node->as.end.branch)
            buf_add_str(out, STR("     ends its branch; the last one completes the instance\n"));
        if (node->as.end.next) print_next(out, node->as.end.next);
        else if (program->next_definition.n && node->as.end.chain)
            buf_printf(out, "     starts %.*s\n", STR_ARG(program->next_definition));
        break;
    case NODE_SCOPE: print_scope(out, program, node); break;
    case NODE_CHOOSE:
    case NODE_KIND_COUNT: break;
    }
    if (program_lock(program, node)) {
        print_expr(out, "     lock ", program_lock(program, node)->name, "");
        buf_printf(out, ", size %u\n", program_lock(program, node)->size);
    }
    print_values(out, "     output ", node->output, node->output_count);
    if (node->carry) print_expr(out, "     carries ", node->carry, "\n");
    if (program_milestone(program, node)) print_milestone(out, program, program_milestone(program, node));
    if (node->visits_max) buf_printf(out, "     at most %u visits\n", node->visits_max);
    if (program_is_undoable(node))
        buf_printf(out, "     undone by %u %.*s\n", node->undo, STR_ARG(program->node[node->undo].name));
}

static void print_fire(struct buf *out, const struct program_timer *timer, const struct program_edge *edge)
{
    buf_printf(out, " fires %.*s", STR_ARG(edge[timer->edge].name));
    if (timer->late_ms >= 0) {
        buf_add_str(out, STR(", but no later than "));
        print_duration(out, timer->late_ms);
    }
    if (timer->expires) print_expr(out, ", but no later than ", timer->expires, "");
    buf_add_char(out, '\n');
}

static void print_timer(struct buf *out, const struct program *program, const struct program_timer *timer,
                        const struct program_edge *edge)
{
    if (timer->when) {
        print_expr(out, "     at ", timer->when, "");
    } else if (timer->at_ms) {
        char text[DATETIME_CHARS + 1];
        datetime_print_seconds(timer->at_ms, text);
        buf_printf(out, "     at %s", text);
    } else {
        buf_add_str(out, STR("     after "));
        print_duration(out, timer->delay_ms);
    }
    if (timer->per_attempt) buf_add_str(out, STR(" of an attempt"));
    switch (timer->does) {
    case TIMER_GO_TO:
        buf_add_str(out, timer->interrupting ? STR(" interrupting ") : STR(" "));
        print_target(out, program, timer->target);
        break;
    case TIMER_GO_ON: buf_add_str(out, STR(" goes on\n")); break;
    case TIMER_RAISE: buf_add_str(out, STR(" raises a timeout\n")); break;
    case TIMER_TASK:
        buf_add_str(out, timer->change ? STR(" changes the task: ") : STR(" reminds"));
        if (timer->change) json_print(timer->change, out);
        buf_add_char(out, '\n');
        break;
    case TIMER_EXPIRE: buf_printf(out, " case %u expires\n", timer->event_case); break;
    case TIMER_GIVE_UP: buf_add_str(out, STR(" gives up its lock\n")); break;
    case TIMER_FIRE: print_fire(out, timer, edge); break;
    }
}

static void print_handler(struct buf *out, const struct program *program,
                          const struct program_handler *handler)
{
    buf_add_str(out, STR("     on error "));
    print_expr(out, "when ", handler->when, " ");
    print_way(out, program, &handler->way);
    print_expr(out, "       everything := ", handler->data, "\n");
}

static void print_exits(struct buf *out, const struct program *program, const struct program_node *node)
{
    for (size_t i = 0; i < node->timer_count; i++) print_timer(out, program, &node->timer[i], node->edge);
    for (size_t i = 0; i < node->edge_count; i++) {
        buf_add_str(out, STR("     "));
        if (node->kind == NODE_WAIT && node->as.wait.what == WAIT_FOR_TRANSITION)
            buf_printf(out, "%.*s ", STR_ARG(node->edge[i].name));
        print_expr(out, "when ", node->edge[i].when, " ");
        print_way(out, program, &node->edge[i]);
    }
    for (size_t i = 0; i < node->handler_count; i++) print_handler(out, program, &node->handler[i]);
    bool goes_on = node->edge_count || (node->kind == NODE_WAIT && node->as.wait.event_case_count);
    if (!goes_on && node->kind != NODE_END) buf_add_str(out, STR("     nothing follows\n"));
}

static void print_trigger(struct buf *out, const struct program *program, uint32_t index)
{
    const struct program_trigger *trigger = &program->trigger[index];
    buf_printf(out, "  trigger  %.*s: type %.*s, source %.*s", STR_ARG(trigger->name), STR_ARG(trigger->type),
               STR_ARG(trigger->source));
    if (trigger->correlated && trigger->key) {
        buf_add_str(out, STR(", token at "));
        jsonpath_print(trigger->key, out);
    } else if (trigger->correlated) {
        buf_printf(out, ", token %.*s", STR_ARG(trigger->attribute));
    }
    if (trigger->envelope) buf_add_str(out, STR(", with its context"));
    for (size_t i = 0; i < program->starting_count; i++)
        if (program->starting[i] == index) buf_add_str(out, STR(", starts instances"));
    buf_add_char(out, '\n');
}

static void print_arrival(struct buf *out, const struct program_arrival *arrival)
{
    buf_printf(out, "  arrival  %.*s ", STR_ARG(arrival->name));
    json_print(arrival->config, out);
    if (arrival->start == NODE_NONE) buf_add_str(out, STR(", starts nothing"));
    buf_add_char(out, '\n');
}

/* How instances live, as far as the author says it. */
static void print_life(struct buf *out, const struct program_rules *rules)
{
    if (rules->is_ephemeral) print_header_line(out, "life", STR("in memory only"));
    if (rules->ends_at_restart) print_header_line(out, "life", STR("fails when the engine starts again"));
    if (rules->deadline_ms) {
        buf_printf(out, "  %-8s at most ", "life");
        print_duration(out, rules->deadline_ms);
        buf_add_char(out, '\n');
    }
    if (rules->active_max)
        buf_printf(out, "  %-8s %lld at the same time, others %s\n", "life", (long long)rules->active_max,
                   rules->overflow_waits ? "wait" : "are refused");
    if (rules->retention_ms >= 0) {
        buf_printf(out, "  %-8s kept for ", "life");
        print_duration(out, rules->retention_ms);
        buf_add_char(out, '\n');
    }
    if (rules->undoes)
        buf_printf(out, "  %-8s a failure undoes %s\n", "life",
                   rules->undoes_all_at_once ? "all at once" : "the latest first");
}

static void print_node(struct buf *out, const struct program *program, uint32_t index)
{
    const struct program_node *node = &program->node[index];
    buf_printf(out, "\n%4u %.*s: %s ", index, STR_ARG(node->name), program_kind_word(node->kind));
    if (node->inner) {
        buf_add_str(out, STR("inner\n"));
    } else {
        buf_printf(out, "(%.*s) ", STR_ARG(node->type));
        json_print_string(node->title, out);
        buf_add_char(out, '\n');
    }
    print_details(out, program, node);
    print_exits(out, program, node);
}

void program_print(const struct program *program, struct buf *out)
{
    buf_printf(out, "program %.*s\n", STR_ARG(program->id));
    print_header_line(out, "dialect", program->dialect);
    print_header_line(out, "title", program->title);
    print_header_line(out, "next", program->next_definition);
    if (program->inputs.count) {
        buf_printf(out, "  %-8s ", "inputs");
        print_fields(out, &program->inputs);
        buf_add_char(out, '\n');
    }
    for (uint32_t i = 0; i < program->trigger_count; i++) print_trigger(out, program, i);
    for (size_t i = 0; i < program->rules->arrival_count; i++)
        print_arrival(out, &program->rules->arrival[i]);
    print_life(out, program->rules);
    buf_printf(out, "  %-8s %d\n", "priority", program->priority);
    buf_printf(out, "  %-8s %zu\n", "nodes", program->node_count);
    buf_printf(out, "  %-8s %u %.*s\n", "start", program->start, STR_ARG(program->node[program->start].name));
    for (uint32_t i = 0; i < program->node_count; i++) print_node(out, program, i);
}
