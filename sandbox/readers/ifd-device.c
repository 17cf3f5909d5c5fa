/* A virtual reader's files: its device, which is also its plug, and its report of being open.
 *
 * $VIRTUAL_READERS_DIR/usb/1-PORT is the device, a folder with a file for each attribute. It has
 * that place only while the reader is plugged in, so its being moved is the unplugging.
 * $VIRTUAL_READERS_DIR/open/PORT is there while the reader is open, empty; or holds the reason why
 * it could not be opened.
 */
#define _GNU_SOURCE
#include "ifd.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static const char *home_path(char room[PATH_MAX], const char *folder, const char *prefix,
                             unsigned port)
{
    const char *home = getenv("VIRTUAL_READERS_DIR");
    snprintf(room, PATH_MAX, "%s/%s/%s%u", home ? home : "", folder, prefix, port);
    return room;
}

void read_attribute(unsigned port, const char *name, char text[FIELD])
{
    char folder[PATH_MAX], path[PATH_MAX + FIELD];
    text[0] = '\0';
    snprintf(path, sizeof path, "%s/%s", home_path(folder, "usb", "1-", port), name);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fgets(text, FIELD, file))
        text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

/* Moved in whole, so that the reason is never seen half. */
void report_opened(unsigned port, const char *reason)
{
    char path[PATH_MAX], draft[PATH_MAX];
    home_path(path, "open", "", port);
    FILE *file = fopen(home_path(draft, "open", ".", port), "we");
    if (!file)
        return;
    if (reason)
        fprintf(file, "%s\n", reason);
    fclose(file);
    rename(draft, path);
}

void report_closed(unsigned port)
{
    char path[PATH_MAX];
    unlink(home_path(path, "open", "", port));
}

int watch_plug(unsigned port)
{
    char path[PATH_MAX];
    int plug = inotify_init1(IN_CLOEXEC);
    if (plug >= 0 && inotify_add_watch(plug, home_path(path, "usb", "1-", port),
                                       IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR) < 0) {
        int reason = errno;
        close(plug);
        errno = reason;
        return -1;
    }
    return plug;
}

bool unplugged(const struct reader *reader)
{
    return ready(reader->plug, POLLIN);
}
