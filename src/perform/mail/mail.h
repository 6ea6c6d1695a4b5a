/* perform/mail/mail.h — the performer of e-mail: one message per job, over SMTP.
 *
 * A job's input, as its author wrote it:
 *
 *     to, cc, bcc       addresses: a text (several are separated by commas) or a list of texts
 *     from, replyTo     an address; without `from` the server's own sender is used
 *     subject, body     texts
 *     html              the same content as HTML
 *     headers           further headers: {"X-Order": "42"}
 *     connectionRef     "vault:NAME": the mail server, a secret; without it the engine's own (--smtp)
 *
 * Among the items of a list a list of texts may stand. Data cannot add commas: dialects render addresses with
 * `forRecipients`.
 *
 * The result is {message_id, accepted}, where `accepted` is the list of addresses. A message goes to all of
 * its recipients or to none: if the server refuses one, the job fails. `message_id` follows from the
 * idempotency key, so a message that is sent twice, because its confirmation was lost, has the same id both
 * times.
 *
 * A server is a URI, smtp://USER:PASSWORD@HOST:PORT?tls=…&from=…, or a JSON object with the members url,
 * user, password, tls, from and ca (certificates in PEM to trust instead of the system's). smtps:// speaks
 * TLS from the first byte. For smtp:// `tls` is `starttls` (required), `try` or `none`; by default it is
 * required if there is a password, and tried if there is none.
 *
 * Nothing in an address, a name or a header can begin another header: control characters are refused. The
 * address guard of outcall.h applies: every socket's address is checked when it is opened.
 */
#ifndef PERFORM_MAIL_H
#define PERFORM_MAIL_H

#include "perform/reach.h"
#include "perform/worker.h"

struct mail_config {
    struct call_reach reach; /* Which addresses that are not public servers may have. */
    str public_url; /* Where people find their tasks: "https://pawl.example"; empty: e-mails have no link. */
    str server; /* The server of jobs without connectionRef: a URI, an object or vault:NAME; empty: there is
                 * none. */
    size_t jobs_max;            /* Taken and not done yet. */
    size_t jobs_per_server_max; /* At one time; others wait. */
    int64_t connect_timeout_ms;
    int64_t timeout_ms; /* For jobs that have none. */
};

struct mail_config mail_config_default(void);

/* Registers the performer. The config is copied, the text of its server is not. */
void mail_performer_add(struct engine_worker *worker, const struct mail_config *config);

/* Checks the text of a server, for --smtp. ST_INVALID; the message does not show the text. */
enum status mail_check_server(str text, struct arena *arena, struct error *err);

#endif
