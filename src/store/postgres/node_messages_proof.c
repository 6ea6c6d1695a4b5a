/* store/postgres/node_messages_proof.c — node messages and notices that nobody but a node can have written.
 *
 *     row = letter, proof, text
 *     proof over: notice or node message, sender, target, number, database; text
 *
 * The database is named by what its server says of itself, and not by rows, which somebody could copy.
 */
#include "store/postgres/node_messages_int.h"

#include <stdio.h>

enum { HEAD_ROOM = 1 + 3 * 8 + 96 };

/* Only some servers tell their own number to everybody. */
enum status node_messages_identify(struct node_messages *node_messages, struct error *err)
{
    struct postgres_db *db = &node_messages->store->db;
    PGresult *result;
    if (postgres_ask(db, SQL_NODE_IDENTITY, NULL, &result, err) != ST_OK)
        TRY(postgres_ask(db, SQL_NODE_IDENTITY_PLAIN, NULL, &result, err));
    str identity = postgres_borrowed(result, 0, 0);
    snprintf(node_messages->identity, sizeof node_messages->identity, "%.*s", STR_ARG(identity));
    libpq.clear(result);
    return ST_OK;
}

static size_t put_number(char *out, uint64_t number)
{
    for (size_t i = 0; i < 8; i++) out[i] = (char)(number >> (8 * i));
    return 8;
}

static str head_of(const struct node_messages *node_messages, struct node_message_place place,
                   char out[HEAD_ROOM])
{
    size_t n = 0, identity = strlen(node_messages->identity);
    out[n++] = place.target ? 'm' : 'n';
    n += put_number(out + n, (uint64_t)place.sender);
    n += put_number(out + n, (uint64_t)place.target);
    n += put_number(out + n, place.number);
    memcpy(out + n, node_messages->identity, identity);
    return (str){ out, n + identity };
}

enum status node_messages_mark(struct node_messages *node_messages, struct node_message_place place, str text,
                               char ret_mark[NODE_MESSAGE_MARK_BYTES], struct error *err)
{
    const struct node_message_proofs *proofs = &node_messages->proofs;
    char head[HEAD_ROOM];
    struct error why = { 0 };
    enum status status = proofs->make(proofs->context, head_of(node_messages, place, head), text,
                                      (unsigned char *)ret_mark + 1, &why);
    ret_mark[0] = NODE_MESSAGE_MARK;
    pthread_mutex_lock(&node_messages->lock);
    node_messages->unproven = why;
    node_messages->unproven.status = status;
    pthread_mutex_unlock(&node_messages->lock);
    if (status != ST_OK) *err = why;
    return status;
}

enum node_message_doubt node_messages_unmark(struct node_messages *node_messages,
                                             struct node_message_place place, str row, str *ret_text)
{
    const struct node_message_proofs *proofs = &node_messages->proofs;
    char head[HEAD_ROOM];
    if (row.n < NODE_MESSAGE_MARK_BYTES || row.p[0] != NODE_MESSAGE_MARK) return NODE_MESSAGE_UNPROVEN;
    *ret_text = str_slice(row, NODE_MESSAGE_MARK_BYTES, row.n);
    return proofs->check(proofs->context, head_of(node_messages, place, head), *ret_text,
                         (const unsigned char *)row.p + 1);
}

void node_messages_note_doubt(struct node_messages *node_messages, int64_t node,
                              enum node_message_doubt doubt)
{
    node_messages->stats.doubted++;
    node_messages->stats.doubt = doubt;
    node_messages->stats.doubted_node = node;
}
