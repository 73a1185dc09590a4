// `warptree-web-data FOLDER ID…`: compiles strategies for all that a page offers, as no compiler runs in a browser, into
// FOLDER/programs (compiler_kept.hpp).
#include "app/base/element_type.hpp"
#include "app/base/error.hpp"
#include "app/base/whole_file.hpp"
#include "app/catalogue/strategy.hpp"
#include "app/compile/client/kept.hpp"
#include "app/run/kernel_source.hpp"
#include "app/run/run.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>

namespace {

using namespace warptree;

constexpr std::uint32_t kBlocks[] = {32, 64, 128, 256, 512, 1024};
constexpr ElementType kTypes[] = {ElementType::i32, ElementType::u32, ElementType::i64, ElementType::f32,
                                  ElementType::f64};
constexpr Operator kOperators[] = {Operator::sum, Operator::product, Operator::min,
                                   Operator::max, Operator::xor_,    Operator::sum_of_squares};

// Runs it once: a run asks for the programs that it needs, those of later launches included.
void try_run(const StrategyInfo& info, std::uint32_t block, ElementType type, Operator op, Finish finish) {
    RunOptions options;
    options.strategy = info.id;
    options.n = info.answer == Answer::matrix ? info.default_n : 1000;
    options.block = block;
    options.type = type;
    options.op = op;
    options.finish = finish;
    options.backend = Backend::cpu;
    options.window.count = 0;
    try {
        runs::run_any(options);
    } catch (const OptionError&) { // a page cannot run it, either
    }
}

void compile_all(const StrategyInfo& info, const std::filesystem::path& folder) {
    std::map<std::string, compile::KeptPrograms> files;
    runs::watch_compiles([&](const compile::Request& request, const compile::Program& program) {
        files[request.name][compile::kept_key(request)] = compile::to_bytes(program);
    });
    const runs::CompileOnce once;
    for (const std::uint32_t block : kBlocks) {
        if (!catalogue::takes(info.blocks, block)) {
            continue;
        }
        for (const Finish finish : info.finishes) {
            for (const ElementType type : kTypes) {
                for (const Operator op : kOperators) {
                    try_run(info, block, type, op, finish);
                }
            }
        }
    }
    for (const auto& [name, programs] : files) {
        write_whole(folder / compile::kept_file(name), compile::kept_bytes(programs));
        std::printf("%s: %zu programs\n", name.c_str(), programs.size());
    }
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc < 3) {
            throw OptionError("take FOLDER ID…");
        }
        std::filesystem::create_directories(std::filesystem::path(argv[1]) / "programs");
        for (int i = 2; i < argc; ++i) {
            compile_all(require_strategy(argv[i]), argv[1]);
        }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "warptree-web-data: %s\n", e.what());
        return 2;
    }
}
