/* A reader driver (IFD handler, API version 3) for pcscd whose tags are TCP clients.
 *
 * It behaves as the driver of a USB reader does: pcscd hears at once of a tag that comes or goes,
 * and of the reader itself being unplugged, also while a tag does not answer. Each reader is one
 * device with one slot; pcscd can hold sixteen.
 *
 * The device's name ends in "/PORT". The reader listens there, on 127.0.0.1 only; a tag on the
 * reader is a connection, the tag taken away is the connection closed. ifd-device.c is the device's
 * side, ifd-tag.c the tag's, ifd-escape.c answers commands to the reader itself.
 */
#define _GNU_SOURCE
#include "ifd.h"
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { READERS = 16 };

static struct reader readers[READERS] = {
    [0 ... READERS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER }
};

static struct reader *slot(DWORD lun)
{
    DWORD index = lun >> 16;
    return index < READERS && !(lun & 0xffff) ? &readers[index] : NULL;
}

/* pcscd's thread for this reader sits here until something happens. An unplugged reader is not
 * something: pcscd's hot-plug thread hears of it by itself and calls this one back. Were it told
 * here, it would sleep a whole second over it first (IFDStatusICC in pcscd's ifdwrapper.c). */
static RESPONSECODE wait_for_event(DWORD lun, int timeout)
{
    struct reader *reader = slot(lun);
    if (!reader || !reader->open)
        return IFD_NO_SUCH_DEVICE;
    reader->watcher = pthread_self();
    reader->watched = true;
    struct pollfd items[2] = { { .fd = reader->wake, .events = POLLIN },
                               { .fd = reader->listener, .events = POLLIN } };
    if (reader->tag >= 0)
        items[1] = (struct pollfd){ .fd = reader->tag, .events = POLLRDHUP };
    else
        reader->vacancy_seen = true;
    if (poll(items, 2, timeout) > 0 && items[0].revents) {
        eventfd_t calls;
        eventfd_read(reader->wake, &calls);
    }
    return IFD_SUCCESS;
}

static RESPONSECODE call_back(DWORD lun)
{
    struct reader *reader = slot(lun);
    if (reader && reader->open)
        eventfd_write(reader->wake, 1);
    return IFD_SUCCESS;
}

static void close_all(const struct reader *reader)
{
    const int descriptors[] = { reader->tag, reader->listener, reader->plug, reader->wake };
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
}

static RESPONSECODE open_reader(struct reader *reader, unsigned port)
{
    reader->tag = reader->listener = reader->wake = -1;
    reader->plug = watch_plug(port);
    if (reader->plug >= 0)
        reader->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (reader->wake >= 0)
        reader->listener = listen_on(port);
    if (reader->listener < 0) {
        const char *reason = strerror(errno);
        fprintf(stderr, "virtual reader on port %u: %s\n", port, reason);
        report_opened(port, reason);
        close_all(reader);
        return reader->plug < 0 ? IFD_NO_SUCH_DEVICE : IFD_COMMUNICATION_ERROR;
    }
    reader->open = true;
    reader->watched = false;
    reader->vacancy_seen = true;
    reader->port = port;
    reader->atr_length = 0;
    read_attribute(port, "model", reader->model);
    read_attribute(port, "serial", reader->serial);
    report_opened(port, NULL);
    return IFD_SUCCESS;
}

RESPONSECODE IFDHCreateChannel(DWORD Lun, DWORD Channel)
{
    struct reader *reader = slot(Lun);
    if (!reader || Channel == 0 || Channel > 65535)
        return IFD_NO_SUCH_DEVICE;
    pthread_mutex_lock(&reader->lock);
    RESPONSECODE result = reader->open ? IFD_COMMUNICATION_ERROR : open_reader(reader, Channel);
    pthread_mutex_unlock(&reader->lock);
    return result;
}

