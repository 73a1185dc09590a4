// A part of CUB: what blocks and warps compute together, in device code, and what the whole device computes, by the host.
#pragma once

#include <utility>

namespace cub {

#define __WARPTREE_CUB_OPERATION(_NAME, _EXPRESSION)                                                                   \
    struct _NAME {                                                                                                     \
        template <class _T> __host__ __device__ _T operator()(const _T& _a, const _T& _b) const { return _EXPRESSION; } \
    };
__WARPTREE_CUB_OPERATION(Sum, static_cast<_T>(_a + _b))
__WARPTREE_CUB_OPERATION(Max, _a < _b ? _b : _a)
__WARPTREE_CUB_OPERATION(Min, _b < _a ? _b : _a)
#undef __WARPTREE_CUB_OPERATION
template <class _K, class _V> struct KeyValuePair {
    typedef _K Key;
    typedef _V Value;
    _K key;
    _V value;
};
// Of two places the one with the larger, or smaller, value; of equal ones the first.
struct ArgMax {
    template <class _P> __host__ __device__ _P operator()(const _P& _a, const _P& _b) const {
        return _a.value < _b.value || (!(_b.value < _a.value) && _b.key < _a.key) ? _b : _a;
    }
};
struct ArgMin {
    template <class _P> __host__ __device__ _P operator()(const _P& _a, const _P& _b) const {
        return _b.value < _a.value || (!(_a.value < _b.value) && _b.key < _a.key) ? _b : _a;
    }
};

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE
};

#define __WARPTREE_CUB __device__ __attribute__((always_inline, nodebug)) inline

__WARPTREE_CUB int __warptree_thread() {
    return __nvvm_read_ptx_sreg_tid_x() +
           __nvvm_read_ptx_sreg_ntid_x() *
               (__nvvm_read_ptx_sreg_tid_y() + __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_tid_z());
}
// Another lane's value, of any type.
template <class _T> __WARPTREE_CUB _T __warptree_from_lane(unsigned int _mask, const _T& _value, int _lane, int _width) {
    if constexpr (__is_arithmetic(_T) && sizeof(_T) >= 4) {
        return __shfl_sync(_mask, _value, _lane, _width);
    } else {
        constexpr int _words = (sizeof(_T) + 3) / 4;
        union {
            unsigned int _word[_words];
            _T _value;
        } _passed = {};
        _passed._value = _value;
        for (int _i = 0; _i < _words; ++_i) _passed._word[_i] = __shfl_sync(_mask, _passed._word[_i], _lane, _width);
        return _passed._value;
    }
}
// Those of a warp's lanes that a block of so many threads has.
__WARPTREE_CUB unsigned int __warptree_lanes(int _threads) {
    const int _left = _threads - __warptree_thread() / 32 * 32;
    return _left >= 32 ? 0xFFFFFFFFU : (1U << _left) - 1U;
}

// Results are valid in the first lane of each group of _Width.
template <class _T, int _Width = 32>
class WarpReduce {
  public:
    struct TempStorage {};
    __WARPTREE_CUB explicit WarpReduce(TempStorage&) {}
    template <class _Op> __WARPTREE_CUB _T Reduce(_T _value, _Op _op, int _valid = _Width) {
        return __of(__activemask(), _value, _op, _valid);
    }
    __WARPTREE_CUB _T Sum(_T _value, int _valid = _Width) { return Reduce(_value, cub::Sum(), _valid); }
    template <class _Op> __WARPTREE_CUB static _T __of(unsigned int _mask, _T _value, _Op _op, int _valid) {
        const int _own = __warptree_thread() % 32, _lane = _own % _Width;
        for (int _offset = 1; _offset < _Width; _offset *= 2) {
            const bool _there = _lane + _offset < _Width && (_mask >> (_own + _offset) & 1U) != 0;
            const _T _other = __warptree_from_lane(_mask, _value, _there ? _lane + _offset : _lane, _Width);
            if (_there && _lane + _offset < _valid) _value = _op(_value, _other);
        }
        return _value;
    }
};

