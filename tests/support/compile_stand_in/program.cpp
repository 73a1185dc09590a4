// In place of what turns a Program into bytes and back, until that is there: enough of it for the tests of the worker.
#include "app/compile/program.hpp"
#include "app/compile/compiler.hpp"

#include <algorithm>
#include <string_view>

namespace warptree::compile {
namespace {

void put(std::vector<std::uint8_t>& to, std::string_view text) {
    for (int i = 0; i < 4; ++i) to.push_back(static_cast<std::uint8_t>(text.size() >> (8 * i)));
    to.insert(to.end(), text.begin(), text.end());
}

std::string take(const std::vector<std::uint8_t>& from, std::size_t& at) {
    if (at + 4 > from.size()) throw CompileError("these bytes are no program");
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{from[at + i]} << (8 * i);
    at += 4;
    if (size > from.size() - at) throw CompileError("these bytes are no program");
    std::string text(from.begin() + static_cast<std::ptrdiff_t>(at),
                     from.begin() + static_cast<std::ptrdiff_t>(at + size));
    at += size;
    return text;
}

} // namespace

bool Program::compiled() const {
    return std::none_of(diagnostics.begin(), diagnostics.end(),
                        [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
}

std::vector<std::uint8_t> to_bytes(const Program& program) {
    std::vector<std::uint8_t> bytes;
    put(bytes, std::to_string(program.files.size()));
    for (const SourceText& file : program.files) {
        put(bytes, file.path);
        put(bytes, file.text);
    }
    put(bytes, std::to_string(program.kernels.size()));
    for (const Kernel& kernel : program.kernels) put(bytes, kernel.name);
    put(bytes, std::to_string(program.templates.size()));
    for (const KernelTemplate& made : program.templates) put(bytes, made.name);
    put(bytes, std::to_string(program.diagnostics.size()));
    for (const Diagnostic& d : program.diagnostics) {
        put(bytes, std::to_string(static_cast<int>(d.severity)));
        put(bytes, d.file);
        put(bytes, std::to_string(d.line));
        put(bytes, std::to_string(d.column));
        put(bytes, d.message);
    }
    return bytes;
}

Program program_from_bytes(const std::vector<std::uint8_t>& bytes) {
    Program program;
    std::size_t at = 0;
    const auto number = [&] { return static_cast<std::size_t>(std::stoull(take(bytes, at))); };
    for (std::size_t count = number(); count > 0; --count) {
        SourceText& file = program.files.emplace_back();
        file.path = take(bytes, at);
        file.text = take(bytes, at);
    }
    for (std::size_t count = number(); count > 0; --count) program.kernels.emplace_back().name = take(bytes, at);
    for (std::size_t count = number(); count > 0; --count) program.templates.emplace_back().name = take(bytes, at);
    for (std::size_t count = number(); count > 0; --count) {
        Diagnostic& d = program.diagnostics.emplace_back();
        d.severity = static_cast<Diagnostic::Severity>(number());
        d.file = take(bytes, at);
        d.line = static_cast<std::uint32_t>(number());
        d.column = static_cast<std::uint32_t>(number());
        d.message = take(bytes, at);
    }
    return program;
}

} // namespace warptree::compile
