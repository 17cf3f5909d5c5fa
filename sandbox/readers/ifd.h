/* A virtual reader as the parts of its driver see it. See ifd-virtual.c. */
#ifndef IFD_H
#define IFD_H

#include <ifdhandler.h>
#include <limits.h>
#include <pthread.h>
#include <reader.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FIELD = 64 };

/* The lock holds off closing while a call is under way: pcscd closes a reader even when a transmit
 * has not come back.
 *
 * pcscd looks for a tag not only to learn of one (IFDPowerICC in its ifdwrapper.c does before each
 * power up and down), and a swap of tags must not hide in such a look. So once its event thread has
 * waited for the first time only that thread changes tag; and after a tag has gone the next one is
 * taken only when it has come back to wait, having learnt of the gap. */
struct reader {
    pthread_mutex_t lock;
    bool open;
    bool watched;      /* the event thread has waited */
    pthread_t watcher; /* the event thread, once watched */
    bool vacancy_seen; /* pcscd knows that no tag is there: the next one may be taken */
    unsigned port;
    int listener; /* where tags connect */
    int wake;     /* an eventfd: pcscd wants its event thread back */
    int plug;     /* an inotify descriptor: readable once the reader is unplugged */
    int tag;      /* the tag on the reader, or -1 */
    unsigned char atr[MAX_ATR_SIZE];
    size_t atr_length;
    char model[FIELD], serial[FIELD];
};

/* ifd-device.c: the device's files and its plug. */

/* Reads an attribute of the device on a port; empty where it has none. */
void read_attribute(unsigned port, const char *name, char text[FIELD]);

/* Tells whoever waits for the reader how opening it ended; reason is NULL where it is open. */
void report_opened(unsigned port, const char *reason);
void report_closed(unsigned port);

/* Watches the device's folder; -1 and errno where it is not plugged in. */
int watch_plug(unsigned port);
bool unplugged(const struct reader *reader);

/* ifd-tag.c: the tag on the reader. */

/* Whether poll() reports any of these events now. */
bool ready(int descriptor, short events);

/* Listens on 127.0.0.1; -1 and errno where the port cannot be had. */
int listen_on(unsigned port);

/* Whether a tag is on the reader. On the event thread it also lets a tag go and takes the next. */
bool tag_present(struct reader *reader);

/* Sends a message that has no answer. */
bool tell_tag(const struct reader *reader, char kind);

/* Sends a message and reads its answer. Returns the answer's length; -1 where none came, and then
 * the tag counts as gone. */
ssize_t ask_tag(const struct reader *reader, char kind, const void *body, size_t length,
                unsigned char *answer, size_t room);

/* Makes the tag count as gone. */
void drop_tag(const struct reader *reader);

/* ifd-escape.c: commands to the reader itself. */

/* Answers an escape command; size is set to the answer's length. */
RESPONSECODE answer_escape(const struct reader *reader, DWORD code, const unsigned char *command,
                           DWORD length, unsigned char *answer, DWORD room, DWORD *size);

#endif
