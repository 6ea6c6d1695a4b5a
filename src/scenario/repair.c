/* scenario/repair.c — a step that modifies an instance by hand. */
#include "scenario/scenario_int.h"

#include "json/json.h"

/* {from, to} of a move, {step, beside} of an addition, {step} of a cancellation; the last two may be just the
 * step. */
static void read_item(const struct actor *actor, const struct json *item, enum modification_kind kind,
                      struct modification *ret_item)
{
    str first = json_is(item, JSON_STRING) ? json_string(item)
                                           : json_text(item, str_of(kind == MODIFY_MOVE ? "from" : "step"));
    str second = json_text(item, str_of(kind == MODIFY_MOVE ? "to" : "beside"));
    first = actor_node(actor, first);
    second = second.n ? actor_node(actor, second) : STR_NONE;
    *ret_item = kind == MODIFY_ADD ? (struct modification){ .kind = kind, .at = second, .to = first }
                                   : (struct modification){ .kind = kind, .at = first, .to = second };
}

void repair_read(struct stage *stage, const struct op *op, const struct actor *actor,
                 struct call_modify *ret_modify)
{
    static const struct {
        const char *name;
        enum modification_kind kind;
    } lists[] = {
        { "move", MODIFY_MOVE },
        { "cancel", MODIFY_CANCEL },
        { "add", MODIFY_ADD },
    };
    size_t count = 0;
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct json *list = json_get(op->body, str_of(lists[i].name));
        count += list ? json_count(list) : 0;
    }
    struct modification *item = arena_make_n(stage->arena, struct modification, count);
    *ret_modify = (struct call_modify){ .id = actor->id,
                                        .unset = json_get(op->body, STR("unset")),
                                        .modification = item };
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct json *list = json_get(op->body, str_of(lists[i].name));
        struct json_each each = json_each(list);
        while (list && json_next(&each))
            read_item(actor, each.value, lists[i].kind, &item[ret_modify->modification_count++]);
    }
}
