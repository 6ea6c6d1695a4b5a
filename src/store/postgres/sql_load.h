/* store/postgres/sql_load.h — part of sql.h: the writer's queries, retention, checks. */
#ifndef STORE_POSTGRES_SQL_LOAD_H
#define STORE_POSTGRES_SQL_LOAD_H

#define BULK_COLUMNS \
    "number, ns, action, state, created, ended, found, done, succeeded, skipped, refused FROM bulk "

#define UNMATCHED_COLUMNS "number, ns, received, reason, event, identity FROM unmatched "

/* Is another version of the same definition to be preferred? */
#define HAS_LATER(d)                                                                            \
    "EXISTS (SELECT 1 FROM definition later WHERE later.ns = " d ".ns AND later.id = " d ".id " \
    "AND (later.rank, later.version) > (" d ".rank, " d ".version))"

/* Removes rows and tells how many they were. */
#define COUNTED(removal) "WITH gone AS (" removal " RETURNING 1) SELECT count(*) FROM gone"

#define PURGE_COLUMNS "SELECT id, definition, phase, revision FROM instance "

/* Adds to the counts that are there. */
/* The first instances of each place, and of those the first of all. */
#define IDS_OF_PLACE                                                                         \
    "CROSS JOIN LATERAL (SELECT i.id FROM instance i WHERE i.definition = place.definition " \
    "AND i.phase = place.slot AND i.id > $1 ORDER BY i.id LIMIT $2) AS p "
#define FIRST_WITH_JOBS IDS_OF_PLACE "ORDER BY p.id LIMIT $2"
#define FIRST_WITH_JOBS_OF IDS_OF_PLACE "WHERE d.ns = $3 ORDER BY p.id LIMIT $2"

#define ADDED "ON CONFLICT (definition, slot, node) DO UPDATE SET count = tally.count + excluded.count"

/* The first definitions of a namespace, as many as may go. */
#define REMOVED_VERSIONS "(SELECT number FROM definition WHERE ns = $1 ORDER BY id, version LIMIT $2)"

/* A node that removes old rows leaves those alone that another one is removing, or changing. */
#define FREE_ROWS " FOR UPDATE SKIP LOCKED"

/* The definitions that pending starts name, one look-up for each. */
#define WAITING_DEFINITIONS                                                                               \
    "WITH RECURSIVE waiting(ns, id) AS ((SELECT ns, target FROM pending WHERE ns > 0 "                    \
    "ORDER BY ns, target LIMIT 1) UNION ALL SELECT next.ns, next.target FROM waiting CROSS JOIN LATERAL " \
    "(SELECT ns, target FROM pending WHERE (ns, target) > (waiting.ns, waiting.id) "                      \
    "ORDER BY ns, target LIMIT 1) AS next) "

/* The priority of such a definition, which is that of its latest version. */
#define LATEST_PRIORITY                                                                   \
    "(SELECT d.priority FROM definition d WHERE d.ns = waiting.ns AND d.id = waiting.id " \
    "ORDER BY d.rank DESC, d.version DESC LIMIT 1) AS latest "

