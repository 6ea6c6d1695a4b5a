/* core/node_each.c — a region for every item of a list.
 *
 *     items ──► regions, a window of them at a time ──► results in the order of the items
 *
 * Items begin, and the node is left, when nothing else is ready: errors in a region, which cannot begin the
 * next one, need not know of it. A list whose items never wait could use up the budget of a command. So the
 * node yields when half of that is used: a timer that is due at once begins the next items in a command of
 * their own.
 *
 * When `until` holds the others end. If the node keeps them (`keeps_rest`), another token goes out, and the
 * host stays with them: a remainder, which begins and ends items as before, and whose end nobody waits for.
 */

#include "core/core_int.h"

/* The price of conditions that look at all items, in fuel. */
enum { COPIED_BYTES_PER_FUEL = 64, ITEMS_PER_FUEL = 16 };

enum status node_each_add(struct step *step, uint32_t host, const struct json *value, struct error *rejection)
{
    const struct token *token = instance_find_token(step->instance, host);
    const struct program_each *asked = token_node(step, token)->as.scope.each;
    size_t count = json_count(instance_find_each(step->instance, host)->items);
    const struct json *item = json_get(value, STR("payload"));
    if (asked->items_max && count >= asked->items_max)
        return fail(rejection, ST_LIMIT, "", "\"%.*s\" has %zu items, the most that it may have (maxItems)",
                    STR_ARG(token->node_name), count);
    if (item && json_depth(item) >= JSON_DEPTH_MAX - 2)
        return fail(rejection, ST_LIMIT, "", "an item is nested deeper than %d levels (JSON_DEPTH_MAX)",
                    JSON_DEPTH_MAX - 3);
    step_spend(step, (int64_t)(count / ITEMS_PER_FUEL));
    note(step,
         &(struct entry){ .kind = ENTRY_KIND_EACH_ADD, .host = host, .data = item ? item : json_null() });
    return ST_OK;
}

/* Items that came before the loop began. */
static void add_early(struct step *step, const struct token *token, const struct program_each *asked)
{
    const struct program_arrival *arrival = &step->program->rules->arrival[asked->arrival];
    const struct mail *next;
    struct error err;
    while (!instance_status_ended(step->instance->status) &&
           (next = early_next(step, asked->arrival)) != NULL) {
        const struct mail mail = *next;
        enum status status = arrival_put(step, arrival, mail.event, &err);
        if (status == ST_OK) status = node_each_add(step, token->execution, mail.event, &err);
        if (status != ST_OK) {
            raise_error(step, token->execution, asked->too_many, arena_str(step->arena, str_of(err.message)),
                        NULL);
            return;
        }
        note(step, &(struct entry){
                       .kind = ENTRY_KIND_MAIL_OUT, .mail = mail.number, .execution = token->execution });
    }
}

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
        raise_error_code(
            step, token->execution, each->not_a_list, reason_code_word(REASON_NO_LIST),
            arena_printf(step->arena, "the items are no list but %s", json_kind_name(json_kind(items))));
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
    if (each->takes_more) add_early(step, token, each);
}

/* ---- the result ---- */

/* The items that have ended, by their index; NULL: it has not. */
static const struct each_item **sorted(struct step *step, const struct each *each)
{
    const struct each_item **by_index =
        arena_make_n(step->arena, const struct each_item *, json_count(each->items));
    for (size_t i = 0; i < each->item_count; i++) by_index[each->item[i].index] = &each->item[i];
    return by_index;
}

/* Adds the members count, succeeded and failed. */
static void add_counts(struct json_builder *builder, const struct each *each, size_t succeeded)
{
    size_t failed = 0;
    for (size_t i = 0; i < each->item_count; i++) {
        succeeded += each->item[i].verdict == ITEM_DONE;
        failed += each->item[i].verdict == ITEM_FAILED;
    }
    json_add_name(builder, STR("count"));
    json_add_int(builder, (int64_t)json_count(each->items));
    json_add_name(builder, STR("succeeded"));
    json_add_int(builder, (int64_t)succeeded);
    json_add_name(builder, STR("failed"));
    json_add_int(builder, (int64_t)failed);
}

/* Adds the member results: null for items without one. */
static void add_results(struct json_builder *builder, size_t count, const struct each_item *const *by_index)
{
    json_add_name(builder, STR("results"));
    json_open_array(builder);
    for (size_t i = 0; i < count; i++)
        json_add(builder, by_index[i] && by_index[i]->verdict == ITEM_DONE ? by_index[i]->value : NULL);
    json_close(builder);
}

/* Adds {count, succeeded, failed, results, errors}. */
static void add_summary(struct json_builder *builder, const struct each *each,
                        const struct each_item *const *by_index)
{
    size_t count = json_count(each->items);
    json_open_object(builder);
    add_counts(builder, each, 0);
    add_results(builder, count, by_index);
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

static bool is_remainder(const struct step *step, uint32_t host)
{
    return instance_find_token(step->instance, host)->state == TOKEN_REMAINDER;
}

/* All items are over, or need not be: those that are left end or, if the node keeps them, go on alone. */
static void finish(struct step *step, uint32_t host, const struct program_each *asked)
{
    const struct each *each = instance_find_each(step->instance, host);
    bool keeps = asked->keeps_rest && each->item_count < json_count(each->items);
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    add_summary(&builder, each, sorted(step, each));
    step_spend(step, (int64_t)json_count(each->items));
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("each"), json_built(&builder));
    if (keeps) exit_beside(step, host, &locals);
    else exit_with(step, host, &locals);
}

