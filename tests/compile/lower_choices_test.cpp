// Minima and maxima written as conditionals.
#include "tests/support/program_queries.hpp"
#include "tests/support/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptree::tests {
namespace {

// A tournament reduction in shared memory; `choose` is line 8.
compile::Program tournament(const std::string& choose, const std::string& type = "int") {
    return lower_snippet(R"(
__global__ void k(const T* in, T* out) {
  __shared__ T s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (t < d) { CHOOSE }
    __syncthreads();
  }
  if (t == 0) *out = s[0];
})",
                         {{"T", type}, {"CHOOSE", choose}});
}

struct Form {
    const char* text;
    const char* type;
    std::size_t kept;
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.text; }

class LowerChoices : public testing::TestWithParam<Form> {};

TEST_P(LowerChoices, AreStepsOfTheLoopAndSayWhichWay) {
    const Form& form = GetParam();
    const compile::Program p = tournament(form.text, form.type);
    EXPECT_THAT(loops(p), testing::ElementsAre("d*"));
    EXPECT_EQ(choice_lines(p, true), Lines{8}) << compile::listing(p);
    EXPECT_EQ(p.keeps.size(), form.kept);
    for (const compile::Selection& s : p.selections) {
        EXPECT_NE(s.tag_x, 0);
        EXPECT_NE(s.tag_y, 0);
        EXPECT_EQ(s.flags & (compile::kCombines | compile::kStage), compile::kCombines | compile::kStage);
        const bool least = std::string_view(form.text).find("< s[t]") != std::string_view::npos ||
                           std::string_view(form.text).find(">= s[t + d]") != std::string_view::npos ||
                           std::string_view(form.text).find("a <= b") != std::string_view::npos;
        EXPECT_EQ(s.flags & (least ? compile::kGreatest : compile::kLeast), 0) << "it takes the other one";
        EXPECT_EQ(std::string(name(s.type)), form.type);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, LowerChoices,
    testing::Values(Form{"s[t] = s[t] > s[t + d] ? s[t] : s[t + d];", "float", 0},
                    Form{"if (s[t + d] < s[t]) s[t] = s[t + d];", "int", 1},
                    Form{"if (s[t] >= s[t + d]) {} else s[t] = s[t + d];", "int", 1},
                    Form{"unsigned a = s[t], b = s[t + d]; bool swap = b > a; if (swap) a = b; s[t] = a;", "unsigned",
                         0},
                    Form{"unsigned char a = s[t], b = s[t + d]; if (!(a <= b)) a = b; s[t] = a;", "int", 0},
                    Form{"double a = s[t], b = s[t + d]; if (a < b) s[t] = b; else s[t] = a;", "double", 0},
                    Form{"long long a = s[t], b = s[t + d]; s[t] = (a < b) ? b : a;", "long long", 0}));

TEST(LowerChoices, ChooserIsNotMistakenForAFilter) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out) {
  int pivot = in[0], v = in[threadIdx.x];
  if (v > pivot) out[threadIdx.x] = v;
  if (v == in[3]) out[1] = v;
})");
    for (const compile::Access& a : p.accesses) EXPECT_EQ(a.selection, compile::kNone);
    EXPECT_TRUE(p.keeps.empty());
}

TEST(LowerChoices, IndexThatIsComparedWithNothingOfTheInputIsNone) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* out, int n) {
  int i = threadIdx.x;
  int j = i < n ? i : n;
  out[i] = in[j] > 3 ? in[i] : 0;
})");
    EXPECT_TRUE(p.selections.empty());
}

TEST(LowerChoices, StructsChosenByPointerBringTheirFields) {
    const compile::Program p = lower_snippet(R"(
struct Pair { double v; int i; };
__device__ Pair better(const Pair& a, const Pair& b) { return a.v > b.v ? a : b; }
__global__ void k(const double* in, int* out) {
  __shared__ Pair s[64];
  int t = threadIdx.x;
  s[t] = {in[t], t};
  __syncthreads();
  if (t < 32) s[t] = better(s[t], s[t + 32]);
  __syncthreads();
  if (t == 0) *out = s[0].i;
})");
    std::size_t loads = 0;
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Instruction& in : f.code)
            if (in.op == compile::Opcode::load && p.accesses[in.c].selection != compile::kNone) ++loads;
    EXPECT_EQ(loads, 2U) << compile::listing(p);
}

