/* store/postgres/sql_load.h — part of sql.h: the writer's queries, retention, checks. */
#ifndef STORE_POSTGRES_SQL_LOAD_H
#define STORE_POSTGRES_SQL_LOAD_H

/* clang-format off */
#define POSTGRES_LOAD_MAP(XX)                                                                              \
    XX(INSTANCE, "i", "SELECT " INSTANCE_COLUMNS "WHERE i.id = $1")
/* clang-format on */

#endif