template <class _T, int _Width = 32>
class WarpScan {
  public:
    struct TempStorage {};
    __WARPTREE_CUB explicit WarpScan(TempStorage&) {}
    template <class _Op> __WARPTREE_CUB void InclusiveScan(_T _in, _T& _out, _Op _op) {
        _out = __of(__activemask(), _in, _op);
    }
    __WARPTREE_CUB void InclusiveSum(_T _in, _T& _out) { InclusiveScan(_in, _out, cub::Sum()); }
    __WARPTREE_CUB void InclusiveSum(_T _in, _T& _out, _T& _all) {
        InclusiveSum(_in, _out);
        _all = __warptree_from_lane(__activemask(), _out, _Width - 1, _Width);
    }
    template <class _Op> __WARPTREE_CUB void ExclusiveScan(_T _in, _T& _out, _T _start, _Op _op) {
        const _T _to_here = __of(__activemask(), _in, _op);
        const int _lane = __warptree_thread() % _Width;
        const _T _before = __warptree_from_lane(__activemask(), _to_here, _lane == 0 ? 0 : _lane - 1, _Width);
        _out = _lane == 0 ? _start : _op(_start, _before);
    }
    __WARPTREE_CUB void ExclusiveSum(_T _in, _T& _out) { ExclusiveScan(_in, _out, _T{}, cub::Sum()); }
    template <class _Op> __WARPTREE_CUB static _T __of(unsigned int _mask, _T _value, _Op _op) {
        const int _lane = __warptree_thread() % _Width;
        for (int _offset = 1; _offset < _Width; _offset *= 2) {
            const _T _other = __warptree_from_lane(_mask, _value, _lane >= _offset ? _lane - _offset : _lane, _Width);
            if (_lane >= _offset) _value = _op(_other, _value);
        }
        return _value;
    }
};

// By warps, and then by the first one. Results are valid in the first thread.
template <class _T, int _X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int _Y = 1, int _Z = 1, int = 0>
class BlockReduce {
    static constexpr int __threads = _X * _Y * _Z, __warps = (__threads + 31) / 32;

  public:
    struct TempStorage {
        _T __of_warp[__warps];
    };
    __WARPTREE_CUB explicit BlockReduce(TempStorage& _temporary) : __temporary(_temporary) {}
    template <class _Op> __WARPTREE_CUB _T Reduce(_T _value, _Op _op, int _valid = __threads) {
        const int _thread = __warptree_thread(), _warp = _thread / 32;
        const unsigned int _mask = __warptree_lanes(__threads);
        _value = WarpReduce<_T>::__of(_mask, _value, _op, _valid - _warp * 32);
        if (_thread % 32 == 0) __temporary.__of_warp[_warp] = _value;
        __syncthreads();
        if (_thread == 0)
            for (int _w = 1; _w < __warps && _w * 32 < _valid; ++_w) _value = _op(_value, __temporary.__of_warp[_w]);
        return _value;
    }
    template <int _N, class _Op> __WARPTREE_CUB _T Reduce(_T (&_values)[_N], _Op _op) {
        _T _own = _values[0];
        for (int _i = 1; _i < _N; ++_i) _own = _op(_own, _values[_i]);
        return Reduce(_own, _op);
    }
    __WARPTREE_CUB _T Sum(_T _value, int _valid = __threads) { return Reduce(_value, cub::Sum(), _valid); }
    template <int _N> __WARPTREE_CUB _T Sum(_T (&_values)[_N]) { return Reduce(_values, cub::Sum()); }

  private:
    TempStorage& __temporary;
};

template <class _T, int _X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int _Y = 1, int _Z = 1, int = 0>
class BlockScan {
    static constexpr int __threads = _X * _Y * _Z, __warps = (__threads + 31) / 32;

