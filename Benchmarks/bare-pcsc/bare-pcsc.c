/* The floor for reading tags by PC/SC: what a program without anything else around it needs.
 *
 *     gcc -O2 -Wall -Wextra -o bare-pcsc bare-pcsc.c $(pkg-config --cflags --libs libpcsclite)
 *     bare-pcsc [--max-le N] [READER]
 *
 * Waits for tags on any reader, or on the one of that name. For each tap it reads the UID and the
 * NDEF message of a Type 2 tag with as few READ BINARY as a reader allows that gives N bytes at
 * most (default 16): the capability container and the first 12 bytes of the TLV area in one, then
 * only what the TLVs' own lengths ask for. Prints one line:
 *
 *     {"seenNs":..,"ns":..,"bootNs":..,"reader":"..","uid":"..","ndefBytes":N,"apdus":N}
 *
 * seenNs is CLOCK_MONOTONIC when SCardGetStatusChange returned; ns and bootNs are CLOCK_MONOTONIC
 * and CLOCK_BOOTTIME when the message was complete. A tag without a readable message has
 * ndefBytes 0; one that gives no UID has no line. Readers and pcscd itself may come and go. Ends
 * with status 0 at the end of standard input and on SIGTERM.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <winscard.h>

enum { READERS = 16, NAMES = 4096, BOUND_MS = 1000, AREA = 4 + 0xFE * 8, PAGE = 4, FIRST_PAGE = 3 };

static unsigned max_le = 16;

/* A tag's memory from page 3 on, as far as it was read. */
struct tap {
    SCARDHANDLE card;
    const SCARD_IO_REQUEST *protocol;
    unsigned apdus;
    unsigned char memory[AREA + 256];
    size_t have;
};

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

/* Sends a command. Returns the answer's length without its status word, -1 where that isn't 9000.
 */
static long transmit(struct tap *tap, const unsigned char command[5], unsigned char answer[258])
{
    DWORD length = 258;
    tap->apdus++;
    if (SCardTransmit(tap->card, tap->protocol, command, 5, NULL, answer, &length)
            != SCARD_S_SUCCESS
        || length < 2 || answer[length - 2] != 0x90 || answer[length - 1] != 0x00)
        return -1;
    return length - 2;
}

/* Reads on until so many bytes from page 3 are there. */
static bool need(struct tap *tap, size_t bytes)
{
    while (tap->have < bytes) {
        size_t rest = (bytes - tap->have + PAGE - 1) / PAGE * PAGE;
        size_t page = FIRST_PAGE + tap->have / PAGE;
        unsigned char answer[258], le = rest < max_le ? rest : max_le;
        unsigned char command[5] = { 0xFF, 0xB0, page >> 8, page, le };
        long got = bytes <= AREA ? transmit(tap, command, answer) : -1;
        if (got <= 0 || got % PAGE)
            return false;
        memcpy(tap->memory + tap->have, answer, got);
        tap->have += got;
    }
    return true;
}

/* Walks the TLV area to the NDEF message and reads it. Returns its length, 0 where there is none.
 * Source: NFC Forum, Type 2 Tag 1.2, section 2.3. */
static size_t read_ndef(struct tap *tap)
{
    size_t at = PAGE;
    if (!need(tap, 16) || tap->memory[0] != 0xE1)
        return 0;
    for (;;) {
        if (!need(tap, at + 1) || tap->memory[at] == 0xFE)
            return 0;
        if (tap->memory[at] == 0x00) {
            at++;
            continue;
        }
        if (!need(tap, at + 2))
            return 0;
        size_t length = tap->memory[at + 1], head = 2;
        if (length == 0xFF) {
            if (!need(tap, at + 4))
                return 0;
            length = tap->memory[at + 2] << 8 | tap->memory[at + 3];
            head = 4;
        }
        if (tap->memory[at] == 0x03)
            return need(tap, at + head + length) ? length : 0;
        at += head + length;
    }
}

static void read_tag(SCARDCONTEXT context, const char *reader, uint64_t seen)
{
    static const unsigned char get_uid[5] = { 0xFF, 0xCA, 0x00, 0x00, 0x00 };
    struct tap tap = { .have = 0 };
    unsigned char uid[258];
    DWORD protocol;
    if (SCardConnect(context, reader, SCARD_SHARE_SHARED, SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1,
                     &tap.card, &protocol) != SCARD_S_SUCCESS)
        return;
    tap.protocol = protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0 : SCARD_PCI_T1;
    long length = transmit(&tap, get_uid, uid);
    if (length > 0) {
        size_t bytes = read_ndef(&tap);
        uint64_t now = nanoseconds(CLOCK_MONOTONIC), boot = nanoseconds(CLOCK_BOOTTIME);
        printf("{\"seenNs\":%" PRIu64 ",\"ns\":%" PRIu64 ",\"bootNs\":%" PRIu64
               ",\"reader\":\"%s\",\"uid\":\"", seen, now, boot, reader);
        for (long i = 0; i < length; i++)
            printf("%02X", uid[i]);
        printf("\",\"ndefBytes\":%zu,\"apdus\":%u}\n", bytes, tap.apdus);
        fflush(stdout);
    }
    SCardDisconnect(tap.card, SCARD_LEAVE_CARD);
}

