/* expr/build_text.c — a built tree as text, for people.
 *
 * The trees of build.h look like calls of functions of the same name: `combine(S, filter("$.a", result))`. It
 * is not a language: nothing reads it. A condition is shown as its author wrote it.
 */
#include "expr/builtins/builtins_int.h"
#include "expr/predicate/predicate_int.h"
#include "expr/tree_int.h"

#include "base/ascii.h"

const char *const tree_path_uses[] = {
    [PATH_FILTER] = "filter",
    [PATH_PICK] = "pick",
    [PATH_NODES] = "nodes",
    [PATH_ITEMS] = "items",
};

const char *const tree_test_signs[] = {
    [CHOICE_EQUALS] = "==",         [CHOICE_LESS] = "<", [CHOICE_LESS_EQUALS] = "<=", [CHOICE_GREATER] = ">",
    [CHOICE_GREATER_EQUALS] = ">=",
};

const char *const tree_structured_words[] = {
#define XX(NAME, word) [STRUCTURED_##NAME] = word,
    STRUCTURED_MAP(XX)
#undef XX
};

const char *const tree_escape_words[] = {
#define XX(NAME, word) [ESCAPE_##NAME] = word,
    ESCAPE_MAP(XX)
#undef XX
};

/* ---- paths ---- */

static bool is_plain(str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool letter = ascii_is_letter(c) || c == '_';
        if (!letter && (i == 0 || !ascii_is_digit(c))) return false;
    }
    return name.n > 0;
}

/* The end of what stands in single quotes at `at`. */
static size_t quoted_end(str text, size_t at)
{
    size_t end = at + 1;
    while (end < text.n && text.p[end] != '\'') end += text.p[end] == '\\' ? 2 : 1;
    return end < text.n ? end + 1 : text.n;
}

/* `['name']` as `.name`, or `name` behind two dots. Behind =~ a quote may be just a character. */
static void shorten(str text, struct buf *out)
{
    size_t stop = str_find(text, STR("=~"), 0);
    size_t at = 0;
    while (at < text.n && at < stop) {
        size_t end = at + 1;
        str name = STR_NONE;
        if (text.p[at] == '\'') {
            end = quoted_end(text, at);
        } else if (text.p[at] == '[' && at + 1 < text.n && text.p[at + 1] == '\'') {
            end = quoted_end(text, at + 1);
            bool alone = end < text.n && text.p[end] == ']';
            if (alone) name = str_slice(text, at + 2, end - 1);
            if (alone) end++;
        }
        if (is_plain(name)) {
            if (!str_ends(buf_str(out), STR(".."))) buf_add_char(out, '.');
            buf_add_str(out, name);
        } else {
            buf_add_str(out, str_slice(text, at, end));
        }
        at = end;
    }
    buf_add_str(out, str_slice(text, at, text.n));
}

void tree_print_path(const struct jsonpath *path, struct buf *out)
{
    struct buf full, brief;
    buf_init(&full, out->arena);
    buf_init(&brief, out->arena);
    jsonpath_print(path, &full);
    shorten(buf_str(&full), &brief);
    json_print_string(buf_str(&brief), out);
    buf_done(&full);
    buf_done(&brief);
}

/* ---- trees ---- */

/* Tells whether the tree needs parentheses inside another. */
static bool is_loose(const struct expr_tree *tree)
{
    if (tree->kind == TREE_VARIABLE || tree->kind == TREE_PIPE) return false;
    if (tree->text.n) return true;
    switch ((enum tree_kind)tree->kind) {
    case TREE_COALESCE:
    case TREE_UNARY:
    case TREE_BINARY:
    case TREE_AND:
    case TREE_OR:
    case TREE_CONDITION:
    case TREE_LET: return true;
    case TREE_OPERATION:
        return tree->op == OP_HOLDS || tree->op == OP_FINDS || tree->op == OP_FINDS_PATTERN ||
               tree->op == OP_STRUCTURED || tree->op == OP_PREDICATE;
    default: return false;
    }
}

static void print_inside(const struct expr_tree *tree, struct buf *out)
{
    bool loose = is_loose(tree);
    if (loose) buf_add_char(out, '(');
    tree_print(tree, out);
    if (loose) buf_add_char(out, ')');
}

/* Children with something between them. */
static void print_joined(const struct expr_tree *tree, const char *between, struct buf *out)
{
    for (const struct expr_tree *child = tree->first; child; child = child->next) {
        if (child != tree->first) buf_add_str(out, str_of(between));
        print_inside(child, out);
    }
}

static void print_list(const struct expr_tree *first, struct buf *out)
{
    for (const struct expr_tree *child = first; child; child = child->next) {
        if (child != first) buf_add_str(out, STR(", "));
        tree_print(child, out);
    }
}

static void print_call(const char *name, const struct expr_tree *tree, struct buf *out)
{
    buf_printf(out, "%s(", name);
    print_list(tree->first, out);
    buf_add_char(out, ')');
}

static void print_map(const struct expr_tree *tree, struct buf *out)
{
    buf_add_char(out, '{');
    for (const struct expr_tree *name = tree->first; name; name = name->next->next) {
        if (name != tree->first) buf_add_str(out, STR(", "));
        json_print(name->value, out);
        buf_add_str(out, STR(": "));
        tree_print(name->next, out);
    }
    buf_add_char(out, '}');
}

static void print_member(const struct expr_tree *tree, struct buf *out)
{
    str name = json_string(tree->value);
    print_inside(tree->first, out);
    if (is_plain(name)) {
        buf_add_char(out, '.');
        buf_add_str(out, name);
    } else {
        buf_add_char(out, '[');
        json_print_string(name, out);
        buf_add_char(out, ']');
    }
}

