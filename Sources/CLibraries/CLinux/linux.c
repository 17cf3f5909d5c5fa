#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <string.h>
#include <unistd.h>

#include "CLinux.h"

int plings_pipe2(int descriptors[2], int flags) { return pipe2(descriptors, flags); }

int plings_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int plings_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int plings_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int plings_spawn_close_from(posix_spawn_file_actions_t *actions, int lowest) {
    return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

int plings_dup3(int source, int target, int flags) { return dup3(source, target, flags); }

int plings_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

static void fill(sigset_t *set, const int *signals, int count) {
    sigemptyset(set);
    for (int i = 0; i < count; i++) sigaddset(set, signals[i]);
}

int plings_signalfd(const int *signals, int count) {
    sigset_t set;
    fill(&set, signals, count);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int plings_block_signals(const int *signals, int count) {
    sigset_t set;
    fill(&set, signals, count);
    return pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int plings_inotify_init(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int plings_unix_socket(int nonblocking) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

int plings_user_name(unsigned uid, char *buffer, int size) {
    struct passwd entry, *found = NULL;
    char strings[4096];
    if (getpwuid_r(uid, &entry, strings, sizeof strings, &found) != 0 || !found) return -1;
    strncpy(buffer, entry.pw_name, (size_t)size - 1);
    buffer[size - 1] = 0;
    return 0;
}

long plings_group_id(const char *name) {
    struct group entry, *found = NULL;
    char strings[65536];
    if (getgrnam_r(name, &entry, strings, sizeof strings, &found) != 0 || !found) return -1;
    return (long)entry.gr_gid;
}

void plings_limit_arenas(int count) { mallopt(M_ARENA_MAX, count); }

int plings_forbid_core_dumps(void) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

int plings_signal_at_parent_death(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

void plings_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

int plings_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }

int plings_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? flags : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}
