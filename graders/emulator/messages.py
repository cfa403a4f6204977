"""What the emulator's runtime reports, as one plain sentence in both languages.

The runtime names a sentence by an id and gives numbers; here they become words. `at` is the thread that did it,
`other` the thread it collided with, `place` the memory it is about.
"""

from __future__ import annotations

from typing import Any

from graders.text import Text, same

_SENTENCES = {
    "read-outside": Text(
        "{at} reads {bytes} bytes outside its memory: {place}", "{at} 读取了 {bytes} 字节越界的内存：{place}"
    ),
    "write-outside": Text(
        "{at} writes {bytes} bytes outside its memory: {place}", "{at} 向内存界外写入了 {bytes} 字节：{place}"
    ),
    "read-outside-shared": Text(
        "{at} reads outside a shared variable: {place}", "{at} 的读取越过了共享变量的边界：{place}"
    ),
    "write-outside-shared": Text(
        "{at} writes outside a shared variable: {place}", "{at} 的写入越过了共享变量的边界：{place}"
    ),
    "read-freed": Text("{at} reads memory that has been freed: {place}", "{at} 读取了已释放的内存：{place}"),
    "write-freed": Text("{at} writes to memory that has been freed: {place}", "{at} 写入了已释放的内存：{place}"),
    "null-pointer": Text("{at} follows a null pointer", "{at} 访问了空指针"),
    "host-pointer-in-kernel": Text(
        "{at} follows a pointer to host memory: a kernel can only reach device memory",
        "{at} 访问了主机内存的指针：内核只能访问设备内存",
    ),
    "host-reads-device": Text(
        "host code reads device memory directly: copy it with cudaMemcpy first ({place})",
        "主机代码直接读取设备内存：应先用 cudaMemcpy 复制（{place}）",
    ),
    "host-writes-device": Text(
        "host code writes device memory directly: copy to it with cudaMemcpy ({place})",
        "主机代码直接写入设备内存：应使用 cudaMemcpy 复制（{place}）",
    ),
    "misaligned": Text(
        "{at} makes a {bytes}-byte access at an address that is no multiple of {bytes}: {place}",
        "{at} 在不是 {bytes} 的倍数的地址上做 {bytes} 字节访问：{place}",
    ),
    "uninitialised-shared": Text(
        "shared memory is read before anything was written to it: {at} reads {place}",
        "共享内存在写入之前就被读取：{at} 读取 {place}",
    ),
    "uninitialised-global": Text(
        "device memory is read before anything was written to it: {at} reads {place}",
        "设备内存在写入之前就被读取：{at} 读取 {place}",
    ),
    "race-read-early": Text(
        "shared memory is read with no barrier after the write: {at} reads {place}; {other} writes it"
        "{other_line}, with no __syncthreads() in between",
        "共享内存写入之后没有屏障就被读取：{at} 读取 {place}，{other} 写入它{other_line}，中间没有 __syncthreads()",
    ),
    "race-read-global": Text(
        "two threads of a block touch the same device memory unordered: {at} reads {place}; {other} writes it"
        "{other_line}, with no __syncthreads() in between",
        "同一线程块的两个线程无序地访问同一设备内存：{at} 读取 {place}，{other} 写入它{other_line}，中间没有 __syncthreads()",
    ),
    "race-write-after-read": Text(
        "a value is overwritten while another thread may still read it: {at} writes {place}; {other} reads it"
        "{other_line}, with no __syncthreads() in between",
        "一个值在别的线程可能还在读取时被覆盖：{at} 写入 {place}，{other} 读取它{other_line}，中间没有 __syncthreads()",
    ),
    "race-write-write": Text(
        "two threads write different values to the same place: {at} writes {place}; {other} writes it"
        "{other_line}, with no __syncthreads() in between",
        "两个线程向同一位置写入不同的值：{at} 写入 {place}，{other} 也写入它{other_line}，中间没有 __syncthreads()",
    ),
    "race-atomic-plain": Text(
        "an atomic and a plain access to the same place are not ordered: {at} and {other}{other_line} both use {place}, "
        "with no __syncthreads() in between",
        "对同一位置的原子访问与普通访问没有先后次序：{at} 与 {other}{other_line} 都使用 {place}，中间没有 __syncthreads()",
    ),
    "race-blocks-read-early": Text(
        "a block reads what another block of the same launch writes: {at} reads {place}; {other} writes it{other_line}; "
        "blocks run in any order",
        "一个线程块读取同一次启动中另一线程块写入的值：{at} 读取 {place}，{other} 写入它{other_line}；线程块的执行次序不定",
    ),
    "race-blocks-write-after-read": Text(
        "a block overwrites what another block of the same launch reads: {at} writes {place}; {other} reads it{other_line}; "
        "blocks run in any order",
        "一个线程块覆盖了同一次启动中另一线程块读取的值：{at} 写入 {place}，{other} 读取它{other_line}；线程块的执行次序不定",
    ),
    "race-blocks-write-write": Text(
        "two blocks write different values to the same place: {at} writes {place}; {other} writes it{other_line}; "
        "the last one wins, and that may be either",
        "两个线程块向同一位置写入不同的值：{at} 写入 {place}，{other} 也写入它{other_line}；最后写入者生效，而次序不定",
    ),
    "race-blocks-atomic-plain": Text(
        "an atomic and a plain access of two blocks to the same place are not ordered: {at} and {other}{other_line} both use "
        "{place}",
        "两个线程块对同一位置的原子访问与普通访问没有先后次序：{at} 与 {other}{other_line} 都使用 {place}",
    ),
    "race-streams": Text(
        "launches in two streams use the same memory at the same time: {at} of the launch in line {b} uses {place}, and so "
        "does the launch in line {a}{other_line}; no event or synchronisation orders the two",
        "两个流中的启动同时使用同一内存：第 {b} 行启动的 {at} 使用 {place}，第 {a} 行的启动也使用它{other_line}；"
        "没有事件或同步规定两者的先后",
    ),
    "barrier-early-exit": Text(
        "a barrier is not reached by all threads of its block: {at} waits here, {other} has already returned",
        "屏障没有被线程块的全部线程到达：{at} 在此等待，而 {other} 已经返回",
    ),
    "barrier-two-places": Text(
        "threads of one block wait at different barriers: {at} here, {other}{other_line}",
        "同一线程块的线程停在不同的屏障：{at} 在此处，{other} 在别处{other_line}",
    ),
    "stuck-barrier": Text(
        "{at} waits at a barrier that the other threads never reach", "{at} 等待的屏障，其他线程永远不会到达"
    ),
    "stuck-warp": Text(
        "{at} waits in {words} for lane {a}, which never gets there", "{at} 在 {words} 中等待通道 {a}，而它永远不会到达"
    ),
    "stuck-warp-warp": Text(
        "lanes named in a mask wait in different places: {at} in {words}, {other} in {name}{other_line}",
        "掩码中列出的通道停在不同的地方：{at} 在 {words}，{other} 在 {name}{other_line}",
    ),
    "stuck-warp-barrier": Text(
        "{at} waits in {words} for lanes of its mask that never get there: {other} waits in {name}(){other_line}",
        "{at} 在 {words} 中等待掩码里的通道，而它们永远不会到达：{other} 正在 {name}() 等待{other_line}",
    ),
    "lane-missing": Text(
        "{at} reads lane {a} in {words}, which does not exist in this block: the value is undefined",
        "{at} 在 {words} 中读取通道 {a}，而本线程块没有这个通道：值未定义",
    ),
    "lane-exited": Text(
        "{at} reads lane {a} in {words}, which has already returned: the value is undefined",
        "{at} 在 {words} 中读取通道 {a}，而它已经返回：值未定义",
    ),
    "lane-not-in-mask": Text(
        "{at} reads lane {a} in {words}, which is not in the mask: the value is undefined",
        "{at} 在 {words} 中读取通道 {a}，而它不在掩码中：值未定义",
    ),
    "lane-went-past": Text(
        "{at} calls {words} with a mask that names lane {a}, but that lane went past it to the end of the kernel",
        "{at} 调用 {words} 的掩码包含通道 {a}，而该通道绕过了它、直接到了内核末尾",
    ),
    "caller-not-in-mask": Text(
        "{at} calls {words} with a mask that leaves out the calling lane itself",
        "{at} 调用 {words} 时，掩码没有包含调用者自己的通道",
    ),
    "spin": Text(
        "{at} waits in a loop for something that no other thread will do", "{at} 在循环中等待，而没有其他线程会去完成它"
    ),
    "float-cast": Text(
        "{at} converts a floating-point value that does not fit the integer: a GPU gives the nearest integer and 0 for NaN, "
        "a CPU something else",
        "{at} 把超出整数范围的浮点值转换为整数：GPU 取最接近的整数、NaN 得 0，CPU 的结果则不同",
    ),
    "device-assert": Text("{at}: the assertion `{words}` does not hold", "{at}：断言 `{words}` 不成立"),
    "trap": Text("{at} ends the kernel by __trap()", "{at} 用 __trap() 终止了内核"),
    "block-too-large": Text(
        "the launch asks for {a} threads in a block; the limit is 1024, so the kernel does not run",
        "启动要求每个线程块 {a} 个线程；上限是 1024，内核不会执行",
    ),
    "block-empty": Text(
        "the launch asks for a block without threads, so the kernel does not run", "启动的线程块没有线程，内核不会执行"
    ),
    "grid-empty": Text(
        "the launch asks for a grid without blocks, so the kernel does not run", "启动的网格没有线程块，内核不会执行"
    ),
    "block-dimension": Text(
        "a dimension of the block is too large (at most 1024, 1024, 64), so the kernel does not run: {words}",
        "线程块的某一维过大（最多 1024、1024、64），内核不会执行：{words}",
    ),
    "grid-dimension": Text(
        "a dimension of the grid is too large (at most 2147483647, 65535, 65535), so the kernel does not run: {words}",
        "网格的某一维过大（最多 2147483647、65535、65535），内核不会执行：{words}",
    ),
    "dynamic-shared-too-large": Text(
        "the launch asks for {a} bytes of dynamic shared memory; {b} are allowed here "
        "(more needs cudaFuncSetAttribute), so the kernel does not run",
        "启动要求 {a} 字节动态共享内存；这里只允许 {b} 字节（更多需要 cudaFuncSetAttribute），内核不会执行",
    ),
    "shared-too-large": Text(
        "the kernel's shared variables take {a} bytes and {b} more are asked for at the launch: the limit is 49152",
        "内核的共享变量占 {a} 字节，启动时又要求 {b} 字节：上限是 49152",
    ),
    "destroyed-stream": Text("a stream is used after cudaStreamDestroy", "流在 cudaStreamDestroy 之后仍被使用"),
    "event-not-recorded": Text(
        "the time between two events is asked for, and one of them was never recorded",
        "查询两个事件之间的时间，而其中一个从未被记录",
    ),
    "copy-null": Text("the {words} of a copy is a null pointer", "复制的一端（{words}）是空指针"),
    "copy-freed": Text("a copy uses memory that has been freed: {place}", "复制使用了已释放的内存：{place}"),
    "copy-writes-outside": Text(
        "a copy of {a} bytes writes outside its memory: {memory}", "{a} 字节的复制写到了内存之外：{memory}"
    ),
    "copy-reads-outside": Text(
        "a copy of {a} bytes reads outside its memory: {memory}", "{a} 字节的复制读到了内存之外：{memory}"
    ),
    "wrong-copy-kind": Text(
        "the copy says {words}, but its pointers say {name}", "复制写的是 {words}，而指针对应的是 {name}"
    ),
    "memset-host": Text("cudaMemset is given a host pointer", "cudaMemset 收到的是主机指针"),
    "free-wrong": Text(
        "cudaFree is given a pointer that cudaMalloc did not return", "cudaFree 收到的指针不是 cudaMalloc 返回的"
    ),
    "free-host-wrong": Text(
        "cudaFreeHost is given a pointer that cudaMallocHost did not return",
        "cudaFreeHost 收到的指针不是 cudaMallocHost 返回的",
    ),
    "freed-twice": Text("memory is freed a second time: {place}", "内存被第二次释放：{place}"),
    "not-a-symbol": Text(
        "the symbol of a copy is no __device__ or __constant__ variable",
        "复制的符号不是 __device__ 或 __constant__ 变量",
    ),
    "pitch-too-small": Text(
        "a row of {a} bytes does not fit a pitch of {b} bytes", "{a} 字节的一行放不进 {b} 字节的行距（pitch）"
    ),
    "copy-unwritten": Text(
        "device memory that nobody has written is copied to the host: byte {a} of {b} ({place})",
        "没有写入过的设备内存被复制到主机：第 {a} 字节，共 {b} 字节（{place}）",
    ),
    "host-reads-unwritten": Text(
        "the host reads a result that no kernel has written: it was copied from device memory never written to",
        "主机读取了没有任何内核写入过的结果：它来自从未写入的设备内存",
    ),
    "host-reads-poison": Text(
        "the host reads memory that nothing was ever written to: was a copy from the device forgotten?",
        "主机读取了从未写入过的内存：是否忘记了从设备复制回来？",
    ),
    "output-unwritten": Text(
        "the output is not written everywhere: byte {a} of {b} comes from device memory never written to",
        "输出没有被完整写入：第 {a} 字节（共 {b} 字节）来自从未写入的设备内存",
    ),
    "host-reads-too-early": Text(
        "the host reads memory that a kernel may still be writing: cudaDeviceSynchronize() is missing ({place})",
        "主机读取了内核可能仍在写入的内存：缺少 cudaDeviceSynchronize()（{place}）",
    ),
    "host-writes-too-early": Text(
        "the host writes memory that a kernel may still be using: cudaDeviceSynchronize() is missing ({place})",
        "主机写入了内核可能仍在使用的内存：缺少 cudaDeviceSynchronize()（{place}）",
    ),
    "nothing-launched": Text(
        "the program has a kernel, but no kernel was launched", "程序定义了内核，但没有启动任何内核"
    ),
}


