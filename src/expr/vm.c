/* expr/vm.c — runs the code of one expression.
 *
 * A stack machine: the compiler knows how high the stack and how deep the loops get, so
 * nothing is checked here but fuel. Each instruction costs one operation, and those whose
 * work grows with their operands pay for it before they begin.
 */
#include "expr/builtins/builtins_int.h"
#include "expr/lexer_int.h"
#include "expr/loops_int.h"
#include "expr/operations_int.h"

enum { STACK_SMALL = 16 };

/* ---- instructions too long for the loop ---- */

/* NULL if nothing has the name. */
static const struct json *find_variable(const struct expr_env *env, str name)
{
    const struct json *value = NULL;
    for (size_t i = 0; !value && i < env->local_count; i++)
        if (str_equal(env->local[i].name, name)) value = env->local[i].value;
    if (!value) value = json_get(env->data, name);
    for (size_t i = 0; !value && i < env->around_count; i++) value = json_get(env->around[i], name);
    return value;
}

static enum status read_variable(struct vm *vm, const struct json *name, const struct json **ret_value)
{
    str text = json_string(name);
    const struct json *value = find_variable(vm->env, text);
    if (!value) {
        text = lexer_shown(text);
        return vm_fail(vm, ST_INVALID, "undefined variable \"%.*s\"", STR_ARG(text));
    }
    *ret_value = value;
    return ST_OK;
}

static enum status make_list(struct vm *vm, const struct json *const *item, size_t count,
                             const struct json **ret_value)
{
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_array(&builder);
    for (size_t i = 0; i < count; i++) {
        TRY(vm_spend_copy(vm, json_bytes(item[i])));
        json_add(&builder, item[i]);
    }
    json_close(&builder);
    *ret_value = json_built(&builder);
    return vm_check_depth(vm, *ret_value);
}

static enum status make_map(struct vm *vm, const struct json *const *item, size_t count,
                            const struct json **ret_value)
{
    struct json_builder builder;
    json_builder_init(&builder, vm->arena);
    json_open_object(&builder);
    for (size_t i = 0; i < count; i++) {
        TRY(vm_spend_copy(vm, json_bytes(item[2 * i + 1])));
        json_add_name(&builder, json_string(item[2 * i]));
        json_add(&builder, item[2 * i + 1]);
    }
    json_close(&builder);
    *ret_value = json_built(&builder);
    return vm_check_depth(vm, *ret_value);
}

/* The instructions that only build.h and predicate.h make. */
static enum status run_operation(struct vm *vm, const struct expr *expr, const struct instruction *i,
                                 const struct json ***top)
{
    bool truth;
    const struct json **at = *top;
    switch ((enum opcode)i->op) {
    case OP_MEMBER_OR_NULL:
        at[-1] = json_get(at[-1], json_string(expr->constant[i->arg]));
        if (!at[-1]) at[-1] = json_null();
        return ST_OK;
    case OP_IS_OBJECT: at[-1] = json_of_bool(json_is(at[-1], JSON_OBJECT)); return ST_OK;
    case OP_PATH: return op_path(vm, i->detail, expr->path[i->arg], at[-1], &at[-1]);
    case OP_WRAPPED: return op_wrapped(vm, at[-1], &at[-1]);
    case OP_TRUTH: at[-1] = json_of_bool(op_truth(i->detail, at[-1])); return ST_OK;
    case OP_PREDICATE:
        TRY(op_predicate(vm, expr->predicate[i->arg], at[-1], &truth));
        at[-1] = json_of_bool(truth);
        return ST_OK;
    case OP_FINDS_PATTERN:
        TRY(op_finds(vm, i->detail, at[-1], expr->pattern[i->arg], NULL, &truth));
        at[-1] = json_of_bool(truth);
        return ST_OK;
    case OP_CHOICE:
        at = *top -= 2;
        TRY(op_choice(vm, i->detail, at[-1], at[0], at[1], &truth));
        at[-1] = json_of_bool(truth);
        return ST_OK;
    default: break;
    }
    at = --*top;
    switch ((enum opcode)i->op) {
    case OP_PLACE: return op_place(vm, at[-1], expr->path[i->arg], at[0], &at[-1]);
    case OP_COLLECT: return op_collect(vm, at[-1], expr->path[i->arg], at[0], &at[-1]);
    case OP_EVENTS: return op_events(vm, at[-1], expr->path[i->arg], expr->path[i->arg + 1], at[0], &at[-1]);
    case OP_COMBINE: return op_combine(vm, at[-1], at[0], &at[-1]);
    case OP_FOLD: return op_fold(vm, at[-1], at[0], &at[-1]);
    case OP_FINDS: TRY(op_finds(vm, i->detail, at[-1], NULL, at[0], &truth)); break;
    default: TRY(op_holds(vm, i->detail, at[-1], at[0], &truth)); break;
    }
    at[-1] = json_of_bool(truth);
    return ST_OK;
}

