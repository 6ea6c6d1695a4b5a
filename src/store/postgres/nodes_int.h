/* store/postgres/nodes_int.h — what only a store has that several nodes share: the functions of nodes.h. */
#ifndef STORE_POSTGRES_NODES_INT_H
#define STORE_POSTGRES_NODES_INT_H

#include "store/postgres/load_int.h"

/* ---- nodes.c ---- */

enum status postgres_join(struct postgres_store *store, struct error *err);
void postgres_leave(struct postgres_store *store);

/* The server has lost what it had committed: the store is broken. */
enum status postgres_fail_forgotten(struct postgres_store *store, struct error *err);

enum status postgres_heartbeat(struct store *store, struct node_row ret_row[NODES_MAX], size_t *ret_count,
                               int64_t *ret_generation, struct error *err);
enum status postgres_rejoin(struct store *store, struct error *err);
enum status postgres_fence_node(struct store *store, int64_t node, struct error *err);
enum status postgres_forget_node(struct store *store, int64_t node, struct error *err);
void postgres_set_generation(struct store *store, int64_t generation);
enum status postgres_expect(struct store *store, uint64_t instance, uint32_t revision, struct error *err);
enum status postgres_held_ids(struct store *store, int64_t node, uint64_t after, size_t max,
                              struct arena *arena, uint64_t **ret_id, size_t *ret_count, struct error *err);
enum status postgres_nodes_load_instances(struct store *store, const uint64_t *id, size_t count,
                                          struct arena *arena, struct instance_row **ret_row,
                                          size_t *ret_count, struct error *err);

/* ---- history.c ---- */

enum status postgres_next_history(struct store *store, uint64_t instance, uint32_t after, struct arena *arena,
                                  str **ret_blob, size_t *ret_count, struct error *err);

/* ---- jobs.c ---- */

/* Rows of a changeset. */
enum status postgres_add_job(struct postgres_store *store, const struct job_row *row, struct error *err);
enum status postgres_remove_job(struct postgres_store *store, const struct job_row *row, struct error *err);

enum status postgres_offered(struct store *base, size_t counted_max, size_t max, struct arena *arena,
                             struct offered_queue **ret_queue, size_t *ret_count, struct error *err);
enum status postgres_find_job(struct store *store, uint64_t instance, uint32_t number, struct arena *arena,
                              struct job_row *ret_row, struct error *err);
enum status postgres_claim_jobs(struct store *store, const struct job_claim *claim, size_t claim_count,
                                int64_t now_ms, struct arena *arena, struct job_row **ret_row,
                                struct instance_row **ret_instance, size_t *ret_count, struct error *err);
enum status postgres_claimed_jobs(struct store *store, const struct job_row *after, size_t max,
                                  struct arena *arena, struct job_row **ret_row,
                                  struct instance_row **ret_instance, size_t *ret_count, struct error *err);
enum status postgres_offer_jobs(struct store *store, const struct job_row *row, size_t count, int64_t now_ms,
                                struct error *err);
enum status postgres_drop_jobs(struct store *store, const struct job_row *row, size_t count,
                               struct error *err);
enum status postgres_jobs_of(struct store *store, const uint64_t *instance, size_t count, struct arena *arena,
                             struct job_row **ret_row, size_t *ret_count, struct error *err);
enum status postgres_note_leases(struct store *store, const struct job_row *row, size_t count,
                                 struct error *err);
enum status postgres_extend_job(struct store *store, const struct job_row *row, bool *ret_done,
                                struct error *err);
enum status postgres_end_leases(struct store *store, int64_t now_ms, size_t *ret_count, struct error *err);
enum status postgres_free_claims(struct store *store, int64_t node, size_t *ret_count, struct error *err);
enum status postgres_offer_new(struct store *store, const struct job_row *row, size_t count,
                               struct error *err);

/* ---- work.c ---- */

enum status postgres_find_work(struct store *store, const struct work_question *question, struct arena *arena,
                               struct work_found *found, struct error *err);

/* ---- news.c ---- */

/* The news of the transaction becomes a row. */
enum status postgres_send_news(struct postgres_store *store, struct error *err);
/* We are joining under that number: nothing older is heard of. */
enum status postgres_begin_news(struct postgres_store *store, int64_t node, struct error *err);
/* Removes news of ours that everybody has heard, now and then. */
enum status postgres_news_purge(struct postgres_store *store, struct error *err);
void postgres_news_done(struct postgres_news *news);

enum status postgres_news_write(struct store *store, str text, struct error *err);
enum status postgres_news_read(struct store *store, struct arena *arena, str **ret_text, size_t *ret_count,
                               bool *ret_lost, struct error *err);

/* ---- node_messages.c ---- */

enum status postgres_node_messages_open(struct store *store, const struct node_message_proofs *proofs,
                                        store_wake_fn *wake, void *context,
                                        struct node_messages **ret_node_messages, struct error *err);
/* We have another number. From the thread of the writer. */
void postgres_node_messages_rename(struct node_messages *node_messages, int64_t node);

/* ---- listen.c ---- */

void postgres_wake_others(struct store *store, enum store_wake why);
enum status postgres_listen(struct store *store, store_heard_fn *heard, void *context, struct error *err);
/* The engine has sent a heartbeat. */
void postgres_note_heartbeat(const struct postgres_store *store);
/* Ends the thread. NULL is allowed. */
void postgres_listener_done(struct postgres_listener *listener);

#endif
