// What a worker that a file took over may send to its client: answers, questions, programs; and what its client sends.
// An accepted program can be listed and is the same after writing and reading.
#include "app/compile/client/compiler.hpp"
#include "app/compile/client/wire.hpp"
#include "app/compile/program/program.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <vector>

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes = fuzz::text_of(data, size);
    fuzz::refusable([&] { compile::request_from(bytes); });
    fuzz::refusable([&] { compile::answer_from(bytes); });
    fuzz::refusable([&] { compile::question_from(bytes); });
    fuzz::refusable([&] { compile::found_from(bytes); });
    fuzz::refusable([&] {
        const compile::Program program = compile::program_from_bytes({data, data + size});
        const std::vector<std::uint8_t> again = compile::to_bytes(program);
        fuzz::require(compile::to_bytes(compile::program_from_bytes(again)) == again);
    });
    return 0;
}
