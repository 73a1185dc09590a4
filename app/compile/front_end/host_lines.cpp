// The lines of host code, from the debug records that Clang wrote for it.
#include "app/compile/front_end/files.hpp"
#include "app/compile/front_end/host.hpp"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>

namespace warptree::compile {

namespace {
// Of a function that is inlined from elsewhere: the innermost place of the request that it became a part of.
void inliner(llvm::DWARFContext& records, llvm::object::SectionedAddress address, std::string& path, unsigned& line,
             unsigned& column) {
    const llvm::DILineInfoSpecifier wanted(llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath);
    const llvm::DIInliningInfo frames = records.getInliningInfoForAddress(address, wanted);
    for (std::uint32_t i = 1; i < frames.getNumberOfFrames(); ++i) {
        const llvm::DILineInfo& frame = frames.getFrame(i);
        if (!SourceFiles::of_request(frame.FileName)) continue;
        path = frame.FileName;
        line = frame.Line;
        column = frame.Column;
        return;
    }
}
} // namespace

void add_lines(HostCode& code) {
    if (code.object.empty()) return;
    auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(code.object, "host"));
    if (!object) {
        llvm::consumeError(object.takeError());
        return;
    }
    const auto quiet = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
    const std::unique_ptr<llvm::DWARFContext> records = llvm::DWARFContext::create(
        **object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", quiet, quiet);
    for (const auto& unit : records->compile_units()) {
        const llvm::DWARFDebugLine::LineTable* const table = records->getLineTableForUnit(unit.get());
        if (table == nullptr) continue;
        for (const llvm::DWARFDebugLine::Row& row : table->Rows) {
            HostLine line;
            // An object's sections are numbered from 1 in its own table, and from 0 here as there.
            line.section = static_cast<std::uint32_t>(row.Address.SectionIndex);
            line.address = row.Address.Address;
            std::string path;
            table->getFileNameByIndex(row.File, ".", llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
                                      path);
            unsigned in_line = row.Line, in_column = row.Column;
            if (!row.EndSequence && !SourceFiles::of_request(path)) {
                inliner(*records, row.Address, path, in_line, in_column);
            }
            if (!row.EndSequence && SourceFiles::of_request(path)) {
                const std::string name(SourceFiles::name_of(path));
                const auto known = std::ranges::find(code.files, name);
                line.file = static_cast<std::uint32_t>(known - code.files.begin());
                if (known == code.files.end()) code.files.push_back(name);
                line.line = in_line;
                line.column = in_column;
            }
            if (!code.lines.empty() && code.lines.back().section == line.section &&
                code.lines.back().file == line.file && code.lines.back().line == line.line &&
                code.lines.back().column == line.column)
                continue;
            code.lines.push_back(line);
        }
    }
    std::ranges::stable_sort(code.lines, [](const HostLine& a, const HostLine& b) {
        return std::pair(a.section, a.address) < std::pair(b.section, b.address);
    });
}

} // namespace warptree::compile
