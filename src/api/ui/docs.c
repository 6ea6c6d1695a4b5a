/* api/ui/docs.c — the documentation as pages, from memory: what web/site made of docs/ and contract/.
 *
 * A name is that of a file, or of a page without its ending. Names that end with ".md" are texts for agents
 * (pages.c). A program without the web application has only these.
 */
#include "api/ui/ui_int.h"

static const struct ui_asset *find(struct arena *arena, str name)
{
    const struct ui_asset *asset = ui_find(&ui_assets, arena_printf(arena, "docs/%.*s", STR_ARG(name)));
    if (asset) return asset;
    return ui_find(&ui_assets, arena_printf(arena, "docs/%.*s.html", STR_ARG(name)));
}

enum status docs_get(struct api_request *request, struct error *err)
{
    str name = request->param[0];
    const struct ui_asset *asset = find(request->http->arena, name);
    if (!asset) return pages_get(request, err);
    ui_answer_asset(request, asset);
    return ST_OK;
}

enum status docs_index(struct api_request *request, struct error *err)
{
    const struct ui_asset *asset = find(request->http->arena, STR("index"));
    if (!asset) return openapi_docs(request, err);
    ui_answer_asset(request, asset);
    return ST_OK;
}

/* Links between pages are relative, so the first page is in the folder of the others. */
enum status docs_enter(struct api_request *request, struct error *err)
{
    if (!find(request->http->arena, STR("index"))) return openapi_docs(request, err);
    answer_typed(request, 308, STR_NONE, STR("Location: /docs/\r\n"), STR_NONE);
    return ST_OK;
}
