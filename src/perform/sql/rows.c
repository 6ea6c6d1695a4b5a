/* perform/sql/rows.c — a result, built row by row within its bounds. */
#include "perform/sql/sql_int.h"

#include "base/utf8.h"
#include "perform/limits.h"

static bool check_names(struct sql_rows *rows)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        if (!utf8_is_valid(rows->name[i])) {
            sql_fail(rows->job, SQL_ERROR_RESULT, "the name of column %zu is not UTF-8", i + 1);
            return false;
        }
        for (size_t k = 0; k < i; k++) {
            if (!str_equal(rows->name[i], rows->name[k])) continue;
            sql_fail(rows->job, SQL_ERROR_RESULT, "two columns have the name %.*s; rename one with AS",
                     STR_ARG(rows->name[i]));
            return false;
        }
    }
    return true;
}

bool sql_rows_init(struct sql_rows *rows, struct sql_job *job, const str *name, size_t column_count)
{
    *rows = (struct sql_rows){ .job = job, .name = name, .column_count = column_count };
    if (column_count > SQL_COLUMNS_MAX) {
        sql_fail(job, SQL_ERROR_RESULT_TOO_LARGE, "%zu columns; the most is %d", column_count,
                 SQL_COLUMNS_MAX);
        return false;
    }
    if (!check_names(rows)) return false;
    json_builder_init(&rows->builder, job->job->arena);
    json_open_object(&rows->builder);
    json_add_name(&rows->builder, STR("rows"));
    json_open_array(&rows->builder);
    return true;
}

bool sql_rows_begin(struct sql_rows *rows)
{
    size_t max = rows->job->config->rows_max;
    if (rows->row_count == max) {
        sql_fail(rows->job, SQL_ERROR_RESULT_TOO_LARGE,
                 "the result has more than %zu rows; ask for fewer with LIMIT", max);
        return false;
    }
    rows->row_count++;
    json_open_object(&rows->builder);
    return true;
}

static bool fits(struct sql_rows *rows)
{
    size_t max = rows->job->config->answer_bytes_max;
    if (rows->builder.cells.n <= max) return true;
    sql_fail(rows->job, SQL_ERROR_RESULT_TOO_LARGE,
             "the result is larger than %zu bytes; ask for fewer rows or columns", max);
    return false;
}

bool sql_rows_add(struct sql_rows *rows, size_t column, const struct json *value)
{
    if (!value) {
        sql_fail(rows->job, SQL_ERROR_RESULT, "a value of column %.*s is not UTF-8 text",
                 STR_ARG(rows->name[column]));
        return false;
    }
    json_add_name(&rows->builder, rows->name[column]);
    json_add(&rows->builder, value);
    return fits(rows);
}

const struct json *sql_rows_text(struct sql_rows *rows, str text)
{
    return utf8_is_valid(text) ? json_of_string(rows->job->job->arena, text) : NULL;
}

const struct json *sql_rows_json(struct sql_rows *rows, str text)
{
    const struct json_limits limits = { .depth_max = SQL_VALUE_DEPTH_MAX };
    const struct json *value;
    struct error err;
    if (json_parse(text, &limits, rows->job->job->arena, &value, &err) == ST_OK) return value;
    return sql_rows_text(rows, text);
}

void sql_rows_end(struct sql_rows *rows) { json_close(&rows->builder); }

void sql_rows_done(struct sql_rows *rows, int64_t changed)
{
    json_close(&rows->builder);
    json_add_name(&rows->builder, STR("row_count"));
    json_add_int(&rows->builder, rows->column_count ? (int64_t)rows->row_count : changed);
    json_close(&rows->builder);
    rows->job->job->value = json_built(&rows->builder);
}
