// Switching stacks. The assembly saves what the platform's ABI says a call preserves and nothing else.
#pragma once
#include "state.h"

extern "C" void cuemu_switch(void** save, void* load);

#if defined(__x86_64__) && !defined(CUEMU_UCONTEXT)
asm(R"(
.text
.globl cuemu_switch
.type cuemu_switch, @function
.p2align 4
cuemu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuemu_switch, .-cuemu_switch
)");
namespace cuemu {
inline void* fresh_stack(char* top, void (*entry)()) {
  // After `ret` into entry the stack must look as after a call: 16-byte aligned minus a return address.
  void** sp = (void**)((u64)top & ~15ull);
  *--sp = nullptr;
  *--sp = (void*)entry;
  for (int i = 0; i < 6; i++) *--sp = nullptr;
  return sp;
}
}  // namespace cuemu
#elif defined(__aarch64__) && !defined(CUEMU_UCONTEXT)
asm(R"(
.text
.globl cuemu_switch
.type cuemu_switch, %function
.p2align 4
cuemu_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size cuemu_switch, .-cuemu_switch
)");
namespace cuemu {
inline void* fresh_stack(char* top, void (*entry)()) {
  void** sp = (void**)((u64)top & ~15ull) - 20;
  for (int i = 0; i < 20; i++) sp[i] = nullptr;
  sp[11] = (void*)entry;  // x30
  return sp;
}
}  // namespace cuemu
#else
#include <ucontext.h>
// The portable way: about 30 times slower, same behaviour.
namespace cuemu {
struct Portable {
  ucontext_t context;
};
inline void* fresh_stack(char* top, void (*entry)()) {
  auto* p = (Portable*)(((u64)top - sizeof(Portable)) & ~63ull);
  getcontext(&p->context);
  char* low = (char*)(((u64)top - 1) / STACK_SIZE * STACK_SIZE) + PAGE;
  p->context.uc_stack.ss_sp = low;
  p->context.uc_stack.ss_size = (char*)p - low;
  p->context.uc_link = nullptr;
  makecontext(&p->context, entry, 0);
  return p;
}
}  // namespace cuemu
extern "C" void cuemu_switch(void** save, void* load) {
  cuemu::Portable here;
  *save = &here;
  swapcontext(&here.context, &((cuemu::Portable*)load)->context);
}
#endif
