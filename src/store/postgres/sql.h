/* store/postgres/sql.h — every statement that is prepared once and kept.
 *
 * A statement has a letter for each of its parameters: i is a number (int8), b bytes (bytea), I and B arrays
 * of them; n is a number, too: that of our node, which a set adds by itself. Numbers of a result may be of
 * any integer type, but sums are cast to int8, because PostgreSQL makes them numeric. Names with bytes of the
 * callers' own choosing (ids, keys, labels) are bytea, which is compared byte by byte.
 */
#ifndef STORE_POSTGRES_SQL_H
#define STORE_POSTGRES_SQL_H

#define INSTANCE_FIELDS                                                                   \
    "i.id, i.ns, i.definition, i.phase, i.created, i.ended, i.key, i.revision, i.state, " \
    "d.id, d.version, d.priority, i.holder "
#define INSTANCE_COLUMNS INSTANCE_FIELDS "FROM instance i LEFT JOIN definition d ON d.number = i.definition "

#define DEFINITION_COLUMNS                                                                \
    "number, ns, id, version, dialect, title, content, created, rank, priority, author, " \
    "revision, restores, retired"

#define TASK_NAMES                                                                       \
    "t.instance, t.execution, t.ns, t.definition, t.created, t.node, t.title, t.label, " \
    "d.id, d.version, i.created, i.key, t.details "

/* The lock of the store: a copy has it, or engines have it. It belongs to the schema. */
#define NODE_LOCK_KEY \
    "70934629, (SELECT oid::int8::bit(32)::int4 FROM pg_namespace WHERE nspname = current_schema())"

/* The column `state` of what an engine has as its state: see postgres_array_state(). */
#define CHECKSUM_FIRST                                                                 \
    "CASE WHEN length(state) < 8 THEN state ELSE substr(state, length(state) - 7) || " \
    "substr(state, 1, length(state) - 8) END"

/* Fails with division by zero, which is ST_AGAIN, unless the statement has changed as many rows as it was
 * given. */
#define ALL_OF(changes, ids)                                                                            \
    "WITH changed AS (" changes " RETURNING 1) SELECT 1 / (count(*) = cardinality(" ids "))::int FROM " \
    "changed"

#define ADD_TO_TALLY(arrays, node)                                                    \
    "INSERT INTO tally(definition, slot, node, count) SELECT definition, slot, " node \
    ", count FROM unnest(" arrays ") AS u(definition, slot, count) "                  \
    "ON CONFLICT (definition, slot, node) DO UPDATE SET count = tally.count + excluded.count"

/* clang-format off */

/* Each of these takes the rows of a set. They are sent in this order: instances come first, so that two nodes
 * that change the same ones meet there, and in the order of their ids. */
