/* api/forms/forms_int.h — forms for everybody: pages of HTML without script.
 *
 *     GET   ──► GET_FORM ──► the page
 *     POST  ──► GET_FORM with the fields ──► a problem: the page again, with what was typed
 *                                        └─► START ──► thanks
 */
#ifndef API_FORMS_FORMS_INT_H
#define API_FORMS_FORMS_INT_H

#include "api/answer_int.h"
#include "api/route_int.h"

route_fn forms_show, forms_send;
body_fn forms_read; /* The fields of a form. */

/* The most bytes that the sender of a body may send on a route of MAY_DATA. */
int64_t forms_body_max(const struct api_request *request);

/* ---- languages (languages.c, english.c, german.c) ---- */

/* All words of the pages in one language. */
struct form_words {
    str language; /* "en" */
    str send, the_form, optional, choose, line_each, as_json;
    str before_kilobytes, after_kilobytes; /* "At most ", " KB in all." */
    str not_sent, must_be_filled_in;
    str thank_you, before_arrived, after_arrived; /* "“", "” has arrived." */
    str reference, another;
    str no_form, sign_in, too_large, failed; /* Headings of errors. */
    str why_no_form, why_sign_in;            /* Sentences; empty: that of the engine. */
    str how_to_sign_in;
    /* Says what is wrong with a field, behind its label; empty: there is only the engine's sentence. */
    str (*problem)(const struct schema_problem *problem, struct arena *arena);
};

extern const struct form_words forms_english, forms_german;
/* The language that the client reads best; English if it reads none of them. */
const struct form_words *forms_words(const struct http_request *request);
/* Writes a sentence of the engine, which is English whatever language the page has. */
void forms_put_engine(const struct form_words *words, const char *tag, str sentence, struct buf *out);
/* Writes what is wrong with a field in the language of the page. */
void forms_put_problem(const struct form_words *words, const struct schema_problem *problem,
                       struct arena *arena, struct buf *out);

/* ---- pages (page.c) ---- */

/* A form on its way to a page. */
struct form_page {
    const struct answer_form *form;
    const struct json *fields; /* The texts that somebody typed, or a link brings: a list for each name. */
    bool is_sent;              /* Somebody typed them, so defaults do not count any more. */
    str key;                   /* Tells this filling in from others. */
    str trouble;               /* Why it was not taken, besides its problems; empty: nothing. */
    int64_t file_max;          /* Bytes of a file. */
    const struct form_words *words;
    struct arena *arena;
};

/* The page of a form. An empty text: it would be too long, or have too many controls. */
str forms_page(const struct form_page *page);
/* The page behind a form that was taken. `reference` may be empty. */
str forms_thanks(const struct form_words *words, const struct answer_form *form, str reference,
                 struct arena *arena);
/* An error as a page. */
extern const struct error_format forms_errors;
/* Header lines of every page. */
str forms_lines(void);

/* ---- controls (controls.c) ---- */

/* Controls as they are written, one for each member of the schema. */
struct form_writer {
    const struct form_page *page;
    struct buf *out;     /* The controls … */
    struct buf *summary; /* … and a list of what is wrong with them. */
    bool *told;          /* Which problems have a control. */
    size_t count;        /* Controls. */
    bool has_file;
    bool is_beyond; /* There are more controls or options than a page has. */
};

/* Writes the controls of the schema's members. */
void forms_put_controls(struct form_writer *writer, const struct json *schema);

/* ---- a schema, as pages read it (kinds.c) ---- */

enum form_kind {
    FORM_TEXT,
    FORM_LONG_TEXT,
    FORM_NUMBER,
    FORM_FLAG,
    FORM_CHOICE,
    FORM_CHOICES,
    FORM_FILE,
    FORM_LINES,
    FORM_GROUP,
    FORM_FIXED,
    FORM_JSON,
};

/* A keyword of a schema, or of the one that it refers to; NULL: it is not there. */
const struct json *forms_word(const struct json *root, const struct json *schema, const char *keyword);
str forms_text(const struct json *root, const struct json *schema, const char *keyword);
/* Which control asks for a value? `depth` counts the groups around it. */
enum form_kind forms_kind(const struct json *root, const struct json *schema, size_t depth);
/* The options of a choice: values, or alternatives with a `const` and a `title`. */
const struct json *forms_options(const struct json *root, const struct json *schema);
/* "costCentre" reads "Cost centre". */
str forms_label(const struct json *root, const struct json *schema, str name, struct arena *arena);

#endif
