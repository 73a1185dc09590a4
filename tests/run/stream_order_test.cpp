// What is ordered in a program's streams, as CUDA's programming guide has it; and programs that are right or wrong by it.
#include "app/run/program/stream_order.hpp"

#include "tests/run/program_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace warptree {
namespace {

using runs::StreamOrder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const SourceLine kSomewhere = SourceLine::of(0, 1);

// Whether a write of array 7 in `second` conflicts with one in `first`, with something between the two.
template <class F>
bool conflicts(StreamOrder& order, StreamOrder::Stream first, StreamOrder::Stream second, F between) {
    order.access(order.enqueue(first, "first", kSomewhere), 7, {{0, 100}}, true);
    between();
    return order.access(order.enqueue(second, "second", kSomewhere), 7, {{50, 60}}, true).has_value();
}

TEST(StreamOrder, HasTheRulesOfStreams) {
    const auto nothing = [] {};
    const auto with = [](bool blocking) {
        StreamOrder order;
        order.create(16, blocking);
        order.create(17, blocking);
        return order;
    };
    for (const bool blocking : {true, false}) {
        StreamOrder one = with(blocking), two = with(blocking), before = with(blocking), after = with(blocking);
        EXPECT_FALSE(conflicts(one, 16, 16, nothing));
        EXPECT_TRUE(conflicts(two, 16, 17, nothing));
        EXPECT_EQ(conflicts(before, 16, 0, nothing), !blocking) << "the default stream waits for blocking ones";
        EXPECT_EQ(conflicts(after, 0, 16, nothing), !blocking) << "which wait for it";
        StreamOrder waited = with(blocking), other = with(blocking), all = with(blocking), fenced = with(blocking);
        EXPECT_FALSE(conflicts(waited, 16, 17, [&] { waited.wait(16); }));
        EXPECT_TRUE(conflicts(other, 16, 17, [&] { other.wait(17); }));
        EXPECT_FALSE(conflicts(all, 16, 17, [&] { all.wait(); }));
        EXPECT_FALSE(conflicts(fenced, 16, 17, [&] { fenced.fence(); }));
        EXPECT_THAT(fenced.pending(), ::testing::SizeIs(2)) << "the host has not waited";
    }
}

TEST(StreamOrder, HasTheRulesOfEvents) {
    const auto order_with = [](auto between) {
        StreamOrder order;
        order.create(16, false);
        order.create(17, false);
        return conflicts(order, 16, 17, [&] { between(order); });
    };
    EXPECT_FALSE(order_with([](StreamOrder& o) {
        o.record(1, 16);
        o.wait_in(17, 1);
    }));
    EXPECT_FALSE(order_with([](StreamOrder& o) {
        o.record(1, 16);
        EXPECT_FALSE(o.reached(1));
        o.wait_for(1);
        EXPECT_TRUE(o.reached(1));
    }));
    EXPECT_TRUE(order_with([](StreamOrder& o) {
        o.record(1, 17); // of the wrong stream
        o.wait_in(17, 1);
    }));
    EXPECT_TRUE(order_with([](StreamOrder& o) {
        o.wait_in(17, 1); // before it is recorded
        o.record(1, 16);
    }));
    EXPECT_FALSE(order_with([](StreamOrder& o) { // by way of a third stream
        o.create(18, false);
        o.record(1, 16);
        o.wait_in(18, 1);
        o.record(2, 18);
        o.wait_in(17, 2);
    }));
}

TEST(StreamOrder, KnowsBytesAndWhoReads) {
    StreamOrder order;
    order.create(16, false);
    order.create(17, false);
    const auto access = [&](StreamOrder::Stream stream, StreamOrder::Spans spans, bool writes) {
        return order.access(order.enqueue(stream, "it", kSomewhere), 3, std::move(spans), writes).has_value();
    };
    EXPECT_FALSE(access(16, {{0, 4}, {8, 12}}, true));
    EXPECT_FALSE(access(17, {{4, 8}, {12, 16}}, true)) << "beside one another";
    EXPECT_FALSE(access(16, {{100, 200}}, false));
    EXPECT_FALSE(access(17, {{100, 200}}, false)) << "both only read";
    EXPECT_TRUE(access(17, {{199, 201}}, true));
    EXPECT_TRUE(order.pending_at(3, 9, false).has_value());
    EXPECT_FALSE(order.pending_at(3, 150, false).has_value()) << "the host may read what is only read";
    EXPECT_TRUE(order.pending_at(3, 150, true).has_value());
    order.wait();
    EXPECT_THAT(order.pending(), IsEmpty());
}

// A program with two arrays of the device, one of the host that is pinned, one that both see, and two streams.
class ProgramOrder : public Program {
  protected:
    RanProgram run_body(const std::string& body, const std::string& flags = "cudaStreamDefault") {
        return run(fmt::format(R"(#include <cstdio>
#include <vector>
__global__ void fill(int* a, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i + 1; }}
__global__ void twice(int* a, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] *= 2; }}
__global__ void count(int* a) {{ atomicAdd(&a[blockIdx.x * blockDim.x + threadIdx.x], 2); }}
__global__ void columns(int* a, int first) {{ a[blockIdx.x * 64 + first + threadIdx.x] = threadIdx.x; }}
int main() {{
    const int n = 4096, bytes = n * sizeof(int);
    int *d, *e, *pinned, *managed;
    std::vector<int> h(n);
    cudaMalloc(&d, bytes);
    cudaMalloc(&e, bytes);
    cudaMallocHost(&pinned, bytes);
    cudaMallocManaged(&managed, bytes);
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, {0});
    cudaStreamCreateWithFlags(&t, {0});
    cudaEvent_t event, other;
    cudaEventCreate(&event);
    cudaEventCreate(&other);
{1}
    cudaStreamDestroy(s); cudaStreamDestroy(t);
    cudaFree(d); cudaFree(e); cudaFreeHost(pinned); cudaFree(managed);
}})",
                               flags, body));
    }
};

