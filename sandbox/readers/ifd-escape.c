/* Escape commands: what a program says to the reader itself (LEDs, buzzer, firmware), tag or not.
 *
 * libccid takes them under SCARD_CTL_CODE(1), other systems under SCARD_CTL_CODE(3500). Which
 * dialect a reader speaks is its device's attribute "escape"; one that speaks none refuses, as
 * libccid does unless its configuration allows these commands. Each command is appended to
 * $VIRTUAL_READERS_DIR/escapes.jsonl, refused or not.
 */
#define _GNU_SOURCE
#include "ifd.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

/* One line in one write, so that several readers can share the file. */
static void record(unsigned port, DWORD code, const unsigned char *command, DWORD length)
{
    const char *home = getenv("VIRTUAL_READERS_DIR");
    char path[PATH_MAX], line[1024];
    snprintf(path, sizeof path, "%s/escapes.jsonl", home ? home : "");
    int size = snprintf(line, sizeof line, "{\"port\":%u,\"ns\":%" PRIu64 ",\"bootNs\":%" PRIu64
                        ",\"code\":%lu,\"command\":\"", port, nanoseconds(CLOCK_MONOTONIC),
                        nanoseconds(CLOCK_BOOTTIME), (unsigned long)code);
    for (DWORD i = 0; i < length && size < (int)sizeof line - 8; i++)
        size += snprintf(line + size, sizeof line - size, "%02X", command[i]);
    size += snprintf(line + size, sizeof line - size, "\"}\n");
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0)
        return;
    if (write(file, line, size) != size)
        perror("virtual reader: writing escapes.jsonl");
    close(file);
}

/* The ACR122U's LED, buzzer and firmware commands.
 * Source: ACS, Application Programming Interface ACR122U, V2.04, section 6, pseudo-APDUs. */
static size_t acr122u_escape(const unsigned char *command, DWORD length,
                             unsigned char answer[FIELD])
{
    if (length < 4 || command[0] != 0xFF || command[1] != 0x00)
        return 0;
    if (command[2] == 0x48) {
        memcpy(answer, "ACR122U207", 10);
        return 10;
    }
    answer[0] = 0x90;
    answer[1] = command[2] == 0x40 ? command[3] & 3 : 0; /* the LEDs' state: red 1, green 2 */
    return 2;
}

/* The ACR1252U answers E0 00 00 CODE Lc DATA by E1 00 00 00 Le DATA.
 * Source: ACS, Reference Manual ACR1252U, peripherals control. */
static size_t acr1252u_escape(const unsigned char *command, DWORD length,
                              unsigned char answer[FIELD])
{
    static const unsigned char head[] = { 0xE1, 0x00, 0x00, 0x00 };
    if (length < 5 || command[0] != 0xE0 || command[1] || command[2])
        return 0;
    memcpy(answer, head, sizeof head);
    if (command[3] == 0x18) {
        memcpy(answer + 4, "\x0f" "ACR1252U_V100.4", 16);
        return 20;
    }
    answer[4] = 1;
    answer[5] = length > 5 ? command[5] : 0;
    return 6;
}

RESPONSECODE answer_escape(const struct reader *reader, DWORD code, const unsigned char *command,
                           DWORD length, unsigned char *answer, DWORD room, DWORD *size)
{
    unsigned char bytes[FIELD];
    char dialect[FIELD];
    size_t got = 0;
    if (code != SCARD_CTL_CODE(1) && code != SCARD_CTL_CODE(3500))
        return IFD_ERROR_NOT_SUPPORTED;
    record(reader->port, code, command, length);
    read_attribute(reader->port, "escape", dialect); /* it may be switched while plugged in */
    if (!strcmp(dialect, "acr122u"))
        got = acr122u_escape(command, length, bytes);
    else if (!strcmp(dialect, "acr1252u"))
        got = acr1252u_escape(command, length, bytes);
    if (!got)
        return IFD_COMMUNICATION_ERROR;
    if (got > room)
        return IFD_ERROR_INSUFFICIENT_BUFFER;
    memcpy(answer, bytes, got);
    *size = got;
    return IFD_SUCCESS;
}
