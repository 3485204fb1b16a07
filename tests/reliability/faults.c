/* Makes the n-th disk operation below a folder fail, as a full disk, a dying disk or a kill would.
 *
 * Loaded with LD_PRELOAD, so that writes by any library count: Python's, safetensors', Arrow's.
 * fault_arm(root, at, kind) starts counting from 1; kind: 0 only counts, 1 the disk is full from
 * operation `at` on, 2 operation `at` fails with EIO, 3 the process dies before it (which is also
 * after the one before), 4 half of a write arrives and then the process dies. fault_trace() tells
 * what was done so far, a letter an operation: w a write, g another that a full disk refuses, - else.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, FULL, EIO_ONCE, DIE, HALF };
enum { LONGEST = 1 << 20 };
static char root[PATH_MAX];
static long count, at;
static int kind;
static char trace[LONGEST + 1];

void fault_arm(const char *folder, long number, int what) {
    strncpy(root, folder, sizeof root - 1);
    count = 0; at = number; kind = what;
}

const char *fault_trace(void) { trace[count < LONGEST ? count : LONGEST] = 0; return trace; }

static int inside(const char *path) {
    size_t n = strlen(root);
    return n && !strncmp(path, root, n) && (path[n] == '/' || !path[n]);
}

static int inside_fd(int fd) {
    char link[64], path[PATH_MAX];
    if (!*root) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return inside(path);
}

static int inside_at(int folder, const char *name) {
    char link[64], path[2 * PATH_MAX];
    if (!*root) return 0;
    if (*name == '/') return inside(name);
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0) return 0;
    snprintf(path + n, sizeof path - n, "/%s", name);
    return inside(path);
}

/* Before an operation: 0 go on, else the errno to fail with. `grows`: a full disk refuses it. */
static int before(int grows, char letter) {
    if (count < LONGEST) trace[count] = letter;
    ++count;
    if (kind == FULL) return grows && count >= at ? ENOSPC : 0;
    if (count != at) return 0;
    if (kind == DIE) _exit(137);
    return kind == EIO_ONCE ? EIO : 0;
}

#define REAL(result, name, ...) \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define GUARDED(result, name, grows, concerned, call, ...) \
    { REAL(result, name, __VA_ARGS__); \
      if (!(concerned)) return call; \
      int failed = before(grows, (grows) ? 'g' : '-'); \
      if (failed) { errno = failed; return -1; } \
      return call; }

ssize_t write(int fd, const void *data, size_t n) {
    REAL(ssize_t, "write", int, const void *, size_t);
    if (!inside_fd(fd)) return real(fd, data, n);
    int failed = before(1, 'w');
    if (failed) { errno = failed; return -1; }
    if (kind == HALF && count == at) { real(fd, data, n / 2); _exit(137); }
    return real(fd, data, n);
}
ssize_t pwrite(int fd, const void *d, size_t n, off_t o) GUARDED(ssize_t, "pwrite", 1, inside_fd(fd), real(fd, d, n, o), int, const void *, size_t, off_t)
ssize_t pwrite64(int fd, const void *d, size_t n, off64_t o) GUARDED(ssize_t, "pwrite64", 1, inside_fd(fd), real(fd, d, n, o), int, const void *, size_t, off64_t)
ssize_t writev(int fd, const struct iovec *v, int n) GUARDED(ssize_t, "writev", 1, inside_fd(fd), real(fd, v, n), int, const struct iovec *, int)
ssize_t sendfile(int out, int in, off_t *o, size_t n) GUARDED(ssize_t, "sendfile", 1, inside_fd(out), real(out, in, o, n), int, int, off_t *, size_t)
ssize_t sendfile64(int out, int in, off64_t *o, size_t n) GUARDED(ssize_t, "sendfile64", 1, inside_fd(out), real(out, in, o, n), int, int, off64_t *, size_t)
ssize_t copy_file_range(int in, off64_t *o, int out, off64_t *p, size_t n, unsigned flags) GUARDED(ssize_t, "copy_file_range", 1, inside_fd(out), real(in, o, out, p, n, flags), int, off64_t *, int, off64_t *, size_t, unsigned)
int fsync(int fd) GUARDED(int, "fsync", 0, inside_fd(fd), real(fd), int)
int fdatasync(int fd) GUARDED(int, "fdatasync", 0, inside_fd(fd), real(fd), int)
int ftruncate(int fd, off_t n) GUARDED(int, "ftruncate", 1, inside_fd(fd), real(fd, n), int, off_t)
int ftruncate64(int fd, off64_t n) GUARDED(int, "ftruncate64", 1, inside_fd(fd), real(fd, n), int, off64_t)
int rename(const char *a, const char *b) GUARDED(int, "rename", 0, inside_at(AT_FDCWD, b), real(a, b), const char *, const char *)
int renameat(int d, const char *a, int e, const char *b) GUARDED(int, "renameat", 0, inside_at(e, b), real(d, a, e, b), int, const char *, int, const char *)
int link(const char *a, const char *b) GUARDED(int, "link", 1, inside_at(AT_FDCWD, b), real(a, b), const char *, const char *)
int linkat(int d, const char *a, int e, const char *b, int flags) GUARDED(int, "linkat", 1, inside_at(e, b), real(d, a, e, b, flags), int, const char *, int, const char *, int)
int unlink(const char *a) GUARDED(int, "unlink", 0, inside_at(AT_FDCWD, a), real(a), const char *)
int unlinkat(int d, const char *a, int flags) GUARDED(int, "unlinkat", 0, inside_at(d, a), real(d, a, flags), int, const char *, int)
int rmdir(const char *a) GUARDED(int, "rmdir", 0, inside_at(AT_FDCWD, a), real(a), const char *)
int mkdir(const char *a, mode_t m) GUARDED(int, "mkdir", 1, inside_at(AT_FDCWD, a), real(a, m), const char *, mode_t)
int mkdirat(int d, const char *a, mode_t m) GUARDED(int, "mkdirat", 1, inside_at(d, a), real(d, a, m), int, const char *, mode_t)

#define OPENING(name, folder, path, call, ...) \
    { REAL(int, name, __VA_ARGS__); \
      va_list rest; va_start(rest, flags); \
      mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
      va_end(rest); \
      if (!(flags & (O_WRONLY | O_RDWR)) || !inside_at(folder, path)) return call; \
      int failed = before(1, 'g'); \
      if (failed) { errno = failed; return -1; } \
      return call; }

int open(const char *path, int flags, ...) OPENING("open", AT_FDCWD, path, real(path, flags, mode), const char *, int, ...)
int open64(const char *path, int flags, ...) OPENING("open64", AT_FDCWD, path, real(path, flags, mode), const char *, int, ...)
int openat(int d, const char *path, int flags, ...) OPENING("openat", d, path, real(d, path, flags, mode), int, const char *, int, ...)
int openat64(int d, const char *path, int flags, ...) OPENING("openat64", d, path, real(d, path, flags, mode), int, const char *, int, ...)