/* clang-format off */
#define POSTGRES_LOAD_MAP(XX)                                                                              \
    /* rows.c */                                                                                           \
    XX(INSTANCE, "i", "SELECT " INSTANCE_COLUMNS "WHERE i.id = $1")                                        \
    XX(DEFINITION, "i", "SELECT " DEFINITION_COLUMNS ", source FROM definition WHERE number = $1")         \
    XX(DEFINITION_VERSION, "ibi", "SELECT " DEFINITION_COLUMNS ", source FROM definition "                 \
                                  "WHERE ns = $1 AND id = $2 AND version = $3")                            \
    XX(DEFINITION_LATEST, "ib", "SELECT " DEFINITION_COLUMNS ", source FROM definition "                   \
                                "WHERE ns = $1 AND id = $2 ORDER BY rank DESC, version DESC LIMIT 1")      \
    XX(DEFINITION_PREVIOUS, "ib", "SELECT " DEFINITION_COLUMNS ", source FROM definition "                 \
                                  "WHERE ns = $1 AND id = $2 "                                             \
                                  "ORDER BY rank DESC, version DESC LIMIT 1 OFFSET 1")                     \
    XX(DEFINITION_NEWEST, "ib", "SELECT " DEFINITION_COLUMNS ", source FROM definition "                   \
                                "WHERE ns = $1 AND id = $2 ORDER BY version DESC LIMIT 1")                 \
    XX(DEFINITION_CONTENT, "ibi", "SELECT " DEFINITION_COLUMNS ", source FROM definition "                 \
                                  "WHERE ns = $1 AND id = $2 AND content = $3 ORDER BY version DESC LIMIT 1") \
                                                                                                           \
    /* load.c */                                                                                           \
    /* A number of the sequence, and the first one that lies behind all that are known. */                 \
    XX(NEXT_BLOCKS, "i", "SELECT nextval('instance_block'), "                                              \
                         "(greatest((SELECT value FROM meta WHERE name = 'instance_high'), "               \
                         "(SELECT max(id) FROM instance)) + 15) / 16 FROM (SELECT "                        \
                         "pg_advisory_xact_lock_shared(7093462913581)) AS ours, generate_series(1, $1)")   \
    /* Only one node at a time sets a sequence forward, and none takes a number of it meanwhile. */        \
    XX(SKIP_BLOCKS, "i", "SELECT setval('instance_block', "                                                \
                         "greatest((SELECT last_value FROM instance_block), $1) + 1) "                     \
                         "FROM (SELECT pg_advisory_xact_lock(7093462913581)) AS mine")                     \
    XX(NEXT_DEFINITION, "", "SELECT nextval('definition_number'), "                                        \
                            "coalesce((SELECT max(number) FROM definition), 0) + 1 "                       \
                            "FROM (SELECT pg_advisory_xact_lock_shared(7093462913582)) AS ours")           \
    XX(SKIP_DEFINITIONS, "i", "SELECT setval('definition_number', "                                        \
                              "greatest((SELECT last_value FROM definition_number), $1) + 1) "             \
                              "FROM (SELECT pg_advisory_xact_lock(7093462913582)) AS mine")                \
    XX(ENDED, "ibii", "SELECT i.id, i.phase FROM definition d CROSS JOIN LATERAL "                         \
                      "(SELECT id, phase FROM instance WHERE definition = d.number "                       \
                      "AND phase BETWEEN $3 AND 9 LIMIT $4) AS i WHERE d.ns = $1 AND d.id = $2 LIMIT $4")  \
    XX(COUNT_LIVING, "ibi", "SELECT coalesce(sum(t.count), 0)::int8 FROM definition d CROSS JOIN LATERAL " \
                            "(SELECT sum(count) AS count FROM tally WHERE definition = d.number "          \
                            "AND slot >= 0 AND slot < $3) AS t WHERE d.ns = $1 AND d.id = $2")             \
    XX(BUSINESS_KEY, "ibib", "SELECT i.id FROM instance i WHERE i.ns = $1 AND i.key = $2 AND i.phase < $3 " \
                             "AND EXISTS (SELECT 1 FROM definition d WHERE d.number = i.definition "       \
                             "AND d.ns = $1 AND d.id = $4) LIMIT 1")                                       \
    XX(IDEMPOTENCY, "ib", "SELECT ns, key, request, created, http_status, answer FROM idempotency "        \
                          "WHERE ns = $1 AND key = $2")                                                    \
    XX(UNMATCHED, "i", "SELECT " UNMATCHED_COLUMNS "WHERE number = $1")                                    \
    XX(UNMATCHED_OF, "ib", "SELECT " UNMATCHED_COLUMNS "WHERE ns = $1 AND identity = $2 "                  \
                           "ORDER BY ns DESC, identity DESC, number DESC LIMIT 1")                         \
    XX(TIMERS, "iiiii", "SELECT due, instance, number, COALESCE((SELECT d.priority FROM instance i "       \
                        "JOIN definition d ON d.number = i.definition WHERE i.id = timer.instance), 5), "  \
                        "COALESCE((SELECT i.ns FROM instance i WHERE i.id = timer.instance), 0) FROM timer " \
                        "WHERE (due, instance, number) > ($1, $2, $3) AND due <= $4 "                      \
                        "ORDER BY due, instance, number LIMIT $5")                                         \
    /* Each place gives its first ones, of which the first ones of all are taken. */                       \
    XX(IDS_WITH_JOBS, "ii", "SELECT p.id FROM (SELECT definition, slot FROM tally "                        \
                            "WHERE slot >= 0 AND slot & 1 = 1 GROUP BY definition, slot "                  \
                            "HAVING sum(count) > 0) AS place " FIRST_WITH_JOBS)                            \
    XX(IDS_WITH_JOBS_OF, "iii", "SELECT p.id FROM definition d CROSS JOIN LATERAL "                        \
                                "(SELECT d.number AS definition, slot FROM tally "                         \
                                "WHERE definition = d.number AND slot >= 0 AND slot & 1 = 1 "              \
                                "GROUP BY slot HAVING sum(count) > 0) AS place " FIRST_WITH_JOBS_OF)       \
    XX(PENDING_OF, "iiiiib", "SELECT parent, number, ns, target, key, created, data FROM pending "         \
                             "WHERE ns = $1 AND target = $6 "                                              \
                             "AND (created, parent, number) > ($2, $3, $4) "                               \
                             "ORDER BY created, parent, number LIMIT $5")                                  \
    /* One look-up for each definition that starts wait for, and no more rows of each than are asked for. */\
    XX(PENDING_READY, "iiiiii",                                                                          \
       WAITING_DEFINITIONS                                                                               \
       "SELECT p.* FROM waiting CROSS JOIN LATERAL " LATEST_PRIORITY                             \
       "CROSS JOIN LATERAL (SELECT parent, number, ns, target, key, created, data FROM pending "         \
       "WHERE ns = waiting.ns AND target = waiting.id AND (created, parent, number) > ($2, $3, $4) "     \
       "ORDER BY created, parent, number LIMIT $5) AS p WHERE latest.priority = $6 "                     \
       "ORDER BY p.created, p.parent, p.number LIMIT $5")                                                \
    /* The comparison of rows keeps the planner off subscription_instance. */                              \
    XX(SUBSCRIBERS, "ibii", "SELECT instance FROM subscription WHERE definition = $1 "                     \
                            "AND correlation <= $2 AND (correlation, instance) > ($2, $3) "                \
                            "ORDER BY correlation, instance LIMIT $4")                                     \
    /* OFFSET 0: the rows are looked up one by one, and no table is read as a whole. */                    \
    XX(TRIGGERED, "ibbii", "SELECT v.definition, v.latest FROM (SELECT t.definition, "                     \
                           "NOT EXISTS (SELECT 1 FROM definition d WHERE d.number = t.definition "         \
                           "AND " HAS_LATER("d") " OFFSET 0) AS latest FROM event_trigger t "              \
                           "WHERE t.ns = $1 AND t.source = $2 AND t.type = $3 AND t.definition > $4) AS v " \
                           "WHERE v.latest OR EXISTS (SELECT 1 FROM subscription s "                       \
                           "WHERE s.definition = v.definition OFFSET 0) ORDER BY v.definition LIMIT $5")   \
    XX(SUBSCRIPTIONS, "ibii", "SELECT definition, correlation, instance FROM subscription "                \
                              "WHERE (definition, correlation, instance) > ($1, $2, $3) "                  \
                              "ORDER BY definition, correlation, instance LIMIT $4")                       \
    XX(CHILD, "ii", "SELECT parent, number, instance, awaited FROM child "                                 \
                    "WHERE parent = $1 AND number = $2")                                                   \
    XX(CHILDREN, "iii", "SELECT parent, number, instance, awaited FROM child "                             \
                        "WHERE (parent, number) > ($1, $2) ORDER BY parent, number LIMIT $3")              \
                                                                                                           \
    /* records.c */                                                                                        \
    XX(RECORD, "iib", "SELECT key, at, value FROM record WHERE ns = $1 AND kind = $2 AND key = $3")        \
    XX(RECORDS, "iibii", "SELECT key, at, value FROM record WHERE ns = $1 AND kind = $2 AND key >= $3 "    \
                         "ORDER BY key LIMIT $4 OFFSET $5")                                                \
    XX(RECORDS_UPTO, "iibiib", "SELECT key, at, value FROM record WHERE ns = $1 AND kind = $2 "            \
                               "AND key >= $3 AND key < $6 ORDER BY key LIMIT $4 OFFSET $5")               \
    XX(RECORDS_DOWN, "iibiib", "SELECT key, at, value FROM record WHERE ns = $1 AND kind = $2 "            \
                               "AND key >= $3 AND key < $6 ORDER BY key DESC LIMIT $4 OFFSET $5")          \
    XX(RECORDS_PURGE, "iii",                                                                               \
       COUNTED("DELETE FROM record r USING (SELECT ns, kind, key FROM record WHERE kind = $1 AND at > 0 "  \
               "AND at < $2 ORDER BY at LIMIT $3" FREE_ROWS ") AS old "                                    \
               "WHERE r.ns = old.ns AND r.kind = old.kind AND r.key = old.key"))                           \
                                                                                                           \
    /* bulk.c */                                                                                           \
    XX(BULK_INSERT, "iiiiiiiiii",                                                                          \
       "INSERT INTO bulk(ns, action, state, created, ended, found, done, succeeded, skipped, refused) "    \
       "VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING number")                                 \
    XX(BULK_UPDATE, "iiiiiii", "UPDATE bulk SET state = $2, ended = $3, done = $4, succeeded = $5, "       \
                               "skipped = $6, refused = $7 WHERE number = $1 RETURNING number")            \
    XX(BULK_RUNNING, "iii", "SELECT " BULK_COLUMNS "WHERE ended IS NULL AND number > $1 AND state = $2 "   \
                            "AND ($3 = 0 OR ns = $3) ORDER BY number LIMIT 1")                             \
    XX(BULK, "i", "SELECT " BULK_COLUMNS "WHERE number = $1")                                              \
    XX(BULK_PART, "iii", "SELECT blob FROM bulk_part WHERE bulk = $1 AND kind = $2 AND number = $3")       \
    /* The one that ended first, and how many have ended, counted up to a limit. */                        \
    XX(BULK_OLDEST, "i", "SELECT number, ended, (SELECT count(*) FROM (SELECT 1 FROM bulk "                \
                         "WHERE ended IS NOT NULL LIMIT $1) AS counted) FROM bulk "                        \
                         "WHERE ended IS NOT NULL ORDER BY ended LIMIT 1")                                 \
    XX(BULK_PARTS_DELETE, "ii",                                                                            \
       COUNTED("DELETE FROM bulk_part p USING (SELECT kind, number FROM bulk_part WHERE bulk = $1 "        \
               "ORDER BY kind, number LIMIT $2) AS old "                                                   \
               "WHERE p.bulk = $1 AND p.kind = old.kind AND p.number = old.number"))                       \
    XX(BULK_DELETE, "i", "DELETE FROM bulk WHERE number = $1")                                             \
                                                                                                           \
    /* purge.c */                                                                                          \
    XX(PURGE_FIND, "ii", PURGE_COLUMNS "WHERE ended < $1 AND ended IS NOT NULL AND phase NOT IN (6, 7) "   \
                                       "ORDER BY ended LIMIT $2" FREE_ROWS)                                \
    XX(PURGE_FIND_FAILED, "ii", PURGE_COLUMNS "WHERE ended < $1 AND ended IS NOT NULL "                    \
                                              "AND phase IN (6, 7) ORDER BY ended LIMIT $2" FREE_ROWS)     \
    /* All nodes lock in the order of ids. */                                                              \
    XX(PURGE_NAMED, "I",                                                                                   \
       "SELECT * FROM (" PURGE_COLUMNS "WHERE id = ANY($1) ORDER BY id FOR UPDATE) AS locked "             \
       "ORDER BY array_position($1, id)")                                                                  \
    XX(PURGE_INSTANCES, "I", "DELETE FROM instance WHERE id = ANY($1)")                                    \
    XX(PURGE_HISTORY, "I", "DELETE FROM history WHERE instance = ANY($1)")                                 \
    XX(PURGE_SUBSCRIPTIONS, "I", "DELETE FROM subscription WHERE instance = ANY($1)")                      \
    XX(PURGE_WORKLIST, "I", "DELETE FROM worklist WHERE instance = ANY($1)")                               \
    XX(PURGE_CHILDREN, "I", "DELETE FROM child WHERE parent = ANY($1)")                                    \
    XX(PURGE_JOBS, "I", "DELETE FROM job WHERE instance = ANY($1)")                                        \
    XX(PURGE_TASKS, "Ii", "WITH gone AS (DELETE FROM task WHERE instance = ANY($1) RETURNING definition) " \
                          "INSERT INTO tally(definition, slot, node, count) "                              \
                          "SELECT definition, -1, $2, -count(*) FROM gone GROUP BY definition " ADDED)     \
    XX(PURGE_TIMERS, "Ii", "WITH gone AS (DELETE FROM timer WHERE instance = ANY($1) RETURNING 1) "        \
                           "INSERT INTO tally(definition, slot, node, count) "                             \
                           "SELECT 0, -2, $2, -count(*) FROM gone HAVING count(*) > 0 " ADDED)             \
    /* Ids of blocks never come back. Only one from elsewhere must be kept in mind. */                     \
    XX(PURGE_HIGH, "i", "UPDATE meta SET value = $1 WHERE name = 'instance_high' AND value < $1 "          \
                        "AND $1 > (SELECT last_value FROM instance_block) * 16")                           \
    XX(PURGE_UNMATCHED, "ii",                                                                              \
       COUNTED("DELETE FROM unmatched u USING (SELECT number FROM unmatched WHERE received < $1 "          \
               "ORDER BY received LIMIT $2" FREE_ROWS ") AS old WHERE u.number = old.number"))             \
    XX(PURGE_IDEMPOTENCY, "ii",                                                                            \
       COUNTED("DELETE FROM idempotency k USING (SELECT ns, key FROM idempotency WHERE created < $1 "      \
               "ORDER BY created LIMIT $2" FREE_ROWS ") AS old WHERE k.ns = old.ns AND k.key = old.key"))  \
                                                                                                           \
    /* removal.c: some rows of a namespace */                                                              \
    XX(REMOVAL_BULK_PARTS, "ii",                                                                           \
       COUNTED("DELETE FROM bulk_part p USING (SELECT p.bulk, p.kind, p.number FROM bulk b "               \
               "JOIN bulk_part p ON p.bulk = b.number WHERE b.ns = $1 LIMIT $2) AS old "                   \
               "WHERE p.bulk = old.bulk AND p.kind = old.kind AND p.number = old.number"))                 \
    XX(REMOVAL_BULKS, "ii", COUNTED("DELETE FROM bulk b USING (SELECT number FROM bulk WHERE ns = $1 "     \
                                    "LIMIT $2) AS old WHERE b.number = old.number"))                       \
    XX(REMOVAL_TRIGGERS, "ii",                                                                             \
       COUNTED("DELETE FROM event_trigger t USING (SELECT ns, source, type, definition FROM event_trigger " \
               "WHERE ns = $1 LIMIT $2) AS old WHERE t.ns = old.ns AND t.source = old.source "             \
               "AND t.type = old.type AND t.definition = old.definition"))                                 \
    XX(REMOVAL_PENDING, "ii",                                                                              \
       COUNTED("DELETE FROM pending p USING (SELECT parent, number FROM pending WHERE ns = $1 LIMIT $2) "  \
               "AS old WHERE p.parent = old.parent AND p.number = old.number"))                            \
    XX(REMOVAL_INSTANCES, "ii",                                                                            \
       "SELECT i.id, i.phase FROM " REMOVED_VERSIONS " AS d CROSS JOIN LATERAL "                           \
       "(SELECT id, phase FROM instance WHERE definition = d.number AND phase BETWEEN 0 AND 9 LIMIT $2) "  \
       "AS i LIMIT $2")                                                                                    \
    XX(REMOVAL_DEFINITIONS, "ii",                                                                          \
       "WITH gone AS (DELETE FROM definition d USING " REMOVED_VERSIONS " AS old "                         \
       "WHERE d.number = old.number RETURNING d.number), "                                                 \
       "counts AS (DELETE FROM tally t USING gone WHERE t.definition = gone.number) "                      \
       "SELECT count(*) FROM gone")                                                                        \
    XX(REMOVAL_UNMATCHED, "ii",                                                                            \
       COUNTED("DELETE FROM unmatched u USING (SELECT number FROM unmatched WHERE ns = $1 LIMIT $2) "      \
               "AS old WHERE u.number = old.number"))                                                      \
    XX(REMOVAL_IDEMPOTENCY, "ii",                                                                          \
       COUNTED("DELETE FROM idempotency k USING (SELECT ns, key FROM idempotency WHERE ns = $1 LIMIT $2) " \
               "AS old WHERE k.ns = old.ns AND k.key = old.key"))                                          \
    XX(REMOVAL_RECORDS, "ii",                                                                              \
       COUNTED("DELETE FROM record r USING (SELECT ns, kind, key FROM record WHERE ns = $1 LIMIT $2) "     \
               "AS old WHERE r.ns = old.ns AND r.kind = old.kind AND r.key = old.key"))                    \
                                                                                                           \
    /* check.c: each one a page behind a place of two numbers, of which the second may not matter. */      \
    XX(CHECK_INSTANCES, "iii",                                                                             \
       "SELECT i.id, 0::int8, i.definition, i.phase, i.revision, h.rows, h.first, h.last, "                \
       "d.number IS NOT NULL FROM (SELECT id, definition, phase, revision FROM instance WHERE id > $1 "    \
       "ORDER BY id LIMIT $3) AS i LEFT JOIN definition d ON d.number = i.definition "                     \
       "CROSS JOIN LATERAL (SELECT count(*) AS rows, coalesce(min(revision), 1) AS first, "                \
       "coalesce(max(revision), 0) AS last FROM history WHERE instance = i.id) AS h ORDER BY i.id")        \
    XX(CHECK_TASKS, "iii", "SELECT instance, execution, definition FROM task "                             \
                           "WHERE (instance, execution) > ($1, $2) ORDER BY instance, execution LIMIT $3") \
    XX(CHECK_TIMERS, "iii", "SELECT due, instance, count(*) FROM timer WHERE (due, instance) > ($1, $2) "   \
                            "GROUP BY due, instance ORDER BY due, instance LIMIT $3")                      \
    XX(CHECK_TALLY, "iii", "SELECT definition, slot, sum(count)::int8 FROM tally "                         \
                           "WHERE (definition, slot) > ($1, $2) GROUP BY definition, slot "                \
                           "ORDER BY definition, slot LIMIT $3")                                           \
    /* The following return places and whether what stands there is in order. */                           \
    XX(CHECK_HISTORY, "iii", "SELECT h.instance, 0::int8, EXISTS (SELECT 1 FROM instance i "               \
                             "WHERE i.id = h.instance OFFSET 0) FROM (SELECT DISTINCT instance FROM "      \
                             "(SELECT instance FROM history WHERE instance > $1 "                          \
                             "ORDER BY instance LIMIT $3) AS page) AS h ORDER BY h.instance")              \
    XX(CHECK_WORKLIST, "iii", "SELECT w.instance, w.execution, EXISTS (SELECT 1 FROM task t "              \
                              "WHERE t.instance = w.instance AND t.execution = w.execution OFFSET 0) "     \
                              "FROM worklist w WHERE (w.instance, w.execution) > ($1, $2) "                \
                              "ORDER BY w.instance, w.execution LIMIT $3")                                 \
    XX(CHECK_FAILURES, "iii", "SELECT f.definition, f.instance, EXISTS (SELECT 1 FROM instance i "         \
                              "WHERE i.id = f.instance OFFSET 0) FROM failure f "                          \
                              "WHERE (f.definition, f.instance) > ($1, $2) "                               \
                              "ORDER BY f.definition, f.instance LIMIT $3")                                \
    XX(CHECK_BULK_PARTS, "iii", "SELECT p.bulk, 0::int8, EXISTS (SELECT 1 FROM bulk b "                    \
                                "WHERE b.number = p.bulk OFFSET 0) FROM (SELECT DISTINCT bulk FROM "       \
                                "(SELECT bulk FROM bulk_part WHERE bulk > $1 ORDER BY bulk LIMIT $3) "     \
                                "AS page) AS p ORDER BY p.bulk")                                           \
    /* There are about as many triggers as definitions, so that all of them may be sorted. */              \
    XX(CHECK_TRIGGERS, "iii", "SELECT t.definition, 0::int8, EXISTS (SELECT 1 FROM definition d "          \
                              "WHERE d.number = t.definition OFFSET 0) FROM (SELECT DISTINCT definition "  \
                              "FROM event_trigger WHERE definition > $1 ORDER BY definition LIMIT $3) "    \
                              "AS t ORDER BY t.definition")
/* clang-format on */

#endif
