// What the host may already look at, and which launches may run at the same time.
#pragma once
#include "host.h"

namespace cuemu {
// ---- what the host may already look at: memory that launches and asynchronous copies still use
static u64 work_seq;
template <class F>
static void erase_if(std::vector<Outstanding>& all, F gone) {
  all.erase(std::remove_if(all.begin(), all.end(), gone), all.end());
}
static void note_launch(cudaStream_t s, u32 first, u32 last) {
  ++work_seq;
  if (!outstanding.empty() && outstanding.back().last_serial && outstanding.back().stream == s && outstanding.back().line == L.line) {
    outstanding.back().last_serial = last;
    outstanding.back().seq = work_seq;
    return;
  }
  outstanding.push_back({s, work_seq, first, last, 0, 0, true, L.line});
}
static void note_copy(const void* host, u64 n, cudaStream_t s, bool writes, int line) {
  outstanding.push_back({s, ++work_seq, 0, 0, (u64)host, (u64)host + n, writes, line});
}
static void forget_work(cudaStream_t s, u64 upto) {
  erase_if(outstanding, [&](const Outstanding& o) { return o.stream == s && o.seq <= upto; });
}
static void synchronised() { outstanding.clear(); }
// Earlier launches in other streams that nothing orders before work in stream `s`.
static void find_concurrent(cudaStream_t s) {
  L.concurrent.clear();
  for (const Outstanding& o : outstanding) {
    if (!o.last_serial || o.stream == s) continue;
    bool s_default = s <= (cudaStream_t)2, o_default = o.stream <= (cudaStream_t)2;
    if ((s_default && (o_default || o.stream->blocking)) || (o_default && s->blocking)) continue;
    bool waited = false;
    if (!s_default)
      for (auto& [other, seq] : s->waits) waited |= other == o.stream && seq >= o.seq;
    // Whatever a stream waited for through a third one counts as ordered too.
    if (!s_default && !waited)
      for (auto& [other, seq] : s->waits) {
        if (other <= (cudaStream_t)2) continue;
        for (auto& [third, before] : other->waits) waited |= third == o.stream && before >= o.seq;
      }
    if (!waited) L.concurrent.push_back({o.first_serial, o.last_serial, o.line});
  }
}
// Everything in the stream up to `upto` is done, and so is what that work had waited for.
static void synchronised_stream(cudaStream_t s, u64 upto) {
  if (s <= (cudaStream_t)2) {
    // The default stream waits for all blocking streams.
    erase_if(outstanding, [&](const Outstanding& o) {
      return o.seq <= upto && (o.stream <= (cudaStream_t)2 || o.stream->blocking);
    });
    return;
  }
  for (auto& [other, seq] : s->waits) forget_work(other, seq);
  forget_work(s, upto);
  if (s->blocking) forget_work(nullptr, upto);
}
}  // namespace cuemu
