#if WARPTREE_HAS_CUDA

#include "kernels/cuda/timing_experiment.hpp"

#include "app/measure/timing/expected.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace warptree::cuda {

std::string OnGpu::check() {
    std::string wrong;
    if (is_floating(what_.type)) { // exact first: every bit is told apart
        bench_.fill_input(timing::Data::whole);
        wrong = run_and_compare(true);
        bench_.fill_input(timing::Data::random);
    }
    return wrong.empty() ? run_and_compare(!is_floating(what_.type)) : wrong;
}

double OnGpu::sample() {
    if (what_.mode == timing::Mode::cold) {
        bench_.overwrite_cache();
    }
    reset();
    if (what_.quantity != timing::Quantity::pipeline) {
        return bench_.between_events([&] { enqueue(); });
    }
    cuda::check(cudaDeviceSynchronize(), "waiting for the GPU");
    const auto begin = std::chrono::steady_clock::now();
    enqueue();
    total_ = fetch();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Scalar OnGpu::fetch() {
    const std::size_t size = results() * bytes(what_.type);
    bench_.host().ensure(size);
    cuda::check(cudaMemcpyAsync(bench_.host().data(), result(), size, cudaMemcpyDeviceToHost), "copying from the GPU");
    cuda::check(cudaDeviceSynchronize(), "running the kernel");
    return timing::host_total(what_.type, what_.op, bench_.host().data(), results());
}

std::string OnGpu::run_and_compare(bool exact) {
    constexpr int kPoison = 0x5A;
    cuda::check(cudaMemset(bench_.output().data(), kPoison, bench_.output().size()), "clearing the output");
    reset();
    enqueue();
    cuda::check(cudaDeviceSynchronize(), "running the kernel");
    return compare(exact);
}

std::string difference(const Scalar& got, const Reference& want) {
    if (!is_floating(got.type)) {
        return got == want.value ? "" : fmt::format("{} instead of {}", to_string(got), to_string(want.value));
    }
    const double g = got.as_double(), w = want.value.as_double();
    if (g == w || std::abs(g - w) <= want.tolerance) {
        return {};
    }
    return fmt::format("{} instead of {}, with {:g} for rounding", to_string(got), to_string(want.value),
                       want.tolerance);
}

} // namespace warptree::cuda

#endif
