#pragma once
// What glibc hides behind _GNU_SOURCE, which must not be defined in a header that Swift imports
// beside its own Glibc module. Every function here is a thin call into glibc or the kernel.

#include <stdint.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timex.h>
#include <sys/un.h>

/// SO_PEERCRED's struct ucred. Source: unix(7).
struct plings_ucred {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

/// SO_PEERCRED and SO_PEERGROUPS on every architecture Linux shares these numbers with (x86, arm).
/// Source: asm-generic/socket.h.
enum { PLINGS_SO_PEERCRED = 17, PLINGS_SO_PEERGROUPS = 59 };

/// pipe2(2): both ends with the flags given, O_CLOEXEC among them.
int plings_pipe2(int descriptors[2], int flags);

/// accept4(2): the new descriptor with SOCK_NONBLOCK and SOCK_CLOEXEC set.
int plings_accept(int listener);

/// epoll_create1(EPOLL_CLOEXEC) and eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK).
int plings_epoll_create(void);
int plings_eventfd(void);

/// posix_spawn_file_actions_addclosefrom_np(3), glibc 2.34 and later.
int plings_spawn_close_from(posix_spawn_file_actions_t *actions, int lowest);

/// dup3(2): the target becomes a copy of the source.
int plings_dup3(int source, int target, int flags);

/// pidfd_open(2): readable once the process has ended.
int plings_pidfd_open(int pid);

/// signalfd(2) for a set of signals that every thread blocks.
int plings_signalfd(const int *signals, int count);

/// Blocks the signals in the calling thread and in those it starts later.
int plings_block_signals(const int *signals, int count);

/// inotify_init1(IN_NONBLOCK | IN_CLOEXEC).
int plings_inotify_init(void);

/// A Unix stream socket with SOCK_NONBLOCK where asked for, and SOCK_CLOEXEC.
int plings_unix_socket(int nonblocking);

/// The user name of a uid in a buffer, or -1 where there is none.
int plings_user_name(unsigned uid, char *buffer, int size);

/// The id of a group, or -1 where there is none of that name.
long plings_group_id(const char *name);

/// mallopt(M_ARENA_MAX): at most so many separate heaps for all threads.
void plings_limit_arenas(int count);

/// setrlimit(RLIMIT_CORE): no core dumps of this process and those it starts.
int plings_forbid_core_dumps(void);

/// prctl(PR_SET_PDEATHSIG): the signal this process gets when its parent dies.
int plings_signal_at_parent_death(int signal);

/// prctl(PR_SET_NAME) for the calling thread: at most 15 bytes show.
void plings_name_thread(const char *name);

/// open(2) for reading or writing, without the variadic mode that Swift can't call.
int plings_open(const char *path, int flags, unsigned mode);

/// fcntl(F_SETFL, O_NONBLOCK) on top of the flags that are set.
int plings_set_nonblocking(int descriptor);