struct OrderCase {
    const char *name, *body, *says, *out;
    bool blocking = true;
};

TEST_F(ProgramOrder, LeavesAtomicsOfTheSystemToTheHost) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void announce(int* a) { atomicAdd_system(a, 1); }
int main() {
    int* seen;
    cudaMallocHost(&seen, sizeof(int));
    *seen = 0;
    announce<<<1, 32>>>(seen);
    while (*(volatile int*)seen < 32) {}
    printf("%d", *(volatile int*)seen);
    cudaFreeHost(seen);
})");
    EXPECT_EQ(ran.out, "32");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

class WrongOrder : public ProgramOrder, public ::testing::WithParamInterface<OrderCase> {};

TEST_P(WrongOrder, IsFound) {
    const RanProgram ran =
        run_body(GetParam().body, GetParam().blocking ? "cudaStreamDefault" : "cudaStreamNonBlocking");
    EXPECT_EQ(ran.result.exit, 0);
    EXPECT_EQ(ran.out, GetParam().out) << "told, and goes on";
    EXPECT_THAT(ran.kinds(), ElementsAre(FindingKind::race_global));
    EXPECT_THAT(ran.first_text(), HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, WrongOrder,
    ::testing::Values(
        OrderCase{"ManagedIsRead", "    fill<<<16, 256>>>(managed, n);\n    printf(\"%d\", managed[n - 1]);",
                  "the host reads managed[4095], which fill<<<16, 256>>> in line 21 may still be writing", "4096"},
        OrderCase{"ManagedIsReadAfterAtomics",
                  "    for (int i = 0; i < n; ++i) managed[i] = 0;\n    count<<<16, 256>>>(managed);\n"
                  "    printf(\"%d\", managed[5]);",
                  "the host reads managed[5], which count<<<16, 256>>> in line 22 may still be writing", "2"},
        OrderCase{"ManagedIsWritten",
                  "    for (int i = 0; i < n; ++i) managed[i] = 1;\n    twice<<<16, 256>>>(managed, n);\n"
                  "    managed[7] = 0;\n    cudaDeviceSynchronize();",
                  "the host writes managed[7], which twice<<<16, 256>>> in line 22 may still be", ""},
        OrderCase{"PinnedIsRead",
                  "    fill<<<16, 256, 0, s>>>(d, n);\n    cudaMemcpyAsync(pinned, d, bytes, "
                  "cudaMemcpyDeviceToHost, s);\n    long sum = 0;\n    for (int i = 0; i < n; ++i) sum += pinned[i];\n"
                  "    printf(\"%ld\", sum);",
                  "the host reads pinned[0], which the copy in line 22 may still be writing", "8390656"},
        OrderCase{"PinnedIsFilledAgain",
                  "    for (int r = 0; r < 2; ++r) {\n        for (int i = 0; i < n; ++i) pinned[i] = r;\n"
                  "        cudaMemcpyAsync(d, pinned, bytes, cudaMemcpyHostToDevice, s);\n    }\n"
                  "    cudaStreamSynchronize(s);",
                  "the host writes pinned[0], which the copy in line 23 may still be reading", ""},
        OrderCase{"AnotherStreamIsWaitedFor",
                  "    fill<<<16, 256, 0, s>>>(d, n);\n    cudaMemcpyAsync(pinned, d, bytes, "
                  "cudaMemcpyDeviceToHost, s);\n    cudaStreamSynchronize(t);\n    printf(\"%d\", pinned[1]);",
                  "the host reads pinned[1]", "2"},
        OrderCase{"CopyDoesNotWaitForNonBlocking",
                  "    fill<<<16, 256, 0, s>>>(d, n);\n    cudaMemcpy(h.data(), d, bytes, cudaMemcpyDeviceToHost);\n"
                  "    printf(\"%d\", h[n - 1]);",
                  "the copy reads d, which fill<<<16, 256>>> in line 21 may still be writing", "4096", false},
        OrderCase{"SetDoesNotComeBeforeNonBlocking",
                  "    cudaMemset(d, 0, bytes);\n    twice<<<16, 256, 0, s>>>(d, n);\n    cudaDeviceSynchronize();",
                  "twice<<<16, 256>>> reads d, which the set in line 21 may still be writing", "", false},
        OrderCase{"KernelsInTwoStreams",
                  "    fill<<<16, 256, 0, s>>>(d, n);\n    twice<<<16, 256, 0, t>>>(d, n);\n"
                  "    cudaDeviceSynchronize();",
                  "twice<<<16, 256>>> reads d, which fill<<<16, 256>>> in line 21", ""},
        OrderCase{"TimeIsAskedForEarly",
                  "    cudaEventRecord(event);\n    fill<<<16, 256>>>(d, n);\n    cudaEventRecord(other);\n"
                  "    float ms;\n    cudaEventElapsedTime(&ms, event, other);",
                  "the time until other is asked for before", ""}),
    [](const auto& test) { return test.param.name; });

class RightOrder : public ProgramOrder, public ::testing::WithParamInterface<OrderCase> {};

TEST_P(RightOrder, IsSilent) {
    for (const char* const flags : {"cudaStreamDefault", "cudaStreamNonBlocking"}) {
        if (std::string(flags) == "cudaStreamNonBlocking" && GetParam().blocking) {
            continue;
        }
        const RanProgram ran = run_body(GetParam().body, flags);
        EXPECT_EQ(ran.result.exit, 0);
        EXPECT_EQ(ran.out, GetParam().out);
        EXPECT_THAT(ran.kinds(), IsEmpty()) << ran.first_text();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RightOrder,
    ::testing::Values(
        OrderCase{"ManagedAfterTheDevice",
                  "    for (int i = 0; i < n; ++i) managed[i] = i;\n    for (int r = 0; r < 2; ++r) {\n"
                  "        twice<<<16, 256>>>(managed, n);\n        cudaDeviceSynchronize();\n        ++managed[0];\n"
                  "    }\n    printf(\"%d %d\", managed[0], managed[3]);",
                  "", "3 12", false},
        OrderCase{"CopyWaitsForTheDefaultStream",
                  "    fill<<<16, 256>>>(managed, n);\n    cudaMemcpy(h.data(), managed, bytes, "
                  "cudaMemcpyDefault);\n    printf(\"%d %d\", h[1], managed[2]);",
                  "", "2 3", false},
        OrderCase{"CopyWaitsForBlocking",
                  "    fill<<<16, 256, 0, s>>>(d, n);\n    cudaMemcpy(h.data(), d, bytes, cudaMemcpyDeviceToHost);\n"
                  "    printf(\"%d\", h[n - 1]);",
                  "", "4096"},
        OrderCase{"PageableIsWaitedFor",
                  "    fill<<<16, 256, 0, s>>>(d, n);\n    cudaMemcpyAsync(h.data(), d, bytes, "
                  "cudaMemcpyDeviceToHost, s);\n    printf(\"%d\", h[n - 1]);",
                  "", "4096", false},
        OrderCase{"PartsInTwoStreams",
                  "    for (int i = 0; i < n; ++i) pinned[i] = i;\n    cudaStream_t streams[] = {s, t};\n"
                  "    for (int k = 0; k < 2; ++k) {\n        int* part = d + k * n / 2;\n"
                  "        cudaMemcpyAsync(part, pinned + k * n / 2, bytes / 2, cudaMemcpyHostToDevice, streams[k]);\n"
                  "        twice<<<8, 256, 0, streams[k]>>>(part, n / 2);\n"
                  "        cudaMemcpyAsync(pinned + k * n / 2, part, bytes / 2, cudaMemcpyDeviceToHost, streams[k]);\n"
                  "    }\n    cudaStreamSynchronize(s);\n    printf(\"%d \", pinned[5]);\n"
                  "    cudaStreamSynchronize(t);\n    printf(\"%d\", pinned[n - 1]);",
                  "", "10 8190", false},
        OrderCase{"ColumnsInTwoStreams",
                  "    columns<<<64, 32, 0, s>>>(d, 0);\n    columns<<<64, 32, 0, t>>>(d, 32);\n"
                  "    cudaDeviceSynchronize();\n    cudaMemcpy(h.data(), d, bytes, cudaMemcpyDeviceToHost);\n"
                  "    printf(\"%d\", h[63]);",
                  "", "31", false},
        OrderCase{"EventBetweenStreams",
                  "    fill<<<16, 256, 0, s>>>(d, n);\n    cudaEventRecord(event, s);\n"
                  "    cudaStreamWaitEvent(t, event, 0);\n    twice<<<16, 256, 0, t>>>(d, n);\n"
                  "    cudaEventRecord(other, t);\n    while (cudaEventQuery(other) != cudaSuccess) {}\n"
                  "    float ms;\n    cudaEventElapsedTime(&ms, event, other);\n"
                  "    cudaMemcpy(h.data(), d, bytes, cudaMemcpyDeviceToHost);\n    printf(\"%d\", h[1]);",
                  "", "4", false},
        OrderCase{"GraphInAnotherStream",
                  "    cudaGraph_t graph;\n    cudaGraphExec_t made;\n"
                  "    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\n    fill<<<16, 256, 0, s>>>(d, n);\n"
                  "    cudaMemcpyAsync(pinned, d, bytes, cudaMemcpyDeviceToHost, s);\n"
                  "    cudaStreamEndCapture(s, &graph);\n    cudaGraphInstantiate(&made, graph, nullptr, nullptr, 0);\n"
                  "    cudaGraphLaunch(made, t);\n    cudaStreamSynchronize(t);\n    printf(\"%d\", pinned[2]);\n"
                  "    cudaGraphExecDestroy(made); cudaGraphDestroy(graph);",
                  "", "3", false},
        OrderCase{"FunctionOfTheHostInAStream",
                  "    static int seen = 0;\n    fill<<<16, 256, 0, s>>>(d, n);\n"
                  "    cudaMemcpyAsync(pinned, d, bytes, cudaMemcpyDeviceToHost, s);\n"
                  "    cudaLaunchHostFunc(s, [](void* p) { seen = static_cast<int*>(p)[8]; }, pinned);\n"
                  "    cudaStreamSynchronize(s);\n    printf(\"%d\", seen);",
                  "", "9", false}),
    [](const auto& test) { return test.param.name; });

// By volatile accesses and a fence of the system the two may speak while the kernel runs.
TEST_F(ProgramOrder, MayBePolled) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void signal(volatile int* flag, int* value) { *value = 7; __threadfence_system(); *flag = 1; }
int main() {
    int *flag, *value;
    cudaHostAlloc(&flag, 4, cudaHostAllocMapped);
    cudaHostAlloc(&value, 4, cudaHostAllocMapped);
    *flag = 0;
    signal<<<1, 1>>>(flag, value);
    while (*(volatile int*)flag == 0) {}
    printf("%d", *value);
    cudaDeviceSynchronize();
    cudaFreeHost(flag); cudaFreeHost(value);
})");
    EXPECT_EQ(ran.out, "7");
    EXPECT_THAT(ran.kinds(), IsEmpty());
}

TEST_F(ProgramOrder, TakesNoStreamThatIsNone) {
    const RanProgram ran = run(R"(#include <cstdio>
__global__ void none() {}
int main() {
    cudaStream_t wrong = (cudaStream_t)4711, made;
    none<<<1, 1, 0, wrong>>>();
    printf("%d ", cudaGetLastError());
    printf("%d ", cudaStreamSynchronize(wrong));
    printf("%d ", cudaStreamCreateWithFlags(&made, 77));
    printf("%d", cudaEventSynchronize((cudaEvent_t)9));
})");
    EXPECT_EQ(ran.out, "400 400 1 400");
}

TEST(StreamOrder, LetsAtomicsMeet) {
    const auto conflicts_with = [](bool first, bool second) {
        StreamOrder order;
        order.create(3, false);
        order.create(4, false);
        order.access(order.enqueue(3, "first", kSomewhere), 7, {{0, 4}}, true, first);
        return order.access(order.enqueue(4, "second", kSomewhere), 7, {{0, 4}}, true, second).has_value();
    };
    EXPECT_FALSE(conflicts_with(true, true));
    EXPECT_TRUE(conflicts_with(true, false));
    EXPECT_TRUE(conflicts_with(false, true));
}

} // namespace
} // namespace warptree