TEST(LowerChoices, MinimumAndMaximumTogether) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(const int* in, int* low, int* high, int n) {
  int least = in[0], most = in[0];
  for (int i = 1; i < n; i++) {
    if (in[i] < least) least = in[i];
    if (in[i] > most) most = in[i];
  }
  *low = least; *high = most;
})");
    std::set<std::pair<unsigned, bool>> found; // line, greater
    for (const compile::Edge& e : p.edges)
        for (std::uint32_t i = 0; i < e.move_count; ++i)
            if (const auto s = p.moves[e.first_move + i].selection; s != compile::kNone)
                found.insert({line_of(p, p.selections[s].location), p.selections[s].greater});
    EXPECT_THAT(found, testing::ElementsAre(testing::Pair(5U, false), testing::Pair(6U, true)));
}

// A step of a sorting network: what two threads' elements become is one minimum and one maximum, however the step asks for the
// direction. `kept`: an edge past the swap on which both stay, for each of the two.
class LowerSwaps : public testing::TestWithParam<Form> {};

TEST_P(LowerSwaps, AreAMinimumAndAMaximum) {
    const compile::Program p = lower_snippet(
        R"(
__device__ void in_order(T& a, T& b, int up) { if ((a > b) == up) { T t = a; a = b; b = t; } }
__device__ void swap(T* a, T* b) { T t = *a; *a = *b; *b = t; }
__global__ void k(T* data) {
  __shared__ T s[64];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2) {
    for (int j = k / 2; j > 0; j /= 2) {
      int o = t ^ j;
      bool up = (t & k) == 0;
      if (o > t) { STEP }
      __syncthreads();
    }
  }
  data[t] = s[t];
})",
        {{"T", GetParam().type}, {"SWAP", "{ T tmp = s[t]; s[t] = s[o]; s[o] = tmp; }"}, {"STEP", GetParam().text}});
    EXPECT_THAT(loops(p), testing::Contains("j*")) << compile::listing(p);
    std::size_t stores = 0;
    for (const compile::FunctionCode& f : p.functions)
        for (const compile::Instruction& in : f.code)
            if (in.op == compile::Opcode::store && p.accesses[in.c].selection != compile::kNone) {
                const compile::Selection& s = p.selections[p.accesses[in.c].selection];
                EXPECT_EQ(s.flags & (compile::kCombines | compile::kStage), compile::kCombines | compile::kStage);
                EXPECT_EQ(std::string(name(s.type)), GetParam().type);
                ++stores;
            }
    EXPECT_EQ(stores % 2, 0U);
    EXPECT_GE(stores, 2U) << compile::listing(p);
    EXPECT_EQ(p.keeps.size(), GetParam().kept);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, LowerSwaps,
    testing::Values(Form{"if ((s[t] > s[o]) == up) SWAP", "int", 2}, Form{"if (up == (s[t] > s[o])) SWAP", "float", 2},
                    Form{"if ((s[t] > s[o]) ^ !up) SWAP", "unsigned", 2},
                    Form{"T a = s[t], b = s[o]; if ((a < b) != up) { s[t] = b; s[o] = a; }", "double", 2},
                    Form{"if (up) { if (s[t] > s[o]) SWAP } else { if (s[t] < s[o]) SWAP }", "int", 4},
                    Form{"if (up && s[t] > s[o]) SWAP if (!up && s[t] < s[o]) SWAP", "int", 4},
                    Form{"if ((up && s[t] > s[o]) || (!up && s[t] < s[o])) SWAP", "int", 4},
                    Form{"if (up ? s[t] > s[o] : s[t] < s[o]) SWAP", "int", 4},
                    Form{"bool swap = up ? s[t] > s[o] : s[t] < s[o]; if (swap) SWAP", "int", 0},
                    Form{"in_order(s[t], s[o], up);", "int", 2},
                    Form{"if ((s[t] > s[o]) == up) swap(s + t, s + o);", "int", 2}));

TEST(LowerSwaps, AreNoneWhereNothingIsCompared) {
    const compile::Program p = lower_snippet(R"(
__global__ void k(int* data, int n) {
  int i = threadIdx.x;
  if (i < n / 2) { int t = data[i]; data[i] = data[n - 1 - i]; data[n - 1 - i] = t; }
  if (data[i] > data[0]) { int t = data[i + 64]; data[i + 64] = data[i + 128]; data[i + 128] = t; }
})");
    for (const compile::Access& a : p.accesses) EXPECT_EQ(a.selection, compile::kNone);
}

} // namespace
} // namespace warptree::tests
