// LLVM IR that an instrumented kernel calls, linked into its module.
#pragma once

namespace warptree::compile {

inline constexpr const char* kDeviceLogText =
    R"(; What an instrumented kernel calls to log what it does: kind, address, value, in the order of each thread.
; warptree_log: events, counts of events by thread, threads of the grid, events that a thread has room for. Without room
; events are only counted. An event is {address, value, kind}, event e of thread t at events[e * threads + t].
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@warptree_log = addrspace(1) externally_initialized global [4 x i64] zeroinitializer, align 16
@warptree_shared = external addrspace(3) global [0 x i8], align 16

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.local(ptr)
declare i64 @warptree_where_elsewhere(ptr)

define i32 @warptree_shared_offset(ptr addrspace(3) %p) {
  %at = ptrtoint ptr addrspace(3) %p to i32
  %base = ptrtoint ptr addrspace(3) @warptree_shared to i32
  %offset = sub i32 %at, %base
  ret i32 %offset
}

; Global: as it is. Shared: 2^48 and the offset. Local: 0, which is not logged.
define i64 @warptree_where(ptr %p) noinline {
  %local = call i1 @llvm.nvvm.isspacep.local(ptr %p)
  br i1 %local, label %none, label %other
none:
  ret i64 0
other:
  %is_shared = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  br i1 %is_shared, label %shared, label %global
shared:
  %s = addrspacecast ptr %p to ptr addrspace(3)
  %offset = call i32 @warptree_shared_offset(ptr addrspace(3) %s)
  %wide = zext i32 %offset to i64
  %tagged = or i64 %wide, 281474976710656
  ret i64 %tagged
global:
  %at = call i64 @warptree_where_elsewhere(ptr %p)
  ret i64 %at
}
define i64 @warptree_where_shared(ptr addrspace(3) %p) noinline {
  %offset = call i32 @warptree_shared_offset(ptr addrspace(3) %p)
  %wide = zext i32 %offset to i64
  %tagged = or i64 %wide, 281474976710656
  ret i64 %tagged
}

define void @warptree_note(i32 %kind, i64 %address, i64 %value) noinline {
  %local = icmp eq i64 %address, 0
  br i1 %local, label %done, label %log
log:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %bz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %cz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %t1 = mul i32 %tz, %by
  %t2 = add i32 %t1, %ty
  %t3 = mul i32 %t2, %bx
  %in_block = add i32 %t3, %tx
  %b1 = mul i32 %cz, %gy
  %b2 = add i32 %b1, %cy
  %b3 = mul i32 %b2, %gx
  %block = add i32 %b3, %cx
  %s1 = mul i32 %bx, %by
  %size = mul i32 %s1, %bz
  %block64 = zext i32 %block to i64
  %size64 = zext i32 %size to i64
  %in64 = zext i32 %in_block to i64
  %first = mul i64 %block64, %size64
  %thread = add i64 %first, %in64
  %counts_at = getelementptr [4 x i64], ptr addrspace(1) @warptree_log, i64 0, i64 1
  %counts_bits = load volatile i64, ptr addrspace(1) %counts_at
  %counts = inttoptr i64 %counts_bits to ptr addrspace(1)
  %count_at = getelementptr i32, ptr addrspace(1) %counts, i64 %thread
  %count = load volatile i32, ptr addrspace(1) %count_at
  %next = add i32 %count, 1
  store volatile i32 %next, ptr addrspace(1) %count_at
  %room_at = getelementptr [4 x i64], ptr addrspace(1) @warptree_log, i64 0, i64 3
  %room = load volatile i64, ptr addrspace(1) %room_at
  %count64 = zext i32 %count to i64
  %fits = icmp ult i64 %count64, %room
  br i1 %fits, label %write, label %done
write:
  %events_bits = load volatile i64, ptr addrspace(1) @warptree_log
  %events = inttoptr i64 %events_bits to ptr addrspace(1)
  %threads_at = getelementptr [4 x i64], ptr addrspace(1) @warptree_log, i64 0, i64 2
  %threads = load volatile i64, ptr addrspace(1) %threads_at
  %row = mul i64 %count64, %threads
  %index = add i64 %row, %thread
  %event = getelementptr [3 x i64], ptr addrspace(1) %events, i64 %index
  %kind64 = zext i32 %kind to i64
  store volatile i64 %address, ptr addrspace(1) %event
  %value_at = getelementptr i64, ptr addrspace(1) %event, i64 1
  store volatile i64 %value, ptr addrspace(1) %value_at
  %kind_at = getelementptr i64, ptr addrspace(1) %event, i64 2
  store volatile i64 %kind64, ptr addrspace(1) %kind_at
  br label %done
done:
  ret void
}
)";

// What else a pointer leads to, in a module that maps no address to another block of a cluster: global memory.
inline constexpr const char* kElsewhereText =
    R"(target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define i64 @warptree_where_elsewhere(ptr %p) {
  %at = ptrtoint ptr %p to i64
  ret i64 %at
}
)";

// And in one that does, for compute capability 9.0: shared memory of the block of rank r is 2^48 + (r + 1) * 2^32 and the
// offset; of the thread's own block 2^48 and the offset, however it is addressed.
inline constexpr const char* kElsewhereInClusterText =
    R"(target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@warptree_shared = external addrspace(3) global [0 x i8], align 16

declare i1 @llvm.nvvm.isspacep.shared.cluster(ptr)
declare i32 @llvm.nvvm.getctarank(ptr)
declare ptr @llvm.nvvm.mapa(ptr, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()

define i64 @warptree_where_elsewhere(ptr %p) {
  %at = ptrtoint ptr %p to i64
  %is_shared = call i1 @llvm.nvvm.isspacep.shared.cluster(ptr %p)
  br i1 %is_shared, label %shared, label %global
shared:
  %rank = call i32 @llvm.nvvm.getctarank(ptr %p)
  %base = addrspacecast ptr addrspace(3) @warptree_shared to ptr
  %mapped = call ptr @llvm.nvvm.mapa(ptr %base, i32 %rank)
  %first = ptrtoint ptr %mapped to i64
  %offset = sub i64 %at, %first
  %own = call i32 @llvm.nvvm.read.ptx.sreg.cluster.ctarank()
  %is_own = icmp eq i32 %rank, %own
  %next = add i32 %rank, 1
  %named = select i1 %is_own, i32 0, i32 %next
  %wide = zext i32 %named to i64
  %block = shl i64 %wide, 32
  %place = add i64 %block, %offset
  %tagged = add i64 %place, 281474976710656
  ret i64 %tagged
global:
  ret i64 %at
}
)";

} // namespace warptree::compile
