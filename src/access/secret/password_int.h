/* access/secret/password_int.h — shared by the files about passwords. */
#ifndef ACCESS_PASSWORD_INT_H
#define ACCESS_PASSWORD_INT_H

#include "access/secret/password.h"

/* Is it one of the worst? In small letters. */
bool password_worst_has(str password);

#endif
