/* store/sqlite/sql.h — every statement that is prepared once and kept.
 *
 * Parameters are numbered in the order in which the functions bind them. Names with bytes of the callers' own
 * choosing (ids, keys, labels) are BLOBs: such bytes may hold NUL, and SQLite gives no promise for text that
 * does.
 */
#ifndef STORE_SQLITE_SQL_H
#define STORE_SQLITE_SQL_H

#define INSTANCE_COLUMNS                                                                      \
    "i.id, i.ns, i.definition, i.phase, i.created, i.ended, i.key, i.last_history, i.state, " \
    "d.id, d.version, d.priority FROM instance i LEFT JOIN definition d ON d.number = i.definition "

#define PURGE_COLUMNS "SELECT id, definition, phase, last_history, revision FROM instance "

#define DEFINITION_COLUMNS                                                                \
    "number, ns, id, version, dialect, title, content, created, rank, priority, author, " \
    "revision, restores, retired"

#define UNMATCHED_COLUMNS "id, ns, received, reason, event, identity FROM unmatched "

#define TASK_NAMES                                                                       \
    "t.instance, t.execution, t.ns, t.definition, t.created, t.node, t.title, t.label, " \
    "d.id, d.version, i.created, i.key, t.details "
#define TASK_JOINS                                       \
    "LEFT JOIN definition d ON d.number = t.definition " \
    "LEFT JOIN instance i ON i.id = t.instance "
#define TASK_COLUMNS TASK_NAMES "FROM task t " TASK_JOINS

/* The columns of an instance with its state left out, and what makes it a child. */
#define CHILD_COLUMNS                                                                                     \
    "i.id, i.ns, i.definition, i.phase, i.created, i.ended, i.key, i.last_history, NULL, "                \
    "d.id, d.version, d.priority, c.number, c.awaited FROM child c JOIN instance i ON i.id = c.instance " \
    "LEFT JOIN definition d ON d.number = i.definition "

#define BULK_COLUMNS \
    "id, ns, action, state, created, ended, found, done, succeeded, skipped, refused FROM bulk "

/* Counts with the definitions they belong to, which are found first: the cost does not depend on how many
 * other tenants have. */
#define TALLY "definition d CROSS JOIN tally t ON t.definition = d.number "

/* The same of one definition, whose versions are found first: the cost does not depend on how many others
 * there are. */
#define TALLY_OF(id) \
    "definition d CROSS JOIN tally t ON t.definition = d.number WHERE d.ns = ?1 AND d.id = " id " "

/* The conditions of a find_filter on definitions, besides the id. */
#define FIND_DEFINITIONS                                                 \
    "AND (?4 = 0 OR d.version = ?4) AND (?5 IS NULL OR d.dialect = ?5) " \
    "AND (?6 IS NULL OR d.dialect <> ?6) "

/* Is another version of the same definition to be preferred? */
#define HAS_LATER(d)                                                                            \
    "EXISTS (SELECT 1 FROM definition later WHERE later.ns = " d ".ns AND later.id = " d ".id " \
    "AND (later.rank, later.version) > (" d ".rank, " d ".version))"

/* The numbers of all versions of one definition. */
#define VERSIONS(ns, id) "(SELECT number FROM definition WHERE ns = " ns " AND id = " id ")"

/* The first definitions of a namespace, as many as may go. */
#define REMOVED_VERSIONS "(SELECT number FROM definition WHERE ns = ?1 ORDER BY id, version LIMIT ?2)"

