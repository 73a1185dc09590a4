// A program that a test writes and runs.
#pragma once

#include "app/run/program/run.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warptree {

struct RanProgram {
    runs::ProgramResult result;
    std::string out, err;
    std::vector<FindingKind> kinds() const { // of the host's half
        std::vector<FindingKind> list;
        for (const Finding& f : result.trace.program.findings) {
            list.push_back(f.kind);
        }
        return list;
    }
    std::string first_text() const {
        return result.trace.program.findings.empty() ? "" : result.trace.program.findings.front().text;
    }
    unsigned first_line() const {
        return result.trace.program.findings.empty() ? 0 : result.trace.program.findings.front().line.line();
    }
};

class Program : public ::testing::Test {
  protected:
    RanProgram run_files(runs::ProgramRequest request) {
        RanProgram ran;
        RunControl control;
        ran.result = runs::run_program(
            request, control, [&](std::string_view text) { ran.out += text; },
            [&](std::string_view text) { ran.err += text; });
        return ran;
    }
    std::string file(const std::string& text, const std::string& name = "program.cu") {
        const std::string path = folder_.string() + "/" + name;
        std::ofstream(path) << text;
        return path;
    }
    RanProgram run_file(const std::string& path) {
        runs::ProgramRequest request;
        request.files = {path};
        return run_files(request);
    }
    RanProgram run(const std::string& text, std::vector<std::string> arguments = {}) {
        runs::ProgramRequest request;
        request.files = {file(text)};
        request.arguments = std::move(arguments);
        return run_files(request);
    }
    tests::TemporaryFolder folder_;
};

} // namespace warptree