/* An expression inside of this one has its own stack and its own places, and the same fuel. Front ends put a
 * condition into another one at most, so they nest two deep. */
static enum status run_nested(struct vm *vm, const struct expr *expr, enum nested_as as,
                              const struct json **ret_value)
{
    bool truth = false, lenient = as == NESTED_OR_FALSE;
    const struct json *value = NULL;
    enum status status = expr_eval(expr, vm->env, &vm->fuel, vm->arena, &value, vm->err);
    if (as == NESTED_VALUE) {
        if (status == ST_OK) *ret_value = value;
        return status;
    }
    if (status == ST_OK) status = op_boolean(vm, value, &truth);
    /* Running out of fuel or memory is never taken for false. */
    if (status != ST_OK && (!lenient || status == ST_LIMIT)) return status;
    *ret_value = json_of_bool(status == ST_OK && truth);
    return ST_OK;
}

/* The instructions that only template.h makes. */
static enum status run_template(struct vm *vm, const struct expr *expr, const struct instruction *i,
                                const struct json ***top)
{
    bool truth = false;
    const struct json **at = *top;
    switch ((enum opcode)i->op) {
    case OP_ITEM_OR_NULL: at[-1] = op_item(at[-1], expr->constant[i->arg]); return ST_OK;
    case OP_LENGTH_OR_NULL: return op_length(vm, at[-1], &at[-1]);
    case OP_AS_JSON: return op_as_json(vm, at[-1], &at[-1]);
    case OP_ESCAPE: return op_escape(vm, (enum escape)i->detail, at[-1], expr->constant[i->arg], &at[-1]);
    case OP_NEEDED: return op_needed(vm, at[-1], expr->constant[i->arg]);
    case OP_ASSIGN:
        at = --*top;
        return op_assign(vm, i->detail, at[-1], expr->constant[i->arg], at[0], &at[-1]);
    case OP_TEXT:
        at = *top -= i->arg;
        ++*top;
        return op_text(vm, at, i->arg, at);
    case OP_NESTED: ++*top; return run_nested(vm, expr->nested[i->arg], (enum nested_as)i->detail, at);
    default: break;
    }
    bool single = structured_is_single(i->detail & STRUCTURED_OP);
    if (!single) at = --*top;
    TRY(op_structured(vm, i->detail, at[-1], single ? NULL : at[0], &truth));
    at[-1] = json_of_bool(truth);
    return ST_OK;
}

/* ---- the loop ---- */

