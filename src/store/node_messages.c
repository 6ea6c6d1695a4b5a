/* store/node_messages.c — calls into the part of a back end that carries node messages. */
#include "store/node_messages.h"

#include "base/must.h"
#include "store/store_int.h"

bool node_messages_are_possible(const struct store *store)
{
    return store->nodes && store->nodes->node_messages_open;
}

const char *node_message_doubt_reason(enum node_message_doubt doubt)
{
    switch (doubt) {
    case NODE_MESSAGE_BELIEVED: break;
    case NODE_MESSAGE_UNPROVEN: return "it has no proof, as those of nodes of an earlier version";
    case NODE_MESSAGE_OTHER_KEY:
        return "its sender has another key; all nodes need the same key file (--secrets-key)";
    case NODE_MESSAGE_FORGED: return "its proof is wrong: no node has written this row";
    case NODE_MESSAGE_OLD: return "it is from before one that was read: somebody has put it back";
    }
    return "";
}

enum status node_messages_open(struct store *store, const struct node_message_proofs *proofs,
                               store_wake_fn *wake, void *context, struct node_messages **ret_node_messages,
                               struct error *err)
{
    must(node_messages_are_possible(store));
    return store->nodes->node_messages_open(store, proofs, wake, context, ret_node_messages, err);
}
