/* api/ui/assets.c — which file a request gets, and in which form. */
#include "api/ui/assets_int.h"

const struct ui_asset *ui_find(const struct ui_assets *assets, str path)
{
    for (size_t i = 0; i < assets->count; i++)
        if (str_equal(assets->asset[i].path, path)) return &assets->asset[i];
    return NULL;
}

/* Takes the next part of a list with commas; false: there is none. */
static bool next_part(str *list, str *ret_part)
{
    while (list->n) {
        size_t comma = str_find(*list, STR(","), 0);
        *ret_part = str_trim(str_slice(*list, 0, comma));
        *list = comma == SIZE_MAX ? STR_NONE : str_slice(*list, comma + 1, list->n);
        if (ret_part->n) return true;
    }
    return false;
}

/* Splits "gzip;q=0.5" into its name and whether its weight is more than 0. */
static str read_weighted(str part, bool *ret_wanted)
{
    size_t mark = str_find(part, STR(";"), 0);
    *ret_wanted = true;
    if (mark == SIZE_MAX) return part;
    str weight = str_trim(str_slice(part, mark + 1, part.n));
    if (str_equal_ignoring_case(str_slice(weight, 0, 2), STR("q="))) {
        *ret_wanted = false;
        for (size_t i = 2; i < weight.n && weight.p[i] != ';'; i++)
            if (weight.p[i] >= '1' && weight.p[i] <= '9') *ret_wanted = true;
    }
    return str_trim(str_slice(part, 0, mark));
}

static bool is_allowed(str accept_encoding, str coding)
{
    str part;
    bool any = false;
    while (next_part(&accept_encoding, &part)) {
        bool wanted;
        str name = read_weighted(part, &wanted);
        if (str_equal_ignoring_case(name, coding)) return wanted;
        if (str_equal(name, STR("*"))) any = wanted;
    }
    return any;
}

struct ui_form ui_choose(const struct ui_asset *asset, str accept_encoding)
{
    if (asset->br.n && is_allowed(accept_encoding, STR("br")))
        return (struct ui_form){ asset->br, STR("br") };
    if (asset->gzip.n && is_allowed(accept_encoding, STR("gzip")))
        return (struct ui_form){ asset->gzip, STR("gzip") };
    return (struct ui_form){ asset->raw, STR_NONE };
}

bool ui_is_known(str if_none_match, str tag)
{
    str part;
    while (next_part(&if_none_match, &part)) {
        if (str_equal(part, STR("*"))) return true;
        if (str_starts(part, STR("W/"))) part = str_slice(part, 2, part.n);
        if (str_equal(part, tag)) return true;
    }
    return false;
}

bool ui_accepts_html(str accept)
{
    str part;
    while (next_part(&accept, &part)) {
        bool wanted;
        if (str_equal_ignoring_case(read_weighted(part, &wanted), STR("text/html"))) return wanted;
    }
    return false;
}

/* Does the path end like the name of a file that the application could have? Ids in the paths of pages have
 * dots, too, so the ending decides. */
static bool is_file_name(str path)
{
    static const str endings[] = { STR_INIT(".css"),        STR_INIT(".ico"), STR_INIT(".js"),
                                   STR_INIT(".json"),       STR_INIT(".map"), STR_INIT(".png"),
                                   STR_INIT(".svg"),        STR_INIT(".txt"), STR_INIT(".woff2"),
                                   STR_INIT(".webmanifest") };
    for (size_t i = 0; i < COUNT(endings); i++)
        if (str_ends(path, endings[i])) return true;
    return false;
}

const struct ui_asset *ui_resolve(const struct ui_assets *assets, str path, str accept)
{
    const struct ui_asset *asset = ui_find(assets, path);
    if (asset) return asset;
    if (str_starts(path, STR("assets/"))) return NULL;
    if (is_file_name(path) && !ui_accepts_html(accept)) return NULL;
    return ui_find(assets, STR("index.html"));
}
