// The process: runs a lesson's cases as they come down a pipe, or a whole program once.
#pragma once
#include <fcntl.h>
#include <sys/time.h>
#include <ucontext.h>

#include "interface.h"
#include "heap.h"

extern "C" __attribute__((weak)) int cuemu_entry(void** arguments);
extern "C" __attribute__((weak)) int cuemu_program(int argc, char** argv);

namespace cuemu {
static jmp_buf run_start;
static bool serving, program_running;
static int stopped;  // the exit code of a run that host code ended, else 0

static void finish_program(int code) {
  if (!program_running) return;
  program_running = false;
  if (pending.on) resolve_pending();
  flush_findings();
  fflush(stdout);
  char words[256];
  snprintf(words, sizeof words,
           "{\"type\":\"end\",\"code\":%d,\"launches\":%llu,\"attempts\":%llu,\"order_sensitive\":%d,\"poison_used\":%d,\"copies\":\"%016llx\",\"error\":\"%s\"}",
           code, (unsigned long long)launches, (unsigned long long)launch_attempts, order_sensitive, poison_used,
           (unsigned long long)copies_hash, cudaGetErrorName(sticky ? sticky : last_error));
  emit_line(words);
}
[[noreturn]] void end_run(int code) {
  if (serving) longjmp(run_start, code);
  finish_program(code);
  _exit(code);
}

// ---- signals: a crash or the clock ends this process, but what was found so far is told first
static u64 frames[16];
static int walk(void* context) {
  auto* c = (ucontext_t*)context;
  int n = 0;
#if defined(__x86_64__)
  u64 pc = (u64)c->uc_mcontext.gregs[REG_RIP], fp = (u64)c->uc_mcontext.gregs[REG_RBP], sp = (u64)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  u64 pc = c->uc_mcontext.pc, fp = c->uc_mcontext.regs[29], sp = c->uc_mcontext.sp;
#else
  u64 pc = 0, fp = 0, sp = 0;
#endif
  frames[n++] = pc;
  // In a function's first instructions the caller's address still lies at the top of the stack, not in a frame.
  u64 top = kernel_mode ? STACKS + STACKS_SIZE : sp + 64;
  for (int i = 0; i < 2 && sp + 8 * i + 8 <= top && sp % 8 == 0; i++)
    if (((u64*)sp)[i] > (u64)&__executable_start && ((u64*)sp)[i] < (u64)&end) frames[n++] = ((u64*)sp)[i] - 1;
  while (n < 16 && fp >= sp && fp < sp + (64 << 10) && fp % 8 == 0) {
    u64 next = ((u64*)fp)[0];
    frames[n++] = ((u64*)fp)[1] - 1;
    if (next <= fp) break;
    fp = next;
  }
  return n;
}
static void emit_end_by(const char* type, int signal, void* context) {
  int n = walk(context);
  std::string j = std::string("{\"type\":\"") + type + "\",\"signal\":" + std::to_string(signal) + ",\"in_kernel\":" + (kernel_mode ? "1" : "0");
  if (kernel_mode && cur) {
    j += ",\"thread\":" + triple(cur->idx) + ",\"block\":" + triple(cuemu_block_idx);
    u64 sp_low = STACKS + (u64)cur->tid * STACK_SIZE;
    auto* c = (ucontext_t*)context;
#if defined(__x86_64__)
    u64 sp = (u64)c->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    u64 sp = c->uc_mcontext.sp;
#else
    u64 sp = STACKS + STACKS_SIZE;
#endif
    if (sp < sp_low + 2 * PAGE) j += ",\"stack_overflow\":1";
  }
  j += ",\"frames\":[";
  for (int i = 0; i < n; i++) j += (i ? "," : "") + std::to_string(frames[i]);
  flush_findings();
  fflush(stdout);
  emit_line(j + "]}");
}
static void on_crash(int signal, siginfo_t*, void* context) {
  ::signal(signal, SIG_DFL);
  emit_end_by("crash", signal, context);
  _exit(128 + signal);
}
static double time_given;
static void on_clock(int signal, siginfo_t*, void* context) {
  double here = (double)(ticks() - block_started) * 1e-9;
  if (kernel_mode && here < time_given * 0.4 && here < 5.0) {
    // Blocks come and go: the program is large, not stuck.
    flush_findings();
    fflush(stdout);
    emit_line("{\"type\":\"slow\",\"line\":" + std::to_string(L.line) + ",\"left\":" + std::to_string(L.blocks_left) +
              ",\"blocks\":" + std::to_string((u64)L.config.grid.x * L.config.grid.y * L.config.grid.z) + "}");
    _exit(98);
  }
  emit_end_by("timeout", signal, context);
  _exit(98);
}
static void watch(double seconds) {
  if (seconds > 0) time_given = seconds;
  itimerval t{};
  t.it_value.tv_sec = (time_t)seconds;
  t.it_value.tv_usec = (suseconds_t)((seconds - (double)t.it_value.tv_sec) * 1e6);
  setitimer(ITIMER_REAL, &t, nullptr);
}
static void set_handlers() {
  static char stack[64 << 10];
  stack_t s{};
  s.ss_sp = stack;
  s.ss_size = sizeof stack;
  sigaltstack(&s, nullptr);
  struct sigaction a{};
  a.sa_flags = SA_SIGINFO | SA_ONSTACK;
  a.sa_sigaction = on_crash;
  for (int n : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(n, &a, nullptr);
  a.sa_sigaction = on_clock;
  sigaction(SIGALRM, &a, nullptr);
}

// ---- a lesson's cases
struct Argument {
  char kind;  // i: input array, o: output array, v: value in 8 bytes
  u64 bytes;
  std::vector<char> data;
  void* at;
  u64 value;
};
static bool read_all(int fd, void* data, size_t n) {
  char* p = (char*)data;
  while (n) {
    ssize_t got = read(fd, p, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    n -= (size_t)got;
  }
  return true;
}
static void reset_run() {
  sticky = last_error = cudaSuccess;
  aborted = kernel_mode = false;
  pending.on = false;
  F.special = 1;
  F.quiet_lo = 0;
  F.quiet_len = ~0ull;
  poison_used = failed_once = false;
  outstanding.clear();
  launches = launch_attempts = threads_run = 0;
  dynamic_limit.clear();
  reset_arena();
  restore_symbols();
}
static int run_once(std::vector<Argument>& arguments) {
  reset_run();
  std::vector<void*> pointers;
  for (Argument& a : arguments) {
    if (a.kind == 'v') {
      pointers.push_back(&a.value);
      continue;
    }
    Allocation* h = allocate(std::max<u64>(a.bytes, 1), HOST, 0);
    if (!h) fatal("no memory for the arguments of a case");
    if (a.bytes == 0) clear_pages(host_valid, h->off, 1);
    a.at = (void*)(ARENA + h->off);
    memcpy(a.at, a.data.data(), a.bytes);
    pointers.push_back(&a.at);
  }
  stopped = setjmp(run_start);
  if (stopped) return 0;
  return cuemu_entry(pointers.data());
}
static void unwritten_outputs(std::vector<Argument>& arguments) {
  int k = 0;
  for (Argument& a : arguments) {
    if (a.kind == 'o') {
      u64 off = (u64)a.at - ARENA;
      for (u64 i = 0; i < a.bytes; i++) {
        if (!(host_valid[(off + i) / PAGE] & TAINTED)) {
          i |= PAGE - 1;
          continue;
        }
        if (!(cell_at((off + i) & ~3ull)->w >> ((off + i) & 3) & 1)) continue;
        Report r{"unwritten-output", "output-unwritten"};
        r.a = (long long)i;
        r.b = (long long)a.bytes;
        r.words = std::to_string(k);
        report(r);
        break;
      }
    }
    k++;
  }
}
static bool serve_one() {
  u32 length;
  if (!read_all(0, &length, 4) || length > 1 << 20) return false;
  std::string header(length, 0);
  if (!read_all(0, header.data(), length)) return false;
  int count = 0, schedules = 0, used = 0, small = 0;
  double seconds = 10;
  const char* at = header.c_str();
  if (sscanf(at, "run %d %d %lf %d\n%n", &count, &schedules, &seconds, &small, &used) != 4) fatal("bad request");
  at += used;
  std::vector<Argument> arguments((size_t)count);
  for (Argument& a : arguments) {
    unsigned long long n;
    if (sscanf(at, "%c %llu\n%n", &a.kind, &n, &used) != 2) fatal("bad request");
    at += used;
    a.bytes = n;
    a.value = n;
  }
  std::vector<Schedule> wanted((size_t)schedules);
  for (Schedule& s : wanted) {
    if (sscanf(at, "%d %u %u\n%n", &s.order, &s.seed, &s.poison, &used) != 3) fatal("bad request");
    at += used;
  }
  for (Argument& a : arguments) {
    if (a.kind == 'v') continue;
    a.data.resize(a.bytes);
    if (!read_all(0, a.data.data(), a.bytes)) return false;
  }
  watch(seconds);
  order_sensitive = false;
  forget_findings();
  std::vector<std::vector<char>> first;
  bool needs_poison = false;
  for (size_t i = 0; i < wanted.size(); i++) {
    schedule = wanted[i];
    // Without a race, an atomic or a poll every order gives the same result, so large cases run in one order only.
    if (i > 0 && !order_sensitive && threads_run > (u64)small && !(schedule.poison && needs_poison)) continue;
    if (i > 0 && schedule.poison && !needs_poison) continue;
    int code = run_once(arguments);
    if (pending.on) resolve_pending();
    if (!stopped) unwritten_outputs(arguments);
    if (poison_used) needs_poison = true;
    std::string changed, bytes;
    std::vector<std::vector<char>> outputs;
    u64 total = 0;
    for (size_t k = 0; k < arguments.size(); k++) {
      Argument& a = arguments[k];
      if (a.kind == 'i' && memcmp(a.at, a.data.data(), a.bytes) != 0) changed += (changed.empty() ? "" : ",") + std::to_string(k);
      if (a.kind != 'o') continue;
      outputs.emplace_back((char*)a.at, (char*)a.at + a.bytes);
      total += a.bytes;
    }
    bool same = i > 0 && outputs == first;
    if (i == 0) first = outputs;
    emit_line("{\"type\":\"result\",\"schedule\":" + std::to_string(i) + ",\"code\":" + std::to_string(code) + ",\"stopped\":" + std::to_string(stopped) +
              ",\"error\":\"" + cudaGetErrorName((cudaError_t)code) + "\"" + ",\"same\":" + (same ? "1" : "0") +
              ",\"launches\":" + std::to_string(launches) + ",\"changed\":[" + changed + "],\"bytes\":" + std::to_string(same ? 0 : total) + "}");
    if (!same)
      for (auto& o : outputs) write_all(report_fd, o.data(), o.size());
    if (stopped) break;
  }
  watch(0);
  flush_findings();
  emit_line("{\"type\":\"end\",\"poison_used\":" + std::string(needs_poison ? "1" : "0") + "}");
  return true;
}
}  // namespace cuemu

// argv: "serve FD", or "program FD ORDER SEED POISON SECONDS NAME ARGS..."; FD takes the report
int main(int argc, char** argv) {
  if (argc < 3) return 94;
  // The report leaves the numbers that a learner's code would guess.
  report_fd = fcntl(atoi(argv[2]), F_DUPFD_CLOEXEC, 200);
  if (report_fd < 0) return 95;
  close(atoi(argv[2]));
  set_handlers();
  open_arena();
  keep_symbols();
  if (!strcmp(argv[1], "serve")) {
    if (!cuemu_entry) return 94;
    serving = true;
    emit_line("{\"type\":\"ready\"}");
    while (serve_one()) fflush(stdout);
    _exit(0);
  }
  if (argc < 8 || strcmp(argv[1], "program") || !cuemu_program) return 94;
  schedule = {atoi(argv[3]), (u32)atoi(argv[4]), (u32)atoi(argv[5])};
  watch(atof(argv[6]));
  program_running = true;
  heap_on = true;
  static int code = -1;
  atexit([] { finish_program(code); });
  at_quick_exit([] { finish_program(code); });
  code = cuemu_program(argc - 7, argv + 7);
  exit(code);
}
