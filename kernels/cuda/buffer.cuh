// Device memory that frees itself.
#pragma once

#include "kernels/cuda/check.cuh"

#include <cstddef>

namespace warptree::cuda {

class Buffer {
  public:
    explicit Buffer(std::size_t bytes) { check(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "cudaMalloc"); }
    ~Buffer() { cudaFree(data_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    void* data() const { return data_; }
    template <class T> T* as() const { return static_cast<T*>(data_); }
    void clear(std::size_t bytes) { check(cudaMemset(data_, 0, bytes), "clearing GPU memory"); }
    void upload(const void* from, std::size_t bytes) {
        check(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "copying to the GPU");
    }
    void download(void* to, std::size_t bytes) const {
        check(cudaMemcpy(to, data_, bytes, cudaMemcpyDeviceToHost), "copying from the GPU");
    }

  private:
    void* data_ = nullptr;
};

} // namespace warptree::cuda
