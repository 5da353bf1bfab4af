/* A program of known shares, without a C library: gcc -O1 -g0 -fno-omit-frame-pointer -nostdlib -static -Wl,--build-id -o shares shares.c
 * The main thread spends 3 of 4 turns in `heavy` and 1 in `light`; a thread "helper" recurses in `deep`; a forked process "child"
 * runs code that it made itself, which perf-PID.map names. */
typedef unsigned long word;
static long call(long n, long a, long b, long c, long d, long e, long f) {
    long r;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return r;
}
__attribute__((noinline)) void spin(word turns) { for (volatile word i = 0; i < turns; i++) {} }
__attribute__((noinline)) void heavy(void) { spin(15000000); __asm__ volatile(""); }
__attribute__((noinline)) void light(void) { spin(5000000); __asm__ volatile(""); }
__attribute__((noinline)) void deep(int levels) {
    if (levels > 0) { deep(levels - 1); } else { spin(2000000); }
    __asm__ volatile("");
}
__attribute__((noinline)) void helper(void) {
    call(157, 15, (long)"helper", 0, 0, 0, 0);
    for (int i = 0; i < 8; i++) deep(i);
    call(60, 0, 0, 0, 0, 0, 0);
}
static char stack[65536] __attribute__((aligned(16)));
static void start_thread(void) {
    void **top = (void **)(stack + sizeof stack) - 2;
    *top = (void *)helper;
    register long r10 __asm__("r10") = 0;
    register long r8 __asm__("r8") = 0;
    long r;
    __asm__ volatile("syscall; test %%rax, %%rax; jnz 1f; xor %%ebp, %%ebp; pop %%rax; call *%%rax; 1:"
        : "=a"(r) : "a"(56), "D"(0x50f00), "S"(top), "d"(0), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
}
static int text(char *to, word n, int base) {
    char digits[20]; int count = 0, at = 0;
    do { digits[count++] = "0123456789abcdef"[n % base]; n /= base; } while (n);
    while (count) to[at++] = digits[--count];
    return at;
}
__attribute__((noinline)) void child(void) {
    call(157, 15, (long)"child", 0, 0, 0, 0);
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0, 0, 0, 3, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
    unsigned char *made = (unsigned char *)call(9, 0, 4096, 7, 0x22, -1, 0);
    for (unsigned i = 0; i < sizeof code; i++) made[i] = made[64 + i] = code[i];
    char path[40] = "/tmp/perf-", line[80]; int at = 10;
    at += text(path + at, call(39, 0, 0, 0, 0, 0, 0), 10);
    for (const char *end = ".map"; *end; ) path[at++] = *end++;
    path[at] = 0;
    long file = call(2, (long)path, 0x241, 0644, 0, 0, 0);
    for (int i = 0; i < 2; i++) {
        int end = text(line, (word)made + 64 * i, 16);
        for (const char *rest = i ? " f made second(int)\n" : " f made first\n"; *rest; ) line[end++] = *rest++;
        call(1, file, (long)line, end, 0, 0, 0);
    }
    ((void (*)(void))made)();
    ((void (*)(void))(made + 64))();
    ((void (*)(void))(made + 64))();
    call(60, 0, 0, 0, 0, 0, 0);
}
__attribute__((noinline)) void work(void) {
    start_thread();
    if (call(57, 0, 0, 0, 0, 0, 0) == 0) child();
    for (int i = 0; i < 2; i++) { heavy(); light(); }
    call(61, -1, 0, 0, 0, 0, 0);
}
void _start(void) { __asm__ volatile("and $-16, %rsp; xor %ebp, %ebp"); work(); call(231, 0, 0, 0, 0, 0, 0); }
