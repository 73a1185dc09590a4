#include "app/gpu/device.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <thread>
#include <utility>

namespace warptree::gpu {

namespace {
DeviceFacts describe(api::Device device) {
    const api::DriverFunctions& d = driver();
    const auto attribute = [&](api::Attribute which) {
        int value = 0;
        check(d.device_attribute(&value, which, device), "querying the GPU");
        return value;
    };
    DeviceFacts f;
    std::array<char, 256> name{};
    check(d.device_name(name.data(), static_cast<int>(name.size() - 1), device), "querying the GPU");
    f.name = name.data();
    std::size_t memory = 0;
    check(d.device_memory(&memory, device), "querying the GPU");
    f.memory_bytes = memory;
    f.compute_major = attribute(api::kComputeMajor);
    f.compute_minor = attribute(api::kComputeMinor);
    f.multiprocessors = attribute(api::kMultiprocessors);
    f.core_clock_khz = attribute(api::kClockRate);
    f.memory_clock_khz = attribute(api::kMemoryClockRate);
    f.memory_bus_bits = attribute(api::kMemoryBusWidth);
    f.l2_bytes = static_cast<std::uint64_t>(attribute(api::kL2CacheSize));
    f.shared_per_block = static_cast<std::uint64_t>(attribute(api::kSharedPerBlock));
    f.shared_per_block_optin = static_cast<std::uint64_t>(attribute(api::kSharedPerBlockOptin));
    f.shared_per_multiprocessor = static_cast<std::uint64_t>(attribute(api::kSharedPerMultiprocessor));
    f.shared_reserved = static_cast<std::uint64_t>(attribute(api::kSharedReservedPerBlock));
    f.threads_per_block = attribute(api::kMaxThreadsPerBlock);
    f.threads_per_multiprocessor = attribute(api::kThreadsPerMultiprocessor);
    f.blocks_per_multiprocessor = attribute(api::kBlocksPerMultiprocessor);
    f.registers_per_block = attribute(api::kRegistersPerBlock);
    f.registers_per_multiprocessor = attribute(api::kRegistersPerMultiprocessor);
    return f;
}

// The primary context of the first device and a stream in it, for the lifetime of the program.
struct Primary {
    api::Device device = 0;
    api::Context context = nullptr;
    api::Stream stream = nullptr;
    DeviceFacts facts;

    Primary() {
        const api::DriverFunctions& d = driver();
        check(d.device_get(&device, 0), "opening the GPU");
        facts = describe(device);
        check(d.context_retain(&context, device), "opening the GPU");
        check(d.context_set(context), "opening the GPU");
        check(d.stream_create(&stream, api::kStreamDefault), "opening the GPU");
    }
};

Primary& primary() {
    static Primary one;
    return one;
}
} // namespace

api::Stream stream() {
    make_current();
    return primary().stream;
}

std::vector<DeviceFacts> devices() {
    std::vector<DeviceFacts> list;
    int count = 0;
    if (!usable() || driver().device_count(&count) != api::kSuccess) {
        return list;
    }
    for (int i = 0; i < count; ++i) {
        api::Device device = 0;
        check(driver().device_get(&device, i), "opening the GPU");
        list.push_back(describe(device));
    }
    return list;
}

const DeviceFacts& facts() { return primary().facts; }

void make_current() {
    if (given_up()) {
        throw DeviceLost(why_not());
    }
    check(driver().context_set(primary().context), "opening the GPU");
}

std::uint64_t free_memory() {
    make_current();
    std::size_t available = 0, all = 0;
    check(driver().memory_info(&available, &all), "querying free memory");
    return available;
}

Buffer::Buffer(std::uint64_t bytes) : bytes_(bytes) {
    make_current();
    if (const api::Result result = driver().allocate(&address_, bytes == 0 ? 1 : bytes); result != api::kSuccess) {
        fail(result, fmt::format("allocating {} MB of memory", (bytes + (1U << 20) - 1) >> 20));
    }
}

void Buffer::release() {
    if (address_ != 0 && !given_up()) {
        driver().release(address_);
    }
    address_ = 0;
}

Buffer::Buffer(Buffer&& other) noexcept
    : address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    if (this != &other) {
        release();
        address_ = std::exchange(other.address_, 0);
        bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
}

void Buffer::upload(const void* from, std::uint64_t bytes, std::uint64_t at) {
    make_current();
    check(driver().upload(address_ + at, from, bytes), "copying to the GPU");
}

void upload(api::Address to, const void* from, std::uint64_t bytes) {
    make_current();
    check(driver().upload(to, from, bytes), "copying to the GPU");
}

void Buffer::download(void* to, std::uint64_t bytes, std::uint64_t at) const {
    wait();
    check(driver().download(to, address_ + at, bytes), "copying from the GPU");
}

void Buffer::fill(std::uint8_t byte) {
    check(driver().fill_bytes_async(address_, byte, bytes_, stream()), "filling memory of the GPU");
}

HostBuffer::HostBuffer(std::uint64_t bytes) : bytes_(bytes) {
    make_current();
    check(driver().host_allocate(&data_, bytes == 0 ? 1 : bytes, api::kHostAllocMapped), "allocating host memory");
    check(driver().host_address(&address_, data_, 0), "allocating host memory");
}

HostBuffer::~HostBuffer() {
    if (data_ != nullptr && !given_up()) {
        driver().host_release(data_);
    }
}

Event::Event() {
    make_current();
    check(driver().event_create(&event_, 0), "creating an event");
}

Event::~Event() {
    if (event_ != nullptr && !given_up()) {
        driver().event_destroy(event_);
    }
}

void Event::record() { check(driver().event_record(event_, stream()), "recording an event"); }

double Event::seconds_since(const Event& begin) const {
    float milliseconds = 0;
    check(driver().event_milliseconds(&milliseconds, begin.event_, event_), "reading the time");
    return std::round(1e6 * static_cast<double>(milliseconds)) / 1e9; // whole nanoseconds, finer than events resolve
}

Module::Module(std::string_view image) {
    make_current();
    const std::string text(image); // PTX must be null-terminated
    std::array<char, 4096> log{};
    std::array<api::JitOption, 2> options{api::kErrorLogBuffer, api::kErrorLogBytes};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)};
    const api::Result result = driver().module_load(&module_, text.c_str(), 2, options.data(), values.data());
    if (result != api::kSuccess) {
        std::string says = log.data();
        says = says.substr(0, says.find('\n'));
        fail(result, "loading the code", says);
    }
}