/* pcscd's whole list of readers: names one after the other, an empty one at the end. */
static void list_readers(SCARDCONTEXT context, char names[NAMES])
{
    DWORD length = NAMES;
    memset(names, 0, NAMES);
    if (SCardListReaders(context, NULL, names, &length) != SCARD_S_SUCCESS)
        names[0] = '\0';
}

/* The readers to watch, and at the end the one that stands for readers coming and going, where
 * there is room: SCardGetStatusChange takes sixteen at most. Returns how many real ones. */
static DWORD choose_readers(const char *wanted, const char names[NAMES],
                            SCARD_READERSTATE states[READERS + 1])
{
    DWORD count = 0;
    memset(states, 0, (READERS + 1) * sizeof *states);
    for (const char *name = names; *name && count < READERS; name += strlen(name) + 1)
        if (!wanted || !strcmp(wanted, name))
            states[count++].szReader = name;
    states[count].szReader = "\\\\?PnP?\\Notification";
    return count;
}

/* The high word of a state counts insertions and removals: a swap shows although the state is the
 * same again. */
static bool arrived(const SCARD_READERSTATE *state)
{
    const DWORD counter = 0xFFFF0000;
    bool present = state->dwEventState & SCARD_STATE_PRESENT
                   && !(state->dwEventState & SCARD_STATE_MUTE);
    bool known = state->dwCurrentState & SCARD_STATE_PRESENT
                 && (state->dwCurrentState & counter) == (state->dwEventState & counter);
    return present && !known;
}

/* Serves one set of readers. Returns when it has changed or pcscd is gone. A reader that comes
 * between two waits is not told of: so each wait has a bound, and the list is read again. */
static LONG watch(SCARDCONTEXT context, const char *wanted)
{
    char names[NAMES], now[NAMES];
    SCARD_READERSTATE states[READERS + 1];
    list_readers(context, names);
    DWORD count = choose_readers(wanted, names, states), watched = count + (count < READERS);
    for (;;) {
        LONG result = SCardGetStatusChange(context, BOUND_MS, states, watched);
        uint64_t seen = nanoseconds(CLOCK_MONOTONIC);
        if (result == (LONG)SCARD_E_TIMEOUT) {
            list_readers(context, now);
            if (memcmp(names, now, NAMES))
                return SCARD_S_SUCCESS;
            continue;
        }
        if (result != SCARD_S_SUCCESS)
            return result;
        for (DWORD i = 0; i < count; i++) {
            if (arrived(&states[i]))
                read_tag(context, states[i].szReader, seen);
            states[i].dwCurrentState = states[i].dwEventState & ~SCARD_STATE_CHANGED;
        }
        if (watched > count && states[count].dwEventState & SCARD_STATE_CHANGED)
            return SCARD_S_SUCCESS;
    }
}

static void *end_with_input(void *unused)
{
    char bytes[256];
    while (read(STDIN_FILENO, bytes, sizeof bytes) > 0)
        continue;
    _exit(0);
    return unused;
}

static void end(int signal)
{
    (void)signal;
    _exit(0);
}

int main(int count, char **arguments)
{
    const char *wanted = NULL;
    for (int i = 1; i < count; i++) {
        if (!strcmp(arguments[i], "--max-le") && i + 1 < count)
            max_le = strtoul(arguments[++i], NULL, 10) / PAGE * PAGE;
        else
            wanted = arguments[i];
    }
    if (max_le < 4 || max_le > 252) {
        fprintf(stderr, "bare-pcsc: --max-le is 4 to 255\n");
        return 2;
    }
    signal(SIGTERM, end);
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_with_input, NULL))
        return 1;
    for (;;) {
        SCARDCONTEXT context;
        if (SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context) == SCARD_S_SUCCESS) {
            LONG result;
            do
                result = watch(context, wanted);
            while (result == SCARD_S_SUCCESS || result == (LONG)SCARD_E_UNKNOWN_READER);
            SCardReleaseContext(context);
        }
        usleep(50 * 1000); /* pcscd is away */
    }
}
