/* store/postgres/sql_read.h — part of sql.h: what readers ask.
 *
 * The planner knows no parameter, and its statistics may say that all rows look alike. It must not take the
 * primary key then, in whose order a rare row comes last. So a list that goes by an index on (a, id) says
 * `a >= $1 AND (a, id) < ($1, $2) ORDER BY a DESC, id DESC` and not `a = $1`: only that index has this order.
 *
 * An answer is cut on the server, so that no more comes over than is wanted. The lengths of long values are
 * known without reading them.
 */
#ifndef STORE_POSTGRES_SQL_READ_H
#define STORE_POSTGRES_SQL_READ_H

/* clang-format off */

/* The bytes of all rows before this one, in the given order. */
#define BYTES_BEFORE(column, order)                                                                        \
    "coalesce(sum(octet_length(" column ")) OVER (ORDER BY " order " "                                     \
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)"

/* The one row of a table that belongs to a row before it, or none. OFFSET 0 makes it a query of its own that
 * goes by the index. A join would read the whole table, if the table was empty when the plan was made. */
#define ROW_OF(table, condition) "(SELECT * FROM " table " WHERE " condition " OFFSET 0)"
#define DEFINITION_OF(number) "LEFT JOIN LATERAL " ROW_OF("definition", "number = " number) " d ON true "

/* INSTANCE_COLUMNS of rows that also have BYTES_BEFORE as `bytes`. States are left out behind the one that
 * exceeds the bound. */
#define BOUNDED_INSTANCES(rows, bound)                                                                     \
    "SELECT b.id, b.ns, b.definition, b.phase, b.created, b.ended, b.key, b.revision, "                    \
    "CASE WHEN b.bytes < " bound " THEN b.state END, d.id, d.version, d.priority, b.holder "               \
    "FROM (" rows ") b " DEFINITION_OF("b.definition")

/* The instances whose ids a query gives, newest first. */
#define INSTANCE_PAGE(ids, bound)                                                                          \
    BOUNDED_INSTANCES("SELECT i.*, " BYTES_BEFORE("i.state", "page.id DESC") " AS bytes FROM (" ids ") page " \
                      "CROSS JOIN LATERAL " ROW_OF("instance", "id = page.id") " i", bound) "ORDER BY b.id DESC"

/* The numbers of all versions of one definition. */
#define VERSIONS_OF(ns, id) "ARRAY(SELECT number FROM definition WHERE ns = " ns " AND id = " id ")"

/* ---- places: see pick.c ---- */

/* The definitions that a filter asks for. Their parameters, in all statements that name places: $1 namespace,
 * $2 wanted slots (slot -1 is bit 0), $3 version or 0, $4 dialect, $5 other dialect, $6 id. ANY_ID leaves the
 * id out. */
#define ANY_ID ""
#define ONE_ID "AND d.id = $6 "
#define DEFINITIONS(id)                                                                                    \
    "d.ns = $1 " id "AND ($3 = 0 OR d.version = $3) AND ($4 IS NULL OR d.dialect = $4) "                   \
    "AND ($5 IS NULL OR d.dialect <> $5) "
#define IS_WANTED(slot) "($2 >> (" slot " + 1)) & 1 = 1"

/* The wanted slots of these definitions with their counts, which are sums: each node has rows of its own, and
 * one alone may be negative. */
#define SLOTS(id, having)                                                                                  \
    "(SELECT d.number AS definition, t.slot, t.total FROM definition d CROSS JOIN LATERAL "                \
    "(SELECT slot, sum(count) AS total FROM tally WHERE definition = d.number AND " IS_WANTED("slot")      \
    " GROUP BY slot " having ") t WHERE " DEFINITIONS(id) ")"
/* The places that are not empty. */
#define PLACES(id) SLOTS(id, "HAVING sum(count) > 0")
#define COUNT_SLOTS(id) "SELECT slot, sum(total)::int8 FROM " SLOTS(id, "") " s GROUP BY slot"

/* The first ids of one place, behind $7. */
#define PLACE_DOWN(place, max)                                                                             \
    "(SELECT i.id FROM instance i WHERE i.definition = " place ".definition AND i.phase >= " place         \
    ".slot AND (i.phase, i.id) < (" place ".slot, $7) ORDER BY i.phase DESC, i.id DESC LIMIT " max ")"
#define PLACE_UP(place, max)                                                                               \
    "(SELECT i.id FROM instance i WHERE i.definition = " place ".definition AND i.phase <= " place         \
    ".slot AND (i.phase, i.id) > (" place ".slot, $7) ORDER BY i.phase, i.id LIMIT " max ")"
