// Kernel files, by Clang and our own passes in this process: a program or diagnostics, nothing else. The real compiler
// is confined and answered for by the program that starts it; here a crash of it is a finding.
#include "app/compile/front_end/front_end.hpp"
#include "app/compile/lower/compiled.hpp"
#include "app/compile/program/program.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return fuzz::refusable([&] {
        compile::Compiled compiled = compile::compile({"fuzz.cu", fuzz::text_of(data, size), "", {}, {}});
        fuzz::require(compiled.module != nullptr || !compiled.diagnostics.empty());
        if (compiled.module != nullptr) {
            compile::check(compile::lower(compiled));
        }
    });
}
