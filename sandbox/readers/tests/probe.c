/* A small PC/SC client for the tests.
 *
 *     gcc -O2 -Wall -Wextra -o probe probe.c $(pkg-config --cflags --libs libpcsclite)
 *     probe watch                        what comes and goes, one line each, until killed:
 *                                            pcscd | pcscd gone
 *                                            reader NAME | gone NAME
 *                                            present ATR NAME | mute NAME | absent NAME
 *     probe transmit READER HEX...       sends commands to the tag, prints each answer in hex
 *     probe control READER HEX           sends an escape command, prints its answer
 *
 * A call that fails is printed as "failed CALL CODE", the code in hex.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <reader.h>
#include <winscard.h>

enum { MOST = 16, NAMES = 4096, BOUND_MS = 50, ROOM = 300 };

static void print_hex(const unsigned char *bytes, DWORD length)
{
    for (DWORD i = 0; i < length; i++)
        printf("%02X", bytes[i]);
}

static size_t parse_hex(const char *text, unsigned char bytes[ROOM])
{
    size_t length = 0;
    unsigned value;
    for (; length < ROOM && sscanf(text, "%2x", &value) == 1; text += 2)
        bytes[length++] = value;
    return length;
}

static bool succeeded(const char *call, LONG result)
{
    if (result != SCARD_S_SUCCESS)
        printf("failed %s %08lX\n", call, (unsigned long)result & 0xFFFFFFFF);
    return result == SCARD_S_SUCCESS;
}

/* -- watching -----------------------------------------------------------------------------------*/

static void list_readers(SCARDCONTEXT context, char names[NAMES])
{
    DWORD length = NAMES;
    memset(names, 0, NAMES);
    if (SCardListReaders(context, NULL, names, &length) != SCARD_S_SUCCESS)
        names[0] = '\0';
}

static bool listed(const char *names, const char *wanted)
{
    for (; *names; names += strlen(names) + 1)
        if (!strcmp(names, wanted))
            return true;
    return false;
}

static void print_missing(const char *word, const char *names, const char *others)
{
    for (; *names; names += strlen(names) + 1)
        if (!listed(others, names))
            printf("%s %s\n", word, names);
}

static void print_change(SCARD_READERSTATE *state)
{
    DWORD was = state->dwCurrentState, is = state->dwEventState;
    bool swapped = (was ^ is) & 0xFFFF0000;
    if (is & SCARD_STATE_PRESENT && (swapped || !(was & SCARD_STATE_PRESENT))) {
        if (is & SCARD_STATE_MUTE) {
            printf("mute %s\n", state->szReader);
        } else {
            printf("present ");
            print_hex(state->rgbAtr, state->cbAtr);
            printf(" %s\n", state->szReader);
        }
    } else if (is & SCARD_STATE_EMPTY && was & SCARD_STATE_PRESENT) {
        printf("absent %s\n", state->szReader);
    }
    state->dwCurrentState = is & ~SCARD_STATE_CHANGED;
}

/* Watches the readers of one list, which is `names`; returns when another is needed. */
static LONG watch_list(SCARDCONTEXT context, const char names[NAMES])
{
    SCARD_READERSTATE states[MOST] = { { .szReader = NULL } };
    char now[NAMES];
    DWORD count = 0;
    for (const char *name = names; *name && count < MOST; name += strlen(name) + 1)
        states[count++].szReader = name;
    for (;;) {
        LONG result = count ? SCardGetStatusChange(context, BOUND_MS, states, count)
                            : (LONG)SCARD_E_TIMEOUT;
        if (result != SCARD_S_SUCCESS && result != (LONG)SCARD_E_TIMEOUT)
            return result == (LONG)SCARD_E_UNKNOWN_READER ? SCARD_S_SUCCESS : result;
        for (DWORD i = 0; result == SCARD_S_SUCCESS && i < count; i++)
            print_change(&states[i]);
        if (!count && (result = SCardIsValidContext(context)) != SCARD_S_SUCCESS)
            return result;
        list_readers(context, now);
        if (memcmp(now, names, NAMES))
            return SCARD_S_SUCCESS;
        if (!count)
            usleep(BOUND_MS * 1000);
    }
}

static void watch(void)
{
    for (;;) {
        SCARDCONTEXT context;
        char before[NAMES] = "", names[NAMES];
        while (SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context) != SCARD_S_SUCCESS)
            usleep(BOUND_MS * 1000);
        puts("pcscd");
        do {
            list_readers(context, names);
            print_missing("gone", before, names);
            print_missing("reader", names, before);
            memcpy(before, names, NAMES);
        } while (watch_list(context, names) == SCARD_S_SUCCESS);
        puts("pcscd gone");
        SCardReleaseContext(context);
    }
}

/* -- commands -----------------------------------------------------------------------------------*/

static int transmit(SCARDCONTEXT context, const char *reader, char **commands, int count)
{
    SCARDHANDLE card;
    DWORD protocol;
    if (!succeeded("connect", SCardConnect(context, reader, SCARD_SHARE_SHARED,
                                           SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1, &card,
                                           &protocol)))
        return 1;
    for (int i = 0; i < count; i++) {
        unsigned char command[ROOM], answer[ROOM];
        DWORD length = sizeof answer;
        LONG result = SCardTransmit(card, protocol == SCARD_PROTOCOL_T0 ? SCARD_PCI_T0
                                                                        : SCARD_PCI_T1,
                                    command, parse_hex(commands[i], command), NULL, answer,
                                    &length);
        if (!succeeded("transmit", result))
            return 1;
        print_hex(answer, length);
        puts("");
    }
    return !succeeded("disconnect", SCardDisconnect(card, SCARD_LEAVE_CARD));
}

static int control(SCARDCONTEXT context, const char *reader, const char *text)
{
    SCARDHANDLE card;
    DWORD protocol, length;
    unsigned char command[ROOM], answer[ROOM];
    if (!succeeded("connect", SCardConnect(context, reader, SCARD_SHARE_DIRECT, 0, &card,
                                           &protocol)))
        return 1;
    if (!succeeded("control", SCardControl(card, SCARD_CTL_CODE(1), command,
                                           parse_hex(text, command), answer, sizeof answer,
                                           &length)))
        return 1;
    print_hex(answer, length);
    puts("");
    return !succeeded("disconnect", SCardDisconnect(card, SCARD_LEAVE_CARD));
}

int main(int count, char **arguments)
{
    SCARDCONTEXT context;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 2 && !strcmp(arguments[1], "watch"))
        watch();
    if (!succeeded("establish", SCardEstablishContext(SCARD_SCOPE_SYSTEM, NULL, NULL, &context)))
        return 1;
    if (count >= 4 && !strcmp(arguments[1], "transmit"))
        return transmit(context, arguments[2], arguments + 3, count - 3);
    if (count == 4 && !strcmp(arguments[1], "control"))
        return control(context, arguments[2], arguments[3]);
    fprintf(stderr, "usage: probe watch | transmit READER HEX... | control READER HEX\n");
    return 2;
}
