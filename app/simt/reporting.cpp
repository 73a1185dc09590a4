// Findings, printed output and values of variables.
#include "app/simt/block_run.hpp"

#include "app/base/printable.hpp"
#include "app/simt/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace warptree::simt {

void BlockRun::find(Finding f, const Instruction& i, unsigned lane) {
    f.block = block_;
    f.thread = thread(lane);
    f.line = line_at(program_, i.location);
    f.step = recorder_.segment(warp_->number);
    findings_.add(std::move(f));
    if (attempt_ != nullptr) {
        doubt();
    } else if (findings_.ends_the_run()) {
        stop();
    }
}

// Of an operation that is about to be done.
void BlockRun::tell_overflow(const Instruction& i) {
    const auto *a = values<std::uint32_t>(rows_ + i.a), *b = values<std::uint32_t>(rows_ + i.b);
    const bool product = i.op == Opcode::mul32, sum = i.op == Opcode::add32;
    const auto exact = [&](unsigned l) {
        const std::int64_t x = static_cast<std::int32_t>(a[l]), y = static_cast<std::int32_t>(b[l]);
        return product ? x * y : sum ? x + y : x - y;
    };
    std::uint32_t lost = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        lost |= (exact(l) != static_cast<std::int32_t>(exact(l)) ? 1U : 0U) << l;
    }
    lost &= mask_.bits;
    if (lost != 0) {
        const unsigned lane = lowest(lost);
        Finding f = overflow_of(static_cast<std::int32_t>(a[lane]),
                                product ? '*'
                                : sum   ? '+'
                                        : '-',
                                static_cast<std::int32_t>(b[lane]), exact(lane));
        f.times = static_cast<std::uint64_t>(std::popcount(lost));
        find(std::move(f), i, lane);
    }
}

const compile::SharedArray* BlockRun::shared_array_at(std::uint32_t offset) const {
    const compile::SharedArray* best = nullptr;
    for (const std::uint32_t number : setup_.code().shared) {
        const compile::SharedArray& a = program_.shared[number];
        const std::uint64_t end = a.bytes == 0 ? ~0ULL : std::uint64_t{a.offset} + a.bytes;
        if (offset >= a.offset && offset < end && (best == nullptr || a.offset >= best->offset)) {
            best = &a;
        }
    }
    return best;
}

std::string BlockRun::array_at(std::uint32_t offset, std::int64_t& index, std::uint64_t& elements) const {
    const compile::SharedArray* const best = shared_array_at(offset);
    if (best == nullptr) {
        index = offset;
        elements = shared_.bytes();
        return "shared memory";
    }
    index = (offset - best->offset) / best->element_bytes;
    elements = (best->bytes == 0 ? setup_.dynamic_shared : best->bytes) / best->element_bytes;
    return best->name;
}

// The bytes that the source's access has, of which an access of `size` bytes may be a piece.
std::uint32_t BlockRun::whole_access(std::uint32_t access, unsigned size, unsigned lane) const {
    constexpr std::uint64_t kMost = 0xFFFFFFFFU;
    const std::uint64_t whole = whole_copy_ != nullptr     ? whole_copy_[lane]
                                : access != compile::kNone ? program_.accesses[access].whole
                                                           : 0;
    return static_cast<std::uint32_t>(std::min(std::max<std::uint64_t>(whole, size), kMost));
}

namespace {
// Of an array, by bytes from its beginning: -1 is the element before the first.
std::int64_t element_at(std::int64_t offset, std::uint32_t element_bytes) {
    const auto bytes = static_cast<std::int64_t>(element_bytes);
    return offset >= 0 ? offset / bytes : (offset - bytes + 1) / bytes;
}
} // namespace

