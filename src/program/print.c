/* program/print.c — a program as text.
 *
 * One block per node, in index order: what it is, what it does, where it leads. The text
 * is compared with golden files, so it changes only when programs do.
 */
#include "program/program.h"

#include "base/datetime.h"

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

/* One line, whatever is in the text. */
static void print_on_one_line(struct buf *out, str text)
{
    for (size_t i = 0; i < text.n; i++)
        buf_add_char(out, (unsigned char)text.p[i] < ' ' ? ' ' : text.p[i]);
}

static void print_value(struct buf *out, const struct program_value *value)
{
    buf_add_str(out, value->name);
    if (value->expr) {
        buf_add_str(out, STR(" := "));
        print_on_one_line(out, expr_text(value->expr));
    } else {
        buf_add_str(out, STR(" = "));
        json_print(value->literal, out);
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
    for (size_t i = 0; i < rule->output_count; i++) {
        buf_add_str(out, STR("       "));
        print_value(out, &rule->output[i]);
        buf_add_char(out, '\n');
    }
}

static void print_task(struct buf *out, const struct program_node *node)
{
    const struct program_retry *retry = &node->as.task.retry;
    buf_printf(out, "     job %.*s, result merged %s\n", STR_ARG(node->as.task.job_type),
               node->as.task.merge == MERGE_DEEP ? "deeply" : "shallowly");
    if (retry->count) {
        buf_printf(out, "     retries %u", retry->count);
        if (retry->first_ms) {
            buf_add_str(out, STR(", first after "));
            print_duration(out, retry->first_ms);
            buf_printf(out, ", then %g times as long, at most ", retry->factor);
            print_duration(out, retry->max_ms);
        }
        buf_add_char(out, '\n');
    }
    if (node->as.task.outputs.count) {
        buf_add_str(out, STR("     outputs "));
        print_fields(out, &node->as.task.outputs);
        buf_add_char(out, '\n');
    }
}

static void print_details(struct buf *out, const struct program *program, const struct program_node *node)
{
    switch (node->kind) {
    case NODE_TASK: print_task(out, node); break;
    case NODE_WAIT:
        buf_printf(out, "     for %s", node->as.wait.what == WAIT_FOR_PERSON ? "a person" : "a signal");
        if (node->as.wait.label.n) buf_printf(out, ", label %.*s", STR_ARG(node->as.wait.label));
        buf_add_char(out, '\n');
        break;
    case NODE_TABLE:
        buf_printf(out, "     hit policy %s\n", hit_policy_code(node->as.table.policy));
        for (size_t i = 0; i < node->as.table.rule_count; i++) print_rule(out, i, &node->as.table.rule[i]);
        break;
    case NODE_SET:
        for (size_t i = 0; i < node->as.set.count; i++) {
            buf_add_str(out, STR("     "));
            print_value(out, &node->as.set.value[i]);
            buf_add_char(out, '\n');
        }
        break;
    case NODE_FORK:
        buf_printf(out, "     joined at %u %.*s\n", node->as.fork.join,
                   STR_ARG(program->node[node->as.fork.join].name));
        break;
    case NODE_END:
        if (program->next_definition.n && node->as.end.chain)
            buf_printf(out, "     starts %.*s\n", STR_ARG(program->next_definition));
        break;
    case NODE_CHOOSE:
    case NODE_JOIN:
    case NODE_KIND_COUNT: break;
    }
}

static void print_exits(struct buf *out, const struct program *program, const struct program_node *node)
{
    for (size_t i = 0; i < node->timer_count; i++) {
        buf_add_str(out, STR("     after "));
        print_duration(out, node->timer[i].delay_ms);
        buf_add_str(out, node->timer[i].interrupting ? STR(" interrupting ") : STR(" "));
        print_target(out, program, node->timer[i].target);
    }
    for (size_t i = 0; i < node->edge_count; i++) {
        buf_add_str(out, STR("     "));
        if (node->edge[i].when) {
            buf_add_str(out, STR("when "));
            print_on_one_line(out, expr_text(node->edge[i].when));
            buf_add_char(out, ' ');
        }
        print_target(out, program, node->edge[i].target);
    }
    if (!node->edge_count && node->kind != NODE_END) buf_add_str(out, STR("     nothing follows\n"));
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
    buf_printf(out, "  %-8s %d\n", "priority", program->priority);
    buf_printf(out, "  %-8s %zu\n", "nodes", program->node_count);
    buf_printf(out, "  %-8s %u %.*s\n", "start", program->start, STR_ARG(program->node[program->start].name));
    for (size_t i = 0; i < program->node_count; i++) {
        const struct program_node *node = &program->node[i];
        buf_printf(out, "\n%4zu %.*s: %s (%.*s) ", i, STR_ARG(node->name), node_kind_word(node->kind),
                   STR_ARG(node->type));
        json_print_string(node->title, out);
        buf_add_char(out, '\n');
        print_details(out, program, node);
        print_exits(out, program, node);
    }
}
