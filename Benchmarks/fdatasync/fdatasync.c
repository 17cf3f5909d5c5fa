/* What one durable write costs on a disk: a 4 KiB write into a file's reserved space and fdatasync.
 *
 *     gcc -O2 -Wall -Wextra -o fdatasync fdatasync.c
 *     fdatasync FOLDER [COUNT]
 *
 * Makes a file in FOLDER, reserves and writes its whole length beforehand so that no timed write
 * changes its metadata, appends COUNT (default 1000) blocks, each with its fdatasync, and removes
 * it. Prints {"count":N,"medianMicroseconds":..,"p95Microseconds":..,"maxMicroseconds":..}.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, MOST = 1000000 };

static uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

static void check(int succeeded, const char *what)
{
    if (succeeded)
        return;
    fprintf(stderr, "fdatasync: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* An open file without a name any more, its blocks written and on the disk. */
static int prepared_file(const char *folder, long count, const char block[BLOCK])
{
    char path[4096];
    snprintf(path, sizeof path, "%s/fdatasync-XXXXXX", folder);
    int file = mkstemp(path);
    check(file >= 0, path);
    check(unlink(path) == 0, path);
    errno = posix_fallocate(file, 0, (off_t)count * BLOCK);
    check(errno == 0, "reserving space");
    for (long i = 0; i < count; i++)
        check(write(file, block, BLOCK) == BLOCK, "write");
    check(fsync(file) == 0, "fsync");
    check(lseek(file, 0, SEEK_SET) == 0, "lseek");
    return file;
}

int main(int arguments, char **argument)
{
    long count = arguments > 2 ? strtol(argument[2], NULL, 10) : 1000;
    if (arguments < 2 || arguments > 3 || count < 1 || count > MOST) {
        fprintf(stderr, "usage: fdatasync FOLDER [COUNT]\n");
        return 2;
    }
    static char block[BLOCK];
    memset(block, 'p', sizeof block);
    uint64_t *took = calloc(count, sizeof *took);
    check(took != NULL, "memory");
    int file = prepared_file(argument[1], count, block);
    for (long i = 0; i < count; i++) {
        block[0] = (char)i;
        uint64_t begun = nanoseconds();
        check(write(file, block, BLOCK) == BLOCK, "write");
        check(fdatasync(file) == 0, "fdatasync");
        took[i] = nanoseconds() - begun;
    }
    qsort(took, count, sizeof *took, by_size);
    printf("{\"count\":%ld,\"medianMicroseconds\":%.1f,\"p95Microseconds\":%.1f,"
           "\"maxMicroseconds\":%.1f}\n", count, took[count / 2] / 1e3,
           took[(count * 95 - 1) / 100] / 1e3, took[count - 1] / 1e3);
    return 0;
}
