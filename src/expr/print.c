/* expr/print.c — compiled code as text, and the caret under a mistake. */
#include "expr/builtins/builtins_int.h"
#include "expr/code_int.h"
#include "expr/loops_int.h"
#include "expr/predicate/predicate_int.h"
#include "expr/tree_int.h"

#include "base/utf8.h"

enum operand {
    OPERAND_NONE,
    OPERAND_CONSTANT,
    OPERAND_BOUNDS,
    OPERAND_PATTERN,
    OPERAND_TARGET,
    OPERAND_COUNT,
    OPERAND_PLACE,
    OPERAND_FUNCTION,
    OPERAND_LOOP,
    OPERAND_PATH,
    OPERAND_PATHS,
    OPERAND_TEST,
    OPERAND_ESCAPE,
    OPERAND_STRUCTURED,
    OPERAND_NESTED,
    OPERAND_PREDICATE,
};

static const struct {
    const char *name;
    enum operand operand;
} opcodes[] = {
#define XX(NAME, operand, meaning) [OP_##NAME] = { #NAME, OPERAND_##operand },
    OPCODE_MAP(XX)
#undef XX
};

static void print_path(const struct jsonpath *path, struct buf *out)
{
    if (path) tree_print_path(path, out);
    else buf_add_char(out, '-');
}

static void print_test(const struct instruction *i, struct buf *out)
{
    if (i->detail & TEST_LEFT_NODES) buf_add_str(out, STR("any "));
    if (i->op == OP_CHOICE || i->op == OP_HOLDS)
        buf_add_str(out, str_of(tree_test_signs[i->detail & TEST_KIND]));
    if (i->detail & TEST_RIGHT_NODES) buf_add_str(out, STR(" any"));
}

static void print_operand(const struct expr *expr, const struct instruction *i, struct buf *out)
{
    switch (opcodes[i->op].operand) {
    case OPERAND_NONE: break;
    case OPERAND_CONSTANT: json_print(expr->constant[i->arg], out); break;
    case OPERAND_BOUNDS:
        buf_printf(out, "%s:%s", i->detail & SLICE_FROM ? "from" : "", i->detail & SLICE_TO ? "to" : "");
        break;
    case OPERAND_PATTERN: buf_printf(out, "pattern %u", i->arg); break;
    case OPERAND_PATH:
        if (i->op == OP_PATH) buf_printf(out, "%s ", tree_path_uses[i->detail]);
        print_path(expr->path[i->arg], out);
        break;
    case OPERAND_PATHS:
        print_path(expr->path[i->arg], out);
        buf_add_char(out, ' ');
        print_path(expr->path[i->arg + 1], out);
        break;
    case OPERAND_TEST: print_test(i, out); break;
    case OPERAND_ESCAPE:
        buf_printf(out, "%s ", tree_escape_words[i->detail]);
        json_print(expr->constant[i->arg], out);
        break;
    case OPERAND_STRUCTURED:
        buf_add_str(out, str_of(tree_structured_words[i->detail & STRUCTURED_OP]));
        if (i->detail & STRUCTURED_LENIENT) buf_add_str(out, STR(" or false"));
        break;
    case OPERAND_NESTED:
        buf_add_str(out, expr->nested[i->arg]->text);
        if (i->detail == NESTED_OR_FALSE) buf_add_str(out, STR(" or false"));
        break;
    case OPERAND_PREDICATE:
        buf_add_char(out, '$');
        predicate_print(expr->predicate[i->arg], out);
        break;
    case OPERAND_TARGET: buf_printf(out, "-> %04u", i->arg); break;
    case OPERAND_PLACE:
    case OPERAND_COUNT: buf_printf(out, "%u", i->arg); break;
    case OPERAND_FUNCTION: buf_printf(out, "%.*s/%u", STR_ARG(builtin_table[i->arg].name), i->detail); break;
    case OPERAND_LOOP: buf_printf(out, "%.*s -> %04u", STR_ARG(loops_table[i->detail].name), i->arg); break;
    }
}

void expr_print(const struct expr *expr, struct buf *out)
{
    for (size_t at = 0; at < expr->code_count; at++) {
        const struct instruction *i = &expr->code[at];
        struct utf8_place place = utf8_place(expr->text, i->at);
        buf_printf(out, "%04zu  %u:%-4u ", at, place.line, place.column);
        if (opcodes[i->op].operand == OPERAND_NONE) {
            buf_printf(out, "%s\n", opcodes[i->op].name);
            continue;
        }
        buf_printf(out, "%-15s ", opcodes[i->op].name);
        print_operand(expr, i, out);
        buf_add_char(out, '\n');
    }
}

void expr_print_caret(str text, const struct error *err, struct buf *out)
{
    if (err->line == 0) return;
    size_t from = 0;
    for (uint32_t line = 1; line < err->line; line++) {
        size_t newline = str_find(text, STR("\n"), from);
        if (newline == SIZE_MAX) return;
        from = newline + 1;
    }
    size_t to = str_find(text, STR("\n"), from);
    str line = str_slice(text, from, to);
    buf_add_str(out, line);
    buf_add_char(out, '\n');
    /* Tabs stay tabs, so that the caret stands right whatever their width. */
    size_t at = 0;
    for (uint32_t column = 1; column < err->column; column++) {
        buf_add_char(out, at < line.n && line.p[at] == '\t' ? '\t' : ' ');
        if (at < line.n) at += utf8_offset(str_slice(line, at, line.n), 1);
    }
    buf_add(out, "^\n", 2);
}