/* The last item that was left is over. Nothing follows: the flow went on before. Returns the host's scope. */
static uint32_t end_remainder(struct step *step, uint32_t host)
{
    uint32_t scope = instance_find_token(step->instance, host)->scope;
    timer_close_all(step, host);
    token_leave(step, host);
    return scope;
}

/* ---- one item ---- */

/* The results as they are now, with that of the item that is just done. They cost a copy of all results for
 * each item, so only a condition that reads them gets them. */
static void add_results_now(struct step *step, struct json_builder *builder, const struct each *each,
                            const struct each_item *now)
{
    const struct each_item **by_index = sorted(step, each);
    by_index[now->index] = now;
    size_t before = step->arena->used;
    add_results(builder, json_count(each->items), by_index);
    step_spend(step,
               (int64_t)(json_count(each->items) + (step->arena->used - before) / COPIED_BYTES_PER_FUEL));
}

/* {index, item, result, count, succeeded, failed, results}, when the item `now` has ended. */
static const struct json *loop_of(struct step *step, uint32_t host, const struct program_each *asked,
                                  const struct each_item *now)
{
    const struct each *each = instance_find_each(step->instance, host);
    bool done = now->verdict == ITEM_DONE;
    struct json_builder builder;
    json_builder_init(&builder, step->arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("index"));
    json_add_int(&builder, now->index);
    json_add_name(&builder, STR("item"));
    json_add(&builder, json_item(each->items, now->index));
    json_add_name(&builder, STR("result"));
    json_add(&builder, done ? now->value : NULL);
    add_counts(&builder, each, done); /* A failed item is among those that have ended already. */
    step_spend(step, (int64_t)(each->item_count / ITEMS_PER_FUEL));
    if (asked->until_reads_results) add_results_now(step, &builder, each, now);
    json_close(&builder);
    return json_built(&builder);
}

/* Does the last item that has ended, a failed one, end the loop? Its region is gone, so the condition sees
 * the data around the loop, and one that needs more does not hold. */
static bool failure_ends(struct step *step, const struct token *host, const struct program_each *asked)
{
    const struct each *each = instance_find_each(step->instance, host->execution);
    const struct each_item *last = each->item_count ? &each->item[each->item_count - 1] : NULL;
    if (!asked->until || !last || last->verdict != ITEM_FAILED) return false;
    struct locals locals = { .count = 0 };
    struct error err;
    bool ends = false;
    locals_add(&locals, STR("result"), NULL);
    locals_add(&locals, STR("loop"), loop_of(step, host->execution, asked, last));
    return expression_condition(step, asked->until, host, &locals, &ends, &err) == ST_OK && ends;
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
    if (!asked->until || is_remainder(step, region->host)) return ST_OK;
    struct locals locals = { .count = 0 };
    locals_add(&locals, STR("result"), *ret_result);
    const struct each_item now = { .index = region->index, .verdict = ITEM_DONE, .value = *ret_result };
    locals_add(&locals, STR("loop"), loop_of(step, region->host, asked, &now));
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
        if (asked->goes_on || host.state == TOKEN_REMAINDER)
            region_item_end(step, number, ITEM_FAILED, error_of(step, &host, &err));
        else raise_failed(step, host.execution, &err);
        return;
    }
    region_item_end(step, number, ITEM_DONE, result);
    if (ends) finish(step, host.execution, asked);
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
static bool go_on(struct step *step, uint32_t host_execution, uint32_t *ret_ended)
{
    const struct token host = *instance_find_token(step->instance, host_execution);
    const struct program_node *node = token_node(step, &host);
    uint32_t window = node->as.scope.each->window ? node->as.scope.each->window : 1;
    for (bool moved = false;; moved = true) {
        const struct each *each = instance_find_each(step->instance, host_execution);
        size_t open = each->begun - each->item_count, count = json_count(each->items);
        bool over = !open && each->begun == count, is_left = host.state == TOKEN_REMAINDER;
        if (over && is_left) {
            *ret_ended = end_remainder(step, host_execution);
            return true;
        }
        if (over || (!is_left && failure_ends(step, &host, node->as.scope.each))) {
            finish(step, host_execution, node->as.scope.each);
            return true;
        }
        if (open >= window || each->begun == count) return moved;
        if (budget_is_half_spent(step)) {
            timer_yield(step, host_execution);
            return moved;
        }
        if (step->instance->token_count >= TOKENS_MAX) {
            if (open || is_left)
                return moved; /* A remainder begins the next one when another token is gone. */
            raise_error(step, host_execution, step->program->error_names.limit,
                        arena_printf(step->arena, "one more token is too many: an instance has at most %d",
                                     TOKENS_MAX),
                        NULL);
            return true;
        }
        begin_item(step, &host, node);
    }
}

bool node_each_rest(struct step *step, uint32_t *ret_ended)
{
    const struct instance *instance = step->instance;
    for (size_t i = 0; i < instance->each_count; i++)
        if (instance_reaches(instance, instance->each[i].host) &&
            go_on(step, instance->each[i].host, ret_ended))
            return true;
    return false;
}
