/* Gives a pcscd folders of its own.
 *
 * pcscd has its socket's folder and its drivers' folder compiled in. Preloaded, this library
 * leads each path below them elsewhere, so that a private pcscd runs beside the machine's own
 * without a mount namespace and without any right:
 *
 *     $VIRTUAL_READERS_IPC_DIR  (/run/pcscd)            -> $VIRTUAL_READERS_DIR/run
 *     $VIRTUAL_READERS_DROP_DIR (/usr/lib/pcsc/drivers) -> $VIRTUAL_READERS_DIR/drivers
 *
 * What is replaced is what a pcscd may call with such a path; glibc's own calls among each other
 * don't come here. A path that grows too long fails with ENAMETOOLONG: it never falls back to the
 * machine's own folder. No header that declares the replaced functions is included, since they
 * are written here over untyped pointers.
 */
#define _GNU_SOURCE
#include <asm/fcntl.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

char *getenv(const char *name);

/* Puts a folder of ours in place of one of pcscd's.
 * Returns path itself where it lies elsewhere, NULL and errno where there is no room. */
static const char *moved(const char *path, const char *from_variable, const char *folder,
                         char room[PATH_MAX])
{
    const char *from = getenv(from_variable), *home = getenv("VIRTUAL_READERS_DIR");
    size_t length = from ? strlen(from) : 0;
    if (!length || !home || strncmp(path, from, length) || (path[length] && path[length] != '/'))
        return path;
    if (strlen(home) + strlen(folder) + strlen(path + length) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    strcpy(room, home);
    strcat(room, folder);
    strcat(room, path + length);
    return room;
}

static const char *redirect(const char *path, char room[PATH_MAX])
{
    if (!path)
        return NULL;
    const char *other = moved(path, "VIRTUAL_READERS_IPC_DIR", "/run", room);
    return other == path ? moved(path, "VIRTUAL_READERS_DROP_DIR", "/drivers", room) : other;
}

/* The function that this library stands before. */
static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        errno = ENOSYS;
    return function;
}

/* NAME(path, more): the same call with the path redirected. */
#define REDIRECTED(RESULT, FAILED, NAME, PARAMETERS, ARGUMENTS)                                    \
    RESULT NAME PARAMETERS;                                                                        \
    RESULT NAME PARAMETERS                                                                         \
    {                                                                                              \
        static RESULT(*original) PARAMETERS;                                                       \
        char room[PATH_MAX];                                                                       \
        if (!original)                                                                             \
            original = (RESULT(*) PARAMETERS)next(#NAME);                                          \
        const char *given = path;                                                                  \
        path = redirect(path, room);                                                               \
        return original && (path || !given) ? original ARGUMENTS : FAILED;                         \
    }

REDIRECTED(int, -1, access, (const char *path, int mode), (path, mode))
REDIRECTED(int, -1, chmod, (const char *path, unsigned mode), (path, mode))
REDIRECTED(int, -1, chown, (const char *path, unsigned user, unsigned group), (path, user, group))
REDIRECTED(int, -1, creat, (const char *path, unsigned mode), (path, mode))
REDIRECTED(int, -1, creat64, (const char *path, unsigned mode), (path, mode))
REDIRECTED(int, -1, mkdir, (const char *path, unsigned mode), (path, mode))
REDIRECTED(int, -1, remove, (const char *path), (path))
REDIRECTED(int, -1, rmdir, (const char *path), (path))
REDIRECTED(int, -1, unlink, (const char *path), (path))
REDIRECTED(int, -1, stat, (const char *path, void *status), (path, status))
REDIRECTED(int, -1, stat64, (const char *path, void *status), (path, status))
REDIRECTED(int, -1, __stat64_time64, (const char *path, void *status), (path, status))
REDIRECTED(int, -1, lstat, (const char *path, void *status), (path, status))
REDIRECTED(int, -1, lstat64, (const char *path, void *status), (path, status))
REDIRECTED(int, -1, __lstat64_time64, (const char *path, void *status), (path, status))
REDIRECTED(int, -1, __open_2, (const char *path, int flags), (path, flags))
REDIRECTED(int, -1, __open64_2, (const char *path, int flags), (path, flags))
REDIRECTED(void *, NULL, dlopen, (const char *path, int mode), (path, mode))
REDIRECTED(void *, NULL, fopen, (const char *path, const char *mode), (path, mode))
REDIRECTED(void *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
REDIRECTED(void *, NULL, opendir, (const char *path), (path))

/* open() passes its mode only where it may create a file. */
#define REDIRECTED_OPEN(NAME)                                                                      \
    int NAME(const char *path, int flags, ...);                                                    \
    int NAME(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        static int (*original)(const char *, int, ...);                                            \
        char room[PATH_MAX];                                                                       \
        unsigned mode = 0;                                                                         \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                              \
            va_list more;                                                                          \
            va_start(more, flags);                                                                 \
            mode = va_arg(more, unsigned);                                                         \
            va_end(more);                                                                          \
        }                                                                                          \
        if (!original)                                                                             \
            original = (int (*)(const char *, int, ...))next(#NAME);                               \
        path = redirect(path, room);                                                               \
        return original && path ? original(path, flags, mode) : -1;                                \
    }

REDIRECTED_OPEN(open)
REDIRECTED_OPEN(open64)

int rename(const char *from, const char *to);
int rename(const char *from, const char *to)
{
    static int (*original)(const char *, const char *);
    char from_room[PATH_MAX], to_room[PATH_MAX];
    if (!original)
        original = (int (*)(const char *, const char *))next("rename");
    from = redirect(from, from_room);
    to = redirect(to, to_room);
    return original && from && to ? original(from, to) : -1;
}

/* The name of a Unix socket holds 107 bytes; virtual-readers refuses longer ones beforehand. */
int bind(int descriptor, __CONST_SOCKADDR_ARG address, socklen_t length)
{
    static int (*original)(int, __CONST_SOCKADDR_ARG, socklen_t);
    const struct sockaddr_un *unix_address = address.__sockaddr_un__;
    const size_t head = offsetof(struct sockaddr_un, sun_path);
    if (!original)
        original = (int (*)(int, __CONST_SOCKADDR_ARG, socklen_t))next("bind");
    if (!original)
        return -1;
    if (!unix_address || length <= head || length > sizeof *unix_address
        || unix_address->sun_family != AF_UNIX)
        return original(descriptor, address, length);
    char given[sizeof unix_address->sun_path + 1] = "", room[PATH_MAX];
    memcpy(given, unix_address->sun_path, length - head);
    const char *path = redirect(given, room);
    if (path == given)
        return original(descriptor, address, length);
    struct sockaddr_un mine = { .sun_family = AF_UNIX };
    if (!path || strlen(path) >= sizeof mine.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(mine.sun_path, path);
    return original(descriptor, (const struct sockaddr *)&mine, sizeof mine);
}
