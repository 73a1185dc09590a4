#include "app/run/remedy_index.hpp"

#include <array>
#include <regex>
#include <string>
#include <string_view>

namespace warptree::runs {

std::vector<Change> index_changes(const Statements& code) {
    struct Wrong {
        std::string_view text, with, words;
    };
    constexpr std::string_view kIndex = "an index of all threads", kStride = "a stride of all threads";
    static constexpr std::array kWrong{
        Wrong{"= threadIdx.x;", "= blockIdx.x * blockDim.x + threadIdx.x;", kIndex},
        Wrong{"= threadIdx.x,", "= blockIdx.x * blockDim.x + threadIdx.x,", kIndex},
        Wrong{"blockIdx.x * gridDim.x + threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x", kIndex},
        Wrong{"blockIdx.x + threadIdx.x * blockDim.x", "blockIdx.x * blockDim.x + threadIdx.x", kIndex},
        Wrong{"threadIdx.x * blockDim.x + blockIdx.x", "blockIdx.x * blockDim.x + threadIdx.x", kIndex},
        Wrong{"+= gridDim.x)", "+= gridDim.x * blockDim.x)", kStride},
        Wrong{"+= blockDim.x)", "+= blockDim.x * gridDim.x)", kStride},
        Wrong{"+= gridDim.x;", "+= gridDim.x * blockDim.x;", kStride},
        Wrong{"+= blockDim.x;", "+= blockDim.x * gridDim.x;", kStride},
    };
    std::vector<Change> found;
    for (const Wrong& wrong : kWrong) {
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
