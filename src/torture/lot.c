/* torture/lot.c — random numbers that follow from the seed of the run (SplitMix64). */
#include "torture/torture_int.h"

uint64_t lot_draw(struct lot *lot, uint64_t below)
{
    uint64_t z = lot->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return below ? z % below : z;
}

bool lot_hits(struct lot *lot, unsigned percent) { return lot_draw(lot, 100) < percent; }
struct lot lot_split(struct lot *lot) { return (struct lot){ lot_draw(lot, 0) }; }