/* clang-format off */
#define SQL_MAP(XX)                                                                                        \
    XX(BEGIN_WRITE, "BEGIN IMMEDIATE")                                                                     \
    XX(PAGE_COUNT, "PRAGMA page_count")                                                                    \
    XX(BEGIN_READ, "BEGIN")                                                                                \
    XX(COMMIT, "COMMIT")                                                                                   \
    XX(ROLLBACK, "ROLLBACK")                                                                               \
                                                                                                           \
    /* sqlite/write.c */                                                                                   \
    XX(INSTANCE_HEAD, "SELECT ns, definition, phase, created, ended, key, revision, last_history "         \
                      "FROM instance WHERE id = ?1")                                                       \
    XX(INSTANCE_INSERT, "INSERT INTO instance(id, ns, definition, phase, created, ended, key, "            \
                        "revision, last_history, state) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)")           \
    /* Touches no index: most commands leave all that is indexed as it is. */                              \
    XX(INSTANCE_STATE, "UPDATE instance SET revision = ?2, last_history = ?3, state = ?4 WHERE id = ?1")   \
    XX(INSTANCE_UPDATE, "UPDATE instance SET ns = ?2, definition = ?3, phase = ?4, created = ?5, "         \
                        "ended = ?6, key = ?7, revision = ?8, last_history = ?9, state = ?10 WHERE id = ?1") \
    XX(HISTORY_INSERT, "INSERT INTO history(id, instance, prev, revision, at, blob) "                      \
                       "VALUES(?1,?2,?3,?4,?5,?6)")                                                        \
    XX(TALLY_ADD, "INSERT INTO tally(definition, slot, count) VALUES(?1,?2,?3) "                           \
                  "ON CONFLICT DO UPDATE SET count = count + excluded.count")                              \
    XX(TIMER_INSERT, "INSERT INTO timer(due, instance, number) VALUES(?1,?2,?3)")                          \
    XX(TIMER_DELETE, "DELETE FROM timer WHERE due = ?1 AND instance = ?2 AND number = ?3")                 \
    XX(TASK_INSERT, "INSERT INTO task(instance, execution, ns, definition, created, node, title, label, details) " \
                    "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)")                                                  \
    XX(WORKLIST_INSERT, "INSERT OR IGNORE INTO worklist(ns, list, who, due, instance, execution) "              \
                     "VALUES(?1,?2,?3,?4,?5,?6)")                                                          \
    XX(WORKLIST_DELETE, "DELETE FROM worklist WHERE instance = ?1 AND execution = ?2")                          \
    XX(TASK_DELETE, "DELETE FROM task WHERE instance = ?1 AND execution = ?2 "                          \
                    "RETURNING definition, details IS NOT NULL")        \
    XX(PENDING_INSERT, "INSERT INTO pending(parent, number, ns, target, key, created, data) "              \
                       "VALUES(?1,?2,?3,?4,?5,?6,?7)")                                                     \
    XX(PENDING_DELETE, "DELETE FROM pending WHERE parent = ?1 AND number = ?2")                            \
    XX(IDEMPOTENCY_INSERT, "INSERT OR REPLACE INTO idempotency(ns, key, request, created, "                \
                           "http_status, answer) VALUES(?1,?2,?3,?4,?5,?6)")                               \
    XX(DEFINITION_INSERT, "INSERT INTO definition(" DEFINITION_COLUMNS ", source) "                        \
                          "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)")                    \
    XX(DEFINITION_RETIRE, "UPDATE definition SET retired = ?2 WHERE number = ?1")                          \
    XX(DEFINITION_TRIGGERS_DELETE, "DELETE FROM event_trigger WHERE ns = ?1 AND definition IN " VERSIONS("?1", "?2")) \
    XX(DEFINITION_PENDING_DELETE, "DELETE FROM pending WHERE ns = ?1 AND target = ?2")                     \
    XX(DEFINITION_TALLY_DELETE, "DELETE FROM tally WHERE definition IN " VERSIONS("?1", "?2"))             \
    XX(DEFINITION_DELETE, "DELETE FROM definition WHERE ns = ?1 AND id = ?2")                              \
    XX(TRIGGER_INSERT, "INSERT INTO event_trigger(ns, source, type, definition) VALUES(?1,?2,?3,?4)")      \
    XX(SUBSCRIPTION_INSERT, "INSERT INTO subscription(definition, correlation, instance) VALUES(?1,?2,?3)")      \
    XX(SUBSCRIPTION_DELETE, "DELETE FROM subscription WHERE definition = ?1 AND correlation = ?2 "               \
                            "AND instance = ?3")                                                           \
    XX(CHILD_INSERT, "INSERT INTO child(parent, number, instance, awaited) VALUES(?1,?2,?3,?4)")           \
    XX(UNMATCHED_INSERT, "INSERT INTO unmatched(ns, received, reason, event, identity) VALUES(?1,?2,?3,?4,?5)")               \
    XX(UNMATCHED_DELETE, "DELETE FROM unmatched WHERE id = ?1")                                                  \
                                                                                                           \
    /* sqlite/records.c */                                                                                 \
    XX(RECORD_PUT, "INSERT OR REPLACE INTO record(ns, kind, key, at, value) VALUES(?1,?2,?3,?4,?5)")       \
    XX(RECORD_DELETE, "DELETE FROM record WHERE ns = ?1 AND kind = ?2 AND key = ?3")                       \
    XX(RECORD, "SELECT key, at, value FROM record WHERE ns = ?1 AND kind = ?2 AND key = ?3")               \
    XX(RECORDS, "SELECT key, at, value FROM record WHERE ns = ?1 AND kind = ?2 AND key >= ?3 "             \
                "ORDER BY key LIMIT ?4 OFFSET ?5")                                                         \
    XX(RECORDS_DOWN, "SELECT key, at, value FROM record WHERE ns = ?1 AND kind = ?2 AND key < ?3 "         \
                     "ORDER BY key DESC LIMIT ?4 OFFSET ?5")                                               \
    XX(RECORDS_PURGE, "DELETE FROM record WHERE (ns, kind, key) IN (SELECT ns, kind, key FROM record "     \
                      "WHERE kind = ?1 AND at > 0 AND at < ?2 ORDER BY at LIMIT ?3)")                      \
                                                                                                           \
    /* sqlite/blocks.c: rows of the history that no instance has */                                        \
    XX(BLOCK, "SELECT prev, revision, blob FROM history WHERE id = ?1 AND instance = 0")                   \
    XX(BLOCKS_TAIL, "SELECT id, prev, revision, blob FROM history WHERE id > "                             \
                    "(SELECT value FROM meta WHERE name = 'blocks') AND instance = 0 "                     \
                    "AND (?1 = 0 OR prev = ?1) ORDER BY id")                                               \
    XX(BLOCKS_MARK, "UPDATE meta SET value = ?1 WHERE name = 'blocks'")                                    \
    XX(BLOCKS_NEWEST, "SELECT key, at, value FROM record WHERE ns = ?1 AND kind = ?2 "                     \
                      "ORDER BY key DESC LIMIT 1")                                                         \
    XX(BLOCK_INSERT, "INSERT INTO history(id, instance, prev, revision, at, blob) "                        \
                     "VALUES(?1,0,?2,?3,0,?4)")                                                            \
    XX(BLOCK_REPLACE, "UPDATE history SET instance = 0, prev = ?2, revision = ?3, at = 0, blob = ?4 "      \
                      "WHERE id = ?1 AND instance = 0")                                                    \
    XX(BLOCK_DELETE, "DELETE FROM history WHERE id = ?1 AND instance = 0")                                 \
                                                                                                           \
    /* sqlite/bulk.c */                                                                                    \
    XX(FAILURE_PUT, "INSERT OR REPLACE INTO failure(definition, instance, ns, created, failed, key, "      \
                    "step, reason) VALUES(?1,?2,?3,?4,?5,?6,?7,?8)")                                       \
    XX(FAILURE_DELETE, "DELETE FROM failure WHERE definition = ?1 AND instance = ?2")                      \
    XX(FAILURES, "SELECT f.definition, f.instance, f.ns, f.created, f.failed, f.key, f.step, f.reason, "   \
                 "d.id, d.version FROM failure f LEFT JOIN definition d ON d.number = f.definition "       \
                 "WHERE f.definition = ?1 AND f.instance > ?2 AND f.instance <= ?3 "                       \
                 "ORDER BY f.instance LIMIT ?4")                                                           \
    XX(FAILURES_DOWN, "SELECT f.definition, f.instance, f.ns, f.created, f.failed, f.key, f.step, "        \
                      "f.reason, d.id, d.version FROM failure f LEFT JOIN definition d "                   \
                      "ON d.number = f.definition WHERE f.definition = ?1 AND f.instance > ?2 "            \
                      "AND f.instance <= ?3 ORDER BY f.instance DESC LIMIT ?4")                            \
    XX(SELECTION_PLACES, "SELECT t.definition, t.slot FROM " TALLY                                         \
                         "WHERE d.ns = ?1 AND t.slot >= 0 AND t.count > 0 AND (?2 >> (t.slot >> 1)) & 1 "  \
                         "AND (?4 = 0 OR d.version = ?4)")                                                 \
    XX(SELECTION_PLACES_OF, "SELECT t.definition, t.slot FROM " TALLY_OF("?3")                             \
                            "AND t.slot >= 0 AND t.count > 0 AND (?2 >> (t.slot >> 1)) & 1 "               \
                            "AND (?4 = 0 OR d.version = ?4)")                                              \
    XX(INSTANCE_PLAIN, "SELECT i.id, i.ns, i.definition, i.phase, i.created, i.ended, i.key, "             \
                       "i.last_history, NULL, d.id, d.version, d.priority FROM instance i "                \
                       "LEFT JOIN definition d ON d.number = i.definition WHERE i.id = ?1")                \
    XX(BULK_INSERT, "INSERT INTO bulk(ns, action, state, created, ended, found, done, succeeded, "         \
                    "skipped, refused) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)")                            \
    XX(BULK_UPDATE, "UPDATE bulk SET state = ?2, ended = ?3, done = ?4, succeeded = ?5, skipped = ?6, "    \
                    "refused = ?7 WHERE id = ?1")                                                          \
    XX(BULK_PART_INSERT, "INSERT INTO bulk_part(bulk, kind, number, blob) VALUES(?1,?2,?3,?4)")            \
    XX(BULK_RUNNING, "SELECT " BULK_COLUMNS "WHERE ended IS NULL AND id > ?1 AND state = ?2 "              \
                     "AND (?3 = 0 OR ns = ?3) ORDER BY id LIMIT 1")                                        \
    XX(BULK, "SELECT " BULK_COLUMNS "WHERE id = ?1")                                                       \
    XX(BULKS, "SELECT " BULK_COLUMNS "WHERE ns = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3")                \
    XX(BULK_PART, "SELECT blob FROM bulk_part WHERE bulk = ?1 AND kind = ?2 AND number = ?3")              \
    XX(BULK_PARTS, "SELECT number, blob FROM bulk_part WHERE bulk = ?1 AND kind = ?2 AND number >= ?3 "    \
                   "ORDER BY number LIMIT ?4")                                                             \
    XX(BULK_OLDEST, "SELECT id, ended, (SELECT count(*) FROM bulk WHERE ended IS NOT NULL) FROM bulk "     \
                    "WHERE ended IS NOT NULL ORDER BY ended LIMIT 1")                                      \
    XX(BULK_PARTS_DELETE, "DELETE FROM bulk_part WHERE rowid IN "                                          \
                          "(SELECT rowid FROM bulk_part WHERE bulk = ?1 LIMIT ?2)")                        \
    XX(BULK_DELETE, "DELETE FROM bulk WHERE id = ?1")                                                      \
                                                                                                           \
    /* sqlite/load.c */                                                                                    \
    XX(NEXT_NUMBERS, "SELECT max((SELECT value FROM meta WHERE name = 'instance_high'), "                  \
                     "ifnull((SELECT max(id) FROM instance), 0)) + 1, "                                    \
                     "ifnull((SELECT max(number) FROM definition), 0) + 1")                                \
    XX(COUNT_LIVING, "SELECT total(t.count) FROM definition d JOIN tally t ON t.definition = d.number "    \
                     "WHERE d.ns = ?1 AND d.id = ?2 AND t.slot >= 0 AND t.slot < ?3")                       \
    XX(ENDED, "SELECT i.id, i.phase FROM definition d CROSS JOIN instance i INDEXED BY instance_place "    \
              "ON i.definition = d.number AND i.phase BETWEEN ?3 AND 9 WHERE d.ns = ?1 AND d.id = ?2 LIMIT ?4") \
    XX(BUSINESS_KEY, "SELECT id FROM instance INDEXED BY instance_key WHERE ns = ?1 AND key = ?2 "         \
                     "AND phase < ?3 AND definition IN " VERSIONS("?1", "?4") " LIMIT 1")                  \
    XX(IDEMPOTENCY, "SELECT ns, key, request, created, http_status, answer FROM idempotency "              \
                    "WHERE ns = ?1 AND key = ?2")                                                          \
    XX(UNMATCHED, "SELECT " UNMATCHED_COLUMNS "WHERE id = ?1")                                             \
    XX(UNMATCHED_OF, "SELECT " UNMATCHED_COLUMNS "WHERE ns = ?1 AND identity = ?2 ORDER BY id DESC LIMIT 1") \
    XX(TIMERS, "SELECT due, instance, number, COALESCE((SELECT d.priority FROM instance i "                \
               "JOIN definition d ON d.number = i.definition WHERE i.id = timer.instance), 5), "           \
               "COALESCE((SELECT i.ns FROM instance i WHERE i.id = timer.instance), 0) FROM timer "        \
               "WHERE (due, instance, number) > (?1, ?2, ?3) AND due <= ?4 "                               \
               "ORDER BY due, instance, number LIMIT ?5")                                                  \
    /* One look-up for each definition that starts wait for, and no more rows of each than are asked for. */\
    XX(PENDING_READY, "WITH RECURSIVE waiting(ns, id) AS (SELECT (SELECT ns FROM pending "               \
                      "ORDER BY ns, target LIMIT 1), (SELECT target FROM pending ORDER BY ns, target LIMIT 1) "\
                      "UNION ALL SELECT (SELECT ns FROM pending WHERE (ns, target) > (waiting.ns, waiting.id) "\
                      "ORDER BY ns, target LIMIT 1), (SELECT target FROM pending "                       \
                      "WHERE (ns, target) > (waiting.ns, waiting.id) ORDER BY ns, target LIMIT 1) FROM waiting "\
                      "WHERE waiting.id IS NOT NULL) SELECT p.parent, p.number, p.ns, p.target, p.key, " \
                      "p.created, p.data FROM waiting CROSS JOIN pending AS p WHERE (SELECT d.priority " \
                      "FROM definition AS d WHERE d.ns = waiting.ns AND d.id = waiting.id "              \
                      "ORDER BY d.rank DESC, d.version DESC LIMIT 1) = ?6 AND (p.parent, p.number) IN "  \
                      "(SELECT f.parent, f.number FROM pending AS f WHERE f.ns = waiting.ns "            \
                      "AND f.target = waiting.id AND (f.created, f.parent, f.number) > (?2, ?3, ?4) "    \
                      "ORDER BY f.created, f.parent, f.number LIMIT ?5) "                                \
                      "ORDER BY p.created, p.parent, p.number LIMIT ?5")                                 \
    XX(PENDING_OF, "SELECT parent, number, ns, target, key, created, data FROM pending "                   \
                   "WHERE ns = ?1 AND target = ?6 AND (created, parent, number) > (?2, ?3, ?4) "           \
                   "ORDER BY created, parent, number LIMIT ?5")                                            \
    XX(SUBSCRIBERS, "SELECT instance FROM subscription WHERE definition = ?1 AND correlation = ?2 "              \
                    "AND instance > ?3 ORDER BY instance LIMIT ?4")                                        \
    XX(TRIGGERED, "SELECT t.definition, NOT EXISTS (SELECT 1 FROM definition d "                           \
                  "WHERE d.number = t.definition AND " HAS_LATER("d") ") AS latest FROM event_trigger t "  \
                  "WHERE t.ns = ?1 AND t.source = ?2 AND t.type = ?3 AND t.definition > ?4 AND (latest "   \
                  "OR EXISTS (SELECT 1 FROM subscription s WHERE s.definition = t.definition)) "           \
                  "ORDER BY t.definition LIMIT ?5")                                                        \
    XX(SUBSCRIPTIONS, "SELECT definition, correlation, instance FROM subscription "                              \
                      "WHERE (definition, correlation, instance) > (?1, ?2, ?3) "                                \
                      "ORDER BY definition, correlation, instance LIMIT ?4")                                     \
    XX(DEFINITION_HEAD, "SELECT id, version, priority FROM definition WHERE number = ?1")                  \
    XX(CHILD, "SELECT parent, number, instance, awaited FROM child WHERE parent = ?1 AND number = ?2")     \
    XX(CHILDREN, "SELECT parent, number, instance, awaited FROM child "                                    \
                 "WHERE (parent, number) > (?1, ?2) ORDER BY parent, number LIMIT ?3")                     \
                                                                                                           \
    /* sqlite/rows.c */                                                                                    \
    XX(INSTANCE, "SELECT " INSTANCE_COLUMNS "WHERE i.id = ?1")                                             \
    XX(INSTANCE_ALONE, "SELECT id, ns, definition, phase, created, ended, key, last_history, state, "      \
                       "NULL, NULL, NULL FROM instance WHERE id = ?1")                                     \
    XX(DEFINITION, "SELECT " DEFINITION_COLUMNS ", source FROM definition WHERE number = ?1")              \
    XX(DEFINITION_VERSION, "SELECT " DEFINITION_COLUMNS ", source FROM definition "                        \
                           "WHERE ns = ?1 AND id = ?2 AND version = ?3")                                   \
    XX(DEFINITION_LATEST, "SELECT " DEFINITION_COLUMNS ", source FROM definition "                         \
                          "WHERE ns = ?1 AND id = ?2 ORDER BY rank DESC, version DESC LIMIT 1")            \
    XX(DEFINITION_PREVIOUS, "SELECT " DEFINITION_COLUMNS ", source FROM definition "                       \
                            "WHERE ns = ?1 AND id = ?2 ORDER BY rank DESC, version DESC LIMIT 1 OFFSET 1") \
    XX(DEFINITION_NEWEST, "SELECT " DEFINITION_COLUMNS ", source FROM definition "                         \
                          "WHERE ns = ?1 AND id = ?2 ORDER BY version DESC LIMIT 1")                       \
    XX(DEFINITION_CONTENT, "SELECT " DEFINITION_COLUMNS ", source FROM definition "                        \
                           "WHERE ns = ?1 AND id = ?2 AND content = ?3 ORDER BY version DESC LIMIT 1")     \
                                                                                                           \
    /* sqlite/pick.c */                                                                                    \
    XX(PLACES_WITH_JOBS, "SELECT definition, slot FROM tally WHERE slot >= 0 AND slot & 1 AND count > 0")  \
    XX(PLACES_WITH_JOBS_OF, "SELECT t.definition, t.slot FROM " TALLY                                      \
                            "WHERE d.ns = ?1 AND t.slot >= 0 AND t.slot & 1 AND t.count > 0")              \
    XX(PLACES, "SELECT t.definition, t.slot FROM " TALLY                                                   \
               "WHERE d.ns = ?1 AND t.slot >= 0 AND t.count > 0 AND (?2 < 0 OR t.slot >> 1 = ?2)")         \
    XX(PLACES_OF, "SELECT t.definition, t.slot FROM " TALLY_OF("?3")                                       \
                  "AND t.slot >= 0 AND t.count > 0 AND (?2 < 0 OR t.slot >> 1 = ?2)")                      \
    /* Slot -1, of open tasks, is bit 0. */                                                                \
    XX(FIND_PLACES, "SELECT t.definition, t.slot FROM " TALLY                                              \
                    "WHERE d.ns = ?1 AND t.slot >= -1 AND t.count > 0 AND (?2 >> (t.slot + 1)) & 1 "       \
                    FIND_DEFINITIONS)                                                                      \
    XX(FIND_PLACES_OF, "SELECT t.definition, t.slot FROM " TALLY_OF("?3")                                  \
                       "AND t.count > 0 AND (?2 >> (t.slot + 1)) & 1 " FIND_DEFINITIONS)                   \
    XX(FIND_COUNTS, "SELECT t.slot, t.count FROM " TALLY "WHERE d.ns = ?1 " FIND_DEFINITIONS)              \
    XX(COUNT_DEFINITIONS, "SELECT count(DISTINCT id) FROM definition WHERE ns = ?1")                       \
    XX(MEASURE_DEFINITIONS, "SELECT number, length(source) FROM definition WHERE ns = ?1")                 \
    XX(MEASURE_INSTANCES, "SELECT phase, id, length(state), last_history FROM instance "                   \
                          "INDEXED BY instance_place WHERE definition = ?1 AND (phase, id) > (?2, ?3) "    \
                          "ORDER BY phase, id LIMIT ?4")                                                   \
    XX(MEASURE_HISTORY, "SELECT prev, length(blob) FROM history WHERE id = ?1")                            \
    XX(FIND_COUNTS_OF, "SELECT t.slot, t.count FROM " TALLY_OF("?3") FIND_DEFINITIONS)                      \
    XX(FIND_TASKS, "SELECT DISTINCT instance FROM task WHERE definition = ?1 AND instance < ?2 "           \
                   "ORDER BY instance DESC")                                                               \
    XX(FIND_KEYS, "SELECT key, phase, id FROM instance INDEXED BY instance_key "                                  \
                  "WHERE ns = ?1 AND key >= ?2 AND (key > ?2 OR (phase, id) > (?3, ?4)) ORDER BY key, phase, id LIMIT ?5")       \
    XX(PLACE_UP, "SELECT id FROM instance WHERE definition = ?1 AND phase = ?2 AND id > ?3 ORDER BY id")   \
    XX(PLACE_DOWN, "SELECT id FROM instance WHERE definition = ?1 AND phase = ?2 AND id < ?3 "             \
                   "ORDER BY id DESC")                                                                     \
                                                                                                           \
    /* sqlite/read.c */                                                                                    \
    XX(INSTANCES_ALL, "SELECT " INSTANCE_COLUMNS "WHERE i.ns = ?1 AND i.id < ?2 "                          \
                      "ORDER BY i.id DESC LIMIT ?3 OFFSET ?4")                                             \
    XX(INSTANCES_KEY, "SELECT " INSTANCE_COLUMNS "WHERE i.ns = ?1 AND i.key = ?2 "                         \
                      "AND (?3 < 0 OR i.phase >> 1 = ?3) "                                                 \
                      "AND (?4 IS NULL OR i.definition IN " VERSIONS("?1", "?4") ") "                      \
                      "AND i.id < ?5 ORDER BY i.id DESC LIMIT ?6 OFFSET ?7")                               \
    XX(INSTANCES_KEY_TOTAL, "SELECT count(*) FROM instance WHERE ns = ?1 AND key = ?2 "                    \
                            "AND (?3 < 0 OR phase >> 1 = ?3) "                                             \
                            "AND (?4 IS NULL OR definition IN " VERSIONS("?1", "?4") ")")                  \
    XX(TALLY_TOTAL, "SELECT ifnull(sum(t.count), 0) FROM " TALLY                                           \
                    "WHERE d.ns = ?1 AND t.slot >= 0 AND (?2 < 0 OR t.slot >> 1 = ?2)")                    \
    XX(TALLY_TOTAL_OF, "SELECT ifnull(sum(t.count), 0) FROM " TALLY_OF("?3")                               \
                       "AND t.slot >= 0 AND (?2 < 0 OR t.slot >> 1 = ?2)")                                 \
    /* Below the statuses: -1 has the open tasks, -2 the timers. */                                        \
    XX(TALLY_BY_STATUS, "SELECT CASE WHEN slot < 0 THEN slot ELSE slot >> 1 END, sum(count) FROM tally "   \
                        "GROUP BY 1")                                                                      \
    XX(HISTORY, "SELECT instance, prev, revision, blob FROM history WHERE id = ?1")                        \
    XX(HISTORY_BACK, "SELECT instance, prev, revision, at, blob FROM history WHERE id = ?1")              \
    XX(HISTORY_LINK, "SELECT instance, prev, revision FROM history WHERE id = ?1")                         \
    XX(DEFINITIONS, "SELECT " DEFINITION_COLUMNS " FROM definition d "                                     \
                    "WHERE ns = ?1 AND NOT " HAS_LATER("d") " ORDER BY id")                                \
    XX(DEFINITIONS_AFTER, "SELECT " DEFINITION_COLUMNS " FROM definition d "                               \
                          "WHERE ns = ?1 AND id > ?2 AND NOT " HAS_LATER("d") " ORDER BY id LIMIT ?3")     \
    XX(CHILDREN_OF, "SELECT " CHILD_COLUMNS "WHERE c.parent = ?1 ORDER BY c.number DESC LIMIT ?2")         \
    XX(CHILDREN_COUNT, "SELECT count(*) FROM child WHERE parent = ?1")                                     \
    XX(UNMATCHED_LIST, "SELECT " UNMATCHED_COLUMNS "INDEXED BY unmatched_ns "                 \
                "WHERE ns = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3")                                     \
    XX(UNMATCHED_TOTAL, "SELECT count(*) FROM unmatched WHERE ns = ?1")                                         \
                                                                                                           \
    /* sqlite/read_tasks.c */                                                                              \
    /* The index has the order, and no rows of other tenants. */                                           \
    XX(TASKS_ALL, "SELECT " TASK_NAMES "FROM task t INDEXED BY task_ns " TASK_JOINS                        \
                  "WHERE t.ns = ?1 AND (t.instance, t.execution) > (?2, ?3) "      \
                  "ORDER BY t.instance, t.execution LIMIT ?4")                                             \
    XX(TASKS_INSTANCE, "SELECT " TASK_COLUMNS "WHERE t.ns = ?1 AND t.instance = ?5 "                       \
                       "AND (t.instance, t.execution) > (?2, ?3) AND (?6 IS NULL OR t.label = ?6) "        \
                       "AND (?7 IS NULL OR t.definition IN " VERSIONS("?1", "?7") ") "                     \
                       "ORDER BY t.execution LIMIT ?4")                                                    \
    XX(TASKS_LABEL, "SELECT " TASK_COLUMNS "WHERE t.ns = ?1 AND t.label = ?6 "                             \
                    "AND (t.instance, t.execution) > (?2, ?3) "                                            \
                    "AND (?7 IS NULL OR t.definition IN " VERSIONS("?1", "?7") ") "                        \
                    "ORDER BY t.instance, t.execution LIMIT ?4")                                           \
    XX(TASKS_VERSION, "SELECT " TASK_COLUMNS "WHERE t.definition = ?1 "                                    \
                      "AND (t.instance, t.execution) > (?2, ?3) "                                          \
                      "ORDER BY t.instance, t.execution LIMIT ?4")                                         \
    XX(WORKLIST, "SELECT " TASK_NAMES "FROM worklist b CROSS JOIN task t ON t.instance = b.instance "             \
              "AND t.execution = b.execution " TASK_JOINS                                                  \
              "WHERE b.ns = ?1 AND b.list = ?2 AND b.who = ?3 "                                            \
              "AND (b.due, b.instance, b.execution) > (?4, ?5, ?6) "                                       \
              "ORDER BY b.due, b.instance, b.execution")                                                   \
    XX(VERSION_NUMBERS, "SELECT number FROM definition WHERE ns = ?1 AND id = ?2")                         \
    XX(TASKS_INSTANCE_TOTAL, "SELECT count(*) FROM task WHERE ns = ?1 AND instance = ?5 "                  \
                             "AND (?6 IS NULL OR label = ?6) "                                             \
                             "AND (?7 IS NULL OR definition IN " VERSIONS("?1", "?7") ")")                 \
    XX(TASKS_LABEL_TOTAL, "SELECT count(*) FROM task WHERE ns = ?1 AND label = ?6 "                        \
                          "AND (?7 IS NULL OR definition IN " VERSIONS("?1", "?7") ")")                    \
    XX(TASKS_TOTAL, "SELECT ifnull(sum(t.count), 0) FROM " TALLY "WHERE d.ns = ?1 AND t.slot = -1")        \
    XX(TASKS_TOTAL_OF, "SELECT ifnull(sum(t.count), 0) FROM " TALLY_OF("?7") "AND t.slot = -1")            \
                                                                                                           \
    /* sqlite/purge.c */                                                                                   \
    XX(PURGE_FIND, PURGE_COLUMNS "INDEXED BY instance_ended "                                              \
                   "WHERE ended < ?1 AND phase NOT IN (6, 7) AND phase BETWEEN 0 AND 9 "                   \
                   "ORDER BY ended LIMIT ?2")                                                              \
    XX(PURGE_FIND_FAILED, PURGE_COLUMNS                                                                    \
                          "INDEXED BY instance_failed WHERE ended < ?1 AND phase IN (6, 7) "               \
                          "ORDER BY ended LIMIT ?2")                                                       \
    XX(PURGE_ONE, PURGE_COLUMNS "WHERE id = ?1 AND phase BETWEEN 0 AND 9 LIMIT ?2")                        \
    XX(INSTANCE_STATE_OF, "SELECT state FROM instance WHERE id = ?1")                                      \
    XX(INSTANCE_DELETE, "DELETE FROM instance WHERE id = ?1")                                              \
    XX(HISTORY_DELETE, "DELETE FROM history WHERE id = ?1 AND instance = ?2 RETURNING prev")               \
    XX(TASKS_DELETE, "DELETE FROM task WHERE instance = ?1 RETURNING definition")                          \
    XX(WORKLIST_DELETE_ALL, "DELETE FROM worklist WHERE instance = ?1")                                         \
    XX(TIMERS_DELETE, "DELETE FROM timer WHERE instance = ?1")                                             \
    XX(SUBSCRIPTIONS_DELETE, "DELETE FROM subscription WHERE instance = ?1")                               \
    XX(CHILD_ANY, "SELECT 1 FROM child WHERE parent > 0 LIMIT 1")                                          \
    XX(CHILDREN_DELETE, "DELETE FROM child WHERE parent = ?1")                                             \
    XX(UNMATCHED_PURGE, "DELETE FROM unmatched WHERE id IN "                                                   \
                       "(SELECT id FROM unmatched WHERE received < ?1 ORDER BY received LIMIT ?2)")           \
    XX(IDEMPOTENCY_OLD, "SELECT ns, key FROM idempotency WHERE created < ?1 ORDER BY created LIMIT ?2")    \
    XX(IDEMPOTENCY_DELETE, "DELETE FROM idempotency WHERE ns = ?1 AND key = ?2")                           \
    XX(INSTANCE_HIGH, "UPDATE meta SET value = max(value, ?1) WHERE name = 'instance_high'")               \
                                                                                                           \
    /* sqlite/removal.c: some rows of a namespace */                                                       \
    XX(REMOVAL_BULK_PARTS, "DELETE FROM bulk_part WHERE rowid IN (SELECT p.rowid FROM bulk b "             \
                           "CROSS JOIN bulk_part p ON p.bulk = b.id WHERE b.ns = ?1 LIMIT ?2)")            \
    XX(REMOVAL_BULKS, "DELETE FROM bulk WHERE id IN (SELECT id FROM bulk WHERE ns = ?1 LIMIT ?2)")         \
    XX(REMOVAL_TRIGGERS, "DELETE FROM event_trigger WHERE (ns, source, type, definition) IN "              \
                         "(SELECT ns, source, type, definition FROM event_trigger WHERE ns = ?1 LIMIT ?2)") \
    XX(REMOVAL_PENDING, "DELETE FROM pending WHERE (parent, number) IN "                                   \
                        "(SELECT parent, number FROM pending WHERE ns = ?1 LIMIT ?2)")                     \
    XX(REMOVAL_INSTANCES, "SELECT i.id, i.phase FROM " REMOVED_VERSIONS " AS d "                           \
                          "CROSS JOIN instance i INDEXED BY instance_place ON i.definition = d.number "    \
                          "AND i.phase BETWEEN 0 AND 9 LIMIT ?2")                                          \
    XX(REMOVAL_TALLY, "DELETE FROM tally WHERE definition IN " REMOVED_VERSIONS)                           \
    XX(REMOVAL_DEFINITIONS, "DELETE FROM definition WHERE number IN " REMOVED_VERSIONS)                    \
    XX(REMOVAL_UNMATCHED, "DELETE FROM unmatched WHERE id IN "                                             \
                          "(SELECT id FROM unmatched WHERE ns = ?1 LIMIT ?2)")                             \
    XX(REMOVAL_IDEMPOTENCY, "DELETE FROM idempotency WHERE (ns, key) IN "                                  \
                            "(SELECT ns, key FROM idempotency WHERE ns = ?1 LIMIT ?2)")                    \
    XX(REMOVAL_RECORDS, "DELETE FROM record WHERE (ns, kind, key) IN "                                     \
                        "(SELECT ns, kind, key FROM record WHERE ns = ?1 LIMIT ?2)")
/* clang-format on */

enum sql {
#define XX(NAME, text) SQL_##NAME,
    SQL_MAP(XX)
#undef XX
        SQL_COUNT
};

#endif