#define POSTGRES_SET_MAP(XX)                                                                               \
    /* Checks memory's revisions of instances that the transaction has not changed. Simple ones do not take  \
     * part in SERIALIZABLE, so the rows are locked. */                                                    \
    XX(EXPECT, "II", "SELECT 1 / (count(*) = cardinality($1))::int FROM unnest($1, $2) AS u(id, revision) " \
                     "CROSS JOIN LATERAL (SELECT 1 FROM instance i WHERE i.id = u.id "                     \
                     "AND i.revision = u.revision OFFSET 0 FOR SHARE) AS same")                            \
    XX(INSTANCE_INSERT, "IIIIIIBIBI",                                                                      \
       "INSERT INTO instance(id, ns, definition, phase, created, ended, key, revision, state, holder) "    \
       "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")                                    \
    /* Most commands change nothing else. The row touches no index if the phase, the end and the holder are \
     * what they were. */                                                                                  \
    XX(INSTANCE_STEP, "IIIIIIB",                                                                           \
       ALL_OF("UPDATE instance i SET holder = u.holder, ended = u.ended, phase = u.phase, "                \
              "revision = u.revision, state = u.state FROM unnest($1, $2, $3, $4, $5, $6, $7) "            \
              "AS u(id, expected, holder, ended, phase, revision, state) "                                 \
              "WHERE i.id = u.id AND i.revision = u.expected", "$1"))                                      \
    XX(INSTANCE_UPDATE, "IIIIIIIBIBI",                                                                     \
       ALL_OF("UPDATE instance i SET ns = u.ns, definition = u.definition, phase = u.phase, "              \
              "created = u.created, ended = u.ended, key = u.key, revision = u.revision, state = u.state, " \
              "holder = u.holder FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "               \
              "AS u(id, expected, ns, definition, phase, created, ended, key, revision, state, holder) "   \
              "WHERE i.id = u.id AND i.revision = u.expected", "$1"))                                      \
    XX(HISTORY_INSERT, "IIIB", "INSERT INTO history(instance, revision, at, blob) "                        \
                               "SELECT * FROM unnest($1, $2, $3, $4)")                                     \
    /* Existing rows are counted; rows of tasks tell the count of tasks, too. */                           \
    XX(TIMER_DELETE, "IIIn",                                                                               \
       "WITH gone AS (DELETE FROM timer t USING unnest($1, $2, $3) AS u(due, instance, number) "           \
       "WHERE t.due = u.due AND t.instance = u.instance AND t.number = u.number RETURNING 1) "             \
       "INSERT INTO tally(definition, slot, node, count) "                                                 \
       "SELECT 0, -2, $4, -count(*) FROM gone HAVING count(*) > 0 "                                        \
       "ON CONFLICT (definition, slot, node) DO UPDATE SET count = tally.count + excluded.count")          \
    XX(TIMER_INSERT, "III", "INSERT INTO timer(due, instance, number) SELECT * FROM unnest($1, $2, $3)")   \
    XX(JOB_DELETE, "II", "DELETE FROM job j USING (SELECT * FROM unnest($1, $2) AS u(instance, number) "   \
                         "ORDER BY 1, 2) u WHERE j.instance = u.instance AND j.number = u.number")         \
    XX(JOB_PUT, "IIBIIIII",                                                                                \
       "INSERT INTO job(instance, number, queue, priority, available, delivery, claimed, lease) "          \
       "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) ORDER BY 1, 2 "                               \
       "ON CONFLICT (instance, number) DO UPDATE SET queue = excluded.queue, "                             \
       "priority = excluded.priority, available = excluded.available, delivery = excluded.delivery, "      \
       "claimed = excluded.claimed, lease = excluded.lease, " NOBODY_HAS_IT)                               \
    XX(TASK_DELETE, "IIn",                                                                                 \
       "WITH gone AS (DELETE FROM task t USING unnest($1, $2) AS u(instance, execution) "                  \
       "WHERE t.instance = u.instance AND t.execution = u.execution RETURNING t.definition) "              \
       "INSERT INTO tally(definition, slot, node, count) "                                                 \
       "SELECT definition, -1, $3, -count(*) FROM gone GROUP BY definition "                               \
       "ON CONFLICT (definition, slot, node) DO UPDATE SET count = tally.count + excluded.count")          \
    XX(TASK_INSERT, "IIIIIBBBB",                                                                           \
       "INSERT INTO task(instance, execution, ns, definition, created, node, title, label, details) "      \
       "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9)")                                         \
    XX(WORKLIST_DELETE, "II", "DELETE FROM worklist w USING unnest($1, $2) AS u(instance, execution) "     \
                              "WHERE w.instance = u.instance AND w.execution = u.execution")               \
    XX(WORKLIST_INSERT, "IIBIII", "INSERT INTO worklist(ns, list, who, due, instance, execution) "         \
                                  "SELECT * FROM unnest($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING")   \
    XX(PENDING_DELETE, "II", "DELETE FROM pending p USING unnest($1, $2) AS u(parent, number) "            \
                             "WHERE p.parent = u.parent AND p.number = u.number")                          \
    XX(PENDING_INSERT, "IIIBBIB", "INSERT INTO pending(parent, number, ns, target, key, created, data) "   \
                                  "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)")                      \
    XX(SUBSCRIPTION_DELETE, "IBI",                                                                         \
       "DELETE FROM subscription s USING unnest($1, $2, $3) AS u(definition, correlation, instance) "      \
       "WHERE s.definition = u.definition AND s.correlation = u.correlation AND s.instance = u.instance")  \
    XX(SUBSCRIPTION_INSERT, "IBI", "INSERT INTO subscription(definition, correlation, instance) "          \
                                   "SELECT * FROM unnest($1, $2, $3)")                                     \
    XX(CHILD_INSERT, "IIII", "INSERT INTO child(parent, number, instance, awaited) "                       \
                             "SELECT * FROM unnest($1, $2, $3, $4)")                                       \
    XX(TRIGGER_INSERT, "IBBI", "INSERT INTO event_trigger(ns, source, type, definition) "                  \
                               "SELECT * FROM unnest($1, $2, $3, $4)")                                     \
    XX(DEFINITION_INSERT, "IIBIIIBBIIBBBII",                                                               \
       "INSERT INTO definition(number, ns, id, version, rank, priority, dialect, title, content, "         \
       "created, source, author, revision, restores, retired) "                                            \
       "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)")           \
    XX(DEFINITION_RETIRE, "II", "UPDATE definition d SET retired = u.retired "                            \
                                "FROM unnest($1, $2) AS u(number, retired) WHERE d.number = u.number")     \
    XX(DEFINITION_DELETE, "IB",                                                                            \
       "WITH gone AS (DELETE FROM definition d USING unnest($1, $2) AS u(ns, id) "                         \
       "WHERE d.ns = u.ns AND d.id = u.id RETURNING d.number, d.ns), "                                     \
       "counts AS (DELETE FROM tally t USING gone WHERE t.definition = gone.number), "                     \
       "triggers AS (DELETE FROM event_trigger e USING gone "                                              \
       "WHERE e.ns = gone.ns AND e.definition = gone.number) "                                             \
       "DELETE FROM pending p USING unnest($1, $2) AS u(ns, id) WHERE p.ns = u.ns AND p.target = u.id")    \
    XX(UNMATCHED_DELETE, "I", "DELETE FROM unmatched WHERE number = ANY($1)")                              \
    XX(UNMATCHED_INSERT, "IIBBB", "INSERT INTO unmatched(ns, received, reason, event, identity) "          \
                                  "SELECT * FROM unnest($1, $2, $3, $4, $5)")                              \
    XX(IDEMPOTENCY_INSERT, "IBIIIB",                                                                       \
       "INSERT INTO idempotency(ns, key, request, created, http_status, answer) "                          \
       "SELECT * FROM unnest($1, $2, $3, $4, $5, $6) ON CONFLICT (ns, key) DO UPDATE SET "                 \
       "request = excluded.request, created = excluded.created, http_status = excluded.http_status, "      \
       "answer = excluded.answer")                                                                         \
    XX(FAILURE_DELETE, "II", "DELETE FROM failure f USING unnest($1, $2) AS u(definition, instance) "      \
                             "WHERE f.definition = u.definition AND f.instance = u.instance")              \
    XX(FAILURE_PUT, "IIIIIBBB",                                                                            \
       "INSERT INTO failure(definition, instance, ns, created, failed, key, step, reason) "                \
       "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (definition, instance) "          \
       "DO UPDATE SET created = excluded.created, failed = excluded.failed, key = excluded.key, "          \
       "step = excluded.step, reason = excluded.reason")                                                   \
    XX(RECORD_DELETE, "IIB", "DELETE FROM record r USING unnest($1, $2, $3) AS u(ns, kind, key) "          \
                             "WHERE r.ns = u.ns AND r.kind = u.kind AND r.key = u.key")                    \
    XX(RECORD_PUT, "IIBIB", "INSERT INTO record(ns, kind, key, at, value) "                                \
                            "SELECT * FROM unnest($1, $2, $3, $4, $5) ON CONFLICT (ns, kind, key) "        \
                            "DO UPDATE SET at = excluded.at, value = excluded.value")                      \
    XX(BULK_PART_INSERT, "IIIB", "INSERT INTO bulk_part(bulk, kind, number, blob) "                        \
                                 "SELECT * FROM unnest($1, $2, $3, $4)")                                   \
    /* Each node has rows of its own, so that nodes do not wait for each other here. */                    \
    XX(TALLY_ADD, "IIIn", ADD_TO_TALLY("$1, $2, $3", "$4"))

