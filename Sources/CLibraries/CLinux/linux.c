#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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

int plings_signal_at_parent_death(int signal) { return prctl(PR_SET_PDEATHSIG, signal); }

void plings_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

int plings_open(const char *path, int flags, unsigned mode) { return open(path, flags, mode); }

int plings_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? flags : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}