void BlockRun::report_outside(const Instruction& i, std::uint64_t address, unsigned lane, unsigned size, bool writes) {
    Finding f;
    f.kind = (address & (size - 1)) != 0 ? FindingKind::misaligned : FindingKind::out_of_bounds;
    f.writes = writes;
    const std::uint32_t access = access_of(i);
    f.bytes = f.kind == FindingKind::misaligned ? size : whole_access(access, size, lane);
    const std::uint32_t known = access == compile::kNone ? compile::kNone : program_.accesses[access].array;
    const std::uint32_t local = access == compile::kNone ? compile::kNone : program_.accesses[access].local;
    std::string owner; // of shared memory, where it is another block
    if (const std::uint64_t named = named_block(address);
        local == compile::kNone && address >= compile::kSharedBase && address < compile::kLocalBase && named != 0) {
        const std::uint64_t ranks = cluster_ == nullptr ? 1 : cluster_->blocks().size();
        address -= named << compile::kRankShift;
        if (named > ranks) {
            f.kind = FindingKind::out_of_bounds;
            f.text = fmt::format("its cluster has no block of rank {}: it has {}", named - 1, ranks);
        } else {
            owner = fmt::format("block {}'s ", cluster_ == nullptr ? block_ : cluster_->of_rank(named - 1)->block());
        }
    }
    std::int64_t offset = 0;
    std::uint32_t number = 0;
    if (local != compile::kNone) {
        const compile::LocalArray& a = program_.locals[local];
        const auto from = static_cast<std::int64_t>(address - compile::kLocalBase - fragment_.frame->local) -
                          static_cast<std::int64_t>(a.offset);
        f.array = a.name;
        f.index = element_at(from, a.element_bytes);
        f.elements = a.bytes / a.element_bytes;
    } else if (known != compile::kNone) {
        const compile::SharedArray& a = program_.shared[known];
        const auto from =
            static_cast<std::int64_t>(address - compile::kSharedBase) - static_cast<std::int64_t>(a.offset);
        f.array = owner + a.name;
        f.index = element_at(from, a.element_bytes);
        f.elements = (a.bytes == 0 ? setup_.dynamic_shared : a.bytes) / a.element_bytes;
        if (a.bytes == 0 && f.kind == FindingKind::out_of_bounds && f.text.empty()) {
            f.text = fmt::format("the launch gives it {} bytes (the third value in <<< >>>)", setup_.dynamic_shared);
        }
    } else if (const Allocation* const a = memory_.find(address, offset, number); a != nullptr) {
        f.array = a->shape().name;
        f.index = element_at(offset, a->shape().element_bytes);
        f.elements = a->shape().elements;
        constexpr std::int64_t kUnsignedEnd = std::int64_t{1} << 32, kFew = 1 << 16;
        if (f.index < kUnsignedEnd && f.index >= kUnsignedEnd - kFew && f.kind == FindingKind::out_of_bounds) {
            f.text =
                fmt::format("its index is {} as an unsigned number: it was counted below 0", f.index - kUnsignedEnd);
        } else if (a->shape().grows && offset >= 0 && f.kind == FindingKind::out_of_bounds) {
            f.kind = FindingKind::growth_limit;
            f.severity = Severity::risk; // perhaps it is right
            f.elements = a->most_elements();
        }
        f.text = a->freed()                                      ? "it has been freed"
                 : writes && a->shape().read_only && offset >= 0 ? "it is constant"
                                                                 : f.text;
    } else if (address >= compile::kSharedBase && address < compile::kLocalBase) {
        f.array = owner + array_at(static_cast<std::uint32_t>(address - compile::kSharedBase), f.index, f.elements);
    } else if (address >= compile::kLocalBase && address < compile::kFunctionBase) {
        f.array = "local memory";
        f.index = static_cast<std::int64_t>(address - compile::kLocalBase);
        f.elements = warp_->local_bytes;
    } else {
        f.text = address == 0       ? "a null pointer"
                 : address <= 65536 ? fmt::format("{} bytes past a null pointer", address)
                                    : fmt::format("address {:#x} is not in any array", address);
    }
    find(std::move(f), i, lane);
}

void BlockRun::report_unwritten(Finding finding, const Instruction& i, unsigned lane, std::uint32_t allocation,
                                std::uint64_t place) {
    const std::size_t before = findings_.list().size();
    read_unwritten_ = true;
    find(std::move(finding), i, lane);
    if (findings_.list().size() != before) {
        unwritten_.push_back({allocation, place, before});
    }
}

