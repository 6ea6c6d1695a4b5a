/* api/ui/assets_int.h — the files of the web application, as a part of the program.
 *
 * web/embed.mjs writes the table when the program is built. A program without the application has an empty
 * one. Nothing here is ever freed or changed.
 */
#ifndef API_UI_ASSETS_INT_H
#define API_UI_ASSETS_INT_H

#include "base/str.h"

struct ui_asset {
    str path;       /* Below /ui/: "index.html", "assets/app-Bc3dE9x_.js". */
    str type;       /* Content-Type. */
    str etag;       /* A tag of the bytes as they are, without quotes. */
    bool immutable; /* The name has a hash of the content. */
    str raw;        /* Empty: it is there as gzip alone, as pages of the documentation are. */
    str gzip, br;   /* Empty where they would save nothing. */
};

struct ui_assets {
    const struct ui_asset *asset;
    size_t count;
};

extern const struct ui_assets ui_assets;

/* One of the forms that an asset is there in. */
struct ui_form {
    str bytes;
    str coding; /* "br", "gzip"; empty: as it is. */
};

/* The asset of that path, or NULL. */
const struct ui_asset *ui_find(const struct ui_assets *assets, str path);

/* The file that a request for a path below /ui/ gets, or NULL: a file by its name; and for any other path
 * that may be a page's, index.html, because the application reads the address itself. `accept` is the
 * request's Accept header: a name of a file that is not there is no page, unless a person asks for it. */
const struct ui_asset *ui_resolve(const struct ui_assets *assets, str path, str accept);

/* The shortest form that an Accept-Encoding header allows; without bytes: it allows none that is there. */
struct ui_form ui_choose(const struct ui_asset *asset, str accept_encoding);

/* Does an If-None-Match header name this tag (with its quotes)? */
bool ui_is_known(str if_none_match, str tag);

/* Does an Accept header name HTML? Every browser's does when a person opens a page. */
bool ui_accepts_html(str accept);

#endif
