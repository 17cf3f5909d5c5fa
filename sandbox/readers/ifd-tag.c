/* The tag on a virtual reader: a TCP connection and the messages on it.
 *
 * Each message has a header of four bytes: what it is and, in three bytes, most significant first,
 * how long what follows is.
 *
 *     reader -> tag                                    tag -> reader
 *     'T' the reader's model                           'T' the ATR, empty from a mute tag
 *     'P' power on, 'R' reset, 'O' power off           nothing
 *     'A' a command APDU                               'A' the answer
 *
 * A tag that breaks this is hung up on. One that does not answer is waited for: for ever, or for
 * $VIRTUAL_READERS_TIMEOUT_MS.
 */
#define _GNU_SOURCE
#include "ifd.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HEADER = 4 };

int listen_on(unsigned port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 16)) {
        int reason = errno;
        close(listener);
        errno = reason;
        return -1;
    }
    return listener;
}

bool ready(int descriptor, short events)
{
    struct pollfd item = { .fd = descriptor, .events = events };
    return poll(&item, 1, 0) == 1;
}

/* The connection is only shut down here: another thread may be polling it. The event thread then
 * sees that the tag is gone and closes it. */
void drop_tag(const struct reader *reader)
{
    if (reader->tag >= 0)
        shutdown(reader->tag, SHUT_RDWR);
}

static bool send_message(const struct reader *reader, char kind, const void *body, size_t length)
{
    unsigned char header[HEADER] = { kind, length >> 16, length >> 8, length };
    struct iovec parts[2] = { { header, HEADER }, { (void *)body, length } };
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
    return length < 1 << 24
        && sendmsg(reader->tag, &message, MSG_NOSIGNAL) == (ssize_t)(HEADER + length);
}

/* Waits for more of the tag's answer. Ends too when the tag goes, the reader is unplugged or
 * `patience` milliseconds (-1: no limit) have passed without a byte. */
static bool await_answer(const struct reader *reader, int patience)
{
    struct pollfd items[2] = { { .fd = reader->tag, .events = POLLIN },
                               { .fd = reader->plug, .events = POLLIN } };
    int count;
    do
        count = poll(items, 2, patience);
    while (count < 0 && errno == EINTR);
    return count > 0 && !items[1].revents;
}

static bool receive_all(const struct reader *reader, unsigned char *bytes, size_t length)
{
    const char *limit = getenv("VIRTUAL_READERS_TIMEOUT_MS");
    int patience = limit && atoi(limit) > 0 ? atoi(limit) : -1;
    while (length) {
        if (!await_answer(reader, patience))
            return false;
        ssize_t got = recv(reader->tag, bytes, length, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        if (got > 0) {
            bytes += got;
            length -= got;
        }
    }
    return true;
}

bool tell_tag(const struct reader *reader, char kind)
{
    bool sent = send_message(reader, kind, NULL, 0);
    if (!sent)
        drop_tag(reader);
    return sent;
}

ssize_t ask_tag(const struct reader *reader, char kind, const void *body, size_t length,
                unsigned char *answer, size_t room)
{
    unsigned char header[HEADER];
    if (send_message(reader, kind, body, length) && receive_all(reader, header, HEADER)) {
        size_t size = (size_t)header[1] << 16 | header[2] << 8 | header[3];
        if (header[0] == kind && size <= room && receive_all(reader, answer, size))
            return size;
    }
    if (!unplugged(reader)) /* else it goes with the reader: see wait_for_event() */
        drop_tag(reader);
    return -1;
}

static void take_tag(struct reader *reader)
{
    int one = 1;
    reader->tag = accept4(reader->listener, NULL, NULL, SOCK_CLOEXEC);
    if (reader->tag < 0)
        return;
    setsockopt(reader->tag, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    ssize_t length = ask_tag(reader, 'T', reader->model, strlen(reader->model), reader->atr,
                             sizeof reader->atr);
    reader->atr_length = length < 0 ? 0 : length;
}

bool tag_present(struct reader *reader)
{
    if (reader->watched && !pthread_equal(reader->watcher, pthread_self()))
        return reader->tag >= 0 && !ready(reader->tag, POLLRDHUP);
    if (reader->tag >= 0 && ready(reader->tag, POLLRDHUP)) {
        close(reader->tag);
        reader->tag = -1;
        reader->vacancy_seen = false;
    }
    if (reader->tag < 0 && reader->vacancy_seen && ready(reader->listener, POLLIN))
        take_tag(reader);
    return reader->tag >= 0 && !ready(reader->tag, POLLRDHUP);
}
