/* store/postgres/sql_nodes.h — part of sql.h: nodes, jobs that any node may claim, news. */
#ifndef STORE_POSTGRES_SQL_NODES_H
#define STORE_POSTGRES_SQL_NODES_H

#define GENERATION "(SELECT value FROM meta WHERE name = 'generation')"

/* Fails with division by zero, which is ST_AGAIN, unless the statement has changed a row. */
#define ONE_OF(change) "WITH changed AS (" change " RETURNING 1) SELECT 1 / count(*) FROM changed"

#define MARK "UPDATE node_turn SET turn = $2 WHERE node = $1 AND turn = $4 AND $3 = " GENERATION
#define TELL "INSERT INTO news(node, turn, before, text) "

/* The name of a node's sessions. Several schemas of a database may have stores, each with nodes of its own.
 */
#define SESSION_NAME(node) \
    "'pawl node ' || " node " || ' of ' || (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"

/* Columns of the worker that has a job. */
#define NOBODY_HAS_IT "worker = NULL, locked = NULL, locked_until = NULL "

/* Jobs that were claimed are offered again, as the next delivery. */
#define OFFER_AGAIN(found)                                                                             \
    "WITH found AS (" found "), changed AS (UPDATE job j SET claimed = NULL, lease = NULL, "           \
    "delivery = least(j.delivery + 1, 255), " NOBODY_HAS_IT "FROM found "                              \
    "WHERE j.instance = found.instance AND j.number = found.number RETURNING 1) SELECT count(*) FROM " \
    "changed"

/* A condition that holds: the commit waits until it is durable, whatever the session does. For those who
 * forget what they knew when the statement is done, so that nothing would do it again after a crash. */
#define DURABLY "(SELECT set_config('synchronous_commit', 'on', true)) = 'on' "

/* Offers in the order of their keys, so that two nodes do not wait for each other in a circle. */
#define OFFERED                                                                                \
    "INSERT INTO job(instance, number, queue, priority, available, delivery) SELECT u.* FROM " \
    "unnest($1, $2, $3, $4, $5, $6) AS u WHERE " DURABLY "ORDER BY 1, 2 ON CONFLICT (instance, number) "

#define JOB_COLUMNS(j)                                                                            \
    j ".instance, " j ".number, " j ".queue, " j ".priority, " j ".available, " j ".delivery, " j \
      ".claimed, " j ".lease, " j ".worker, " j ".locked, " j ".locked_until "

#define BY_RANK(j) j ".priority DESC, " j ".available, " j ".instance, " j ".number"
#define BY_NUMBER(j) j ".instance, " j ".number"

/* clang-format off */
/* Rows of jobs, with the place of each among those of its instance. */
#define NUMBERED(rows, by)                                                                                 \
    "(SELECT j.*, row_number() OVER (PARTITION BY j.instance ORDER BY " by("j") ") AS nth "                \
    "FROM " rows " AS j)"

/* INSTANCE_FIELDS and JOB_COLUMNS of numbered rows `m`. The state of an instance comes with its first job.
 * States are left out behind the one that exceeds the bound. */
#define WITH_INSTANCES(from, by, bound)                                                                    \
    "SELECT b.id, b.ns, b.definition, b.phase, b.created, b.ended, b.key, b.revision, "                    \
    "CASE WHEN b.nth = 1 AND b.bytes < " bound " THEN b.state END, "                                       \
    "d.id, d.version, d.priority, b.holder, " JOB_COLUMNS("b")                                             \
    "FROM (SELECT i.*, m.*, " BYTES_BEFORE("CASE WHEN m.nth = 1 THEN i.state END", by("m")) " AS bytes "   \
    "FROM " from " LEFT JOIN LATERAL " ROW_OF("instance", "id = m.instance") " i ON true) AS b "           \
    DEFINITION_OF("b.definition") "ORDER BY " by("b")