RESPONSECODE IFDHCreateChannelByName(DWORD Lun, LPSTR DeviceName)
{
    const char *slash = strrchr(DeviceName, '/');
    return slash ? IFDHCreateChannel(Lun, strtoul(slash + 1, NULL, 10)) : IFD_NO_SUCH_DEVICE;
}

RESPONSECODE IFDHCloseChannel(DWORD Lun)
{
    struct reader *reader = slot(Lun);
    if (!reader || !reader->open)
        return IFD_COMMUNICATION_ERROR;
    drop_tag(reader); /* ends a transmit that still holds the lock */
    pthread_mutex_lock(&reader->lock);
    close_all(reader);
    reader->open = false;
    report_closed(reader->port);
    pthread_mutex_unlock(&reader->lock);
    return IFD_SUCCESS;
}

static RESPONSECODE give(PDWORD length, PUCHAR value, const void *bytes, size_t size)
{
    if (*length < size)
        return IFD_ERROR_INSUFFICIENT_BUFFER;
    memcpy(value, bytes, size);
    *length = size;
    return IFD_SUCCESS;
}

static RESPONSECODE give_byte(PDWORD length, PUCHAR value, unsigned char byte)
{
    return give(length, value, &byte, 1);
}

RESPONSECODE IFDHGetCapabilities(DWORD Lun, DWORD Tag, PDWORD Length, PUCHAR Value)
{
    struct reader *reader = slot(Lun);
    if (!reader || !Length || !Value)
        return IFD_COMMUNICATION_ERROR;
    RESPONSECODE (*wait)(DWORD, int) = wait_for_event;
    RESPONSECODE (*stop)(DWORD) = call_back;
    uint32_t usb_channel = 0x00200000 | (1 << 8) | (reader->port & 0xff);
    switch (Tag) {
    case TAG_IFD_ATR:
    case SCARD_ATTR_ATR_STRING:
        return give(Length, Value, reader->atr, reader->atr_length);
    case SCARD_ATTR_VENDOR_IFD_SERIAL_NO:
        if (!reader->serial[0])
            return IFD_ERROR_TAG;
        return give(Length, Value, reader->serial, strlen(reader->serial));
    case SCARD_ATTR_CHANNEL_ID:
        return give(Length, Value, &usb_channel, sizeof usb_channel);
    case TAG_IFD_SIMULTANEOUS_ACCESS:
        return give_byte(Length, Value, READERS);
    case TAG_IFD_THREAD_SAFE:
    case TAG_IFD_SLOTS_NUMBER:
        return give_byte(Length, Value, 1);
    case TAG_IFD_SLOT_THREAD_SAFE:
    case TAG_IFD_POLLING_THREAD_KILLABLE:
        return give_byte(Length, Value, 0);
    case TAG_IFD_POLLING_THREAD_WITH_TIMEOUT:
        return give(Length, Value, &wait, sizeof wait);
    case TAG_IFD_STOP_POLLING_THREAD:
        return give(Length, Value, &stop, sizeof stop);
    }
    return IFD_ERROR_TAG;
}

RESPONSECODE IFDHSetCapabilities(DWORD Lun, DWORD Tag, DWORD Length, PUCHAR Value)
{
    (void)Lun;
    (void)Tag;
    (void)Length;
    (void)Value;
    return IFD_NOT_SUPPORTED;
}

RESPONSECODE IFDHSetProtocolParameters(DWORD Lun, DWORD Protocol, UCHAR Flags, UCHAR PTS1,
                                       UCHAR PTS2, UCHAR PTS3)
{
    (void)Lun;
    (void)Protocol;
    (void)Flags;
    (void)PTS1;
    (void)PTS2;
    (void)PTS3;
    return IFD_SUCCESS;
}