static enum status run(struct vm *vm, const struct expr *expr, const struct json **stack,
                       struct vm_loop *loops, const struct json **ret_value)
{
    const struct instruction *next = expr->code;
    const struct json **top = stack; /* The first free place. */
    const struct json **local = stack + expr->stack_max;
    uint32_t depth = 0; /* Loops that run; the innermost is loops[depth - 1]. */
    for (;;) {
        const struct instruction *i = next++;
        bool truth;
        if (--vm->fuel < 0) return vm_exhausted(vm);
        vm->at = i->at;
        switch ((enum opcode)i->op) {
        case OP_CONSTANT: *top++ = expr->constant[i->arg]; break;
        case OP_VARIABLE:
            TRY(read_variable(vm, expr->constant[i->arg], top));
            top++;
            break;
        case OP_VARIABLE_OR_NULL:
            *top = find_variable(vm->env, json_string(expr->constant[i->arg]));
            if (!*top) *top = json_null();
            top++;
            break;
        case OP_DATA: *top++ = vm->env->data; break;
        case OP_ELEMENT: *top++ = loops[depth - 1].each.value; break;
        case OP_ELEMENT_INDEX: *top++ = json_of_int(vm->arena, (int64_t)loops[depth - 1].index); break;
        case OP_ACCUMULATOR: *top++ = loops[i->arg].total; break;
        case OP_STORE: local[i->arg] = *--top; break;
        case OP_LOCAL: *top++ = local[i->arg]; break;
        case OP_MEMBER: TRY(access_member(vm, top[-1], json_string(expr->constant[i->arg]), &top[-1])); break;
        case OP_INDEX:
            top--;
            TRY(access_index(vm, top[-1], top[0], &top[-1]));
            break;
        case OP_SLICE: {
            const struct json *to = i->detail & SLICE_TO ? *--top : NULL;
            const struct json *from = i->detail & SLICE_FROM ? *--top : NULL;
            TRY(access_slice(vm, top[-1], from, to, &top[-1]));
            break;
        }
        case OP_NOT:
        case OP_NEGATE:
        case OP_NUMBER: TRY(op_unary(vm, i->op, top[-1], &top[-1])); break;
        case OP_EQUAL:
        case OP_NOT_EQUAL:
        case OP_LESS:
        case OP_LESS_EQUAL:
        case OP_GREATER:
        case OP_GREATER_EQUAL:
        case OP_IN:
        case OP_CONTAINS:
        case OP_STARTS_WITH:
        case OP_ENDS_WITH:
        case OP_MATCHES:
        case OP_RANGE:
        case OP_ADD:
        case OP_SUBTRACT:
        case OP_MULTIPLY:
        case OP_DIVIDE:
        case OP_MODULO:
        case OP_POWER:
            top--;
            TRY(op_binary(vm, i->op, top[-1], top[0], &top[-1]));
            break;
        case OP_MATCHES_PATTERN:
            if (!json_is(top[-1], JSON_STRING)) return vm_wants(vm, "matches", "a string", top[-1]);
            TRY(op_matches(vm, expr->pattern[i->arg], json_string(top[-1]), &truth));
            top[-1] = json_of_bool(truth);
            break;
        case OP_BOOLEAN:
            TRY(op_boolean(vm, top[-1], &truth));
            top[-1] = json_of_bool(truth);
            break;
        case OP_AND:
        case OP_OR:
            TRY(op_boolean(vm, top[-1], &truth));
            if (truth == (i->op == OP_OR)) {
                top[-1] = json_of_bool(truth);
                next = expr->code + i->arg;
            } else {
                top--;
            }
            break;
        case OP_COALESCE:
            if (json_is(top[-1], JSON_NULL)) top--;
            else next = expr->code + i->arg;
            break;
        case OP_IF_NULL:
            if (json_is(top[-1], JSON_NULL)) next = expr->code + i->arg;
            break;
        case OP_UNLESS:
            TRY(op_strict_boolean(vm, *--top, &truth));
            if (!truth) next = expr->code + i->arg;
            break;
        case OP_JUMP: next = expr->code + i->arg; break;
        case OP_LIST:
            top -= i->arg;
            TRY(make_list(vm, top, i->arg, top));
            top++;
            break;
        case OP_MAP:
            top -= 2 * i->arg;
            TRY(make_map(vm, top, i->arg, top));
            top++;
            break;
        case OP_CALL:
            top -= i->detail;
            TRY(builtin_table[i->arg].call(vm, top, i->detail, top));
            top++;
            break;
        case OP_LOOP:
        case OP_LOOP_WITH: {
            const struct json *option = i->op == OP_LOOP_WITH ? *--top : NULL;
            TRY(loops_begin(vm, &loops[depth], i->detail, top[-1], option, &truth, &top[-1]));
            if (truth) {
                top--;
                depth++;
            } else {
                next = expr->code + i->arg;
            }
            break;
        }
        case OP_NEXT:
            TRY(loops_next(vm, &loops[depth - 1], top[-1], &truth, &top[-1]));
            if (truth) {
                top--;
                next = expr->code + i->arg;
            } else {
                depth--;
            }
            break;
        case OP_MEMBER_OR_NULL:
        case OP_IS_OBJECT:
        case OP_PATH:
        case OP_PLACE:
        case OP_COLLECT:
        case OP_EVENTS:
        case OP_COMBINE:
        case OP_WRAPPED:
        case OP_FOLD:
        case OP_CHOICE:
        case OP_HOLDS:
        case OP_FINDS:
        case OP_FINDS_PATTERN:
        case OP_PREDICATE:
        case OP_TRUTH: TRY(run_operation(vm, expr, i, &top)); break;
        case OP_ITEM_OR_NULL:
        case OP_LENGTH_OR_NULL:
        case OP_TEXT:
        case OP_AS_JSON:
        case OP_ESCAPE:
        case OP_NEEDED:
        case OP_ASSIGN:
        case OP_STRUCTURED:
        case OP_NESTED: TRY(run_template(vm, expr, i, &top)); break;
        case OP_RETURN: *ret_value = top[-1]; return ST_OK;
        }
    }
}

enum status expr_eval(const struct expr *expr, const struct expr_env *env, int64_t *fuel, struct arena *arena,
                      const struct json **ret_value, struct error *err)
{
    const struct json *small[STACK_SMALL];
    const struct json **stack = small;
    size_t places = (size_t)expr->stack_max + expr->locals_max;
    if (places > STACK_SMALL) stack = arena_make_n(arena, const struct json *, places);
    struct vm_loop *loops = expr->loops_max ? arena_make_n(arena, struct vm_loop, expr->loops_max) : NULL;

    struct vm vm = {
        .text = expr->text,
        .env = env,
        .arena = arena,
        .err = err,
        .fuel = *fuel,
        .fuel_given = *fuel,
        .built = expr->built,
        .matcher = { .arena = arena },
    };
    const struct json *value = NULL;
    enum status status = run(&vm, expr, stack, loops, &value);
    *fuel = vm.fuel > 0 ? vm.fuel : 0;
    if (status == ST_OK) *ret_value = value;
    return status;
}
