#include "app/measure/gpu/shared_arrays.hpp"

#include "app/base/element.hpp"

#include <fmt/format.h>

namespace warptree::runs {

std::shared_ptr<gpu::Buffer> take(std::uint64_t bytes, const char* what) {
    if (const std::uint64_t available = gpu::free_memory(); bytes > available) {
        throw gpu::OutOfMemory(fmt::format("{} needs {} MB of GPU memory, and {} MB are free; take fewer elements",
                                           what, bytes >> 20, available >> 20));
    }
    return std::make_shared<gpu::Buffer>(bytes);
}

const TimingKernels& SharedArrays::kernels(ElementType type) { return kernels_.try_emplace(type, type).first->second; }

std::shared_ptr<gpu::Buffer> SharedArrays::random(ElementType type, std::uint64_t count, std::uint64_t seed) {
    Contents what{type, count, seed, whole_ && is_floating(type) ? timing::Data::whole : timing::Data::random};
    for (const Input& input : inputs_) {
        if (input.what == what) {
            return input.buffer;
        }
    }
    Input fresh{what, take(count * bytes(type) + kGuardBytes, "the input")};
    kernels(type).fill(fresh.buffer->address(), what);
    inputs_.push_back(fresh);
    return fresh.buffer;
}

void SharedArrays::hold_whole(bool whole) {
    if (whole == whole_) {
        return;
    }
    whole_ = whole;
    for (Input& input : inputs_) {
        if (is_floating(input.what.type)) {
            input.what.data = whole ? timing::Data::whole : timing::Data::random;
            kernels(input.what.type).fill(input.buffer->address(), input.what);
        }
    }
}

std::shared_ptr<gpu::Buffer> SharedArrays::scratch(std::pair<std::size_t, std::size_t> number, std::uint64_t bytes) {
    std::shared_ptr<gpu::Buffer>& kept = scratch_[number];
    if (kept == nullptr || kept->size() < bytes) {
        kept = take(bytes, "a kernel's scratch memory");
    }
    return kept;
}

void SharedArrays::forget() {
    inputs_.clear();
    scratch_.clear();
}

} // namespace warptree::runs