void BlockRun::note_written(const Instruction& i, unsigned lane, std::uint32_t allocation, std::uint64_t place) {
    if (unwritten_.empty()) {
        return;
    }
    const auto read = std::find_if(unwritten_.begin(), unwritten_.end(),
                                   [&](const Unwritten& u) { return u.allocation == allocation && u.place == place; });
    if (read == unwritten_.end()) {
        return;
    }
    Finding& f = findings_.list()[read->finding];
    f.other_thread = thread(lane);
    f.other_block = block_;
    f.other_line = line_at(program_, i.location);
    f.other_step = recorder_.segment(warp_->number);
    unwritten_.erase(read);
}

Finding BlockRun::finding_at(const Fragment& at) const {
    Finding f;
    f.block = block_;
    f.thread = thread(lowest(at.mask));
    f.step = recorder_.segment(warp_->number);
    f.mask = at.mask;
    // The innermost enclosing loop with a loop variable, here or in a caller.
    std::uint32_t pc = at.pc;
    for (const Frame* frame = at.frame; frame != nullptr; pc = frame->call, frame = frame->caller) {
        const compile::FunctionCode& code = *frame->code;
        pc = std::min<std::uint32_t>(pc, static_cast<std::uint32_t>(code.code.size() - 1));
        if (frame == at.frame) {
            std::uint32_t near = pc;
            while (near > 0 && program_.locations[code.code[near].location].line == 0) {
                --near;
            }
            f.line = line_at(program_, code.code[near].location);
        }
        for (std::uint32_t loop = code.blocks[frame->body->block_of[pc]].loop; loop != compile::kNone && f.text.empty();
             loop = program_.loops[loop].parent) {
            const compile::Loop& l = program_.loops[loop];
            if (l.variable != compile::kNone && l.row != compile::kNone) {
                const unsigned lane = lowest(at.mask);
                const compile::Variable& v = program_.variables[l.variable];
                const bool wide = bytes(v.type) == 8;
                const auto value =
                    wide ? static_cast<std::int64_t>(values<std::uint64_t>(&frame->rows[l.row])[lane])
                    : is_signed(v.type)
                        ? static_cast<std::int64_t>(static_cast<std::int32_t>(frame->rows[l.row].lane[lane]))
                        : static_cast<std::int64_t>(frame->rows[l.row].lane[lane]);
                f.text = fmt::format("{} = {}", v.name, value);
            }
        }
    }
    return f;
}

void BlockRun::report_endless(const Fragment& at) {
    Finding f = finding_at(at);
    f.kind = FindingKind::endless;
    f.index = static_cast<std::int64_t>(instructions_);
    findings_.add(std::move(f));
    stop();
}

void BlockRun::report_limit(std::string text) {
    Finding f;
    if (const Fragment& at = last_run(); at.mask != 0) {
        f = finding_at(at);
        f.text = (f.text.empty() ? "it is still running" : "it is still running, with " + f.text) + ", and ";
    } else {
        f.block = block_;
        f.thread = warp_->number * kLanes;
        f.line = line_at(program_, setup_.code().location);
    }
    f.kind = FindingKind::limit;
    f.severity = Severity::risk; // perhaps it is right
    f.text += text;
    findings_.add(std::move(f));
    stop();
}

void BlockRun::trap(const Instruction& i) {
    Finding f;
    f.kind = FindingKind::trap;
    f.mask = mask_.bits;
    f.text = i.c != compile::kNone ? program_.texts[i.c] : "the kernel executed a trap";
    find(std::move(f), i, lowest(mask_.bits));
    stop();
}

std::span<const std::byte> BlockRun::bytes_at(std::uint64_t address, unsigned lane) {
    std::int64_t offset = 0;
    std::uint32_t number = 0;
    if (const Allocation* const a = memory_.find(address, offset, number); a != nullptr) {
        return offset >= 0 && static_cast<std::uint64_t>(offset) < a->bytes() && !a->freed()
                   ? std::span(a->data(), a->bytes()).subspan(static_cast<std::uint64_t>(offset))
                   : std::span<const std::byte>();
    }
    if (address >= compile::kLocalBase && address - compile::kLocalBase < warp_->local_bytes) {
        return std::as_bytes(std::span(warp_->local))
            .subspan(std::size_t{lane} * warp_->local_bytes, warp_->local_bytes)
            .subspan(address - compile::kLocalBase);
    }
    if (address >= compile::kSharedBase && address - compile::kSharedBase < shared_.bytes()) {
        const auto from = static_cast<std::uint32_t>(address - compile::kSharedBase);
        return {shared_.at(from), shared_.bytes() - from};
    }
    return {};
}

