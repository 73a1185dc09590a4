#include "app/run/remedy/waits.hpp"

#include "app/base/number_list.hpp"
#include "app/run/program/host_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace warptree::runs {

namespace {
struct Wait {
    const char *words, *words_behind;
    std::string call;
};
const Wait kForTheDevice = {"a wait for the device before it", "a wait for the device behind it",
                            "cudaDeviceSynchronize();"};

// The stream of the copy or the launch in a line; empty: the text does not name it.
std::string stream_in(const Statements& code, std::uint32_t line) {
    constexpr std::size_t kOfCopy = 4, kOfLaunch = 3; // which argument
    if (const auto copy = call_in(code, line, "cudaMemcpyAsync"); copy && copy->words.size() > kOfCopy) {
        return text_of(code, copy->words[kOfCopy]);
    }
    for (const TextLaunch& launch : launches_in(code)) {
        if (code.line_of(launch.begin) == line && launch.shape.size() > kOfLaunch) {
            return text_of(code, launch.shape[kOfLaunch]);
        }
    }
    return {};
}

std::vector<Wait> waits_for(const Statements& code, const Finding& f) {
    std::vector<Wait> all;
    if (f.text.find("cudaEventSynchronize") != std::string::npos) {
        const auto call = call_in(code, f.line.line(), "cudaEventElapsedTime");
        if (call && call->words.size() == 3) {
            all.push_back({"a wait for the event before it", "a wait for the event behind it",
                           "cudaEventSynchronize(" + text_of(code, call->words[2]) + ");"});
        }
    }
    const std::string_view of_line = "in line ";
    const std::size_t said = f.text.find(of_line);
    if (f.text.find("cudaStreamSynchronize") != std::string::npos && said != std::string::npos) {
        const std::size_t begin = said + of_line.size(), end = f.text.find_first_not_of("0123456789", begin);
        std::uint32_t line = 0;
        if (number_from(std::string_view(f.text).substr(begin, end - begin), line)) {
            if (const std::string stream = stream_in(code, line); !stream.empty()) {
                all.push_back({"a wait for the stream before it", "a wait for the stream behind it",
                               "cudaStreamSynchronize(" + stream + ");"});
            }
        }
    }
    all.push_back(kForTheDevice);
    return all;
}
} // namespace

// The outermost statement of its function first, as a loop need not wait in each iteration.
std::vector<Change> waits_before(const Statements& code, const Finding& f) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const std::size_t begin = code.line_begin(f.line.line()), end = code.line_begin(f.line.line() + 1);
    std::vector<std::size_t> places = {std::min(bare.find_first_not_of(" \t", begin), bare.size())};
    for (const std::string_view word : {std::string_view(f.array), std::string_view("cudaEventElapsedTime")}) {
        for (std::size_t at = word.empty() ? std::string::npos : find_word(bare, word, begin, end);
             at != std::string::npos; at = find_word(bare, word, at + 1, end)) {
            places.push_back(at);
        }
    }
    for (const Wait& wait : waits_for(code, f)) {
        for (const std::size_t place : places) {
            const auto around = code.around(place);
            for (std::size_t k = 1; k < around.size(); ++k) {
                if (around[k - 1]->kind == Statement::Kind::block) {
                    found.push_back({wait.words, {line_before(code, around[k]->begin, wait.call)}});
                }
            }
        }
    }
    return found;
}

std::vector<Change> waits_behind(const Statements& code, const Finding& f) {
    std::vector<Change> found;
    const std::string& bare = code.bare();
    const std::size_t begin = code.line_begin(f.line.line()), end = code.line_begin(f.line.line() + 1);
    const std::size_t launch = bare.find("<<<", begin);
    const auto around =
        code.around(launch < end ? launch : std::min(bare.find_first_not_of(" \t", begin), bare.size()));
    for (std::size_t k = 1; k < around.size(); ++k) {
        if (around[k - 1]->kind == Statement::Kind::block) {
            const std::size_t past = around[k]->end;
            const bool follows = bare.find_first_not_of(" \t", past) < bare.find('\n', past); // in the same line
            found.push_back({kForTheDevice.words_behind,
                             {follows ? TextEdit{past, past, " " + kForTheDevice.call}
                                      : line_after(code, *around[k], kForTheDevice.call)}});
        }
    }
    return found;
}

} // namespace warptree::runs
