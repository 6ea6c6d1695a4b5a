/* api/forms/page.c — pages of forms: the form, thanks, and errors. All texts of others are escaped. */
#include "api/forms/forms_int.h"

#include "base/escape.h"
#include "json/put.h"

/* A page of forms runs no script and is never inside another page. Its own address is its referrer, because
 * without one a browser hides the origin of what it sends. */
str forms_lines(void)
{
    return STR("Content-Security-Policy: default-src 'none'; style-src 'self'; base-uri 'none'; "
               "form-action 'self'; frame-ancestors 'none'\r\n"
               "Referrer-Policy: same-origin\r\n"
               "Cross-Origin-Opener-Policy: same-origin\r\n"
               "Cache-Control: no-store\r\n");
}

static void open_page(const struct form_words *words, str title, struct buf *out)
{
    PUT(out, "<!doctype html>\n<html lang=\"");
    buf_add_str(out, words->language);
    PUT(out, "\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    escape_html(out, title);
    PUT(out, "</title>\n<link rel=\"stylesheet\" href=\"/forms.css\">\n</head>\n<body>\n<main>\n");
}

static void close_page(struct buf *out) { PUT(out, "</main>\n</body>\n</html>\n"); }

static void put_heading(struct buf *out, str title)
{
    PUT(out, "<h1>");
    escape_html(out, title);
    PUT(out, "</h1>\n");
}

static void put_paragraph(struct buf *out, str text)
{
    PUT(out, "<p>");
    escape_html(out, text);
    PUT(out, "</p>\n");
}

/* ---- the form ---- */

/* Problems that no control has, such as a rule about the whole. */
static void put_other_problems(const struct form_page *page, const bool *told, struct buf *out)
{
    for (size_t i = 0; i < page->form->problem_count; i++) {
        if (told[i]) continue;
        const struct schema_problem *problem = &page->form->problem[i];
        PUT(out, "<li>");
        escape_html(out, problem->where.n ? problem->where : page->words->the_form);
        buf_add_char(out, ' ');
        forms_put_problem(page->words, problem, page->arena, out);
        PUT(out, "</li>\n");
    }
}

static void put_problems(const struct form_page *page, str summary, const bool *told, struct buf *out)
{
    if (!page->trouble.n && !page->form->problem_count) return;
    PUT(out, "<div class=\"summary\" role=\"alert\">\n<h2>");
    escape_html(out, page->words->not_sent);
    PUT(out, "</h2>\n");
    if (page->trouble.n) {
        forms_put_engine(page->words, "p", page->trouble, out);
        buf_add_char(out, '\n');
    }
    if (page->form->problem_count) {
        PUT(out, "<ul>\n");
        buf_add_str(out, summary);
        put_other_problems(page, told, out);
        PUT(out, "</ul>\n");
    }
    PUT(out, "</div>\n");
}

str forms_page(const struct form_page *page)
{
    struct arena *arena = page->arena;
    struct buf out, controls, summary;
    buf_init(&out, arena);
    buf_init(&controls, arena);
    buf_init(&summary, arena);
    struct form_writer writer = { .page = page,
                                  .out = &controls,
                                  .summary = &summary,
                                  .told = arena_make_n(arena, bool, page->form->problem_count) };
    if (page->form->schema) forms_put_controls(&writer, page->form->schema);
    open_page(page->words, page->form->title, &out);
    put_heading(&out, page->form->title);
    if (page->form->about.n) put_paragraph(&out, page->form->about);
    put_problems(page, buf_str(&summary), writer.told, &out);
    buf_printf(&out, "<form method=\"post\"%s>\n", writer.has_file ? " enctype=\"multipart/form-data\"" : "");
    PUT(&out, "<input type=\"hidden\" name=\"pawl-key\" value=\"");
    escape_html(&out, page->key);
    PUT(&out, "\">\n");
    buf_add_str(&out, buf_str(&controls));
    PUT(&out, "<button type=\"submit\">");
    escape_html(&out, page->form->button.n ? page->form->button : page->words->send);
    PUT(&out, "</button>\n</form>\n");
    close_page(&out);
    return writer.is_beyond || out.n > FORM_PAGE_BYTES_MAX ? STR_NONE : buf_str(&out);
}

str forms_thanks(const struct form_words *words, const struct answer_form *form, str reference,
                 struct arena *arena)
{
    struct buf out;
    buf_init(&out, arena);
    open_page(words, form->title, &out);
    put_heading(&out, words->thank_you);
    PUT(&out, "<p>");
    buf_add_str(&out, words->before_arrived);
    escape_html(&out, form->title);
    buf_add_str(&out, words->after_arrived);
    PUT(&out, "</p>\n");
    if (reference.n) {
        PUT(&out, "<p>");
        buf_add_str(&out, words->reference);
        PUT(&out, " <code>");
        escape_html(&out, reference);
        PUT(&out, "</code></p>\n");
    }
    /* The empty address is this page, which is the form again when it is asked for. */
    PUT(&out, "<p><a href=\"\">");
    buf_add_str(&out, words->another);
    PUT(&out, "</a></p>\n");
    close_page(&out);
    return buf_str(&out);
}

/* ---- errors ---- */

static str heading_of(const struct form_words *words, enum status status)
{
    switch (status) {
    case ST_NOT_FOUND: return words->no_form;
    case ST_UNAUTHORIZED: return words->sign_in;
    case ST_LIMIT: return words->too_large;
    default: return words->failed;
    }
}

static void put_error(const struct api_request *request, const struct error *err, struct buf *out)
{
    const struct form_words *words = forms_words(request->http);
    str title = heading_of(words, err->status);
    str ours = err->status == ST_NOT_FOUND      ? words->why_no_form
               : err->status == ST_UNAUTHORIZED ? words->why_sign_in
                                                : STR_NONE;
    open_page(words, title, out);
    put_heading(out, title);
    if (ours.n) put_paragraph(out, ours);
    else forms_put_engine(words, "p", error_sentence(err, request->http->arena), out);
    buf_add_char(out, '\n');
    if (err->status == ST_UNAUTHORIZED) put_paragraph(out, words->how_to_sign_in);
}

const struct error_format forms_errors = { .media_type = STR_INIT("text/html; charset=utf-8"),
                                           .put_error = put_error,
                                           .end = "</main>\n</body>\n</html>\n" };
