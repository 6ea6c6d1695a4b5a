/* cli/folder/revision.c — asks Git which commit a folder is at. */
#include "base/ascii.h"
#include "cli/folder/folder.h"
#include "cli/limits.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* In a hook the environment names the repository that runs it, which need not be the folder's. */
static char **without_git(struct arena *arena)
{
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **variables = arena_make_n(arena, char *, count + 1);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "GIT_", 4) != 0) variables[kept++] = environ[i];
    variables[kept] = NULL;
    return variables;
}

static bool spawn_git(const char *directory, int output, struct arena *arena, pid_t *ret_pid)
{
    char *place = arena_alloc(arena, strlen(directory) + 1);
    memcpy(place, directory, strlen(directory) + 1);
    char *const arguments[] = { (char[]){ "git" },      (char[]){ "-C" },   place, (char[]){ "rev-parse" },
                                (char[]){ "--verify" }, (char[]){ "HEAD" }, NULL };
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return false;
    bool done = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) == 0 &&
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                posix_spawnp(ret_pid, "git", &actions, NULL, arguments, without_git(arena)) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return done;
}

static bool is_commit(str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (ascii_hex(text.p[i]) < 0) return false;
    return text.n >= 40 && text.n <= 64;
}

str folder_revision(const char *directory, struct arena *arena)
{
    int ends[2], state = 0;
    pid_t pid;
    if (pipe(ends) != 0) return STR_NONE;
    for (size_t i = 0; i < COUNT(ends); i++) (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    bool runs = spawn_git(directory, ends[1], arena, &pid);
    close(ends[1]);
    char *text = arena_alloc(arena, REVISION_TEXT_BYTES_MAX);
    size_t n = 0;
    for (ssize_t got = 1; runs && got > 0 && n<REVISION_TEXT_BYTES_MAX; n += got> 0 ? (size_t)got : 0)
        got = read(ends[0], text + n, REVISION_TEXT_BYTES_MAX - n);
    close(ends[0]);
    bool done = runs && waitpid(pid, &state, 0) == pid && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    str commit = str_trim((str){ text, n });
    return done && is_commit(commit) ? commit : STR_NONE;
}
