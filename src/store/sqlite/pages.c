/* store/sqlite/pages.c — SQLite's own page cache, without the search at every commit.
 *
 * After every commit SQLite tells its cache to forget the pages behind the end of the file. There are none,
 * but the cache only knows the highest number it ever had. A b-tree raises that number whenever it reorders
 * sibling pages: it parks one page under a number that no file uses. The cache then searches all its pages,
 * which takes a quarter of a millisecond per commit when it holds 64 MiB.
 *
 * This layer stands before the cache and remembers the highest number without the parked page, which SQLite
 * always moves back before the commit. Everything else is passed on.
 *
 * The highest number has a second use: no file can have grown beyond it.
 */
#include "store/sqlite/sqlite_int.h"

#include "base/must.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LOCK_BYTE = 0x40000000 }; /* A byte of the file: the page that holds it is never used. */

struct pages {
    sqlite3_pcache *own; /* SQLite's. */
    unsigned highest;    /* No page in it has a higher number, */
    unsigned parked;     /* except this one, while siblings change places. */
};

static sqlite3_pcache_methods2 own;
static _Atomic size_t search_count;
static _Atomic unsigned highest_of_all = UINT_MAX; /* Until we stand before the cache. */

size_t sqlite_pages_searched(void) { return search_count; }
unsigned sqlite_pages_highest(void) { return highest_of_all; }

static struct pages *pages_of(sqlite3_pcache *cache) { return (struct pages *)(void *)cache; }

static sqlite3_pcache *create(int page_bytes, int extra_bytes, int purgeable)
{
    sqlite3_pcache *made = own.xCreate(page_bytes, extra_bytes, purgeable);
    struct pages *pages = made ? malloc(sizeof *pages) : NULL;
    must(!made || pages);
    if (!made) return NULL;
    *pages = (struct pages){ .own = made, .parked = LOCK_BYTE / (unsigned)page_bytes + 1 };
    return (sqlite3_pcache *)(void *)pages;
}

static void destroy(sqlite3_pcache *cache)
{
    own.xDestroy(pages_of(cache)->own);
    free(cache);
}

static void set_size(sqlite3_pcache *cache, int pages) { own.xCachesize(pages_of(cache)->own, pages); }
static int page_count(sqlite3_pcache *cache) { return own.xPagecount(pages_of(cache)->own); }
static void shrink(sqlite3_pcache *cache) { own.xShrink(pages_of(cache)->own); }

static void note(struct pages *pages, unsigned number)
{
    if (number <= pages->highest || number == pages->parked) return;
    pages->highest = number;
    for (unsigned known = highest_of_all; number > known;)
        if (atomic_compare_exchange_weak(&highest_of_all, &known, number)) return;
}

static sqlite3_pcache_page *fetch(sqlite3_pcache *cache, unsigned number, int make)
{
    struct pages *pages = pages_of(cache);
    if (make) note(pages, number);
    return own.xFetch(pages->own, number, make);
}

static void unpin(sqlite3_pcache *cache, sqlite3_pcache_page *page, int discard)
{
    own.xUnpin(pages_of(cache)->own, page, discard);
}

static void rename_page(sqlite3_pcache *cache, sqlite3_pcache_page *page, unsigned from, unsigned to)
{
    note(pages_of(cache), to);
    own.xRekey(pages_of(cache)->own, page, from, to);
}

/* Forgets pages from that number on. */
static void truncate_pages(sqlite3_pcache *cache, unsigned number)
{
    struct pages *pages = pages_of(cache);
    if (pages->highest < number) return;
    search_count++;
    own.xTruncate(pages->own, number);
    pages->highest = number ? number - 1 : 0;
}

void sqlite_pages_configure(void)
{
    static sqlite3_pcache_methods2 ours;
    if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &own) != SQLITE_OK) return;
    ours = own;
    ours.xCreate = create;
    ours.xCachesize = set_size;
    ours.xPagecount = page_count;
    ours.xFetch = fetch;
    ours.xUnpin = unpin;
    ours.xRekey = rename_page;
    ours.xTruncate = truncate_pages;
    ours.xDestroy = destroy;
    ours.xShrink = shrink;
    if (sqlite3_config(SQLITE_CONFIG_PCACHE2, &ours) == SQLITE_OK) highest_of_all = 0;
}
