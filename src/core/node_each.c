/* core/node_each.c — a region for every item of a list.
 *
 *     items ──► regions, a window of them at a time ──► results in the order of the items
 *
 * Items begin, and the node is left, when nothing else is ready: errors in a region, which cannot begin the
 * next one, need not know of it. A list whose items never wait could use up the budget of a command. So the
 * node yields when half of that is used: a timer that is due at once begins the next items in a command of
 * their own.
 */

#include "core/core_int.h"

void node_each_enter(struct step *step, const struct token *token, const struct program_node *node)
{
    const struct program_each *each = node->as.scope.each;
    const struct json *items;
    struct error err;
    if (expression_at(step, each->items, token, NULL, &items, &err) != ST_OK) {
        raise_failed(step, token->execution, &err);
        return;
    }
    data_warn_of_filter(step, token->execution);
    if (!json_is(items, JSON_ARRAY)) {
        raise_error(
            step, token->execution, each->not_a_list,
            arena_printf(step->arena, "the items are no list but %s", json_kind_name(json_kind(items))),
            NULL);
        return;
    }
    if (each->items_max && json_count(items) > each->items_max) {
        raise_error(
            step, token->execution, each->too_many,
            arena_printf(step->arena, "%zu items; the most is %u", json_count(items), each->items_max), NULL);
        return;
    }
    token_park(step, token->execution, TOKEN_REGION);
    note(step, &(struct entry){ .kind = ENTRY_KIND_EACH_OPEN, .host = token->execution, .items = items });
}

/* ---- the result ---- */

/* Adds {count, succeeded, failed, results, errors}. */
static void add_summary(struct json_builder *builder, size_t count, const struct each_item *const *by_index)
{
    size_t succeeded = 0, failed = 0;
    json_open_object(builder);
    json_add_name(builder, STR("count"));
    json_add_int(builder, (int64_t)count);
    for (size_t i = 0; i < count; i++) {
        succeeded += by_index[i] && by_index[i]->verdict == ITEM_DONE;
        failed += by_index[i] && by_index[i]->verdict == ITEM_FAILED;
    }
    json_add_name(builder, STR("succeeded"));
    json_add_int(builder, (int64_t)succeeded);
    json_add_name(builder, STR("failed"));
    json_add_int(builder, (int64_t)failed);
    json_add_name(builder, STR("results"));
    json_open_array(builder);
    for (size_t i = 0; i < count; i++)
        json_add(builder, by_index[i] && by_index[i]->verdict == ITEM_DONE ? by_index[i]->value : NULL);
    json_close(builder);
    json_add_name(builder, STR("errors"));
    json_open_array(builder);
    for (size_t i = 0; i < count; i++) {
        if (!by_index[i] || by_index[i]->verdict != ITEM_FAILED) continue;
        json_open_object(builder);
        json_add_name(builder, STR("index"));
        json_add_int(builder, (int64_t)i);
        struct json_each member = json_each(by_index[i]->value);
        while (json_next(&member)) {
            json_add_name(builder, member.name);
            json_add(builder, member.value);
        }
        json_close(builder);
    }
    json_close(builder);
    json_close(builder);
}

/* All items are over, or need not be. */
static void finish(struct step *step, uint32_t host)
{
    const struct each *each = instance_find_each(step->instance, host);
    size_t count = json_count(each->items);
    const struct each_item **by_index = arena_make_n(step->arena, const struct each_item *, count);
    for (size_t i = 0; i < each->item_count; i++) by_index[each->item[i].index] = &each->item[i];
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    add_summary(&builder, count, by_index);
    step_spend(step, (int64_t)count);
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("each"), json_built(&builder));
    exit_with(step, host, &locals);
}

/* ---- one item ---- */

/* {index, item, result} */
static const struct json *loop_of(struct step *step, const struct scope *region, const struct json *result)
{
    const struct each *each = instance_find_each(step->instance, region->host);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("index"));
    json_add_int(&builder, region->index);
    json_add_name(&builder, STR("item"));
    json_add(&builder, json_item(each->items, region->index));
    json_add_name(&builder, STR("result"));
    json_add(&builder, result);
    json_close(&builder);
    return json_built(&builder);
}

