/* api/ui/ui.c — the web application, from memory.
 *
 *     a file                 its bytes in the shortest form that the client takes, with an ETag
 *     a page of it           index.html
 *     a lost file            404
 *     no application         a small page that says so
 *
 * Names with a hash may be kept for ever. All others are asked for again each time, which costs a 304.
 */
#include "api/ui/ui_int.h"

#define POLICY                                                                           \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; " \
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; "    \
    "frame-ancestors 'none'; require-trusted-types-for 'script'\r\n"                     \
    "Referrer-Policy: no-referrer\r\n"                                                   \
    "Cross-Origin-Opener-Policy: same-origin\r\n"

static void answer_without_application(struct api_request *request)
{
    answer_typed(request, 404, STR("text/html; charset=utf-8"), STR(POLICY "Cache-Control: no-store\r\n"),
                 STR("<!doctype html>\n<html lang=\"en\"><title>Pawl</title>\n"
                     "<h1>This program was built without the web application</h1>\n"
                     "<p>Install Node.js 18 or newer with npm, and run <code>make</code> without "
                     "<code>WEB=0</code>.</p>\n"
                     "<p>The API works as ever: <a href=\"/openapi.json\">its description</a>.</p>\n"
                     "</html>\n"));
}

/* Each form of a file has a tag of its own: a cache may keep them side by side. */
void ui_answer_asset(struct api_request *request, const struct ui_asset *asset)
{
    struct arena *arena = request->http->arena;
    struct ui_form form = ui_choose(asset, http_header(request->http, STR("Accept-Encoding")));
    if (!form.bytes.n) {
        answer_typed(request, 406, STR("text/plain; charset=utf-8"), STR(POLICY "Vary: Accept-Encoding\r\n"),
                     STR("This file is there as gzip alone: send Accept-Encoding: gzip (curl --compressed). "
                         "/llms.txt lists texts that need none.\n"));
        return;
    }
    str tag = arena_printf(arena, "\"%.*s%s%.*s\"", STR_ARG(asset->etag), form.coding.n ? "-" : "",
                           STR_ARG(form.coding));
    struct buf lines;
    buf_init(&lines, arena);
    buf_add_str(&lines, STR(POLICY "Vary: Accept-Encoding\r\n"));
    buf_printf(&lines, "ETag: %.*s\r\nCache-Control: %s\r\n", STR_ARG(tag),
               asset->immutable ? "public, max-age=31536000, immutable" : "no-cache");
    if (ui_is_known(http_header(request->http, STR("If-None-Match")), tag)) {
        answer_typed(request, 304, STR_NONE, buf_str(&lines), STR_NONE);
        return;
    }
    if (form.coding.n) buf_printf(&lines, "Content-Encoding: %.*s\r\n", STR_ARG(form.coding));
    answer_lasting(request, 200, asset->type, buf_str(&lines), form.bytes);
}

enum status ui_get(struct api_request *request, struct error *err)
{
    (void)err;
    str path = request->param[0];
    if (!ui_assets.count) {
        answer_without_application(request);
        return ST_OK;
    }
    const struct ui_asset *asset = ui_resolve(&ui_assets, path, http_header(request->http, STR("Accept")));
    if (asset) ui_answer_asset(request, asset);
    else
        answer_typed(request, 404, STR("text/plain; charset=utf-8"),
                     STR(POLICY "Cache-Control: no-store\r\n"), STR("404 page not found"));
    return ST_OK;
}

enum status ui_enter(struct api_request *request, struct error *err)
{
    (void)err;
    answer_typed(request, 308, STR_NONE, STR("Location: /ui/\r\n"), STR_NONE);
    return ST_OK;
}

/* People who open the engine's address in a browser look for the application; programs get what they got
 * before there was one, whatever their method. */
enum status ui_root(struct api_request *request, struct error *err)
{
    (void)err;
    bool reads =
        str_equal(request->http->method, STR("GET")) || str_equal(request->http->method, STR("HEAD"));
    if (reads && ui_accepts_html(http_header(request->http, STR("Accept"))))
        answer_typed(request, 302, STR_NONE, STR("Location: /ui/\r\nVary: Accept\r\n"), STR_NONE);
    else
        answer_typed(request, 404, STR("text/plain; charset=utf-8"), STR("Vary: Accept\r\n"),
                     STR("404 page not found"));
    return ST_OK;
}
