/* Injects faults into file operations and logs them; preloaded into a program.
 *
 *   FAULTS_ROOT    the folder to watch: operations elsewhere are not affected
 *   FAULTS_LOG     a file outside of it to which each operation is appended (see `note`)
 *   FAULTS_AT      N: the operation, from 1, that fails, of those that change something;
 *                  for `read`, of those that read
 *   FAULTS_KIND    fail: it changes nothing and ends with an error, ENOSPC
 *                  full: so do all later ones that need space; half of its data is written
 *                        before
 *                  kill: the process is killed before it
 *                  cut:  the process is killed in the middle of it: half of a write is done
 *                  read: a read fails with EIO
 *   FAULTS_CLOCK   seconds by which the clock of the day is shifted
 *
 * Operations are logged with the path that the system reports for the descriptor when it is used,
 * so that no table of descriptors has to be maintained. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, FAIL, FULL, KILL, CUT, READ };
/* Result of an operation. */
enum outcome { GOES_ON, FAILS, HALF };

static const char *root;
static const char *log_path;
static long at;
static enum kind kind;
static long clock_shift;
static long changes, reads;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static enum kind kind_named(const char *name) {
    static const char *const names[] = {"", "fail", "full", "kill", "cut", "read"};
    for (int i = 1; name && i < 6; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return NONE;
}

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("FAULTS_AT"), *seconds = getenv("FAULTS_CLOCK");
    root = getenv("FAULTS_ROOT");
    log_path = getenv("FAULTS_LOG");
    kind = kind_named(getenv("FAULTS_KIND"));
    at = number ? atol(number) : 0;
    clock_shift = seconds ? atol(seconds) : 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* ---- Which files are looked at ---- */

static int is_below_root(const char *path) {
    size_t length = root ? strlen(root) : 0;
    return length && strncmp(path, root, length) == 0 && (path[length] == '/' || !path[length]);
}

/* The path of a descriptor, if it is below the root. */
static const char *path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    return is_below_root(path) ? path : NULL;
}

/* A path made absolute, if it is below the root. */
static const char *path_at(int folder, const char *name, char *path) {
    char above[PATH_MAX] = "";
    if (!name[0]) return NULL;
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        if (folder == AT_FDCWD) {
            if (!getcwd(above, sizeof above)) return NULL;
        } else if (!path_of(folder, above)) {
            return NULL;
        }
        while (strncmp(name, "./", 2) == 0) name += 2;
        size_t length = strlen(above);
        if (length + strlen(name) + 2 > PATH_MAX) return NULL;
        memcpy(path, above, length);
        path[length] = '/';
        strcpy(path + length + 1, name);
    }
    return is_below_root(path) ? path : NULL;
}

/* ---- What is written down ---- */

/* `OPERATION OFFSET LENGTH\nPATH\nOTHER PATH\n`, and LENGTH bytes. */
static void note(const char *operation, const char *path, const char *other, long offset,
                 const void *bytes, size_t length) {
    if (!log_path) return;
    char head[2 * PATH_MAX + 128];
    int size = snprintf(head, sizeof head, "%s %ld %zu\n%s\n%s\n", operation, offset, length, path,
                        other ? other : "");
    int log = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (log < 0) return;
    struct iovec parts[] = {{head, size}, {(void *)bytes, bytes ? length : 0}};
    if (syscall(SYS_writev, log, parts, 2) < 0) abort();
    syscall(SYS_close, log);
}

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    pause();
}

/* What comes of the next operation that changes something. `takes_room`: whether a full disk
 * refuses it. */
static enum outcome change(int takes_room) {
    long number = ++changes;
    if (!at || kind == NONE || kind == READ || number < at) return GOES_ON;
    if (number > at) return kind == FULL && takes_room ? FAILS : GOES_ON;
    switch (kind) {
    case FAIL: return FAILS;
    case FULL: return takes_room ? HALF : GOES_ON;
    case CUT: return HALF;
    default: die(); return FAILS;
    }
}

static int refuse(void) {
    errno = ENOSPC;
    return -1;
}