/* connect.c, commit.c, instances.c, sets.c, write.c */
#define POSTGRES_WRITE_MAP(XX)                                                                             \
    XX(BEGIN, "", "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE")                                         \
    XX(BEGIN_SIMPLE, "", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")                                \
    XX(BEGIN_READ, "", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")                                  \
    XX(HAS_META, "", "SELECT (to_regclass('meta') IS NOT NULL)::int")                                      \
    XX(SCHEMA_VERSION, "", "SELECT value FROM meta WHERE name = 'schema'")                                 \
    XX(COMMIT, "", "COMMIT")                                                                               \
    XX(ROLLBACK, "", "ROLLBACK")                                                                           \
    XX(INSTANCE_HEAD, "i", "SELECT revision, ns, definition, phase, created, key "                         \
                           "FROM instance WHERE id = $1")                                                  \
    XX(DISCARD_PLANS, "", "DISCARD PLANS")                                                                 \
    XX(INSTANCE_HIGH, "i", "UPDATE meta SET value = greatest(value, $1) WHERE name = 'instance_high'")

#include "store/postgres/sql_load.h"
#include "store/postgres/sql_nodes.h"
#include "store/postgres/sql_read.h"

/* clang-format on */

#define POSTGRES_SQL_MAP(XX) \
    POSTGRES_SET_MAP(XX)     \
    POSTGRES_WRITE_MAP(XX) POSTGRES_NODES_MAP(XX) POSTGRES_LOAD_MAP(XX) POSTGRES_READ_MAP(XX)

enum postgres_sql {
#define XX(NAME, letters, text) SQL_##NAME,
    POSTGRES_SQL_MAP(XX)
#undef XX
        SQL_COUNT
};

/* How many of them take sets; they come first. */
enum {
#define XX(NAME, letters, text) SQL_SET_##NAME,
    POSTGRES_SET_MAP(XX)
#undef XX
        SQL_SET_COUNT
};

#endif