#define PLACE_TASKS(place, max)                                                                            \
    "(SELECT t.instance AS id FROM task t WHERE t.definition >= " place ".definition "                     \
    "AND (t.definition, t.instance) < (" place ".definition, $7) GROUP BY t.definition, t.instance "       \
    "ORDER BY t.definition DESC, t.instance DESC LIMIT " max ")"

/* The ids of all places together, for a caller that wants the first $8. Only the $8 places whose first ids
 * come first can have one of them, so only these are read further than that. */
#define PICK(id, list, order)                                                                              \
    "SELECT found.id FROM (SELECT place.definition, place.slot FROM " PLACES(id) " place "                 \
    "CROSS JOIN LATERAL " list("place", "1") " ahead ORDER BY ahead.id " order " LIMIT $8) best "          \
    "CROSS JOIN LATERAL " list("best", "$8") " found ORDER BY found.id " order " "

/* ---- instances with a business key: $1 namespace, $2 wanted slots, $3 key, $4 definition's id ---- */

#define KEY_OF "AND i.definition = ANY(" VERSIONS_OF("$1", "$4") ") "
#define KEY_IDS(of)                                                                                        \
    "SELECT found.id FROM generate_series(0, 15) AS place(slot) CROSS JOIN LATERAL "                       \
    "(SELECT i.id FROM instance i WHERE i.ns = $1 AND i.key = $3 AND i.phase >= place.slot "               \
    "AND (i.phase, i.id) < (place.slot, $5) " of "ORDER BY i.phase DESC, i.id DESC LIMIT $6) found "       \
    "WHERE " IS_WANTED("place.slot") " ORDER BY found.id DESC LIMIT $7 OFFSET $8"
#define KEY_COUNT(of)                                                                                      \
    "SELECT count(*) FROM instance i WHERE i.ns = $1 AND i.key = $3 AND " IS_WANTED("i.phase") " " of

/* ---- tasks ---- */

/* The tasks whose keys a query gives, with TASK_NAMES. */
#define TASK_PAGE(keys, order)                                                                             \
    "SELECT " TASK_NAMES "FROM (" keys ") page CROSS JOIN LATERAL "                                        \
    ROW_OF("task", "instance = page.instance AND execution = page.execution") " t "                        \
    DEFINITION_OF("t.definition") "LEFT JOIN LATERAL " ROW_OF("instance", "id = t.instance")               \
    " i ON true ORDER BY " order
#define TASK_ORDER "page.instance, page.execution"

/* ---- selections: places and their parameters as above, without dialects ---- */

/* Behind $7, at most $8, up to the id $9; with states if $10. */
#define CANDIDATE_ROWS(id)                                                                                 \
    "SELECT i.id, i.ns, i.definition, i.phase, i.created, i.ended, i.key, i.revision, "                    \
    "CASE WHEN $10 = 1 THEN i.state END, d.id, d.version, d.priority, i.holder FROM "                      \
    "(" PICK(id, PLACE_UP, "") "LIMIT $8) page CROSS JOIN LATERAL " ROW_OF("instance", "id = page.id")     \
    " i " DEFINITION_OF("i.definition") "WHERE page.id <= $9 ORDER BY page.id"

/* Behind the instance $8 of the definition $7, up to the id $9, at most $10. */
#define FAILURE_ROWS(id)                                                                                   \
    "SELECT f.definition, f.instance, f.ns, f.created, f.failed, f.key, f.step, f.reason, d.id, "          \
    "d.version FROM (SELECT * FROM failure WHERE definition = ANY(ARRAY(SELECT place.definition FROM "     \
    PLACES(id) " place)) AND (definition, instance) > ($7, $8) AND instance <= $9 "                        \
    "ORDER BY definition, instance LIMIT $10) f " DEFINITION_OF("f.definition")                            \
    "ORDER BY f.definition, f.instance"

/* The same with the newest of each definition first; an instance $8 of 0 is before all of its definition. The
 * statement reads only the first definitions, which have $11 failures behind those of the very first. */
