/* cli/serve/serve_nodes.c — messages between nodes, with a proof by a key of the vault. */
#include "cli/serve/serve_nodes.h"

static enum status make_proof(void *context, str head, str text, unsigned char *ret_proof, struct error *err)
{
    return proof_make(context, head, text, ret_proof, err);
}

static enum node_message_doubt check_proof(void *context, str head, str text, const unsigned char *proof)
{
    static const enum node_message_doubt doubts[] = { [PROOF_GOOD] = NODE_MESSAGE_BELIEVED,
                                                      [PROOF_OTHER_KEY] = NODE_MESSAGE_OTHER_KEY,
                                                      [PROOF_WRONG] = NODE_MESSAGE_FORGED };
    return doubts[proof_check(context, head, text, proof)];
}
_Static_assert(NODE_MESSAGE_PROOF_BYTES == (int)PROOF_BYTES, "a proof of the vault is one of a node message");

enum status serve_nodes_open(struct store *store, struct vault *vault, store_wake_fn *wake, void *context,
                             struct serve_nodes *ret_nodes, struct error *err)
{
    *ret_nodes = (struct serve_nodes){ 0 };
    if (!node_messages_are_possible(store)) return ST_OK;
    ret_nodes->proofs = proof_keys_new(vault, STR("messages between nodes"));
    const struct node_message_proofs proofs = { make_proof, check_proof, ret_nodes->proofs };
    return node_messages_open(store, &proofs, wake, context, &ret_nodes->messages, err);
}
