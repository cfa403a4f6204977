// The emulator's state: one block of fibers at a time, its warps, and what the fast path of the checker needs.
#pragma once
#include <csetjmp>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "../cuemu/device.h"
#include "../cuemu/layout.h"

namespace cuemu {

// ---- what every instrumented load and store looks at; kept together in one cache line
struct alignas(64) Fast {
  u64 me;         // serial | clock | thread of the running thread, in the places of a Cell
  u64 launch_lo;  // cells below belong to earlier launches
  u64 serial_lo;  // this block's serial, everything else 0
  u64 base_span;  // cells in [serial_lo, serial_lo + base_span) lie before this block's last barrier
  u64 quiet_lo, quiet_len;  // addresses outside the arena that need no check: a kernel's stacks, everything on the host
  u32 special;    // not 0: take the slow path (host code, or a write whose new value is to be compared)
};
extern Fast F;

struct Suspect {  // a plain read of a word that others change atomically: sound if an atomic of its own follows
  u64 address = 0, pc = 0, cell = 0;
};

struct alignas(64) Thread {  // what a switch touches comes first and fits a cache line
  void* sp;
  uint3 idx;
  u16 tid;
  u8 lane, warp;
  u32 clk;
  int line;  // where it waits
  int kind;
  unsigned mask;
  bool alive, at_barrier;
  int left;  // the line of its early return, 0 while running, -1 past the end of the kernel
  u32 fence_clk, fence_base;
  u64 acquired;
  u64 polled, polled_by;
  u32 polls;
  Suspect suspect;
};

struct Group {  // lanes of one warp that wait for each other
  int kind, line;
  unsigned mask, arrived;
};

struct Warp {
  unsigned ready, exited, present;
  u32 clk, base;
  bool partial;
  int groups;
  Group group[32];
  u64 value[32], result[32];  // of the operation that each lane is in
  int arg[32];
  u8 width[32];
};

struct Release {
  u64 seq;
  u32 tid, fence_clk, fence_base, base;
};
struct BlockLog {
  std::vector<Release> releases;
  std::vector<u32> fence_clk;
};

struct Block {
  int threads, warps, alive, waiting, exited;
  unsigned ready_warps;
  u32 serial, base;
  bool fenced;          // some thread of the block has acquired something
  int barrier_line, barrier_kind;
  bool barrier_mixed;
  int barrier_count, barrier_and, barrier_or, barrier_result;
  u64 idle;             // polls in a row with nothing changed
  u64 index;            // linear block index
  u32 rng;
};

enum Order { ASCENDING, DESCENDING, SEEDED };
struct Schedule {
  int order = ASCENDING;
  u32 seed = 1;
  u32 poison = 0;
};

struct Concurrent {
  u32 first, last;
  int line;
};
struct Launch {
  std::vector<Concurrent> concurrent;  // serials of launches in other streams that may run at the same time
  Config config{1, 1};
  int line = 0;
  const void* kernel = nullptr;
  u32 first_serial = 0;
  std::vector<u32> order;           // block index by serial - first_serial (empty: ascending)
  std::unordered_map<u64, u64> synchronisers;  // address -> last release
  std::vector<BlockLog*> logs;
  u64 release_seq = 0, blocks_left = 0;
  void (*thunk)(void*) = nullptr;
  void* closure = nullptr;
};

// ---- work that the host has not waited for yet: launches (by the serials of their blocks) and copies of pinned memory
struct Outstanding {
  cudaStream_t stream;
  u64 seq;
  u32 first_serial, last_serial;  // a launch; 0, 0 for a copy
  u64 lo, hi;                     // a copy: addresses in pinned memory
  bool writes;
  int line;
};
extern std::vector<Outstanding> outstanding;
const Outstanding* touched_by(u64 p, u64 n, bool host_writes);

// ---- one allocation of the arena
struct Allocation {
  u64 off, size, span;  // span: pages reserved, gap included
  Space space;
  bool freed = false;
  int line = 0, free_line = 0;
  std::string name;
  u32 element = 1;
};

extern Thread threads[MAX_THREADS];
extern Warp warps[32];
extern Block B;
extern Launch L;
extern Schedule schedule;
extern Thread* cur;
extern bool kernel_mode, aborted;
extern int abort_code;
extern bool order_sensitive, poison_used;
extern u16 valid[ARENA_SIZE / PAGE], host_valid[ARENA_SIZE / PAGE];

inline Cell* cell_at(u64 off) { return (Cell*)(SHADOW + off * 4); }
inline bool in_arena(const void* p) { return (u64)p - ARENA < ARENA_SIZE; }

// ---- reports
struct Report {
  const char* kind;
  const char* id;  // names the sentence in messages.py
  u64 pc = 0, other_pc = 0;
  int line = 0, other_line = 0;
  const Thread* thread = nullptr;
  bool has_other = false;
  uint3 other_thread{}, other_block{};
  std::string words, name;
  long long a = 0, b = 0;
  // the memory that it is about, filled by describe()
  const char* place = "";  // shared, dynamic, device, managed, pinned, host, symbol, freed, or "" for none
  std::string place_name;
  long long place_offset = 0, place_size = 0, place_element = 0, place_columns = 0, place_layers = 0;
  int place_line = 0, place_free_line = 0;
};
void report(const Report& r);
void emit_line(const std::string& json);
std::string json_string(const std::string& s);
[[noreturn]] void abort_launch(int code);
[[noreturn]] void end_run(int code);

void check_range(u64 p, u64 n, bool write, u64 pc, int line);
void resolve_pending();
uint3 thread_index(u32 tid);
uint3 block_index(u64 linear);
void describe(u64 p, Report& r);
}  // namespace cuemu
