#include "app/run/remedy/index.hpp"

#include "app/base/identifier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    const std::string& bare = code.bare();
    // A bound that leaves the last one out: i < n - 1.
    for (std::size_t at = bare.find('<'); at != std::string::npos; at = bare.find('<', at + 1)) {
        const std::size_t begin = bare.find_first_not_of(' ', at + 1);
        std::size_t end = begin;
        while (end < bare.size() && in_identifier(bare[end])) {
            ++end;
        }
        const std::size_t minus = bare.find_first_not_of(' ', end);
        const std::size_t one =
            minus < bare.size() && bare[minus] == '-' ? bare.find_first_not_of(' ', minus + 1) : std::string::npos;
        if (end > begin && one < bare.size() && bare[one] == '1' && !in_identifier(bare[one + 1])) {
            const std::string bound = bare.substr(begin, end - begin);
            found.push_back({fmt::format("one more: {0} for {0} - 1", bound), {{end, one + 1, ""}}});
        }
    }
    // A loop that each thread runs through: for (int i = 0; i < n; i++).
    for (std::size_t at = find_word(bare, "for", 0, bare.size()); at != std::string::npos;
         at = find_word(bare, "for", at + 1, bare.size())) {
        const std::size_t open = bare.find_first_not_of(" \t\n", at + 3);
        const std::size_t end = open < bare.size() && bare[open] == '(' ? past_bracket(bare, open) - 1 : 0;
        const std::size_t equals = bare.find("= 0;", open);
        const std::size_t second = bare.find(';', equals == std::string::npos ? equals : equals + 4);
        if (second >= end) {
            continue;
        }
        const std::string left = trimmed_part(bare, open + 1, equals);
        std::size_t name = left.size();
        while (name > 0 && in_identifier(left[name - 1])) {
            --name;
        }
        const std::string variable = left.substr(name), step = trimmed_part(bare, second + 1, end);
        if (variable.empty() || (step != variable + "++" && step != "++" + variable && step != variable + " += 1")) {
            continue;
        }
        found.push_back({"each thread takes elements of its own",
                         {{equals + 2, equals + 3, "blockIdx.x * blockDim.x + threadIdx.x"},
                          {second + 1, end, ' ' + variable + " += gridDim.x * blockDim.x"}}});
    }
    return found;
}

} // namespace warptree::runs