  public:
    struct TempStorage {
        _T __of_warp[__warps];
    };
    __WARPTREE_CUB explicit BlockScan(TempStorage& _temporary) : __temporary(_temporary) {}
    template <class _Op> __WARPTREE_CUB void InclusiveScan(_T _in, _T& _out, _Op _op, _T& _all) {
        const int _thread = __warptree_thread(), _warp = _thread / 32;
        _out = WarpScan<_T>::__of(__warptree_lanes(__threads), _in, _op);
        if (_thread % 32 == 31 || _thread == __threads - 1) __temporary.__of_warp[_warp] = _out;
        __syncthreads();
        _all = __temporary.__of_warp[0];
        _T _before = _all;
        for (int _w = 1; _w < __warps; ++_w) {
            if (_w == _warp) _before = _all;
            _all = _op(_all, __temporary.__of_warp[_w]);
        }
        if (_warp > 0) _out = _op(_before, _out);
    }
    template <class _Op> __WARPTREE_CUB void InclusiveScan(_T _in, _T& _out, _Op _op) {
        _T _all;
        InclusiveScan(_in, _out, _op, _all);
    }
    template <class _Op> __WARPTREE_CUB void ExclusiveScan(_T _in, _T& _out, _T _start, _Op _op, _T& _all) {
        const int _thread = __warptree_thread(), _warp = _thread / 32, _lane = _thread % 32;
        const unsigned int _mask = __warptree_lanes(__threads);
        const _T _to_here = WarpScan<_T>::__of(_mask, _in, _op);
        if (_lane == 31 || _thread == __threads - 1) __temporary.__of_warp[_warp] = _to_here;
        const _T _left = __warptree_from_lane(_mask, _to_here, _lane == 0 ? 0 : _lane - 1, 32);
        __syncthreads();
        _all = __temporary.__of_warp[0];
        _T _before = _start;
        for (int _w = 1; _w < __warps; ++_w) {
            if (_w == _warp) _before = _op(_start, _all);
            _all = _op(_all, __temporary.__of_warp[_w]);
        }
        _out = _lane == 0 ? _before : _op(_before, _left);
    }
    template <class _Op> __WARPTREE_CUB void ExclusiveScan(_T _in, _T& _out, _T _start, _Op _op) {
        _T _all;
        ExclusiveScan(_in, _out, _start, _op, _all);
    }
    __WARPTREE_CUB void InclusiveSum(_T _in, _T& _out) { InclusiveScan(_in, _out, cub::Sum()); }
    __WARPTREE_CUB void InclusiveSum(_T _in, _T& _out, _T& _all) { InclusiveScan(_in, _out, cub::Sum(), _all); }
    __WARPTREE_CUB void ExclusiveSum(_T _in, _T& _out) { ExclusiveScan(_in, _out, _T{}, cub::Sum()); }
    __WARPTREE_CUB void ExclusiveSum(_T _in, _T& _out, _T& _all) { ExclusiveScan(_in, _out, _T{}, cub::Sum(), _all); }
    // Of several elements a thread, which lie one behind the other.
    template <int _N> __WARPTREE_CUB void ExclusiveSum(_T (&_in)[_N], _T (&_out)[_N], _T& _all) {
        _T _own{}, _before;
        for (int _i = 0; _i < _N; ++_i) _own = _own + _in[_i];
        ExclusiveSum(_own, _before, _all);
        for (int _i = 0; _i < _N; ++_i) {
            const _T _here = _in[_i];
            _out[_i] = _before;
            _before = _before + _here;
        }
    }
    template <int _N> __WARPTREE_CUB void ExclusiveSum(_T (&_in)[_N], _T (&_out)[_N]) {
        _T _all;
        ExclusiveSum(_in, _out, _all);
    }
    template <int _N> __WARPTREE_CUB void InclusiveSum(_T (&_in)[_N], _T (&_out)[_N], _T& _all) {
        _T _own{}, _before;
        for (int _i = 0; _i < _N; ++_i) _own = _own + _in[_i];
        ExclusiveSum(_own, _before, _all);
        for (int _i = 0; _i < _N; ++_i) _out[_i] = _before = _before + _in[_i];
    }
    template <int _N> __WARPTREE_CUB void InclusiveSum(_T (&_in)[_N], _T (&_out)[_N]) {
        _T _all;
        InclusiveSum(_in, _out, _all);
    }

  private:
    TempStorage& __temporary;
};

template <class _T, int _X, int _N, BlockLoadAlgorithm _A = BLOCK_LOAD_DIRECT, int _Y = 1, int _Z = 1, int = 0>
class BlockLoad {
  public:
    struct TempStorage {};
    __WARPTREE_CUB BlockLoad() {}
    __WARPTREE_CUB explicit BlockLoad(TempStorage&) {}
    template <class _I> __WARPTREE_CUB void Load(_I _from, _T (&_to)[_N]) {
        for (int _i = 0; _i < _N; ++_i) _to[_i] = _from[__place(_i)];
    }
    template <class _I> __WARPTREE_CUB void Load(_I _from, _T (&_to)[_N], int _valid) {
        for (int _i = 0; _i < _N; ++_i)
            if (__place(_i) < _valid) _to[_i] = _from[__place(_i)];
    }
    template <class _I, class _D> __WARPTREE_CUB void Load(_I _from, _T (&_to)[_N], int _valid, _D _otherwise) {
        for (int _i = 0; _i < _N; ++_i) _to[_i] = __place(_i) < _valid ? static_cast<_T>(_from[__place(_i)]) : _otherwise;
    }

  private:
    __WARPTREE_CUB static int __place(int _i) {
        return _A == BLOCK_LOAD_STRIPED ? _i * _X * _Y * _Z + __warptree_thread() : __warptree_thread() * _N + _i;
    }
};
template <class _T, int _X, int _N, BlockStoreAlgorithm _A = BLOCK_STORE_DIRECT, int _Y = 1, int _Z = 1, int = 0>
class BlockStore {
  public:
    struct TempStorage {};
    __WARPTREE_CUB BlockStore() {}
    __WARPTREE_CUB explicit BlockStore(TempStorage&) {}
    template <class _O> __WARPTREE_CUB void Store(_O _to, _T (&_from)[_N], int _valid = 0x7FFFFFFF) {
        for (int _i = 0; _i < _N; ++_i) {
            const int _place = _A == BLOCK_STORE_STRIPED ? _i * _X * _Y * _Z + __warptree_thread()
                                                         : __warptree_thread() * _N + _i;
            if (_place < _valid) _to[_place] = _from[_i];
        }
    }
};
#undef __WARPTREE_CUB

} // namespace cub

#ifdef __WARPTREE_HOST
#include "host/cub.h"
#endif
