// Memory that frees itself.
#pragma once

#include "kernels/cuda/check.hpp"

#include <cstddef>
#include <memory>

namespace warptree::cuda {

// Device memory.
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

// Page-locked host memory.
class HostBuffer {
  public:
    explicit HostBuffer(std::size_t bytes) { check(cudaMallocHost(&data_, bytes == 0 ? 1 : bytes), "cudaMallocHost"); }
    ~HostBuffer() { cudaFreeHost(data_); }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    void* data() const { return data_; }

  private:
    void* data_ = nullptr;
};

// A buffer that grows.
template <class Memory> class Room {
  public:
    void ensure(std::size_t bytes) {
        if (!memory_ || bytes > have_) {
            memory_.reset();
            memory_ = std::make_unique<Memory>(bytes);
            have_ = bytes;
        }
    }
    void release() {
        memory_.reset();
        have_ = 0;
    }
    void* data() const { return memory_ ? memory_->data() : nullptr; }
    std::size_t size() const { return have_; }

  private:
    std::unique_ptr<Memory> memory_;
    std::size_t have_ = 0;
};

} // namespace warptree::cuda
