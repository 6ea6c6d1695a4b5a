/* perform/mail/error.c — a failed job's error: {name, message}. */
#include "perform/mail/mail_int.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    str name;
    bool retryable;
} errors[] = {
#define XX(NAME, retry, why) [MAIL_ERROR_##NAME] = { STR_INIT(#NAME), retry },
    MAIL_ERROR_MAP(XX)
#undef XX
};

void mail_fail_named(struct engine_job *job, bool retryable, str name, str message)
{
    /* A server may send anything. */
    if (!utf8_is_valid(message)) message = STR("the server's answer is not UTF-8");
    job->end = ENGINE_JOB_FAILED;
    job->error = perform_error(job->arena, name, message);
    job->retryable = retryable;
}

__attribute__((format(printf, 3, 0))) static void set_error(struct engine_job *job, enum mail_error error,
                                                            const char *format, va_list arguments)
{
    char sentence[512];
    vsnprintf(sentence, sizeof sentence, format, arguments);
    mail_fail_named(job, errors[error].retryable, errors[error].name, str_of(sentence));
}

bool mail_fail(struct engine_job *job, enum mail_error error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(job, error, format, arguments);
    va_end(arguments);
    return false;
}

bool mail_fail_code(struct engine_job *job, enum mail_error error, enum reason_code code, const char *format,
                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(job, error, format, arguments);
    va_end(arguments);
    job->error = perform_error_coded(job->arena, job->error, reason_code_word(code));
    return false;
}
