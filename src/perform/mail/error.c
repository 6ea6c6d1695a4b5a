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

bool mail_fail(struct engine_job *job, enum mail_error error, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    mail_fail_named(job, errors[error].retryable, errors[error].name, str_of(sentence));
    return false;
}
