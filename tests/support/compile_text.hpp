// Compiles kernel texts with the front end, in this process.
#pragma once

#include "app/compile/front_end/front_end.hpp"

#include <string>
#include <vector>

namespace warptree::tests {

inline compile::Compiled compile_text(const std::string& text, std::vector<std::string> instances = {},
                                      const std::string& folder = {}) {
    return compile::compile({"test.cu", text, folder, {}, std::move(instances)});
}

// The diagnostics of one severity, each as "file:line:column: message".
inline std::vector<std::string> told(const std::vector<compile::Diagnostic>& diagnostics,
                                     compile::Diagnostic::Severity severity) {
    std::vector<std::string> lines;
    for (const compile::Diagnostic& d : diagnostics)
        if (d.severity == severity)
            lines.push_back(d.file + ":" + std::to_string(d.line) + ":" + std::to_string(d.column) + ": " + d.message);
    return lines;
}
inline std::vector<std::string> errors(const compile::Compiled& compiled) {
    return told(compiled.diagnostics, compile::Diagnostic::Severity::error);
}
inline std::vector<std::string> warnings(const compile::Compiled& compiled) {
    return told(compiled.diagnostics, compile::Diagnostic::Severity::warning);
}

} // namespace warptree::tests