/* ---- Writing ---- */

static ssize_t write_all_of(int fd, const char *path, const void *bytes, size_t length) {
    ssize_t (*real)(int, const void *, size_t) = REAL(write);
    long end = lseek(fd, 0, fcntl(fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
    ssize_t written = real(fd, bytes, length);
    if (written > 0) note("write", path, NULL, end, bytes, written);
    return written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    char buffer[PATH_MAX];
    int before = errno;
    const char *path = path_of(fd, buffer);
    errno = before;
    if (!path) return REAL(write)(fd, bytes, length);
    pthread_mutex_lock(&one_at_a_time);
    enum outcome outcome = change(1);
    ssize_t written = -1;
    if (outcome == HALF && length > 1) written = write_all_of(fd, path, bytes, length / 2);
    if (outcome == HALF && kind == CUT) die();
    if (outcome == GOES_ON) written = write_all_of(fd, path, bytes, length);
    if (written < 0 && outcome != GOES_ON) refuse();
    pthread_mutex_unlock(&one_at_a_time);
    return written;
}

/* Vectors are taken apart: programs have to bear with short writes. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    char buffer[PATH_MAX];
    if (!path_of(fd, buffer)) return REAL(writev)(fd, parts, count);
    for (int i = 0; i < count; i++)
        if (parts[i].iov_len) return write(fd, parts[i].iov_base, parts[i].iov_len);
    return 0;
}

/* What is copied within the system is not written down. */
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length,
                        unsigned flags) {
    ssize_t (*real)(int, off64_t *, int, off64_t *, size_t, unsigned) = REAL(copy_file_range);
    char path[PATH_MAX];
    if (!path_of(to, path)) return real(from, from_offset, to, to_offset, length, flags);
    pthread_mutex_lock(&one_at_a_time);
    enum outcome outcome = change(1);
    ssize_t copied = -1;
    if (outcome == HALF) copied = real(from, from_offset, to, to_offset, 4096, flags);
    if (outcome == HALF && kind == CUT) die();
    if (outcome == GOES_ON) copied = real(from, from_offset, to, to_offset, length, flags);
    int error = outcome == GOES_ON ? errno : ENOSPC;
    if (copied >= 0) note("copy", path, NULL, 0, NULL, 0);
    pthread_mutex_unlock(&one_at_a_time);
    errno = error;
    return copied;
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t length) {
    char buffer[PATH_MAX];
    if (!path_of(to, buffer)) return syscall(SYS_sendfile, to, from, offset, length);
    errno = ENOSYS;
    return -1;
}

ssize_t sendfile(int to, int from, off_t *offset, size_t length) {
    return sendfile64(to, from, offset, length);
}

/* ---- Names, lengths, and what is on the disk ---- */

/* Does `call` unless it is to go wrong; notes it if it went well. */
#define CHANGE(takes_room, call, operation, path, other, number)          \
    ({                                                                    \
        pthread_mutex_lock(&one_at_a_time);                               \
        enum outcome outcome = change(takes_room);                        \
        if (outcome == HALF && kind == CUT) die();                        \
        int done = outcome == GOES_ON ? (call) : refuse();                \
        int error = errno;                                                \
        if (done >= 0) note(operation, path, other, number, NULL, 0);     \
        pthread_mutex_unlock(&one_at_a_time);                             \
        errno = error;                                                    \
        done;                                                             \
    })

static int open_real(int folder, const char *name, int flags, mode_t mode) {
    return syscall(SYS_openat, folder, name, flags | O_LARGEFILE, mode);
}

static int open_any(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    struct stat found;
    int before = errno;
    int makes = (flags & O_CREAT) && fstatat(folder, name, &found, 0) != 0;
    errno = before;
    if (!(makes || (flags & O_TRUNC)) || !path_at(folder, name, path))
        return open_real(folder, name, flags, mode);
    return CHANGE(1, open_real(folder, name, flags, mode), makes ? "create" : "truncate", path,
                  NULL, 0);
}

#define MODE_OF(flags)                                          \
    ({                                                          \
        mode_t mode = 0;                                        \
        if (flags & (O_CREAT | O_TMPFILE)) {                    \
            va_list arguments;                                  \
            va_start(arguments, flags);                         \
            mode = va_arg(arguments, int);                      \
            va_end(arguments);                                  \
        }                                                       \
        mode;                                                   \
    })

int open(const char *name, int flags, ...) { return open_any(AT_FDCWD, name, flags, MODE_OF(flags)); }
int open64(const char *name, int flags, ...) { return open_any(AT_FDCWD, name, flags, MODE_OF(flags)); }
int openat(int folder, const char *name, int flags, ...) { return open_any(folder, name, flags, MODE_OF(flags)); }
int openat64(int folder, const char *name, int flags, ...) { return open_any(folder, name, flags, MODE_OF(flags)); }

static int sync_any(int fd, long call) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return syscall(call, fd);
    /* What is written down is what counts: the disk need not be waited for. */
    return CHANGE(1, 0, "sync", path, NULL, 0);
}

