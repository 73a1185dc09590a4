// WARPTREE_WIDE: on x86-64 also compiles the function for AVX2; the version is chosen at program start.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define WARPTREE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WARPTREE_WIDE
#endif
