// The compiler of a build for browsers, which starts no process: it finds what was compiled beforehand, or asks the server
// that handed out the page (`warptree serve`).
#include "app/compile/client/kept.hpp"

#include "app/base/resources.hpp"
#include "app/base/whole_file.hpp"

#include <emscripten.h>

#include <string>
#include <utility>

// clang-format off
// Asks `POST compile` beside the page. The HTTP status, 0: there is no such server. The answer's bytes, of a Program or of
// a sentence, are kept until take_answer(). A server that is busy or being replaced is asked again for a second.
EM_JS(int, ask_server, (const char* client, const char* name, const char* text, const char* defines, const char* instances, int shipped), {
    const list = p => UTF8ToString(p).split("\u001f").slice(0, -1);
    const words = list(defines), pairs = [];
    for (let i = 0; i < words.length; i += 2) pairs.push([words[i], words[i + 1]]);
    const question = JSON.stringify({name: UTF8ToString(name), text: UTF8ToString(text), defines: pairs,
                                     instances: list(instances), shipped: shipped !== 0});
    for (let attempt = 0; ; ++attempt) {
        const request = new XMLHttpRequest();
        let status = 0;
        try {
            request.open("POST", "compile", false);
            request.overrideMimeType("text/plain; charset=x-user-defined"); // bytes as they are
            request.setRequestHeader("Content-Type", "application/json");
            request.setRequestHeader("Accept", "application/octet-stream");
            request.setRequestHeader("X-Warptree-Client", UTF8ToString(client));
            request.send(question);
            status = request.status;
        } catch (e) {}
        const type = status === 0 ? "" : request.getResponseHeader("Content-Type") || "";
        if (status === 200 ? type === "application/octet-stream" : status !== 0 && type === "application/json") {
            if ((status !== 429 && status !== 503) || attempt >= 5) {
                Module.warptreeAnswer = request.responseText;
                if (status !== 200) {
                    const bytes = Uint8Array.from(request.responseText, c => c.charCodeAt(0) & 255);
                    const why = unescape(encodeURIComponent(JSON.parse(new TextDecoder().decode(bytes)).error));
                    Module.warptreeAnswer = why;
                }
                return status;
            }
        } else if (status !== 0 || attempt >= 5) {
            return 0;
        }
        for (const end = performance.now() + 200; performance.now() < end;) {}
    }
});
EM_JS(int, answer_size, (), { return Module.warptreeAnswer.length; });
EM_JS(void, take_answer, (char* to), {
    for (let i = 0; i < Module.warptreeAnswer.length; ++i) HEAPU8[to + i] = Module.warptreeAnswer.charCodeAt(i) & 255;
    Module.warptreeAnswer = "";
});
// clang-format on

namespace warptree::compile {
namespace {

std::string client; // of the server that handed out the page; empty: no server compiles

std::string joined(const std::string& list, const std::string& word) { return list + word + '\x1f'; }

Program of_server(const Request& request) {
    std::string defines, instances;
    for (const Define& d : request.defines) defines = joined(joined(defines, d.name), d.value);
    for (const std::string& i : request.instances) instances = joined(instances, i);
    const int status = client.empty() ? 0
                                      : ask_server(client.c_str(), request.name.c_str(), request.text.c_str(),
                                                   defines.c_str(), instances.c_str(), request.shipped.empty() ? 0 : 1);
    if (status == 0)
        throw CompileError(
            request.name +
            ": not among the kernels that were compiled for this page, and no server compiles for it; take a "
            "strategy that ships, unchanged, with a block of 32, 64, 128, 256, 512 or 1024 threads, open the "
            "page of a `warptree serve`, or install the program");
    std::string answer(static_cast<std::size_t>(answer_size()), '\0');
    take_answer(answer.data());
    constexpr int kGood = 200;
    if (status != kGood) throw CompileError(answer);
    return program_from_bytes({answer.begin(), answer.end()});
}

} // namespace

void ask_server_as(std::string name) { client = std::move(name); }

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
    if (found == programs.end()) return of_server(request);
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
