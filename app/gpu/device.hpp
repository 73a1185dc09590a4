// The first GPU: its properties, memory, code and timing. Objects here release what they own; all belong to one
// context, which every call makes current on the calling thread.
#pragma once

#include "app/gpu/driver.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::gpu {

struct DeviceFacts {
    std::string name;
    int compute_major = 0, compute_minor = 0;
    int multiprocessors = 0, core_clock_khz = 0, memory_clock_khz = 0, memory_bus_bits = 0; // 0: unknown
    std::uint64_t memory_bytes = 0, l2_bytes = 0;
    std::uint64_t shared_per_block = 0, shared_per_block_optin = 0, shared_per_multiprocessor = 0, shared_reserved = 0;
    int threads_per_block = 0, threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0;
    int registers_per_block = 0, registers_per_multiprocessor = 0;
    // Double data rate: 2 × memory clock × bus width / 8. 0 when the clock is unknown.
    double theoretical_bytes_per_second() const { return 2.0 * memory_clock_khz * 1e3 * memory_bus_bits / 8; }
    std::string architecture() const { // "sm_90"
        return "sm_" + std::to_string(compute_major) + std::to_string(compute_minor);
    }
};

// Of every GPU; empty when none is usable.
std::vector<DeviceFacts> devices();
const DeviceFacts& facts(); // of the first; throws NoDriver

// Makes the first device's context current on this thread. Throws.
void make_current();
// The stream in which all work is queued; also makes the context current.
api::Stream stream();
// Free device memory, bytes.
std::uint64_t free_memory();

// Device memory.
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::uint64_t bytes);
    ~Buffer() { release(); }
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    api::Address address() const { return address_; }
    std::uint64_t size() const { return bytes_; }
    void upload(const void* from, std::uint64_t bytes, std::uint64_t at = 0);
    void download(void* to, std::uint64_t bytes, std::uint64_t at = 0) const; // waits for queued work
    void fill(std::uint8_t byte);

  private:
    void release();
    api::Address address_ = 0;
    std::uint64_t bytes_ = 0;
};

// Pinned (page-locked) host memory, mapped so that kernels can access it.
class HostBuffer {
  public:
    explicit HostBuffer(std::uint64_t bytes);
    ~HostBuffer();
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    void* data() const { return data_; }
    api::Address address() const { return address_; } // for kernels
    std::uint64_t size() const { return bytes_; }

  private:
    void* data_ = nullptr;
    api::Address address_ = 0;
    std::uint64_t bytes_ = 0;
};

class Event {
  public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    void record();
    // Seconds between two events; both must be complete.
    double seconds_since(const Event& begin) const;

  private:
    api::Event event_ = nullptr;
};

// Code on the device, from a cubin or PTX. Throws BadCode with the first line of the driver's log, DriverTooOld.
class Module {
  public:
    explicit Module(std::string_view image);
    ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;
    api::Function function(const std::string& symbol) const;
    // A __device__ or __constant__ variable; nullopt: no such name.
    std::optional<api::Address> find_variable(const std::string& symbol, std::uint64_t* bytes = nullptr) const;

  private:
    api::Module module_ = nullptr;
};

struct Launch {
    api::Function function = nullptr;
    unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    unsigned shared = 0;          // dynamic bytes
    std::vector<void*> arguments; // each points to its value
};
// Copies from host memory, e.g. to a module's variable.
void upload(api::Address to, const void* from, std::uint64_t bytes);

// Each call queues its work in stream().
void launch(const Launch& what);
void set_words(api::Address to, std::uint32_t value, std::uint64_t words);
void set_bytes(api::Address to, std::uint8_t value, std::uint64_t bytes);
void copy(api::Address to, api::Address from, std::uint64_t bytes); // on the device
void read(const HostBuffer& to, api::Address from, std::uint64_t bytes);

// Waits for all queued work. Throws TimedOut if that takes longer than the limit; the GPU is then no longer used.
void wait(std::chrono::milliseconds limit = std::chrono::milliseconds(10000));

} // namespace warptree::gpu
