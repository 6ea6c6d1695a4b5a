/* base/must.h — checks of conditions that only a bug of ours can make false.
 *
 * must() stays on in release builds: it prints where and aborts. A restart is a
 * recovery, so stopping is always safer than going on with a broken invariant.
 */
#ifndef BASE_MUST_H
#define BASE_MUST_H

#define must(condition)                                                                               \
    do {                                                                                              \
        if (__builtin_expect(!(condition), 0)) must_failed(#condition, __FILE__, __LINE__, __func__); \
    } while (0)

__attribute__((noreturn, cold)) void must_failed(const char *condition, const char *file, int line,
                                                 const char *function);

#endif