int fsync(int fd) { return sync_any(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_any(fd, SYS_fdatasync); }

int ftruncate64(int fd, off64_t length) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return syscall(SYS_ftruncate, fd, length);
    return CHANGE(0, syscall(SYS_ftruncate, fd, length), "truncate", path, NULL, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int rename(const char *from, const char *to) {
    char old[PATH_MAX], new[PATH_MAX];
    if (!path_at(AT_FDCWD, from, old) || !path_at(AT_FDCWD, to, new))
        return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    return CHANGE(1, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0), "rename", old, new, 0);
}

static int unlink_any(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    if (!path_at(folder, name, path)) return syscall(SYS_unlinkat, folder, name, flags);
    return CHANGE(0, syscall(SYS_unlinkat, folder, name, flags), "remove", path, NULL, 0);
}

int unlink(const char *name) { return unlink_any(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char *name, int flags) { return unlink_any(folder, name, flags); }
int rmdir(const char *name) { return unlink_any(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdir(const char *name, mode_t mode) {
    char path[PATH_MAX];
    if (!path_at(AT_FDCWD, name, path)) return syscall(SYS_mkdirat, AT_FDCWD, name, mode);
    struct stat found;
    if (stat(name, &found) == 0) {
        errno = EEXIST;
        return -1;
    }
    return CHANGE(1, syscall(SYS_mkdirat, AT_FDCWD, name, mode), "folder", path, NULL, 0);
}

static int mode_any(int fd, mode_t mode) {
    char path[PATH_MAX];
    if (!path_of(fd, path)) return syscall(SYS_fchmod, fd, mode);
    return CHANGE(0, syscall(SYS_fchmod, fd, mode), "mode", path, NULL, 0);
}

int fchmod(int fd, mode_t mode) { return mode_any(fd, mode); }

/* ---- Reading ---- */

static int read_fails(int fd) {
    char path[PATH_MAX];
    int before = errno, fails = 0;
    if (path_of(fd, path)) {
        pthread_mutex_lock(&one_at_a_time);
        fails = ++reads == at && kind == READ;
        note("read", path, NULL, 0, NULL, 0);
        pthread_mutex_unlock(&one_at_a_time);
    }
    errno = fails ? EIO : before;
    return fails;
}

ssize_t read(int fd, void *bytes, size_t length) {
    return read_fails(fd) ? -1 : syscall(SYS_read, fd, bytes, length);
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset) {
    return read_fails(fd) ? -1 : syscall(SYS_pread64, fd, bytes, length, offset);
}

ssize_t readv(int fd, const struct iovec *parts, int count) {
    return read_fails(fd) ? -1 : syscall(SYS_readv, fd, parts, count);
}

/* ---- The clock ---- */

int clock_gettime(clockid_t clock, struct timespec *time) {
    int done = syscall(SYS_clock_gettime, clock, time);
    if (done == 0 && clock == CLOCK_REALTIME) time->tv_sec += clock_shift;
    return done;
}