DeviceText BlockRun::text_at(std::uint64_t address, unsigned lane, std::size_t most) {
    const std::span<const std::byte> there = bytes_at(address, lane);
    const std::size_t room = std::min(most, there.size());
    const auto* const end = static_cast<const std::byte*>(room == 0 ? nullptr : std::memchr(there.data(), 0, room));
    const std::size_t length = end == nullptr ? room : static_cast<std::size_t>(end - there.data());
    return {std::string(reinterpret_cast<const char*>(there.data()), length), end != nullptr};
}

void BlockRun::assert_fail(const Instruction& i) {
    constexpr std::size_t kMostAsserted = 1000;
    const unsigned l = lowest(mask_.bits);
    Finding f;
    f.kind = FindingKind::assertion;
    f.mask = mask_.bits;
    f.text = printable_lines(text_at(values<std::uint64_t>(rows_ + i.a)[l], l, kMostAsserted).text);
    find(std::move(f), i, l);
    stop();
}

void BlockRun::print(const Instruction& i) {
    const std::string& types = program_.texts[i.c];
    std::uint64_t work = 0;
    each_active(mask_.bits, [&](unsigned l) {
        std::int32_t result = -1; // of a null format
        if (const std::uint64_t at = value_of(i.a, l, true); at != 0) {
            const DeviceText format = text_at(at, l, kMostPrintText);
            PrintArguments arguments{bytes_at(value_of(i.b, l, true), l), types};
            if (types == compile::kPrintTypesUnknown) {
                arguments.types.reset();
            }
            DevicePrinted printed = device_print(format.text, arguments, [&](std::uint64_t address, std::size_t most) {
                DeviceText text = text_at(address, l, most);
                work += text.text.size();
                return text;
            });
            work += format.text.size() + printed.text.size();
            if (!format.whole) {
                printed.doubt = "its format does not end within its memory";
            }
            if (!printed.doubt.empty()) {
                Finding f;
                f.kind = FindingKind::print_format;
                f.severity = Severity::risk;
                f.text = std::move(printed.doubt);
                find(std::move(f), i, l);
            }
            printed_bytes_ += printed.text.size();
            printed_ += printed.text.substr(0, setup_.most_printed -
                                                   std::min<std::uint64_t>(setup_.most_printed, printed_.size()));
            result = printed.parsed;
        }
        if (i.dst != compile::kNone) {
            values<std::uint32_t>(rows_ + i.dst)[l] = static_cast<std::uint32_t>(result);
        }
    });
    worked(work);
}

void BlockRun::watch(const Instruction& i) {
    const bool wide = bytes(program_.variables[i.c].type) == 8;
    recorder_.watch(warp_->number, i.c, mask_.bits, wide ? nullptr : values<std::uint32_t>(rows_ + i.a),
                    wide ? values<std::uint64_t>(rows_ + i.a) : nullptr);
}

// Completes the recording: findings now refer to steps instead of segments.
void BlockRun::end() {
    if (!bare_) {
        std::vector<bool> waiting; // by warp; empty: none is left
        for (const Warp& w : warps_) {
            if (std::any_of(w.fragments.begin(), w.fragments.end(),
                            [](const Fragment& f) { return f.state == State::at_barrier; })) {
                waiting.resize(warps_.size());
                waiting[w.number] = true;
            }
        }
        if (!waiting.empty()) {
            recorder_.cut_short(waiting);
        }
        recorder_.end();
    }
    const auto step_of = [this](std::uint32_t segment) { return bare_ ? 0 : recorder_.step_of(segment); };
    // An atomic on what is written only later races with that store, which is told.
    std::erase_if(findings_.list(), [](const Finding& f) {
        return f.kind == FindingKind::uninitialised && f.writes && f.other_thread != kNobody;
    });
    for (Finding& f : findings_.list()) {
        f.step = step_of(f.step);
        f.other_step = f.other_thread != kNobody && f.other_block == block_ ? step_of(f.other_step) : 0;
    }
    for (Wait& w : waits_) {
        w.segment = step_of(w.segment);
    }
}

} // namespace warptree::simt
