/* store/postgres/sql_read.h — part of sql.h: what readers ask. */
#ifndef STORE_POSTGRES_SQL_READ_H
#define STORE_POSTGRES_SQL_READ_H

/* clang-format off */
#define POSTGRES_READ_MAP(XX)                                                                              \
    XX(TALLY_BY_STATUS, "", "SELECT slot >> 1, sum(count)::int8 FROM tally WHERE slot >= 0 GROUP BY 1")
/* clang-format on */

#endif
