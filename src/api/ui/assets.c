/* api/ui/assets.c — which file a request gets, and in which form. */
#include "api/ui/assets_int.h"

#include "net/weighted.h"

const struct ui_asset *ui_find(const struct ui_assets *assets, str path)
{
    for (size_t i = 0; i < assets->count; i++)
        if (str_equal(assets->asset[i].path, path)) return &assets->asset[i];
    return NULL;
}

static bool is_allowed(str accept_encoding, str coding)
{
    struct weighted_item item;
    bool any = false;
    while (weighted_next(&accept_encoding, &item)) {
        if (str_equal_ignoring_case(item.name, coding)) return item.weight > 0;
        if (str_equal(item.name, STR("*"))) any = item.weight > 0;
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
    while (weighted_next_item(&if_none_match, &part)) {
        if (str_equal(part, STR("*"))) return true;
        if (str_starts(part, STR("W/"))) part = str_slice(part, 2, part.n);
        if (str_equal(part, tag)) return true;
    }
    return false;
}

bool ui_accepts_html(str accept)
{
    struct weighted_item item;
    while (weighted_next(&accept, &item))
        if (str_equal_ignoring_case(item.name, STR("text/html"))) return item.weight > 0;
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