def _triple(value: list[int] | None) -> str:
    if not value:
        return "?"
    x, y, z = value
    return f"({x}, {y}, {z})" if y or z else str(x)


def _who(thread: list[int] | None, block: list[int] | None) -> Text:
    if not thread:
        return Text("the host", "主机")
    return Text(
        f"thread {_triple(thread)} of block {_triple(block)}", f"线程块 {_triple(block)} 的线程 {_triple(thread)}"
    )


def _index(record: dict[str, Any], flat: int) -> str:
    """The index as it is written in the source: [row][column] for an array of arrays."""
    columns, layers = int(record.get("columns", 0)), int(record.get("layers", 0))
    if flat < 0 or not columns:
        return f"[{flat}]"
    if not layers:
        return f"[{flat // columns}][{flat % columns}]"
    return f"[{flat // (columns * layers)}][{flat // layers % columns}][{flat % layers}]"


def _place(record: dict[str, Any], access: int) -> Text:
    kind = record.get("place")
    if not kind:
        return Text("an address that belongs to nothing", "不属于任何分配的地址")
    offset, size, line = int(record["offset"]), int(record["size"]), int(record.get("place_line", 0))
    element = int(record.get("element", 0)) or (access if access in (1, 2, 4, 8, 16) else 1)
    name = str(record.get("place_name") or "")
    if kind in ("shared", "dynamic", "symbol") and name:
        index = f"{name}{_index(record, offset // element)}" if size > element else name
        if 0 <= offset < size:
            return same(index)
        return Text(
            f"{index}, but {name} has {size // element} elements"
            if kind != "dynamic" or size
            else f"{index}, but the launch gives {name} no bytes",
            f"{index}，而 {name} 只有 {size // element} 个元素"
            if kind != "dynamic" or size
            else f"{index}，而启动没有给 {name} 任何字节",
        )
    from_en = f" allocated in line {line}" if line else ""
    from_zh = f"第 {line} 行分配的" if line else ""
    if kind in ("host", "heap") and not line:
        from_en, from_zh = (
            (" of an argument", "参数的") if kind == "host" else (" of a block of host memory", "一块主机内存的")
        )
    freed = int(record.get("free_line", 0))
    freed_en, freed_zh = (f", freed in line {freed}", f"，在第 {freed} 行释放") if freed else ("", "")
    if element > 1 and offset % element == 0:
        return Text(
            f"element {offset // element} of the {size // element}{from_en}{freed_en}",
            f"{from_zh} {size // element} 个元素中的第 {offset // element} 个（从 0 数起）{freed_zh}",
        )
    return Text(
        f"byte {offset} of the {size}{from_en}{freed_en}",
        f"{from_zh} {size} 字节中的第 {offset} 字节（从 0 数起）{freed_zh}",
    )


