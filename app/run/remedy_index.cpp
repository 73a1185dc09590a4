#include "app/run/remedy_index.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
struct WrongIndex {
    std::string_view text, with, words;
    bool meant = true; // in some kernels
};
constexpr std::string_view kIndex = "an index of all threads", kStride = "a stride of all threads";
constexpr std::array kWrongIndices{
    WrongIndex{"= threadIdx.x;", "= blockIdx.x * blockDim.x + threadIdx.x;", kIndex},
    WrongIndex{"= threadIdx.x,", "= blockIdx.x * blockDim.x + threadIdx.x,", kIndex},
    WrongIndex{"blockIdx.x * gridDim.x + threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x", kIndex, false},
    WrongIndex{"blockIdx.x + threadIdx.x * blockDim.x", "blockIdx.x * blockDim.x + threadIdx.x", kIndex, false},
    WrongIndex{"threadIdx.x * blockDim.x + blockIdx.x", "blockIdx.x * blockDim.x + threadIdx.x", kIndex, false},
    WrongIndex{"+= gridDim.x)", "+= gridDim.x * blockDim.x)", kStride},
    WrongIndex{"+= blockDim.x)", "+= blockDim.x * gridDim.x)", kStride},
    WrongIndex{"+= gridDim.x;", "+= gridDim.x * blockDim.x;", kStride},
    WrongIndex{"+= blockDim.x;", "+= blockDim.x * gridDim.x;", kStride},
};
} // namespace

bool mistakes_a_size(std::string_view text) {
    return std::any_of(kWrongIndices.begin(), kWrongIndices.end(), [&](const WrongIndex& wrong) {
        return !wrong.meant && text.find(wrong.text) != std::string_view::npos;
    });
}

std::vector<Change> index_changes(const Statements& code) {
    std::vector<Change> found;
    for (const WrongIndex& wrong : kWrongIndices) {
        for (std::size_t at = code.bare().find(wrong.text); at != std::string::npos;
             at = code.bare().find(wrong.text, at + 1)) {
            found.push_back({std::string(wrong.words), {{at, at + wrong.text.size(), std::string(wrong.with)}}});
        }
    }
    // A loop that each thread runs through: for (int i = 0; i < n; i++).
    static const std::regex kWhole(
        R"((\bfor\s*\(\s*(?:unsigned |size_t |long |int )*\s*(\w+) = )0(;[^;{}]*;\s*)(?:\2\s*\+\+|\+\+\s*\2|\2 \+= 1)\s*\))");
    for (auto at = std::sregex_iterator(code.bare().begin(), code.bare().end(), kWhole); at != std::sregex_iterator();
         ++at) {
        const auto begin = static_cast<std::size_t>(at->position());
        found.push_back({"each thread takes elements of its own",
                         {{begin, begin + static_cast<std::size_t>(at->length()),
                           (*at)[1].str() + "blockIdx.x * blockDim.x + threadIdx.x" + (*at)[3].str() + (*at)[2].str() +
                               " += gridDim.x * blockDim.x)"}}});
    }
    return found;
}

} // namespace warptree::runs
