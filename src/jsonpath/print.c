/* jsonpath/print.c — a compiled path as text. */
#include "jsonpath/jsonpath_int.h"

#include "base/must.h"

/* ---- names ---- */

void jsonpath_print_quoted(str text, struct buf *out)
{
    static const char letters[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'
    };
    buf_add_char(out, '\'');
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < 0x20 && !letters[c]) {
            buf_printf(out, "\\u%04x", c);
            continue;
        }
        if (c < 0x20 || c == '\'' || c == '\\') buf_add_char(out, '\\');
        buf_add_char(out, c < 0x20 ? letters[c] : text.p[i]);
    }
    buf_add_char(out, '\'');
}

static bool lies_in(const struct json *node, const struct json *value)
{
    const char *start = (const char *)value, *at = (const char *)node;
    return at >= start && at < start + json_bytes(value);
}

/* A value's children lie inside it, so a node's address tells how one comes to it. */
void jsonpath_print_node(const struct json *root, const struct json *node, struct buf *out)
{
    must(lies_in(node, root));
    buf_add_char(out, '$');
    while (root != node) {
        bool object = json_is(root, JSON_OBJECT);
        size_t index = 0;
        struct json_each each = json_each(root);
        must(json_next(&each));
        while (!lies_in(node, each.value)) {
            must(json_next(&each));
            index++;
        }
        buf_add_char(out, '[');
        if (object) jsonpath_print_quoted(each.name, out);
        else buf_printf(out, "%zu", index);
        buf_add_char(out, ']');
        root = each.value;
    }
}

/* ---- filters ---- */

static void print_query(const struct jsonpath_query *query, struct buf *out);
static void print_call(const struct jsonpath_call *call, struct buf *out);

static void print_operand(const struct jsonpath_operand *operand, struct buf *out)
{
    switch (operand->kind) {
    case OPERAND_LITERAL:
        if (json_is(operand->literal, JSON_STRING)) jsonpath_print_quoted(json_string(operand->literal), out);
        else json_print(operand->literal, out);
        break;
    case OPERAND_QUERY: print_query(operand->query, out); break;
    case OPERAND_CALL: print_call(operand->call, out); break;
    }
}

static void print_call(const struct jsonpath_call *call, struct buf *out)
{
    const struct jsonpath_function_spec *spec = &jsonpath_functions[call->function];
    if (call->slashes.n) {
        print_operand(&call->argument[0], out);
        buf_add_str(out, STR(" =~ "));
        buf_add_str(out, call->slashes);
        return;
    }
    buf_printf(out, "%s(", spec->word);
    for (uint32_t i = 0; i < spec->argument_count; i++) {
        if (i) buf_add_str(out, STR(", "));
        print_operand(&call->argument[i], out);
    }
    buf_add_char(out, ')');
}

static void print_condition(const struct jsonpath_condition *condition, struct buf *out);

static void print_in_parentheses(const struct jsonpath_condition *condition, struct buf *out)
{
    buf_add_char(out, '(');
    print_condition(condition, out);
    buf_add_char(out, ')');
}

static void print_joined(const struct jsonpath_condition *condition, struct buf *out)
{
    for (const struct jsonpath_condition *child = condition->first; child; child = child->next) {
        if (child != condition->first)
            buf_add_str(out, condition->kind == CONDITION_OR ? STR(" || ") : STR(" && "));
        if (child->kind == CONDITION_OR) print_in_parentheses(child, out);
        else print_condition(child, out);
    }
}

static void print_condition(const struct jsonpath_condition *condition, struct buf *out)
{
    switch (condition->kind) {
    case CONDITION_OR:
    case CONDITION_AND: print_joined(condition, out); break;
    case CONDITION_NOT:
        buf_add_char(out, '!');
        if (condition->first->kind == CONDITION_EXISTS) print_query(condition->first->query, out);
        else print_in_parentheses(condition->first, out);
        break;
    case CONDITION_EXISTS: print_query(condition->query, out); break;
    case CONDITION_COMPARE:
        print_operand(&condition->left, out);
        buf_printf(out, " %s ", jsonpath_comparisons[condition->comparison].p);
        print_operand(&condition->right, out);
        break;
    case CONDITION_CALL: print_call(condition->call, out); break;
    }
}

/* ---- queries ---- */

static void print_selector(const struct jsonpath_selector *selector, struct buf *out)
{
    switch (selector->kind) {
    case SELECT_NAME: jsonpath_print_quoted(selector->name, out); break;
    case SELECT_INDEX: buf_printf(out, "%lld", (long long)selector->index); break;
    case SELECT_SLICE:
        if (selector->has_start) buf_printf(out, "%lld", (long long)selector->index);
        buf_add_char(out, ':');
        if (selector->has_end) buf_printf(out, "%lld", (long long)selector->end);
        if (selector->step != 1) buf_printf(out, ":%lld", (long long)selector->step);
        break;
    case SELECT_ALL: buf_add_char(out, '*'); break;
    case SELECT_FILTER:
        buf_add_char(out, '?');
        print_condition(selector->filter, out);
        break;
    }
}

static void print_query(const struct jsonpath_query *query, struct buf *out)
{
    buf_add_char(out, query->relative ? '@' : '$');
    for (uint32_t i = 0; i < query->count; i++) {
        const struct jsonpath_segment *segment = &query->segment[i];
        buf_add_str(out, segment->descendant ? STR("..[") : STR("["));
        for (uint32_t k = 0; k < segment->count; k++) {
            if (k) buf_add_str(out, STR(", "));
            print_selector(&segment->selector[k], out);
        }
        buf_add_char(out, ']');
    }
}

void jsonpath_print(const struct jsonpath *path, struct buf *out) { print_query(&path->query, out); }