#define POSTGRES_NODES_MAP(XX)                                                                             \
    /* commit.c */                                                                                         \
    /* Our row is gone when others have taken us for dead: then nothing of ours may be written any more. */ \
    XX(NODE_MARK, "iiii", ONE_OF(MARK))                                                                    \
    /* The same with the counts and the news of the transaction: each statement costs by itself. */        \
    XX(NODE_MARK_ALL, "iiiiIIIib",                                                                         \
       "WITH counted AS (" ADD_TO_TALLY("$5, $6, $7", "$1") "), told AS (" TELL                            \
       "SELECT $1, $2, $8, $9 WHERE length($9) > 0), changed AS (" MARK " RETURNING 1) "                   \
       "SELECT 1 / count(*) FROM changed")                                                                 \
    XX(NEXT_GENERATION, "i", ONE_OF("UPDATE meta SET value = value + 1 "                                   \
                                    "WHERE name = 'generation' AND value = $1"))                           \
    /* Waits for the transactions that have marked their nodes, and keeps others from it. It shows no moment \
     * yet: the query behind it does. */                                                                   \
    XX(LOCK_TURNS, "", "LOCK TABLE node_turn IN SHARE ROW EXCLUSIVE MODE")                                 \
    XX(TOUCH_TURNS, "i", "UPDATE node_turn SET turn = turn WHERE node <> $1")                              \
    /* Waits for the end of a transaction of ours that may still be under way. */                          \
    /* … and keeps one from happening that has not begun: its mark will not find the number before it. */  \
    XX(NODE_TURN, "ii", "UPDATE node_turn n SET turn = CASE WHEN o.turn = $2 THEN $2 ELSE - $2 END "       \
                        "FROM (SELECT turn FROM node_turn WHERE node = $1 FOR UPDATE) AS o "               \
                        "WHERE n.node = $1 RETURNING o.turn")                                              \
    XX(NODE_LIVES, "i", "SELECT count(*) FROM node WHERE id = $1 AND NOT dead")                            \
    XX(NODE_LAST_TURN, "i", "SELECT turn FROM node_gone WHERE node = $1")                                  \
                                                                                                           \
    /* nodes.c */                                                                                          \
    XX(NODE_JOIN, "i", "WITH me AS (INSERT INTO node(id, began) "                                           \
                      "VALUES(nextval('node_number'), clock_timestamp()) RETURNING id), "                  \
                      "turn AS (INSERT INTO node_turn(node, turn) SELECT id, 0 FROM me) "                  \
                      "SELECT id, " GENERATION ", EXISTS (SELECT 1 FROM node o WHERE NOT o.dead "          \
                      "AND (o.id - me.id) % $1 = 0) FROM me")                                              \
    XX(NODE_LOCK, "", "SELECT pg_try_advisory_lock_shared(" NODE_LOCK_KEY ")::int")                         \
    XX(NODE_LOCK_ALONE, "", "SELECT pg_try_advisory_lock(" NODE_LOCK_KEY ")::int")                         \
    XX(NODE_NAME, "i", "SELECT set_config('application_name', " SESSION_NAME("$1") ", false)")             \
    XX(NODE_TURNS, "i", "SELECT node, abs(turn) FROM node_turn WHERE node <> $1 ORDER BY node")            \
    /* Living nodes come first, if there are more than can be told. */                                     \
    XX(NODE_HEARTBEAT, "ii", "WITH me AS (UPDATE node SET beats = beats + 1 WHERE id = $1 AND NOT dead "        \
                        "RETURNING 1) SELECT n.id, n.beats + (n.id = $1)::int, n.dead, " GENERATION ", "   \
                        "(SELECT count(*) FROM me), (SELECT abs(turn) FROM node_turn WHERE node = $1) "    \
                        "FROM (SELECT id, beats, dead FROM node "                                          \
                        "ORDER BY dead, id LIMIT $2) AS n ORDER BY n.id")                                  \
    XX(NODE_FENCE, "i", "WITH gone AS (DELETE FROM node_turn WHERE node = $1 RETURNING turn), "             \
                       "kept AS (INSERT INTO node_gone(node, turn, at) "                                   \
                       "SELECT $1, turn, clock_timestamp() FROM gone ON CONFLICT (node) DO NOTHING) "      \
                       "UPDATE node SET dead = true WHERE id = $1 AND NOT dead")                           \
    XX(NODE_OTHERS, "ii", "SELECT id, beats FROM node WHERE id <> $1 AND NOT dead ORDER BY id LIMIT $2")   \
    XX(NODE_SESSIONS, "i", "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "                \
                           "WHERE datname = current_database() AND application_name = "                    \
                           SESSION_NAME("$1"))                                                             \
    /* Sessions of other users have no names that we could see: with such users nobody counts as absent. */ \
    XX(NODES_ABSENT, "", "WITH s AS MATERIALIZED (SELECT usename, application_name FROM pg_stat_activity " \
                         "WHERE datname = current_database() AND usename IS NOT NULL) "                    \
                         "SELECT n.id FROM node n WHERE NOT n.dead "                                       \
                         "AND NOT EXISTS (SELECT 1 FROM s WHERE usename <> current_user) "                 \
                         "AND NOT EXISTS (SELECT 1 FROM s WHERE application_name = "                       \
                         SESSION_NAME("n.id") ")")                                                         \
    /* The counts of nodes that are gone are those of node 0. */                                           \
    XX(NODE_FORGET, "i", "WITH dead AS (DELETE FROM node WHERE id = $1 AND dead RETURNING id), "           \
                         "told AS (DELETE FROM news USING dead WHERE news.node = dead.id), "               \
                         "old AS (DELETE FROM node_gone "                                                  \
                         "WHERE at < clock_timestamp() - interval '10 minutes'), "                         \
                         "gone AS (DELETE FROM tally USING dead WHERE tally.node = dead.id "               \
                         "RETURNING definition, slot, count) "                                             \
                         "INSERT INTO tally(definition, slot, node, count) "                               \
                         "SELECT definition, slot, 0, sum(count) FROM gone GROUP BY definition, slot "     \
                         "HAVING sum(count) <> 0 ORDER BY definition, slot ON CONFLICT "                   \
                         "(definition, slot, node) DO UPDATE SET count = tally.count + excluded.count")    \
    XX(HELD_IDS, "iii", "SELECT id FROM instance WHERE holder <= $1 AND (holder, id) > ($1, $2) "          \
                        "ORDER BY holder, id LIMIT $3")                                                    \
    XX(INSTANCES, "Ii", BOUNDED_INSTANCES("SELECT i.*, " BYTES_BEFORE("i.state", "i.id") " AS bytes "      \
                                          "FROM instance i WHERE i.id = ANY($1)", "$2") "ORDER BY b.id")   \
                                                                                                           \
    /* jobs.c */                                                                                           \
    XX(JOB, "ii", "SELECT " JOB_COLUMNS("j") "FROM job j WHERE j.instance = $1 AND j.number = $2")         \
    XX(JOBS_OF, "I", "SELECT " JOB_COLUMNS("j") "FROM job j WHERE j.instance = ANY($1) "                   \
                     "ORDER BY j.instance, j.number")                                                      \
    XX(JOBS_OFFERED, "ii",                                                                                 \
       "WITH RECURSIVE q(queue) AS ((SELECT queue FROM job WHERE claimed IS NULL ORDER BY queue LIMIT 1) " \
       "UNION ALL SELECT (SELECT queue FROM job WHERE claimed IS NULL AND queue > q.queue "                \
       "ORDER BY queue LIMIT 1) FROM q WHERE q.queue IS NOT NULL) "                                        \
       "SELECT q.queue, c.count, c.oldest FROM q CROSS JOIN LATERAL (SELECT count(*) AS count, "           \
       "min(available) AS oldest FROM (SELECT available FROM job WHERE claimed IS NULL "                   \
       "AND queue = q.queue ORDER BY queue, priority DESC, available LIMIT $1) AS j) AS c "                \
       "WHERE q.queue IS NOT NULL LIMIT $2")                                                               \
    /* A node that others fence meanwhile claims nothing: its row is locked. The jobs of each priority are  \
     * looked up for themselves, so that those that are not available yet are not read, however many. */   \
    XX(JOB_CLAIM, "iBIiiii",                                                                               \
       "WITH me AS (SELECT id FROM node WHERE id = $1 AND epoch = $5 AND NOT dead FOR SHARE), "            \
       "found AS (SELECT j.instance, j.number FROM me CROSS JOIN unnest($2, $3) AS w(queue, max) "         \
       "CROSS JOIN LATERAL (SELECT f.instance, f.number FROM generate_series(10, 0, -1) AS p(priority) "   \
       "CROSS JOIN LATERAL (SELECT instance, number FROM job WHERE queue = w.queue "                       \
       "AND priority = p.priority AND claimed IS NULL AND available <= $4 "                                \
       "ORDER BY available, instance, number LIMIT w.max FOR UPDATE SKIP LOCKED) AS f LIMIT w.max) AS j), " \
       "mine AS (UPDATE job j SET claimed = $1, claim = $6, lease = NULL FROM found "                      \
       "WHERE j.instance = found.instance AND j.number = found.number RETURNING " JOB_COLUMNS("j") ") "    \
       WITH_INSTANCES("me LEFT JOIN " NUMBERED("mine", BY_RANK) " AS m ON true", BY_RANK, "$7"))           \
    XX(JOBS_CLAIMED, "iiiii",                                                                              \
       WITH_INSTANCES(NUMBERED("(SELECT * FROM job WHERE claimed <= $1 AND (claimed, instance, number) > " \
                               "($1, $2, $3) ORDER BY claimed, instance, number LIMIT $4)", BY_NUMBER)     \
                      " AS m", BY_NUMBER, "$5"))                                                           \
    /* A claim whose answer was lost may still be under way: it waits for our row, and then finds another  \
     * epoch; or we wait for it, and give back what it has claimed. */                                     \
    XX(NODE_EPOCH, "ii", "UPDATE node SET epoch = $2 WHERE id = $1")                                       \
    XX(JOB_UNCLAIM, "ii", "UPDATE job j SET claimed = NULL FROM (SELECT instance, number FROM job "        \
                          "WHERE " DURABLY "AND claimed >= $1 AND claimed <= $1 AND claim = $2 "           \
                          "ORDER BY claimed, instance, number FOR UPDATE) AS found "                       \
                          "WHERE j.instance = found.instance AND j.number = found.number")                 \
    /* A node that gives a job back forgets it; the instance may still name the node as its holder. */     \
    XX(JOB_OFFER, "IIBIIIii", OFFERED                                                                      \
       "DO UPDATE SET queue = excluded.queue, priority = excluded.priority, "                              \
       "available = excluded.available, delivery = excluded.delivery, claimed = NULL, lease = NULL, "      \
       NOBODY_HAS_IT "WHERE job.claimed = $7 AND coalesce(job.lease, 0) <= $8")                            \
    XX(JOB_OFFER_NEW, "IIBIII", OFFERED "DO NOTHING")                                                      \
    /* Only as they were claimed: a row that waits for a lock is compared again. */                        \
    XX(JOB_DROP, "IIII", "DELETE FROM job j USING (SELECT * FROM unnest($1, $2, $3, $4) "                  \
                         "AS u(instance, number, claimed, delivery) ORDER BY 1, 2) u "                     \
                         "WHERE j.instance = u.instance AND j.number = u.number "                          \
                         "AND coalesce(j.claimed, 0) = u.claimed AND j.delivery = u.delivery")             \
    /* A job that a node only holds gets a row here. */                                                    \
    XX(JOB_EXTEND, "iibiiiiibi",                                                                           \
       "INSERT INTO job(instance, number, queue, priority, available, delivery, claimed, lease, "          \
       "worker, locked, locked_until) VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $8) "                \
       "ON CONFLICT (instance, number) DO UPDATE SET lease = excluded.lease, "                             \
       "locked_until = excluded.lease, worker = excluded.worker, "                                         \
       "locked = coalesce(job.locked, excluded.locked) WHERE job.claimed IS NOT NULL "                     \
       "AND job.delivery = excluded.delivery RETURNING 1")                                                 \
    /* A node that others fence meanwhile tells nothing: its row is locked. A job without a row is held, or \
     * closed. */                                                                                          \
    XX(JOB_TELL_LEASES, "IIBIIIBIIi",                                                                      \
       "WITH me AS (SELECT id FROM node WHERE id = $10 AND NOT dead FOR SHARE) "                           \
       "INSERT INTO job(instance, number, queue, priority, available, delivery, worker, locked, "          \
       "locked_until, claimed) SELECT u.*, me.id FROM me CROSS JOIN unnest($1, $2, $3, $4, $5, $6, $7, "   \
       "$8, $9) AS u(instance, number, queue, priority, available, delivery, worker, locked, til) "        \
       "LEFT JOIN LATERAL " ROW_OF("instance", "id = u.instance") " i ON true "                            \
       "LEFT JOIN LATERAL " ROW_OF("job", "instance = u.instance AND number = u.number") " j ON true "     \
       "WHERE CASE WHEN j.number IS NULL THEN i.holder ELSE j.claimed END = me.id ORDER BY 1, 2 "          \
       "ON CONFLICT (instance, number) DO UPDATE SET worker = excluded.worker, locked = excluded.locked, " \
       "locked_until = excluded.locked_until WHERE job.claimed = excluded.claimed "                        \
       "AND job.delivery = excluded.delivery AND job.lease IS NULL")                                       \
    XX(JOB_END_LEASES, "ii", OFFER_AGAIN("SELECT instance, number FROM job WHERE lease <= $1 "             \
                                         "ORDER BY lease LIMIT $2 FOR UPDATE SKIP LOCKED"))                \
    /* Two bounds instead of one value: only one index has the order then. */                              \
    XX(JOB_FREE, "ii", OFFER_AGAIN("SELECT instance, number FROM job WHERE " DURABLY "AND claimed >= $1 "  \
                                   "AND claimed <= $1 ORDER BY claimed, instance, number LIMIT $2 "        \
                                   "FOR UPDATE"))                                                          \
                                                                                                           \
    /* work.c */                                                                                           \
    /* Bits of starts, whether there are such rows, and bits of records. It looks at first rows only. */    \
    XX(FIND_WORK, "ibiiIIBB", WAITING_DEFINITIONS                                                          \
       "SELECT (SELECT COALESCE(bit_or(1::int8 << latest.priority), 0) FROM waiting "                      \
       "CROSS JOIN LATERAL " LATEST_PRIORITY "), "                                                         \
       "(SELECT count(*) FROM (SELECT 1 FROM pending WHERE ns = $1 AND target = $2 LIMIT 1) AS p), "       \
       "(SELECT count(*) FROM (SELECT 1 FROM bulk WHERE ended IS NULL AND number > 0 AND state = $3 "      \
       "ORDER BY number LIMIT 1) AS b), "                                                                  \
       "(SELECT count(*) FROM (SELECT 1 FROM job WHERE claimed IS NULL AND queue >= '' "                   \
       "ORDER BY queue LIMIT 1) AS j), "                                                                   \
       "(SELECT count(*) FROM (SELECT 1 FROM job WHERE lease <= $4 ORDER BY lease LIMIT 1) AS l), "        \
       "(SELECT COALESCE(bit_or(1::int8 << (f.nth - 1)::int), 0) "                                         \
       "FROM unnest($5, $6, $7, $8) WITH ORDINALITY AS f(ns, kind, first, stop, nth) "                     \
       "CROSS JOIN LATERAL (SELECT r.key FROM record r WHERE r.ns = f.ns AND r.kind = f.kind "             \
       "AND r.key >= f.first ORDER BY r.key LIMIT 1) AS r WHERE f.stop = '' OR r.key < f.stop)")           \
                                                                                                           \
    /* news.c */                                                                                           \
    XX(NEWS_TELL, "iiib", TELL "VALUES($1, $2, $3, $4)")                                                   \
    /* Every other node, and what it has told since the turn that we know of it. Texts behind the one that \
     * exceeds the bound are left out. */                                                                  \
    XX(NEWS_HEAR, "IIii",                                                                                  \
       "SELECT b.id, b.turn, b.before, CASE WHEN b.bytes < $4 THEN b.text END "                            \
       "FROM (SELECT x.id, w.turn, w.before, w.text, " BYTES_BEFORE("w.text", "x.id, w.turn") " AS bytes " \
       "FROM node x LEFT JOIN LATERAL (SELECT max(c.turn) AS turn FROM unnest($1, $2) AS c(node, turn) "   \
       "WHERE c.node = x.id) AS c ON true LEFT JOIN LATERAL (SELECT turn, before, text FROM news "         \
       "WHERE node = x.id AND turn > coalesce(c.turn, 0) ORDER BY turn LIMIT 1000) AS w ON true "          \
       "WHERE x.id <> $3) AS b ORDER BY b.id, b.turn")                                                     \
    XX(NEWS_PURGE, "ii", "DELETE FROM news WHERE node = $1 AND turn < $2") \
                                                                                                           \
    /* node_messages_thread.c */                                                                                 \
    XX(NODE_IDENTITY, "", "SELECT convert_to(s.system_identifier || ' ' || d.oid || ' ' || n.oid, 'UTF8') "  \
                          "FROM pg_control_system() s, pg_database d, pg_namespace n "                      \
                          "WHERE d.datname = current_database() AND n.nspname = current_schema()")          \
    XX(NODE_IDENTITY_PLAIN, "", "SELECT convert_to(d.oid || ' ' || n.oid, 'UTF8') FROM pg_database d, "     \
                                "pg_namespace n WHERE d.datname = current_database() "                      \
                                "AND n.nspname = current_schema()")                                         \
    XX(NODE_MESSAGE_SEND, "iIIIB",                                                                               \
       "WITH sent AS (INSERT INTO errand(target, sender, number, until, text) "                            \
       "SELECT u.target, $1, u.number, clock_timestamp() + u.keep * interval '1 millisecond', u.text "     \
       "FROM unnest($2, $3, $4, $5) AS u(target, number, keep, text)) "                                    \
       "SELECT pg_notify('pawl_errand_' || t.target, '') FROM (SELECT DISTINCT u.target "                  \
       "FROM unnest($2) AS u(target)) AS t")                                                               \
    /* Removes those that were taken before. Texts behind the one that exceeds the bound are left out. */  \
    XX(NODE_MESSAGE_TAKE, "iIii",                                                                                \
       "WITH gone AS (DELETE FROM errand WHERE target = $1 AND id = ANY($2)) "                             \
       "SELECT b.id, b.sender, b.number, CASE WHEN b.bytes < $4 THEN b.text END "                          \
       "FROM (SELECT w.id, w.sender, w.number, w.text, " BYTES_BEFORE("w.text", "w.id") " AS bytes "       \
       "FROM (SELECT id, sender, number, text FROM errand WHERE target <= $1 AND (target, id) > ($1, 0) "  \
       "AND id <> ALL($2) ORDER BY target, id LIMIT $3) AS w) AS b ORDER BY b.id")                         \
    XX(NODE_MESSAGE_PURGE, "", "WITH old AS (DELETE FROM notice w WHERE NOT EXISTS (SELECT 1 FROM node n "       \
                         "WHERE n.id = w.node)) DELETE FROM errand e WHERE e.until < clock_timestamp() "   \
                         "OR NOT EXISTS (SELECT 1 FROM node n WHERE n.id = e.target AND NOT n.dead)")      \
    XX(NOTICE_TELL, "iib", "WITH told AS (INSERT INTO notice(node, version, text) VALUES($1, $2, $3) "     \
                           "ON CONFLICT (node) DO UPDATE SET version = $2, text = $3) "                    \
                           "SELECT pg_notify('pawl_notice', '')")                                          \
    XX(NOTICE_REMOVE, "i", "WITH gone AS (DELETE FROM notice WHERE node = $1) "                            \
                           "SELECT pg_notify('pawl_notice', '')")                                          \
    /* The notices of all other nodes that live; the texts of those that we do not know. */                \
    XX(NOTICE_HEAR, "IIi",                                                                                 \
       "SELECT x.id, w.version, CASE WHEN c.version IS DISTINCT FROM w.version THEN w.text END "           \
       "FROM node x JOIN notice w ON w.node = x.id LEFT JOIN LATERAL (SELECT max(c.version) AS version "   \
       "FROM unnest($1, $2) AS c(node, version) WHERE c.node = x.id) AS c ON true "                        \
       "WHERE x.id <> $3 AND NOT x.dead ORDER BY x.id")
/* clang-format on */

#endif
