// Programs that use Thrust: each compares with the C++ library, on the host, and prints what differs.
#include "tests/run/program_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace warptree {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ProgramThrust = Program;

TEST_F(ProgramThrust, ReducesScansAndSortsAsTheLibraryDoes) {
    const RanProgram ran = run(R"(#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

struct Square {
    __host__ __device__ long operator()(long x) const { return x * x; }
};
struct Even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
__global__ void add_one(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}
void same(const char* what, bool is) {
    if (!is) printf("%s differs\n", what);
}
int main() {
    const int n = 1000;
    std::vector<int> v(n), out(n);
    for (int i = 0; i < n; ++i) v[i] = static_cast<int>(i * 7919LL % 1009) - 500;
    thrust::host_vector<int> h(v.begin(), v.end());
    thrust::device_vector<int> d = h, e(n);
    add_one<<<4, 256>>>(thrust::raw_pointer_cast(d.data()), n);
    for (int& x : v) ++x;
    same("the kernel's work", std::equal(v.begin(), v.end(), thrust::host_vector<int>(d).begin()));
    same("reduce", thrust::reduce(d.begin(), d.end()) == std::accumulate(v.begin(), v.end(), 0));
    same("maximum", thrust::reduce(thrust::device, d.begin(), d.end(), -1000, thrust::maximum<int>()) ==
                        *std::max_element(v.begin(), v.end()));
    same("min_element", thrust::min_element(d.begin(), d.end()) - d.begin() ==
                            std::min_element(v.begin(), v.end()) - v.begin());
    same("transform_reduce", thrust::transform_reduce(d.begin(), d.end(), Square(), 0L, thrust::plus<long>()) ==
                                 std::transform_reduce(v.begin(), v.end(), 0L, std::plus<>(), Square()));
    same("inner_product", thrust::inner_product(d.begin(), d.end(), d.begin(), 0) ==
                              std::inner_product(v.begin(), v.end(), v.begin(), 0));
    same("count_if", thrust::count_if(d.begin(), d.end(), Even()) == std::count_if(v.begin(), v.end(), Even()));
    thrust::inclusive_scan(d.begin(), d.end(), e.begin());
    std::inclusive_scan(v.begin(), v.end(), out.begin());
    same("inclusive_scan", std::equal(out.begin(), out.end(), thrust::host_vector<int>(e).begin()));
    thrust::exclusive_scan(thrust::cuda::par.on(0), d.begin(), d.end(), e.begin(), 5);
    std::exclusive_scan(v.begin(), v.end(), out.begin(), 5);
    same("exclusive_scan", std::equal(out.begin(), out.end(), thrust::host_vector<int>(e).begin()));
    thrust::transform(d.begin(), d.end(), e.begin(), e.begin(), thrust::minus<int>());
    for (int i = 0; i < n; ++i) out[i] = v[i] - out[i];
    same("transform", std::equal(out.begin(), out.end(), thrust::host_vector<int>(e).begin()));
    const auto end = thrust::copy_if(d.begin(), d.end(), e.begin(), Even());
    out.assign(v.begin(), v.end());
    out.erase(std::remove_if(out.begin(), out.end(), [](int x) { return x % 2 != 0; }), out.end());
    same("copy_if", end - e.begin() == static_cast<long>(out.size()) &&
                        std::equal(out.begin(), out.end(), thrust::host_vector<int>(e).begin()));
    // Raw pointers, with a policy; keys with values.
    int* raw;
    cudaMalloc(&raw, n * sizeof(int));
    cudaMemcpy(raw, v.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    thrust::sequence(e.begin(), e.end());
    thrust::sort_by_key(thrust::device, raw, raw + n, e.begin());
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return v[a] < v[b]; });
    same("sort_by_key", std::equal(order.begin(), order.end(), thrust::host_vector<int>(e).begin()));
    thrust::device_ptr<int> p(raw);
    thrust::sort(p, p + n, thrust::greater<int>());
    std::sort(v.begin(), v.end(), std::greater<>());
    cudaMemcpy(out.data(), raw, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
    same("sort", std::equal(out.begin(), out.end(), v.begin()));
    d.resize(3);
    d[1] = 4, d[1] += 3;
    d.push_back(9);
    printf("%d %d %zu\n", static_cast<int>(d[1]), static_cast<int>(d.back()), d.size());
    cudaFree(raw);
})");
    EXPECT_EQ(ran.out, "7 9 4\n");
    EXPECT_THAT(ran.kinds(), IsEmpty()); // nothing leaks
    const std::vector<StoryEvent>& story = ran.result.trace.program.events;
    EXPECT_TRUE(std::any_of(story.begin(), story.end(), [](const StoryEvent& e) {
        return e.kind == StoryKind::copy && e.other == "device_vector" && e.name == "the library" &&
               e.line.line() == 41;
    }));
}

