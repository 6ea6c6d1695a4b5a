/* perform/mail/mail_int.h — what the files of the e-mail performer share. */
#ifndef PERFORM_MAIL_INT_H
#define PERFORM_MAIL_INT_H

#include "json/json.h"
#include "perform/libcurl.h"
#include "perform/mail/mail.h"
#include "program/reason.h"

/* Names of errors besides SMTP_<code>, which is the server's own answer. */
/* clang-format off */
#define MAIL_ERROR_MAP(XX)                                                                            \
    /* name                 retry  why                                                            */  \
    XX(EMAIL_INPUT,         false, "the input is not that of a message")                              \
    XX(EMAIL_HEADER,        false, "a header would not be one line, or is not the author's to set")   \
    XX(EMAIL_SERVER,        false, "there is no server, or its secret does not name one")             \
    XX(SMTP_ADDRESS,        false, "the server is in a network that is not public")                   \
    XX(SMTP_UTF8,           false, "an address needs SMTPUTF8, which the server does not offer")      \
    XX(SMTP_TLS,            false, "no TLS where it is required, or a certificate that does not verify") \
    XX(SMTP_CONNECTION,     true,  "no connection, or it broke")                                      \
    XX(SMTP_TIMEOUT,        true,  "the server did not answer in time")                               \
    XX(SMTP_FAILED,         false, "something else in libcurl")
/* clang-format on */

enum mail_error {
#define XX(NAME, retry, why) MAIL_ERROR_##NAME,
    MAIL_ERROR_MAP(XX)
#undef XX
};

/* ---- error.c ---- */

/* Writes the job's error. Returns false, so that a reader can leave with it. */
__attribute__((format(printf, 3, 4))) bool mail_fail(struct engine_job *job, enum mail_error error,
                                                     const char *format, ...);
/* The same with a code of program/reason.h. */
__attribute__((format(printf, 4, 5))) bool mail_fail_code(struct engine_job *job, enum mail_error error,
                                                          enum reason_code code, const char *format, ...);
/* The same with a name that is not in the table. */
void mail_fail_named(struct engine_job *job, bool retryable, str name, str message);

/* ---- mailbox.c: addresses, pure ---- */

struct mailbox {
    str name;    /* Without quotes; empty: none. */
    str address; /* local@domain */
    bool utf8;   /* The address is not ASCII. */
};

/* A list of addresses in one text; adds to the array. NULL, or what is wrong. */
struct mailboxes {
    struct mailbox *item;
    size_t count, cap;
};
const char *mailbox_read_list(str text, struct arena *arena, struct mailboxes *list);

/* True if a text can be part of a header: UTF-8 without control characters. */
bool mail_is_header_text(str text);

/* ---- message.c: the message's text, pure ---- */

struct mail_message {
    str id;     /* "<…@…>" */
    str sender; /* Address. */
    struct mailboxes recipients;
    bool utf8; /* An address needs SMTPUTF8. */
    str text;
};

/* Makes the message of a job's input. False: the job's error says what is wrong. */
bool mail_message_make(struct engine_job *job, str default_from, struct mail_message *ret_message);

/* ---- notice.c: e-mails about people's tasks, pure ---- */

/* Writes the input of a job that is a notice. False: the job's error says why there is none. */
bool mail_notice_write(struct engine_job *job, str public_url);
/* The result of a notice that was sent: {to, noAddress, refused}. `refused` is what the server said last
 * about a recipient whom it did not take; empty: it took all. */
const struct json *mail_notice_result(const struct engine_job *job, str refused);

/* ---- server.c ---- */

enum mail_tls { MAIL_TLS_NONE, MAIL_TLS_TRY, MAIL_TLS_STARTTLS, MAIL_TLS_IMPLICIT };

struct mail_server {
    str url;   /* smtp://HOST:PORT, without user and query. */
    str place; /* HOST:PORT, for messages and queues. */
    str user, password;
    str from; /* Empty: none. */
    str ca;   /* PEM; empty: the system's. */
    enum mail_tls tls;
};

/* Reads a URI or an object. NULL, or what is wrong: never a part of the text. */
const char *mail_server_read(str text, struct arena *arena, struct mail_server *ret_server);

/* ---- sender.c: the thread ---- */

struct mail_sender;

struct mail_delivery {
    struct engine_job *job;
    struct mail_message message;
    struct mail_server server;
    int64_t timeout_ms;

    /* The sender's own. */
    struct mail_sender *sender;
    uint64_t number;
    CURL *easy; /* NULL: it waits. */
    struct curl_slist *recipients;
    size_t sent_bytes;
    const struct call_reach *reach;
    bool offers_utf8, utf8_missing;
    const char *refused_class;
    char reply[512]; /* The last line with which the server refused something. */
    struct mail_delivery *next;
};

/* ST_INTERNAL if libcurl cannot be loaded or no thread can be started. */
enum status mail_sender_start(const struct mail_config *config, struct mail_sender **ret_sender,
                              struct error *err);
/* Takes a delivery; its job's `done` is called on the sender's thread. Returns its number. */
uint64_t mail_sender_submit(struct mail_sender *sender, struct mail_delivery *delivery);
/* A number whose delivery is done is ignored. */
void mail_sender_cancel(struct mail_sender *sender, uint64_t number);
size_t mail_sender_room(struct mail_sender *sender);
/* Breaks off everything and frees the sender. */
void mail_sender_stop(struct mail_sender *sender);

#endif
