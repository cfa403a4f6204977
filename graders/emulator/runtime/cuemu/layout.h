// Where things lie: one fixed arena for all emulated memory, one shadow cell for every four bytes of it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cuemu {
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

// All addresses fit 39 bits, so that small aarch64 address spaces do too.
constexpr u64 ARENA = 0x2000000000ull, ARENA_SIZE = 8ull << 30;
constexpr u64 SHARED_SIZE = 64ull << 20, SHARED_OFF = ARENA_SIZE - SHARED_SIZE;
constexpr u64 DYNAMIC_SHARED_OFF = SHARED_OFF + (1ull << 20), STATIC_SHARED_OFF = SHARED_OFF + (2ull << 20);
constexpr u64 SHADOW = 0x4000000000ull;
constexpr u64 STACKS = 0x3000000000ull, STACK_SIZE = 256ull << 10;
constexpr int MAX_THREADS = 1024;
constexpr u64 STACKS_SIZE = STACK_SIZE * MAX_THREADS;
constexpr u64 PAGE = 4096;

// valid[page]: how many bytes from the page's start belong to an allocation, and of which kind.
constexpr u16 VALID_BYTES = 0x1fff;
enum Space : u16 { DEVICE = 0, MANAGED = 1, PINNED = 2, HOST = 3, SHARED = 4 };

// One cell: the last write and the last read of a word.
//   w: serial of the block (20) | clock (14) | thread (10) | site (11) | atomic (1) | bytes written (4) | initialised (4)
//   r: serial (20) | clock (14) | thread (10) | site (11) | atomic (1) | bytes read (4) | other threads too (1) | other blocks too (1) | 0 (2)
struct Cell {
  u64 w, r;
};
constexpr int SERIAL_SHIFT = 44, CLOCK_SHIFT = 30, THREAD_SHIFT = 20, SITE_SHIFT = 9, MASK_SHIFT = 4;
constexpr u64 ATOMIC = 1ull << 8, MANY_THREADS = 8, MANY_BLOCKS = 4;
constexpr u32 MAX_SERIAL = (1u << 20) - 2, MAX_CLOCK = (1u << 14) - 1, MAX_SITES = 1u << 11;
inline u32 serial_of(u64 v) { return (u32)(v >> SERIAL_SHIFT); }
inline u32 clock_of(u64 v) { return (u32)(v >> CLOCK_SHIFT) & MAX_CLOCK; }
inline u32 thread_of(u64 v) { return (u32)(v >> THREAD_SHIFT) & 1023; }
inline u32 site_of(u64 v) { return (u32)(v >> SITE_SHIFT) & (MAX_SITES - 1); }
inline u32 mask_of(u64 v) { return (u32)(v >> MASK_SHIFT) & 15; }
}  // namespace cuemu
