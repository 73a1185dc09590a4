// Barriers, fences, clocks. __syncthreads() itself is known to Clang.
#pragma once

#include "warptree/types.h"

__WARPTREE_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__WARPTREE_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__WARPTREE_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
__WARPTREE_DEVICE void __syncwarp(unsigned int mask = 0xFFFFFFFF) { __nvvm_bar_warp_sync(mask); }
__WARPTREE_DEVICE void __barrier_sync(unsigned int number) { __nvvm_barrier_sync(number); }
__WARPTREE_DEVICE void __barrier_sync_count(unsigned int number, unsigned int threads) {
    __nvvm_barrier_sync_cnt(number, threads);
}

__WARPTREE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
__WARPTREE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
__WARPTREE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

__WARPTREE_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__WARPTREE_DEVICE unsigned long long __globaltimer() { return __nvvm_read_ptx_sreg_globaltimer(); }
__WARPTREE_DEVICE void __nanosleep(unsigned int nanoseconds) { __nvvm_nanosleep(nanoseconds); }
// Launches follow one another whole, so that there is nothing to wait for, and nobody who waits.
__WARPTREE_DEVICE void cudaGridDependencySynchronize() {}
__WARPTREE_DEVICE void cudaTriggerProgrammaticLaunchCompletion() {}
__WARPTREE_DEVICE void __trap() { __builtin_trap(); }
__WARPTREE_DEVICE void __brkpt() {}
__WARPTREE_DEVICE void __exit() { asm volatile("exit;"); }
#define __prof_trigger(number) ((void)0)

// A barrier of all blocks of the launch.
extern "C" __device__ void __warptree_grid_sync();
