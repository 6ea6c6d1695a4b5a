/* perform/sql/error.c — a failed job's error: {name, message, data}. */
#include "perform/sql/sql_int.h"

#include "base/utf8.h"
#include "perform/limits.h"

#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE_BYTES = 512 };

static const struct {
    str name;
    bool retryable;
} errors[] = {
#define XX(NAME, retry, why) [SQL_ERROR_##NAME] = { STR_INIT("SQL_" #NAME), retry },
    SQL_ERROR_MAP(XX)
#undef XX
};

enum sql_end sql_fail_named(struct sql_job *job, bool retryable, str name, str message,
                            const struct json *data)
{
    struct engine_job *engine_job = job->job;
    struct arena *arena = engine_job->arena;
    struct json_builder builder;
    /* A database may quote bytes of a broken text. */
    if (!utf8_is_valid(message)) message = STR("the database's message is not UTF-8");
    json_builder_init(&builder, arena);
    json_open_object(&builder);
    json_add_name(&builder, STR("name"));
    json_add_string(&builder, name);
    json_add_name(&builder, STR("message"));
    json_add_string(&builder, utf8_cut(message, SQL_MESSAGE_BYTES_MAX));
    if (data) {
        json_add_name(&builder, STR("data"));
        json_add(&builder, data);
    }
    json_close(&builder);
    engine_job->error = json_built(&builder);
    engine_job->retryable = retryable;
    return SQL_FAILED;
}

__attribute__((format(printf, 3, 0))) static enum sql_end set_error(struct sql_job *job, enum sql_error error,
                                                                    const char *format, va_list arguments)
{
    char sentence[SENTENCE_BYTES];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    str message = str_of(sentence);
    return sql_fail_named(job, errors[error].retryable, errors[error].name,
                          utf8_cut(message, message.n < SENTENCE_BYTES - 1 ? message.n : message.n - 3),
                          NULL);
}

enum sql_end sql_fail(struct sql_job *job, enum sql_error error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum sql_end end = set_error(job, error, format, arguments);
    va_end(arguments);
    return end;
}

enum sql_end sql_fail_code(struct sql_job *job, enum sql_error error, enum reason_code code,
                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    enum sql_end end = set_error(job, error, format, arguments);
    va_end(arguments);
    struct engine_job *engine_job = job->job;
    engine_job->error = perform_error_coded(engine_job->arena, engine_job->error, reason_code_word(code));
    return end;
}
