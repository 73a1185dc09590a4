// LLVM IR that a clocked kernel calls, linked into its module.
#pragma once

namespace warptree::compile {

inline constexpr const char* kDeviceClockText =
    R"(; What a kernel that reads the clock calls: see device_clock.hpp. One lane of those that are active writes.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@warptree_clock = addrspace(4) externally_initialized constant [3 x i64] zeroinitializer, align 16
@warptree_marks = internal addrspace(3) global [32 x i32] undef, align 4

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
declare void @llvm.nvvm.bar.warp.sync(i32)

define internal i32 @warptree_warp_in_block() alwaysinline {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %t1 = mul i32 %tz, %by
  %t2 = add i32 %t1, %ty
  %t3 = mul i32 %t2, %bx
  %thread = add i32 %t3, %tx
  %warp = lshr i32 %thread, 5
  ret i32 %warp
}
; Of all warps of the grid.
define internal i64 @warptree_warp() alwaysinline {
  %in_block = call i32 @warptree_warp_in_block()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %bz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %cx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %cy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %cz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %s1 = mul i32 %bx, %by
  %s2 = mul i32 %s1, %bz
  %s3 = add i32 %s2, 31
  %warps = lshr i32 %s3, 5
  %b1 = mul i32 %cz, %gy
  %b2 = add i32 %b1, %cy
  %b3 = mul i32 %b2, %gx
  %block = add i32 %b3, %cx
  %block64 = zext i32 %block to i64
  %warps64 = zext i32 %warps to i64
  %in64 = zext i32 %in_block to i64
  %first = mul i64 %block64, %warps64
  %warp = add i64 %first, %in64
  ret i64 %warp
}
; Whether no active lane of the warp is lower.
define internal i1 @warptree_lowest() alwaysinline convergent {
  %active = call i32 asm sideeffect "activemask.b32 $0;", "=r"() convergent
  %below = call i32 asm "mov.u32 $0, %lanemask_lt;", "=r"()
  %lower = and i32 %active, %below
  %is = icmp eq i32 %lower, 0
  ret i1 %is
}
define internal i64 @warptree_cycle() alwaysinline {
  %cycle = call i64 asm sideeffect "mov.u64 $0, %clock64;", "=l,~{memory}"()
  ret i64 %cycle
}
define internal i64 @warptree_timer() alwaysinline {
  %ns = call i64 asm sideeffect "mov.u64 $0, %globaltimer;", "=l,~{memory}"()
  ret i64 %ns
}
define internal ptr addrspace(1) @warptree_reading() alwaysinline {
  %bits = load i64, ptr addrspace(4) @warptree_clock
  %base = inttoptr i64 %bits to ptr addrspace(1)
  %warp = call i64 @warptree_warp()
  %at = getelementptr [5 x i64], ptr addrspace(1) %base, i64 %warp
  ret ptr addrspace(1) %at
}
define internal ptr addrspace(3) @warptree_count() alwaysinline {
  %in_block = call i32 @warptree_warp_in_block()
  %in64 = zext i32 %in_block to i64
  %at = getelementptr i32, ptr addrspace(3) @warptree_marks, i64 %in64
  ret ptr addrspace(3) %at
}

define void @warptree_begins() alwaysinline convergent {
  %lowest = call i1 @warptree_lowest()
  br i1 %lowest, label %write, label %done
write:
  %count = call ptr addrspace(3) @warptree_count()
  store volatile i32 0, ptr addrspace(3) %count
  %reading = call ptr addrspace(1) @warptree_reading()
  %sm = call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"()
  %sm_at = getelementptr i64, ptr addrspace(1) %reading, i64 4
  store volatile i32 %sm, ptr addrspace(1) %sm_at
  %ns = call i64 @warptree_timer()
  %ns_at = getelementptr i64, ptr addrspace(1) %reading, i64 2
  store volatile i64 %ns, ptr addrspace(1) %ns_at
  %cycle = call i64 @warptree_cycle()
  store volatile i64 %cycle, ptr addrspace(1) %reading
  br label %done
done:
  %active = call i32 asm sideeffect "activemask.b32 $0;", "=r"() convergent
  call void @llvm.nvvm.bar.warp.sync(i32 %active)
  ret void
}
define void @warptree_ends() alwaysinline convergent {
  %cycle = call i64 @warptree_cycle()
  %ns = call i64 @warptree_timer()
  %lowest = call i1 @warptree_lowest()
  br i1 %lowest, label %write, label %done
write:
  %reading = call ptr addrspace(1) @warptree_reading()
  %cycle_at = getelementptr i64, ptr addrspace(1) %reading, i64 1
  store volatile i64 %cycle, ptr addrspace(1) %cycle_at
  %ns_at = getelementptr i64, ptr addrspace(1) %reading, i64 3
  store volatile i64 %ns, ptr addrspace(1) %ns_at
  %count_at = call ptr addrspace(3) @warptree_count()
  %count = load volatile i32, ptr addrspace(3) %count_at
  %marks_at = getelementptr i32, ptr addrspace(1) %reading, i64 9
  store volatile i32 %count, ptr addrspace(1) %marks_at
  br label %done
done:
  ret void
}
; what: the line, and the kind from bit 32 on.
define void @warptree_mark(i64 %what) alwaysinline convergent {
  %lowest = call i1 @warptree_lowest()
  br i1 %lowest, label %count, label %done
count:
  %cycle = call i64 @warptree_cycle()
  %count_at = call ptr addrspace(3) @warptree_count()
  %number = load volatile i32, ptr addrspace(3) %count_at
  %next = add i32 %number, 1
  store volatile i32 %next, ptr addrspace(3) %count_at
  %number64 = zext i32 %number to i64
  %room_at = getelementptr [3 x i64], ptr addrspace(4) @warptree_clock, i64 0, i64 2
  %room = load i64, ptr addrspace(4) %room_at
  %fits = icmp ult i64 %number64, %room
  br i1 %fits, label %write, label %done
write:
  %marks_at = getelementptr [3 x i64], ptr addrspace(4) @warptree_clock, i64 0, i64 1
  %bits = load i64, ptr addrspace(4) %marks_at
  %marks = inttoptr i64 %bits to ptr addrspace(1)
  %warp = call i64 @warptree_warp()
  %first = mul i64 %warp, %room
  %index = add i64 %first, %number64
  %mark = getelementptr [2 x i64], ptr addrspace(1) %marks, i64 %index
  %with_cycle = insertelement <2 x i64> undef, i64 %cycle, i64 0
  %whole = insertelement <2 x i64> %with_cycle, i64 %what, i64 1
  store <2 x i64> %whole, ptr addrspace(1) %mark, align 16
  br label %done
done:
  ret void
}
)";

} // namespace warptree::compile
