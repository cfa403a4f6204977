// Findings: gathered, each mistake once, and written as one JSON line each to the report descriptor.
#pragma once
#include <errno.h>
#include <set>
#include <unistd.h>

#include "hostmem.h"

namespace cuemu {

constexpr size_t MAX_FINDINGS = 24;
static std::vector<std::string> findings;
static std::set<std::string> said;
static int report_fd = -1;

std::string json_string(const std::string& s) {
  std::string out = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += (char)c;
    } else if (c < 32) {
      char hex[8];
      snprintf(hex, sizeof hex, "\\u%04x", c);
      out += hex;
    } else {
      out += (char)c;
    }
  }
  return out + "\"";
}
static bool write_all(int fd, const void* data, size_t n) {
  const char* p = (const char*)data;
  while (n) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done;
    n -= (size_t)done;
  }
  return true;
}
void emit_line(const std::string& json) {
  std::string line = json + "\n";
  write_all(report_fd, line.data(), line.size());
}
static std::string triple(uint3 v) {
  return "[" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + "]";
}
void report(const Report& r) {
  char key[256];
  snprintf(key, sizeof key, "%s %llx %llx %d %d", r.id, (unsigned long long)r.pc, (unsigned long long)r.other_pc, r.line,
           r.other_line);
  if (probing || findings.size() >= MAX_FINDINGS || !said.insert(key).second) return;
  std::string j = std::string("{\"type\":\"finding\",\"kind\":\"") + r.kind + "\",\"id\":\"" + r.id + "\"";
  auto number = [&](const char* name, long long v) { j += std::string(",\"") + name + "\":" + std::to_string(v); };
  if (r.pc) number("pc", (long long)r.pc);
  if (r.other_pc) number("other_pc", (long long)r.other_pc);
  number("line", r.line);
  number("other_line", r.other_line);
  if (r.thread) {
    j += ",\"thread\":" + triple(r.thread->idx) + ",\"block\":" + triple(cuemu_block_idx);
    number("lane", r.thread->lane);
  } else if (kernel_mode && cur) {
    j += ",\"thread\":" + triple(cur->idx) + ",\"block\":" + triple(cuemu_block_idx);
  }
  if (r.has_other) j += ",\"other_thread\":" + triple(r.other_thread) + ",\"other_block\":" + triple(r.other_block);
  if (!r.words.empty()) j += ",\"words\":" + json_string(r.words);
  if (!r.name.empty()) j += ",\"name\":" + json_string(r.name);
  number("a", r.a);
  number("b", r.b);
  if (*r.place) {
    j += std::string(",\"place\":\"") + r.place + "\",\"place_name\":" + json_string(r.place_name);
    number("offset", r.place_offset);
    number("size", r.place_size);
    number("element", r.place_element);
    if (r.place_columns) number("columns", r.place_columns);
    if (r.place_layers) number("layers", r.place_layers);
    number("place_line", r.place_line);
    number("free_line", r.place_free_line);
  }
  findings.push_back(j + "}");
}
static void forget_findings() {
  findings.clear();
  said.clear();
}
void unsupported(const char* what, int line) {
  emit_line(std::string("{\"type\":\"unsupported\",\"what\":") + json_string(what) + ",\"line\":" + std::to_string(line) + "}");
  _exit(96);
}
void waited_for_later_block(int) {
  // The report of the wait is the last one made.
  if (findings.empty()) return;
  std::string last = findings.back();
  findings.pop_back();
  if (schedule.order == ASCENDING) {
    emit_line("{\"type\":\"unsupported\",\"what\":\"a block that waits for a later block\",\"finding\":" + last + "}");
    _exit(96);
  }
  emit_line("{\"type\":\"order-not-possible\"}");
}
static void flush_findings() {
  for (const std::string& f : findings) emit_line(f);
  forget_findings();
}
}  // namespace cuemu
