/* runtime/transact/target.c — the instance that a call names, and the view of it that the call is answered
 * with. */
#include "runtime/transact/transact_int.h"

#include "runtime/call/call.h"
#include "runtime/memory/memory.h"

void target_answer(const struct turn *turn, struct call *call, const struct instance *instance,
                   const struct definition *definition)
{
    struct answer_instances *answer = &call->value.instances;
    answer->view = arena_make(call->arena, struct instance_view);
    answer->count = 1;
    view_instance(definition->program, instance, definition->id, definition->version, turn->now_ms,
                  call->arena, answer->view);
}

/* The instance a public id names. Its time must fit too: an id that was never given out
 * names nothing. */
struct found target_load(struct turn *turn, const struct call *call, struct id id,
                         const struct instance **ret_instance, struct definition **ret_definition,
                         struct error *err)
{
    if (id.number || id.delivery) return found_of(call_not_found(id, "instance", err));
    struct found found = transact_load_for(turn, call, id.instance, ret_instance, ret_definition, err);
    if (found_is(found) == NOT_THERE || (found_is(found) == FOUND && (*ret_instance)->created_ms != id.ms))
        return found_of(call_not_found(id, "instance", err));
    return found;
}

enum status target_check_key(struct engine *engine, const struct instance *instance,
                             const struct definition *definition, struct error *err)
{
    uint64_t holder;
    bool is_taken = false;
    if (instance->business_key.n)
        TRY(found_asked(store_find_business_key(engine->store, definition->ns, definition->id,
                                                instance->business_key, &holder, err),
                        &is_taken));
    return is_taken && holder != instance->id ? start_fail_key_taken(err) : ST_OK;
}

enum status target_check_parent(struct turn *turn, const struct instance *child, struct error *err)
{
    const struct instance *parent;
    struct definition *definition;
    if (!child->parent_waits || child->status != INSTANCE_FAILED) return ST_OK;
    bool is_there;
    TRY(found_asked(transact_load(turn, child->parent, &parent, &definition, err), &is_there));
    if (!is_there) return ST_OK;
    if (parent->status != INSTANCE_FAILED || instance_find_job(parent, child->parent_job)) return ST_OK;
    char id[ID_CHARS + 1];
    id_print((struct id){ .ms = parent->created_ms, .instance = parent->id }, id);
    return fail(err, ST_CONFLICT, "instance",
                "instance %s waited for this one and failed with it: retry that one, and it starts another "
                "child; or retry "
                "this one alone",
                id);
}
