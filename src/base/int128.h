/* base/int128.h — 128-bit integers, which gcc has and ISO C has not. */
#ifndef BASE_INT128_H
#define BASE_INT128_H

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#endif
