/* scenario/choices.c — draws choices from a seed, or repeats given ones. */
#include "scenario/scenario_int.h"

#include "base/array.h"
#include "base/must.h"

#include <stdlib.h>

void choices_init_random(struct choices *choices, uint64_t seed)
{
    *choices = (struct choices){ .random = true, .state = seed };
}

void choices_init_given(struct choices *choices, const uint32_t *given, size_t count)
{
    *choices = (struct choices){ .given = given, .given_count = count };
}

void choices_done(struct choices *choices)
{
    free(choices->made);
    *choices = (struct choices){ 0 };
}

/* SplitMix64: every seed gives a good sequence, neighbouring ones unrelated ones. */
static uint64_t next_random(struct choices *choices)
{
    uint64_t z = (choices->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t choices_below(struct choices *choices, uint32_t bound)
{
    if (!choices || bound < 2) return 0;
    uint32_t value = 0;
    if (choices->random) value = (uint32_t)((next_random(choices) >> 32) * bound >> 32);
    else if (choices->made_count < choices->given_count) value = choices->given[choices->made_count] % bound;
    array_reserve(choices->made, choices->made_count, choices->made_cap);
    choices->made[choices->made_count++] = value;
    return value;
}

bool choices_rarely(struct choices *choices, uint32_t one_in)
{
    return choices_below(choices, one_in) == one_in - 1;
}