Module::~Module() {
    if (module_ != nullptr && !given_up()) {
        driver().module_unload(module_);
    }
}

api::Function Module::function(const std::string& symbol) const {
    make_current();
    api::Function found = nullptr;
    if (const api::Result result = driver().module_function(&found, module_, symbol.c_str()); result != api::kSuccess) {
        fail(result, "finding " + symbol);
    }
    return found;
}

std::optional<api::Address> Module::find_variable(const std::string& symbol, std::uint64_t* bytes) const {
    make_current();
    api::Address found = 0;
    std::size_t size = 0;
    const api::Result result = driver().module_global(&found, &size, module_, symbol.c_str());
    if (result == api::kNotFound) {
        return std::nullopt;
    }
    check(result, "looking up a variable");
    if (bytes != nullptr) {
        *bytes = size;
    }
    return found;
}

void set_words(api::Address to, std::uint32_t value, std::uint64_t words) {
    check(driver().fill_words_async(to, value, words, stream()), "filling memory of the GPU");
}

void set_bytes(api::Address to, std::uint8_t value, std::uint64_t bytes) {
    check(driver().fill_bytes_async(to, value, bytes, stream()), "filling memory of the GPU");
}

void copy(api::Address to, api::Address from, std::uint64_t bytes) {
    check(driver().copy_async(to, from, bytes, stream()), "copying on the GPU");
}

void read(const HostBuffer& to, api::Address from, std::uint64_t bytes) {
    check(driver().download_async(to.data(), from, bytes, stream()), "copying from the GPU");
}

void launch(const Launch& what) {
    constexpr unsigned kUsualShared = 48U << 10;
    const api::Stream queue = stream();
    if (what.shared > kUsualShared) {
        check(driver().function_set(what.function, api::kMaxDynamicSharedBytes, static_cast<int>(what.shared)),
              "requesting more than 48 KB of shared memory");
    }
    std::vector<void*> arguments = what.arguments;
    check(driver().launch(what.function, what.grid[0], what.grid[1], what.grid[2], what.block[0], what.block[1],
                          what.block[2], what.shared, queue, arguments.data(), nullptr),
          "launching the kernel");
}

void wait(std::chrono::milliseconds limit) {
    using Clock = std::chrono::steady_clock;
    const api::Stream queue = stream();
    const auto begin = Clock::now();
    for (;;) {
        const api::Result result = driver().stream_query(queue);
        if (result == api::kSuccess) {
            return;
        }
        if (result != api::kNotReady) {
            fail(result, "running the kernel");
        }
        const auto spent = Clock::now() - begin;
        if (spent > limit) {
            give_up();
            throw TimedOut(
                fmt::format("the kernel did not end within {:g} s on the GPU, which is not used again until this "
                            "program starts again",
                            1e-3 * static_cast<double>(limit.count())));
        }
        if (spent > std::chrono::milliseconds(20)) { // poll short kernels without sleeping, as the host times them too
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
}

} // namespace warptree::gpu
