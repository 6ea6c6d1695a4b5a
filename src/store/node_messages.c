/* store/node_messages.c — calls into the part of a back end that carries node messages. */
#include "store/node_messages.h"

#include "base/must.h"
#include "store/store_int.h"

bool node_messages_are_possible(const struct store *store)
{
    return store->nodes && store->nodes->node_messages_open;
}

enum status node_messages_open(struct store *store, store_wake_fn *wake, void *context,
                               struct node_messages **ret_node_messages, struct error *err)
{
    must(node_messages_are_possible(store));
    return store->nodes->node_messages_open(store, wake, context, ret_node_messages, err);
}