TEST_F(ProgramThrust, IteratesOverSeveralRanges) {
    const RanProgram ran = run(R"(#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>

#include <cstdio>
struct Product {
    template <class T> __host__ __device__ void operator()(T t) const {
        thrust::get<2>(t) = thrust::get<0>(t) * thrust::get<1>(t);
    }
};
struct Double {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};
int main() {
    thrust::device_vector<int> a = {1, 2, 3}, b = {4, 5, 6}, c(4, 7);
    thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin())),
                     thrust::make_zip_iterator(thrust::make_tuple(a.end(), b.end(), c.begin() + 3)), Product());
    const auto counted = thrust::make_counting_iterator(1);
    const auto doubled = thrust::make_transform_iterator(a.begin(), Double());
    printf("%d %d %d %d, %d, %d\n", (int)c[0], (int)c[1], (int)c[2], (int)c[3], thrust::reduce(counted, counted + 10),
           thrust::reduce(doubled, doubled + 3));
})");
    EXPECT_EQ(ran.out, "4 10 18 7, 55, 12\n");
}

TEST_F(ProgramThrust, SearchesMergesAndScansByKey) {
    EXPECT_EQ(run(R"(#include <cstdio>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/scan.h>
#include <thrust/unique.h>
struct Even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
template <class V> void show(const V& v) {
    for (size_t i = 0; i < v.size(); ++i) printf("%d ", static_cast<int>(v[i]));
    puts("");
}
int main() {
    int h[5] = {10, 20, 30, 40, 50};
    thrust::device_vector<int> v(h, h + 5), wanted(2), places(2), merged(7), keys(5), sums(5);
    int* const raw = thrust::raw_pointer_cast(&wanted[0]);
    cudaMemset(raw, 0, 8);
    wanted[1] = 30;
    printf("%d %d\n", static_cast<int>(thrust::lower_bound(v.begin(), v.end(), 30) - v.begin()),
           thrust::binary_search(v.begin(), v.end(), 35));
    thrust::upper_bound(v.begin(), v.end(), wanted.begin(), wanted.end(), places.begin());
    show(places);
    thrust::merge(v.begin(), v.end(), wanted.begin(), wanted.end(), merged.begin());
    show(merged);
    keys[3] = keys[4] = 1;
    thrust::inclusive_scan_by_key(keys.begin(), keys.end(), v.begin(), sums.begin());
    show(sums);
    thrust::exclusive_scan_by_key(thrust::device, keys.begin(), keys.end(), v.begin(), sums.begin());
    show(sums);
    merged[0] = 3;
    const auto middle = thrust::partition(merged.begin(), merged.end(), Even());
    printf("%d %d\n", static_cast<int>(middle - merged.begin()), static_cast<int>(merged.back()));
})")
                  .out,
              "2 0\n0 3 \n0 10 20 30 30 40 50 \n10 30 60 40 90 \n0 10 30 0 40 \n6 3\n");
}

// As on a GPU, where Thrust's functions run.
TEST_F(ProgramThrust, CallsObjectsThatAreOnlyForTheDevice) {
    EXPECT_EQ(run(R"(#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
struct Scaled {
    float by;
    __device__ float operator()(float x) const { return by * x; }
};
template <class F> __global__ void apply(float* a, F f) { a[threadIdx.x] = f(a[threadIdx.x]); }
int main() {
    thrust::device_vector<float> v(4, 2.0f);
    const float offset = 1;
    thrust::transform(v.begin(), v.end(), v.begin(), [offset] __device__ (float x) { return x + offset; });
    thrust::for_each(v.begin(), v.end(), [] __device__ (float& x) { x *= x; });
    apply<<<1, 4>>>(thrust::raw_pointer_cast(v.data()), Scaled{2});
    printf("%g\n", thrust::transform_reduce(v.begin(), v.end(), Scaled{0.5f}, 0.0f, thrust::plus<float>()));
})")
                  .out,
              "36\n");
}

} // namespace
} // namespace warptree