#define NEWEST_FAILURES(id)                                                                                \
    "SELECT f.definition, f.instance, f.ns, f.created, f.failed, f.key, f.step, f.reason, d.id, "          \
    "d.version FROM (SELECT f.* FROM (SELECT definition, coalesce(sum(total) OVER (ORDER BY definition "   \
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) - first_value(total) OVER (ORDER BY definition), "  \
    "0) AS before FROM (SELECT definition, sum(total) AS total FROM " PLACES(id) " place "                 \
    "WHERE definition >= $7 GROUP BY definition) c) p CROSS JOIN LATERAL (SELECT * FROM failure "          \
    "WHERE definition >= p.definition AND (definition, instance) <= (p.definition, least($9, "             \
    "CASE WHEN p.definition = $7 AND $8 > 0 THEN $8 - 1 ELSE $9 END)) "                                    \
    "ORDER BY definition DESC, instance DESC LIMIT $10) f WHERE p.before < $11 "                           \
    "ORDER BY f.definition, f.instance DESC LIMIT $10) f " DEFINITION_OF("f.definition")                   \
    "ORDER BY f.definition, f.instance DESC"

#define POSTGRES_READ_MAP(XX)                                                                              \
    /* read.c */                                                                                           \
    XX(INSTANCES_ALL, "iiiii", INSTANCE_PAGE("SELECT id FROM instance WHERE ns = $1 AND id < $2 "          \
                                             "ORDER BY id DESC LIMIT $3 OFFSET $4", "$5"))                 \
    XX(INSTANCES_KEY, "iibbiiiii", INSTANCE_PAGE(KEY_IDS(""), "$9"))                                       \
    XX(INSTANCES_KEY_OF, "iibbiiiii", INSTANCE_PAGE(KEY_IDS(KEY_OF), "$9"))                                \
    XX(INSTANCES_KEY_TOTAL, "iibb", KEY_COUNT(""))                                                         \
    XX(INSTANCES_KEY_OF_TOTAL, "iibb", KEY_COUNT(KEY_OF))                                                  \
    XX(INSTANCES_PLACE, "iiibbbiiiii",                                                                     \
       INSTANCE_PAGE(PICK(ANY_ID, PLACE_DOWN, "DESC") "LIMIT $9 OFFSET $10", "$11"))                       \
    XX(INSTANCES_PLACE_OF, "iiibbbiiiii",                                                                  \
       INSTANCE_PAGE(PICK(ONE_ID, PLACE_DOWN, "DESC") "LIMIT $9 OFFSET $10", "$11"))                       \
    XX(CHILDREN_OF, "ii",                                                                                  \
       "SELECT i.id, i.ns, i.definition, i.phase, i.created, i.ended, i.key, i.revision, NULL::bytea, "    \
       "d.id, d.version, d.priority, i.holder, c.number, c.awaited FROM child c CROSS JOIN LATERAL "       \
       ROW_OF("instance", "id = c.instance") " i " DEFINITION_OF("i.definition")                           \
       "WHERE c.parent = $1 ORDER BY c.number DESC LIMIT $2")                                              \
    XX(CHILDREN_COUNT, "i", "SELECT count(*) FROM child WHERE parent = $1")                                \
    XX(UNMATCHED_LIST, "iiii",                                                                             \
       "SELECT b.number, b.ns, b.received, b.reason, b.event, b.identity FROM "                            \
       "(SELECT u.*, " BYTES_BEFORE("u.event", "u.ns DESC, u.number DESC") " AS bytes FROM "               \
       "(SELECT * FROM unmatched WHERE ns >= $1 AND (ns, number) < ($1, $2) "                              \
       "ORDER BY ns DESC, number DESC LIMIT $3) u) b WHERE b.bytes < $4 "                                  \
       "ORDER BY b.ns DESC, b.number DESC")                                                                \
    XX(UNMATCHED_TOTAL, "i", "SELECT count(*) FROM unmatched WHERE ns = $1")                               \
    XX(DEFINITIONS_AFTER, "ibi",                                                                           \
       "SELECT " DEFINITION_COLUMNS " FROM definition d "                                                  \
       "WHERE ns = $1 AND id > $2 AND NOT " HAS_LATER("d") " ORDER BY id LIMIT $3")                        \
                                                                                                           \
    /* history.c */                                                                                        \
    XX(HISTORY_UP, "iiii",                                                                                 \
       "SELECT b.revision, b.blob FROM "                                                                   \
       "(SELECT h.*, " BYTES_BEFORE("h.blob", "h.revision") " AS bytes FROM "                              \
       "(SELECT revision, blob FROM history WHERE instance = $1 AND revision > $2 "                        \
       "ORDER BY revision LIMIT $3) h) b WHERE b.bytes < $4 ORDER BY b.revision")                          \
    /* ahead.c */                                                                                          \
    XX(HISTORIES, "Ii",                                                                                    \
       "SELECT b.instance, b.revision, b.blob FROM "                                                       \
       "(SELECT h.*, " BYTES_BEFORE("h.blob", "h.instance, h.revision") " AS bytes FROM "                  \
       "unnest($1) AS page(id) CROSS JOIN LATERAL " ROW_OF("history", "instance = page.id") " h) b "       \
       "WHERE b.bytes < $2 ORDER BY b.instance, b.revision")                                               \
    XX(INSTANCES_OF, "Ii", INSTANCE_PAGE("SELECT DISTINCT unnest($1) AS id", "$2"))                        \
    XX(HISTORY_DOWN, "iiii",                                                                               \
       "SELECT b.revision, b.blob FROM "                                                                   \
       "(SELECT h.*, " BYTES_BEFORE("h.blob", "h.revision DESC") " AS bytes FROM "                         \
       "(SELECT revision, blob FROM history WHERE instance = $1 AND revision <= $2 "                       \
       "ORDER BY revision DESC LIMIT $3) h) b WHERE b.bytes < $4 ORDER BY b.revision DESC")                \
    XX(HISTORY_OF_TIME, "iiii",                                                                            \
       "SELECT h.revision FROM (SELECT revision, at FROM history WHERE instance = $1 "                     \
       "AND revision <= $2 ORDER BY revision DESC LIMIT $4) h WHERE h.at <= $3 "                           \
       "ORDER BY h.revision DESC LIMIT 1")                                                                 \
                                                                                                           \
    /* tasks.c: $1 namespace, $2 and $3 the cursor, $4 max */                                              \
    /* "+" keeps the label's index out: the primary key has the order. */                                  \
    XX(TASKS_ALL, "iiii",                                                                                  \
       TASK_PAGE("SELECT instance, execution FROM task WHERE ns = $1 "                                     \
                 "AND (ns, instance, execution) > ($1, $2, $3) ORDER BY ns, instance, execution LIMIT $4", TASK_ORDER))\
    XX(TASKS_INSTANCE, "iiiiibb",                                                                          \
       TASK_PAGE("SELECT instance, execution FROM task WHERE ns + 0 = $1 AND instance = $5 "               \
                 "AND (instance, execution) > ($2, $3) AND ($6 IS NULL OR label = $6) "                    \
                 "AND ($7 IS NULL OR definition = ANY(" VERSIONS_OF("$1", "$7") ")) "                      \
                 "ORDER BY instance, execution LIMIT $4", TASK_ORDER))                                     \
    XX(TASKS_LABEL, "iiiiibb",                                                                             \
       TASK_PAGE("SELECT instance, execution FROM task WHERE ns = $1 AND label <= $6 "                     \
                 "AND (label, instance, execution) > ($6, $2, $3) "                                        \
                 "AND ($7 IS NULL OR definition = ANY(" VERSIONS_OF("$1", "$7") ")) "                      \
                 "ORDER BY label, instance, execution LIMIT $4", TASK_ORDER))                              \
    XX(TASKS_DEFINITION, "iiiib",                                                                          \
       TASK_PAGE("SELECT found.* FROM definition d CROSS JOIN LATERAL "                                    \
                 "(SELECT instance, execution FROM task WHERE definition <= d.number "                     \
                 "AND (definition, instance, execution) > (d.number, $2, $3) "                             \
                 "ORDER BY definition, instance, execution LIMIT $4) found WHERE d.ns = $1 AND d.id = $5 " \
                 "ORDER BY found.instance, found.execution LIMIT $4", TASK_ORDER))                         \
    XX(TASKS_INSTANCE_TOTAL, "iibb",                                                                       \
       "SELECT count(*) FROM task WHERE ns + 0 = $1 AND instance = $2 AND ($3 IS NULL OR label = $3) "     \
       "AND ($4 IS NULL OR definition = ANY(" VERSIONS_OF("$1", "$4") "))")                                \
    /* The index has all that is asked; with a definition each row is read. */                             \
    XX(TASKS_LABEL_TOTAL, "iibb", "SELECT count(*) FROM task WHERE ns = $1 AND label = $3")                \
    XX(TASKS_LABEL_OF_TOTAL, "iibb",                                                                       \
       "SELECT count(*) FROM task WHERE ns = $1 AND label = $3 "                                           \
       "AND definition = ANY(" VERSIONS_OF("$1", "$4") ")")                                                \
    XX(WORKLIST_PAGE, "iibiiii",                                                                           \
       TASK_PAGE("SELECT due, instance, execution FROM worklist WHERE ns = $1 AND list = $2 AND who = $3 " \
                 "AND (due, instance, execution) > ($4, $5, $6) ORDER BY due, instance, execution LIMIT $7",\
                 "page.due, " TASK_ORDER))                                                                 \
                                                                                                           \
    /* pick.c */                                                                                           \
    XX(COUNTS, "iiibbb", COUNT_SLOTS(ANY_ID))                                                              \
    XX(COUNTS_OF, "iiibbb", COUNT_SLOTS(ONE_ID))                                                           \
    XX(FIND, "iiibbbii", PICK(ANY_ID, PLACE_DOWN, "DESC") "LIMIT $8")                                      \
    XX(FIND_OF, "iiibbbii", PICK(ONE_ID, PLACE_DOWN, "DESC") "LIMIT $8")                                   \
    XX(FIND_TASKS, "iiibbbii", PICK(ANY_ID, PLACE_TASKS, "DESC") "LIMIT $8")                               \
    XX(FIND_TASKS_OF, "iiibbbii", PICK(ONE_ID, PLACE_TASKS, "DESC") "LIMIT $8")                            \
    XX(FIND_KEYS, "ibiii", "SELECT key, phase, id FROM instance WHERE ns = $1 AND key IS NOT NULL "        \
                           "AND key >= $2 AND (key, phase, id) > ($2, $3, $4) "                            \
                           "ORDER BY key, phase, id LIMIT $5")                                             \
                                                                                                           \
    /* measure.c */                                                                                        \
    XX(COUNT_DEFINITIONS, "i", "SELECT count(DISTINCT id) FROM definition WHERE ns = $1")                  \
    XX(MEASURE_DEFINITIONS, "i", "SELECT number::int8, octet_length(source)::int8 FROM definition "        \
                                 "WHERE ns = $1")                                                          \
    XX(MEASURE_INSTANCES, "iiii", "SELECT i.phase::int8, i.id, octet_length(i.state) + "                   \
                          "coalesce((SELECT sum(octet_length(h.blob)) FROM history h "                     \
                          "WHERE h.instance = i.id), 0)::int8 FROM instance i "                            \
                          "WHERE i.definition = $1 AND (i.phase, i.id) > ($2, $3) "                        \
                          "ORDER BY i.phase, i.id LIMIT $4")                                               \
                                                                                                           \
    /* select.c */                                                                                         \
    XX(CANDIDATES, "iiibbbiiii", CANDIDATE_ROWS(ANY_ID))                                                   \
    XX(CANDIDATES_OF, "iiibbbiiii", CANDIDATE_ROWS(ONE_ID))                                                \
    XX(FAILURES, "iiibbbiiii", FAILURE_ROWS(ANY_ID))                                                       \
    XX(FAILURES_OF, "iiibbbiiii", FAILURE_ROWS(ONE_ID))                                                    \
    XX(FAILURES_DOWN, "iiibbbiiiii", NEWEST_FAILURES(ANY_ID))                                              \
    XX(FAILURES_DOWN_OF, "iiibbbiiiii", NEWEST_FAILURES(ONE_ID))                                           \
    XX(BULKS, "iii", "SELECT " BULK_COLUMNS "WHERE ns = $1 AND number < $2 ORDER BY number DESC LIMIT $3") \
    XX(BULK_PARTS, "iiii", "SELECT number, blob FROM bulk_part WHERE bulk = $1 AND kind = $2 "             \
                           "AND number >= $3 ORDER BY number LIMIT $4")                                    \
                                                                                                           \
    /* reader.c */                                                                                         \
    XX(STATISTICS, "",                                                                                     \
       "SELECT (SELECT count(*) FROM (SELECT DISTINCT ns, id FROM definition) d), "                        \
       "(SELECT count(*) FROM pending), "                                                                  \
       "(SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::int8 FROM pg_class "                        \
       "WHERE relkind = 'r' AND relnamespace = "                                                           \
       "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())), "                                \
       "(SELECT count(*) FROM (SELECT 1 FROM job WHERE claimed IS NULL AND available <= "                  \
       "extract(epoch FROM clock_timestamp()) * 1000 LIMIT 10000) AS j)")                                  \
    /* Below the statuses: -1 has the open tasks, -2 the timers. */                                        \
    XX(TALLY_BY_STATUS, "", "SELECT CASE WHEN slot < 0 THEN slot ELSE slot >> 1 END, sum(count)::int8 "    \
                            "FROM tally GROUP BY 1")
/* clang-format on */

#endif
