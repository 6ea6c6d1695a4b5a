/* tests/fuzz/replay.c — runs every file of a corpus through a target, with any compiler.
 *
 * usage: replay [FILE or DIRECTORY...]
 *
 * Without an argument it replays the target's own corpus.
 *
 * The files run in one child. If it dies, the file it was at has failed, and another child
 * goes on with the next. Each input lies directly before memory that nobody may read.
 */

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_SECONDS_MAX = 60 };

struct files {
    char **path;
    size_t count;
};

static void add_file(struct files *files, const char *path)
{
    files->path = realloc(files->path, (files->count + 1) * sizeof *files->path);
    must(files->path);
    files->path[files->count++] = strdup(path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_all(struct files *files, const char *path)
{
    DIR *directory = opendir(path);
    if (!directory) {
        add_file(files, path);
        return;
    }
    size_t first = files->count;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        char *name = NULL;
        must(asprintf(&name, "%s/%s", path, entry->d_name) > 0);
        add_file(files, name);
        free(name);
    }
    closedir(directory);
    if (files->count > first)
        qsort(files->path + first, files->count - first, sizeof *files->path, compare_paths);
}

/* Pages that end with the file's bytes, and behind them one without access. */
static void run_file(const char *path)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    must(file && fstat(fileno(file), &info) == 0);
    size_t n = (size_t)info.st_size, page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (n + page - 1) / page * page;
    char *memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(memory != MAP_FAILED && mprotect(memory + room, page, PROT_NONE) == 0);
    char *bytes = memory + room - n;
    must(fread(bytes, 1, n, file) == n);
    fclose(file);
    must(mprotect(memory, room + page, PROT_NONE) == 0);
    if (room) must(mprotect(memory, room, PROT_READ) == 0);
    LLVMFuzzerTestOneInput((const uint8_t *)bytes, n);
    munmap(memory, room + page);
}

/* Returns when all have run, or at the first that fails: *at tells which. */
static bool run_from(const struct files *files, volatile size_t *at)
{
    fflush(NULL);
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        for (; *at < files->count; ++*at) {
            alarm(FILE_SECONDS_MAX);
            run_file(files->path[*at]);
        }
        alarm(0);
        exit(0); /* Not _exit: a sanitizer looks for leaks here. */
    }
    int status = 0;
    must(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int count, char **argument)
{
    struct files files = { 0 };
    for (int i = 1; i < count; i++) add_all(&files, argument[i]);
    if (count == 1) add_all(&files, FUZZ_CORPUS);

    size_t *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(at != MAP_FAILED);
    size_t failed = 0;
    while (!run_from(&files, at)) {
        failed++;
        printf("FAIL %s\n", *at < files.count ? files.path[*at] : "at the end: memory was lost");
        if (++*at >= files.count) break;
    }
    size_t passed = files.count > failed ? files.count - failed : 0;
    printf("%zu passed, %zu failed\n", passed, failed);
    for (size_t i = 0; i < files.count; i++) free(files.path[i]);
    free(files.path);
    return failed || !files.count;
}