/* The member that was put last into the data, besides the item and its index. */
static const struct json *last_put(const struct json *data, const struct program_each *asked)
{
    const struct json *last = NULL;
    struct json_each member = json_each(data);
    while (json_next(&member))
        if (!str_equal(member.name, asked->item_name) && !str_equal(member.name, asked->index_name))
            last = member.value;
    return last ? last : json_null();
}

static enum status result_of(struct step *step, const struct scope *region, const struct program_each *asked,
                             const struct json **ret_result, bool *ret_ends, struct error *err)
{
    const struct token inside = { .scope = region->number, .carried = step->change.gone.carried };
    *ret_ends = false;
    *ret_result = last_put(region->data, asked);
    if (asked->result) TRY(expression_at(step, asked->result, &inside, NULL, ret_result, err));
    if (json_depth(*ret_result) >= JSON_DEPTH_MAX - 2)
        return fail(err, ST_LIMIT, "", "a result is nested deeper than %d levels (JSON_DEPTH_MAX)",
                    JSON_DEPTH_MAX - 3);
    if (!asked->until) return ST_OK;
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("result"), *ret_result);
    locals_add(&locals, STR("loop"), loop_of(step, region, *ret_result));
    return expression_condition(step, asked->until, &inside, &locals, ret_ends, err);
}

/* {node, name, message} */
static const struct json *error_of(struct step *step, const struct token *host, const struct error *err)
{
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("node"));
    json_add_string(&builder, host->node_name);
    json_add_name(&builder, STR("name"));
    json_add_string(&builder, error_name_of(step->program, err));
    json_add_name(&builder, STR("message"));
    json_add_string(&builder, str_of(err->message));
    json_close(&builder);
    return json_built(&builder);
}

void node_each_item_done(struct step *step, uint32_t number)
{
    interrupt_inside(step, number, STR("the region ended"));
    const struct scope region = *scope_find(step->instance, number);
    const struct token host = *instance_find_token(step->instance, region.host);
    const struct program_each *asked = token_node(step, &host)->as.scope.each;
    const struct json *result;
    struct error err;
    bool ends;
    if (result_of(step, &region, asked, &result, &ends, &err) != ST_OK) {
        if (asked->goes_on) region_item_end(step, number, ITEM_FAILED, error_of(step, &host, &err));
        else raise_failed(step, host.execution, &err);
        return;
    }
    region_item_end(step, number, ITEM_DONE, result);
    if (ends) finish(step, host.execution);
}

/* ---- the next items ---- */

static void begin_item(struct step *step, const struct token *host, const struct program_node *node)
{
    const struct program_each *asked = node->as.scope.each;
    const struct each *each = instance_find_each(step->instance, host->execution);
    uint32_t index = each->begun;
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, asked->item_name);
    json_add(&builder, json_item(each->items, index));
    json_add_name(&builder, asked->index_name);
    json_add_int(&builder, index);
    json_close(&builder);
    uint32_t scope = region_open(step, host, index, json_built(&builder));
    token_enter(step, node->as.scope.region[0].start, scope, host->execution);
}

/* True if a token moved. */
static bool go_on(struct step *step, uint32_t host_execution)
{
    const struct token host = *instance_find_token(step->instance, host_execution);
    const struct program_node *node = token_node(step, &host);
    uint32_t window = node->as.scope.each->window ? node->as.scope.each->window : 1;
    for (bool moved = false;; moved = true) {
        const struct each *each = instance_find_each(step->instance, host_execution);
        size_t open = each->begun - each->item_count, count = json_count(each->items);
        if (!open && each->begun == count) {
            finish(step, host_execution);
            return true;
        }
        if (open >= window || each->begun == count) return moved;
        if (budget_is_half_spent(step)) {
            timer_yield(step, host_execution);
            return moved;
        }
        if (step->instance->token_count >= TOKENS_MAX) {
            if (open) return moved;
            raise_error(step, host_execution, step->program->error_names.limit,
                        arena_printf(step->arena, "one more token is too many: an instance has at most %d",
                                     TOKENS_MAX),
                        NULL);
            return true;
        }
        begin_item(step, &host, node);
    }
}

bool node_each_rest(struct step *step)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->each_count; i++)
        if (instance_reaches(instance, instance->each[i].host) && go_on(step, instance->each[i].host))
            return true;
    return false;
}