def _memory(record: dict[str, Any]) -> Text:
    """The memory that a copy is about, from where the copy starts in it."""
    offset, size = int(record.get("offset", 0)), int(record.get("size", 0))
    line, name = int(record.get("place_line", 0)), str(record.get("place_name") or "")
    en, zh = (
        (f"{name} has {size} bytes", f"{name} 有 {size} 字节")
        if name
        else (
            (f"line {line} allocates {size} bytes", f"第 {line} 行分配了 {size} 字节")
            if line
            else (
                (f"the block of host memory has {size} bytes", f"这块主机内存有 {size} 字节")
                if record.get("place") == "heap"
                else (f"the argument has {size} bytes", f"参数有 {size} 字节")
            )
        )
    )
    if offset:
        return Text(f"{en}, the copy starts at byte {offset}", f"{zh}，复制从第 {offset} 字节开始")
    return Text(en, zh)


def sentence(record: dict[str, Any], other_line: int) -> Text:
    """The sentence for one record of the runtime; `other_line` is 0 where unknown."""
    template = _SENTENCES.get(str(record.get("id")))
    if template is None:
        return same(str(record.get("id")))
    access = int(record.get("a", 0))
    if str(record.get("id")) not in ("read-outside", "write-outside", "misaligned"):
        access = 4
    other = (
        _who(record.get("other_thread"), record.get("other_block"))
        if record.get("other_thread")
        else Text("another thread", "另一个线程")
    )
    return template.fill(
        at=_who(record.get("thread"), record.get("block")),
        other=other,
        other_line=Text(f" in line {other_line}", f"（第 {other_line} 行）") if other_line else same(""),
        place=_place(record, access),
        memory=_memory(record),
        bytes=record.get("a", 0),
        a=record.get("a", 0),
        b=record.get("b", 0),
        words=record.get("words", ""),
        name=record.get("name", ""),
    )