static RESPONSECODE power(struct reader *reader, DWORD action, PUCHAR atr, PDWORD length)
{
    if (reader->tag < 0)
        return IFD_COMMUNICATION_ERROR;
    char kind = action == IFD_POWER_DOWN ? 'O' : action == IFD_RESET ? 'R' : 'P';
    if (!tell_tag(reader, kind))
        return IFD_COMMUNICATION_ERROR;
    if (action == IFD_POWER_DOWN)
        return IFD_SUCCESS;
    if (!reader->atr_length)
        return IFD_ERROR_POWER_ACTION;
    memcpy(atr, reader->atr, reader->atr_length);
    *length = reader->atr_length;
    return IFD_SUCCESS;
}

RESPONSECODE IFDHPowerICC(DWORD Lun, DWORD Action, PUCHAR Atr, PDWORD AtrLength)
{
    struct reader *reader = slot(Lun);
    if (Action != IFD_POWER_DOWN && AtrLength)
        *AtrLength = 0;
    if (!reader)
        return IFD_NO_SUCH_DEVICE;
    pthread_mutex_lock(&reader->lock);
    RESPONSECODE result = reader->open ? power(reader, Action, Atr, AtrLength) : IFD_NO_SUCH_DEVICE;
    pthread_mutex_unlock(&reader->lock);
    return result;
}

static RESPONSECODE transmit(struct reader *reader, const unsigned char *command, DWORD length,
                             unsigned char *answer, PDWORD room)
{
    if (!reader->open || unplugged(reader))
        return IFD_NO_SUCH_DEVICE;
    ssize_t size = reader->tag < 0 ? -1
                                   : ask_tag(reader, 'A', command, length, answer, *room);
    if (size < 0)
        return unplugged(reader) ? IFD_NO_SUCH_DEVICE : IFD_COMMUNICATION_ERROR;
    *room = size;
    return IFD_SUCCESS;
}

RESPONSECODE IFDHTransmitToICC(DWORD Lun, SCARD_IO_HEADER SendPci, PUCHAR TxBuffer, DWORD TxLength,
                               PUCHAR RxBuffer, PDWORD RxLength, PSCARD_IO_HEADER RecvPci)
{
    struct reader *reader = slot(Lun);
    if (!RxLength)
        return IFD_COMMUNICATION_ERROR;
    RESPONSECODE result = IFD_NO_SUCH_DEVICE;
    if (reader) {
        pthread_mutex_lock(&reader->lock);
        result = transmit(reader, TxBuffer, TxLength, RxBuffer, RxLength);
        pthread_mutex_unlock(&reader->lock);
    }
    if (result != IFD_SUCCESS)
        *RxLength = 0;
    if (RecvPci)
        RecvPci->Protocol = SendPci.Protocol;
    return result;
}

RESPONSECODE IFDHControl(DWORD Lun, DWORD dwControlCode, PUCHAR TxBuffer, DWORD TxLength,
                         PUCHAR RxBuffer, DWORD RxLength, LPDWORD pdwBytesReturned)
{
    struct reader *reader = slot(Lun);
    if (!reader || !pdwBytesReturned)
        return IFD_COMMUNICATION_ERROR;
    *pdwBytesReturned = 0;
    RESPONSECODE result = IFD_NO_SUCH_DEVICE;
    pthread_mutex_lock(&reader->lock);
    if (reader->open && !unplugged(reader))
        result = answer_escape(reader, dwControlCode, TxBuffer, TxLength, RxBuffer, RxLength,
                               pdwBytesReturned);
    pthread_mutex_unlock(&reader->lock);
    return result;
}

RESPONSECODE IFDHICCPresence(DWORD Lun)
{
    struct reader *reader = slot(Lun);
    if (!reader)
        return IFD_NO_SUCH_DEVICE;
    RESPONSECODE result = IFD_NO_SUCH_DEVICE;
    pthread_mutex_lock(&reader->lock);
    if (reader->open && !unplugged(reader))
        result = tag_present(reader) ? IFD_ICC_PRESENT : IFD_ICC_NOT_PRESENT;
    pthread_mutex_unlock(&reader->lock);
    return result;
}
