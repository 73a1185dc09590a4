// Launch options as text: one line each for grid, block, shared memory, expectation, and the arguments for an array, a
// number and a record; then the file's header.
#include "app/run/judge/expectation.hpp"
#include "app/run/kernel_choice.hpp"
#include "app/run/kernel_launch.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace warptree;

namespace {
compile::Program program() {
    compile::Program p;
    compile::Parameter array;
    array.name = "in";
    array.type = "const float*";
    array.kind = compile::Parameter::Kind::array;
    array.element = ValueType::f32;
    array.element_bytes = 4;
    array.constant = array.loads = true;
    compile::Parameter number;
    number.name = "n";
    number.type = "int";
    number.element = ValueType::i32;
    compile::Parameter record;
    record.name = "shape";
    record.kind = compile::Parameter::Kind::record;
    record.bytes = 12;
    compile::Kernel k;
    k.name = "reduce";
    k.parameters = {array, number, record};
    p.kernels.push_back(k);
    p.functions.emplace_back();
    return p;
}
} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const compile::Program kProgram = program();
    std::string text = fuzz::text_of(data, size);
    const auto line = [&] {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string first = text.substr(0, end);
        text.erase(0, std::min(end + 1, text.size()));
        return first;
    };
    RunOptions o;
    o.kernel.grid = line();
    o.kernel.block = line();
    o.kernel.shared = line();
    o.kernel.expect = line();
    for (const char* name : {"in", "n", "shape"}) {
        if (std::string value = line(); !value.empty()) {
            o.kernel.arguments[name] = value;
        }
    }
    return fuzz::refusable([&] {
        const catalogue::KernelHeader header = catalogue::read_header(text);
        runs::choose_kernel(kProgram, header, o);
        const runs::KernelLaunch launch = runs::choose_launch(kProgram, 0, header, o);
        fuzz::require(launch.arguments.size() == 3 && simt::volume(launch.block) <= 1024 && launch.shared <= 1U << 20);
        runs::expected_from(launch.expect, std::nullopt);
    });
}
