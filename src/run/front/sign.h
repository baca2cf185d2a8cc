/* The sign that `espalier run --explain` waits for: if it gets none, it says that the library was
 * in no process. */
#ifndef ESPALIER_FRONT_SIGN_H
#define ESPALIER_FRONT_SIGN_H

/* Sends one byte to the socket that ESPALIER_SIGN names, if it is set. Never waits. */
void espalier_leave_sign(void);

#endif
