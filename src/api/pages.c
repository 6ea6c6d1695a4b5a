/* api/pages.c — pages of docs/ as a part of the program, for agents and for people without the repository.
 *
 * They need no secret: they say nothing about this engine.
 */
#include "api/pages_int.h"

#include "api/answer_int.h"
#include "api/route_int.h"

/* clang-format off */
#define PAGE_MAP(XX)                                                                \
    XX(concepts,   "What the words mean")                                           \
    XX(steps,      "The steps format and the expression language")                  \
    XX(serverless, "The Serverless Workflow format")                                \
    XX(graphs,     "Flow graphs")                                                   \
    XX(entities,   "Models, workflows and entities")                                \
    XX(fields,     "Every field of flow graphs and steps")                          \
    XX(triggers,   "What starts runs")                                              \
    XX(tasks,      "People's tasks")                                                \
    XX(performers, "Work that the engine does itself")                              \
    XX(testing,    "Scenario files, exploration, simulation")                       \
    XX(repair,     "What to do with runs that failed or do not go on")              \
    XX(versions,   "Versions of a definition")                                      \
    XX(git,        "A folder in Git")                                               \
    XX(errors,     "Statuses, codes of problems, reasons of failures")              \
    XX(mcp,        "Agents")
/* clang-format on */

/* Global and hidden for the reason that openapi.c gives. */
#define EMBED(name, file)                                                              \
    __asm__(".section .rodata\n"                                                       \
            ".global api_page_" #name "_begin\n"                                       \
            ".global api_page_" #name "_end\n"                                         \
            ".hidden api_page_" #name "_begin\n"                                       \
            ".hidden api_page_" #name "_end\n"                                         \
            "api_page_" #name "_begin:\n"                                              \
            ".incbin \"" file "\"\n"                                                   \
            "api_page_" #name "_end:\n"                                                \
            ".byte 0\n"                                                                \
            ".text\n");                                                                \
    extern const char api_page_##name##_begin[] __attribute__((visibility("hidden"))); \
    extern const char api_page_##name##_end[] __attribute__((visibility("hidden")));
#define XX(name, title) EMBED(name, "docs/" #name ".md")
PAGE_MAP(XX)
#undef XX
EMBED(llms, "docs/llms.txt")

static const struct {
    str name, title;
    const char *begin, *end;
} pages[] = {
#define XX(name, title) \
    { STR_INIT(#name ".md"), STR_INIT(title), api_page_##name##_begin, api_page_##name##_end },
    PAGE_MAP(XX)
#undef XX
};

bool pages_doc(size_t index, struct page *ret_page)
{
    if (index >= COUNT(pages)) return false;
    *ret_page = (struct page){ pages[index].name,
                               pages[index].title,
                               { pages[index].begin, (size_t)(pages[index].end - pages[index].begin) } };
    return true;
}

enum status pages_get(struct api_request *request, struct error *err)
{
    struct page page;
    for (size_t i = 0; pages_doc(i, &page); i++) {
        if (!str_equal(page.name, request->param[0])) continue;
        answer_lasting(request, 200, STR("text/markdown; charset=utf-8"), STR("Cache-Control: no-cache\r\n"),
                       page.text);
        return ST_OK;
    }
    return fail(err, ST_NOT_FOUND, "", "there is no page \"%.*s\" here; /llms.txt lists the pages",
                STR_ARG(request->param[0]));
}

enum status pages_llms(struct api_request *request, struct error *err)
{
    (void)err;
    answer_lasting(request, 200, STR("text/plain; charset=utf-8"), STR("Cache-Control: no-cache\r\n"),
                   (str){ api_page_llms_begin, (size_t)(api_page_llms_end - api_page_llms_begin) });
    return ST_OK;
}
