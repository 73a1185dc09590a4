#include "app/serve/compile_question.hpp"

#include "app/base/error.hpp"
#include "app/base/json.hpp"
#include "app/base/json_text.hpp"
#include "app/base/printable.hpp"
#include "app/base/whole_file.hpp"

#include <nlohmann/json.hpp>

namespace warptree::serve {
namespace {

using nlohmann::ordered_json;
constexpr std::size_t kMostName = 128, kMostList = 64, kMostWord = 512;

std::string text_in(const ordered_json& value, const std::string& member) {
    if (!value.is_string()) throw OptionError("\"" + member + "\" takes a text");
    return value.get<std::string>();
}

std::string word_in(const ordered_json& value, const std::string& member) {
    std::string word = text_in(value, member);
    if (word.size() > kMostWord) throw OptionError("\"" + member + "\" has a text of more than 512 bytes");
    return word;
}

const ordered_json& list_in(const ordered_json& value, const std::string& member) {
    if (!value.is_array() || value.size() > kMostList)
        throw OptionError("\"" + member + "\" takes a list, of 64 at most");
    return value;
}

void take_member(compile::Request& request, const std::string& member, const ordered_json& value,
                 const std::string& kernels) {
    if (member == "text") {
        request.text = text_in(value, member);
    } else if (member == "name") {
        request.name = text_in(value, member);
    } else if (member == "shipped") {
        if (!value.is_boolean()) throw OptionError("\"shipped\" takes true or false");
        if (value.get<bool>()) request.shipped = kernels;
    } else if (member == "instances") {
        for (const ordered_json& instance : list_in(value, member))
            request.instances.push_back(word_in(instance, member));
    } else if (member == "defines") {
        for (const ordered_json& pair : list_in(value, member)) {
            if (!pair.is_array() || pair.size() != 2) throw OptionError("\"defines\" takes pairs: [[\"N\", \"256\"]]");
            request.defines.push_back({word_in(pair[0], member), word_in(pair[1], member)});
        }
    } else {
        throw OptionError("\"" + printable(member) +
                          "\" is not known; take text, name, defines, instances and shipped");
    }
}

void check_name(const std::string& name) {
    if (name.empty() || name.size() > kMostName || name.find_first_of("/\\\n\r") != std::string::npos ||
        name[0] == '.' || name.find('\0') != std::string::npos)
        throw OptionError("\"name\" takes the name of a file without its folder, as in mine.cu");
}

ordered_json as_json(const compile::Diagnostic& d) {
    constexpr const char* kSeverities[] = {"note", "warning", "error"};
    return {{"severity", kSeverities[static_cast<int>(d.severity)]},
            {"file", d.file},
            {"line", d.line},
            {"column", d.column},
            {"message", d.message}};
}

} // namespace

compile::Request question_from(std::string_view body, std::string_view content_type, const std::string& kernels) {
    compile::Request request;
    request.name = "kernel.cu";
    if (content_type.starts_with("text/plain")) {
        request.text = body;
        request.shipped = kernels;
    } else {
        try {
            const ordered_json all = parse_json(body);
            if (!all.is_object() || !all.contains("text")) throw OptionError("take an object with \"text\"");
            for (const auto& [member, value] : all.items()) take_member(request, member, value, kernels);
        } catch (const JsonError& error) {
            throw OptionError(std::string("no JSON: ") + error.what());
        }
    }
    check_name(request.name);
    if (const std::string why = why_no_text(request.text); !why.empty()) throw OptionError(why);
    return request;
}

std::string answer_as_json(std::string_view bytes) {
    const compile::Program program = compile::program_from_bytes({bytes.begin(), bytes.end()});
    ordered_json out = {{"compiled", program.compiled()},
                        {"kernels", ordered_json::array()},
                        {"templates", ordered_json::array()},
                        {"refused", ordered_json::array()},
                        {"diagnostics", ordered_json::array()}};
    for (const compile::Kernel& kernel : program.kernels) {
        ordered_json parameters = ordered_json::array();
        for (const compile::Parameter& p : kernel.parameters)
            parameters.push_back({{"name", p.name}, {"type", p.type}});
        out["kernels"].push_back({{"name", kernel.name}, {"parameters", parameters}});
    }
    for (const compile::KernelTemplate& t : program.templates) out["templates"].push_back(t.name);
    for (const compile::RefusedKernel& r : program.refused)
        out["refused"].push_back({{"name", r.name}, {"why", as_json(r.why)}});
    for (const compile::Diagnostic& d : program.diagnostics) out["diagnostics"].push_back(as_json(d));
    return json_text(out) + "\n";
}

} // namespace warptree::serve
