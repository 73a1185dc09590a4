// The compiler of a build that can start no process: it finds what was compiled beforehand.
#include "app/compile/compiler_kept.hpp"

#include "app/base/resources.hpp"
#include "app/base/whole_file.hpp"

namespace warptree::compile {

struct Compiler::Worker {
    std::map<std::string, KeptPrograms> files;

    const KeptPrograms& of(const std::string& name) {
        const auto [at, fresh] = files.try_emplace(name);
        if (!fresh) return at->second;
        try {
            at->second = kept_from(read_whole(resource(kept_file(name))));
        } catch (const MissingResource&) { // a file of one's own
        }
        return at->second;
    }
};

Compiler::Compiler(std::string, Limits) : worker_(std::make_unique<Worker>()) {}
Compiler::~Compiler() = default;

Program Compiler::compile(const Request& request) {
    if (request.code != Code::none || request.host)
        throw CompileError(request.name + ": code for a GPU or a program's host needs the program on a computer");
    const KeptPrograms& programs = worker_->of(request.name);
    const auto found = programs.find(kept_key(request));
    if (found == programs.end())
        throw CompileError(request.name +
                           ": not among the kernels that were compiled for this page; take a strategy that ships, "
                           "unchanged, with a block of 32, 64, 128, 256, 512 or 1024 threads, or install the program");
    return program_from_bytes(found->second);
}

void Compiler::warm_up() {}
bool Compiler::make_ready() { return true; }
void Compiler::borrow() {}
bool Compiler::is_ready() const { return true; }
std::vector<int> Compiler::descriptors() const { return {}; }
void Compiler::discard() {}
void Compiler::cancel() {}

} // namespace warptree::compile