static void print_optional_path(const struct jsonpath *path, struct buf *out)
{
    buf_add_str(out, STR(", "));
    if (path) tree_print_path(path, out);
    else buf_add_str(out, STR("null"));
}

/* base, path, value: in the order in which build.h has them. */
static void print_with_path(const char *name, const struct expr_tree *tree, struct buf *out)
{
    buf_printf(out, "%s(", name);
    tree_print(tree->first, out);
    print_optional_path(tree->path[0], out);
    buf_add_str(out, STR(", "));
    tree_print(tree->first->next, out);
    buf_add_char(out, ')');
}

static void print_test(const struct expr_tree *tree, struct buf *out)
{
    print_inside(tree->first, out);
    buf_printf(out, " %s ", tree_test_signs[tree->detail & TEST_KIND]);
    print_inside(tree->first->next, out);
}

static void print_structured(const struct expr_tree *tree, struct buf *out)
{
    print_inside(tree->first, out);
    buf_printf(out, " %s", tree_structured_words[tree->detail & STRUCTURED_OP]);
    if (!tree->first->next) return;
    buf_add_char(out, ' ');
    print_inside(tree->first->next, out);
}

static void print_assign(const struct expr_tree *tree, struct buf *out)
{
    static const char *const names[] = {
        [ASSIGN_SET] = "set",       [ASSIGN_MERGE] = "merge", [ASSIGN_INCREMENT] = "increment",
        [ASSIGN_APPEND] = "append", [ASSIGN_CLEAR] = "clear",
    };
    buf_printf(out, "%s(", names[tree->detail]);
    tree_print(tree->first, out);
    buf_add_str(out, STR(", "));
    json_print(tree->value, out);
    if (tree->detail != ASSIGN_CLEAR) {
        buf_add_str(out, STR(", "));
        tree_print(tree->first->next, out);
    }
    buf_add_char(out, ')');
}

static void print_operation(const struct expr_tree *tree, struct buf *out)
{
    switch ((enum opcode)tree->op) {
    case OP_MEMBER_OR_NULL: print_member(tree, out); break;
    case OP_IS_OBJECT: print_call("isObject", tree, out); break;
    case OP_COMBINE: print_call("combine", tree, out); break;
    case OP_WRAPPED: print_call("wrapped", tree, out); break;
    case OP_FOLD: print_call("fold", tree, out); break;
    case OP_PLACE: print_with_path("place", tree, out); break;
    case OP_COLLECT: print_with_path("collect", tree, out); break;
    case OP_PATH:
        buf_printf(out, "%s(", tree_path_uses[tree->detail]);
        tree_print_path(tree->path[0], out);
        buf_add_str(out, STR(", "));
        tree_print(tree->first, out);
        buf_add_char(out, ')');
        break;
    case OP_EVENTS:
        buf_add_str(out, STR("events("));
        print_list(tree->first, out);
        print_optional_path(tree->path[0], out);
        print_optional_path(tree->path[1], out);
        buf_add_char(out, ')');
        break;
    case OP_CHOICE:
        buf_add_str(out, STR("any("));
        print_test(tree, out);
        buf_add_char(out, ')');
        break;
    case OP_HOLDS: print_test(tree, out); break;
    case OP_TEXT: print_call("text", tree, out); break;
    case OP_AS_JSON: print_call("json", tree, out); break;
    case OP_ESCAPE: print_call(tree_escape_words[tree->detail], tree, out); break;
    case OP_STRUCTURED: print_structured(tree, out); break;
    case OP_PREDICATE:
        if (tree->first->kind == TREE_DATA) buf_add_char(out, '$');
        else tree_print(tree->first, out);
        predicate_print(tree->predicate, out);
        break;
    case OP_NEEDED: print_call("needed", tree, out); break;
    case OP_ASSIGN: print_assign(tree, out); break;
    default: must(!"only inside a condition, which has its own text");
    }
}

static const char *sign_of(enum opcode op)
{
    return op == OP_ADD ? " + " : op == OP_MATCHES ? " matches " : " < ";
}

void tree_print(const struct expr_tree *tree, struct buf *out)
{
    if (tree->text.n) {
        buf_add_str(out, tree->text);
        return;
    }
    const struct expr_tree *first = tree->first;
    switch ((enum tree_kind)tree->kind) {
    case TREE_LITERAL: json_print(tree->value, out); break;
    case TREE_VARIABLE: buf_add_str(out, json_string(tree->value)); break;
    case TREE_DATA: buf_add_str(out, STR("data")); break;
    case TREE_LIST:
        buf_add_char(out, '[');
        print_list(first, out);
        buf_add_char(out, ']');
        break;
    case TREE_MAP: print_map(tree, out); break;
    case TREE_AND: print_joined(tree, " and ", out); break;
    case TREE_OR: print_joined(tree, " or ", out); break;
    case TREE_COALESCE: print_joined(tree, " ?? ", out); break;
    case TREE_UNARY:
        buf_add_str(out, STR("not "));
        print_inside(first, out);
        break;
    case TREE_BINARY: print_joined(tree, sign_of(first->next->join), out); break;
    case TREE_CONDITION:
        print_inside(first, out);
        buf_add_str(out, STR(" ? "));
        print_inside(first->next, out);
        buf_add_str(out, STR(" : "));
        print_inside(first->next->next, out);
        break;
    case TREE_PATH:
        print_inside(first, out);
        buf_add_char(out, '[');
        tree_print(first->next->first, out);
        buf_add_char(out, ']');
        break;
    case TREE_CALL: print_call(builtin_table[tree->function].name.p, tree, out); break;
    case TREE_OPERATION: print_operation(tree, out); break;
    default: must(!"no kind that build.h makes");
    }
}
