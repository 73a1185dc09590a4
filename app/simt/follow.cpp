// Following a GPU's log: it decides what loads return and in which order atomics execute.
#include "app/base/narrow_float.hpp"
#include "app/simt/arithmetic.hpp"
#include "app/simt/block_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace warptree::simt {

using compile::LoggedEvent;
using compile::LogKind;

namespace {
std::uint64_t low_bits(std::uint64_t bits, unsigned bytes) {
    return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}
} // namespace

void BlockRun::log(unsigned lane, LogKind kind, unsigned bytes, std::uint64_t address, std::uint64_t value) {
    (*setup_.own_log)[std::uint64_t{block_} * setup_.threads() + thread(lane)].push_back(
        {address, value, static_cast<std::uint64_t>(kind) | std::uint64_t{bytes} << 8});
}

void BlockRun::log_scalars(const compile::Access& a, LogKind kind, const LaneOffsets& at, std::uint32_t row,
                           std::uint32_t group) {
    const bool wide = a.bytes == 8;
    const std::uint64_t base = base_of(at);
    each_active(group, [&](unsigned l) {
        for (unsigned k = 0; k < a.count; ++k) {
            log(l, kind, a.bytes, base + at.offset[l] + k * a.bytes,
                low_bits(value_of(row + k * (wide ? 2 : 1), l, wide), a.bytes));
        }
    });
}

void BlockRun::log_exchanged(LogKind kind, bool wide, std::uint32_t row) {
    each_active(mask_.bits, [&](unsigned l) { log(l, kind, wide ? 8 : 4, 1, value_of(row, l, wide)); });
}

const LoggedEvent* BlockRun::logged(unsigned lane, LogKind kind, std::uint32_t ahead) {
    const std::uint32_t t = thread(lane);
    if (lost_[t] != 0) {
        return nullptr;
    }
    const LoggedEvent* const event =
        setup_.log->event(std::uint64_t{block_} * setup_.threads() + t, followed_[t] + ahead);
    return event != nullptr && event->what() == kind ? event : nullptr;
}

// Takes the next event of the lane's thread. Null: the GPU did something else here, which is reported once.
const LoggedEvent* BlockRun::take_logged(const Instruction& i, unsigned lane, LogKind kind) {
    const std::uint32_t t = thread(lane);
    const LoggedEvent* const event = logged(lane, kind, 0);
    if (event != nullptr) {
        ++followed_[t];
    } else if (lost_[t] == 0) {
        lost_[t] = 1;
        report_difference(i, lane, "the GPU took another path");
    }
    return event;
}

void BlockRun::report_difference(const Instruction& i, unsigned lane, std::string text) {
    Finding f;
    f.kind = FindingKind::differs_on_gpu;
    f.severity = Severity::risk;
    f.text = std::move(text);
    find(std::move(f), i, lane);
}

// Retries the instruction after other fragments and warps have run.
void BlockRun::retry_later() {
    --fragment_.pc;
    --instructions_;
    lane_instructions_ -= lanes_;
    turn_is_over_ = true;
    running_ = false;
    warp_->fragments.insert(warp_->fragments.begin(), fragment_);
    fragment_.mask = 0;
}

// Whether to stop waiting for other warps.
bool BlockRun::stop_waiting() { return std::exchange(forced_, false); }

// Whether memory matches what the GPU found. It also does if a polling thread found the value only in a later load.
bool BlockRun::memory_agrees(const compile::Access& a, const LaneOffsets& at, std::uint32_t group) {
    constexpr std::uint32_t kAhead = 1U << 12;
    bool agrees = true;
    each_active(group, [&](unsigned l) {
        for (unsigned k = 0; k < a.count && agrees; ++k) {
            const LoggedEvent* const event = logged(l, LogKind::load, k);
            if (event == nullptr || event->bytes() == 0) {
                return;
            }
            std::uint64_t there = 0;
            std::memcpy(&there, at.data + at.offset[l] + k * a.bytes, a.bytes);
            if (event->value == there) {
                continue;
            }
            bool looked_early = false;
            for (std::uint32_t ahead = k + 1; a.is_volatile && ahead < kAhead && !looked_early; ++ahead) {
                const LoggedEvent* const later = logged(l, LogKind::load, ahead);
                if (later == nullptr) {
                    break;
                }
                looked_early = later->address == event->address && later->value == there;
            }
            agrees = looked_early;
        }
    });
    return agrees;
}

// Sets the registers to what the GPU loaded. If memory holds something else, the value's origin is unknown.
void BlockRun::take_loaded(const Instruction& i, const compile::Access& a, std::uint32_t group) {
    const bool wide = a.bytes == 8;
    each_active(group, [&](unsigned l) {
        for (unsigned k = 0; k < a.count; ++k) {
            const LoggedEvent* const event = take_logged(i, l, LogKind::load);
            if (event == nullptr) {
                return;
            }
            if (event->bytes() == 0) { // a pointer
                continue;
            }
            const std::uint32_t row = i.dst + k * (wide ? 2 : 1);
            const std::uint64_t own = value_of(row, l, wide);
            if (own == event->value) {
                continue;
            }
            if (!a.is_volatile) {
                report_difference(i, l, difference(a.type, event->value, own));
            }
            set_value(row, l, wide, event->value);
            if (i.tag_dst != 0) {
                tag_row(static_cast<std::uint16_t>(i.tag_dst + k))[l] = record::kNoTag;
            }
        }
    });
}

void BlockRun::compare_with_stores(const Instruction& i, const compile::Access& a, const LaneOffsets& at,
                                   std::uint32_t group) {
    const bool wide = a.bytes == 8;
    each_active(group, [&](unsigned l) {
        for (unsigned k = 0; k < a.count; ++k) {
            const LoggedEvent* const event = take_logged(i, l, LogKind::store);
            if (event == nullptr) {
                return;
            }
            const std::uint64_t own = low_bits(value_of(i.dst + k * (wide ? 2 : 1), l, wide), a.bytes);
            const std::uint64_t address = base_of(at) + at.offset[l] + k * a.bytes;
            if (event->address != 0 && event->address != address) {
                report_difference(i, l,
                                  fmt::format("the GPU stores {} bytes away from there",
                                              static_cast<std::int64_t>(event->address - address)));
            } else if (event->bytes() != 0 && event->value != own) {
                report_difference(i, l, difference(a.type, event->value, own));
            }
        }
    });
}

namespace {
// Whether a library's function on the GPU gave what the machine's gives, but for the last bits.
bool nearly(ValueType type, std::uint64_t gpu, std::uint64_t own) {
    const bool wide = type == ValueType::f64;
    const double a = wide ? f64(gpu) : f32(static_cast<std::uint32_t>(gpu));
    const double b = wide ? f64(own) : f32(static_cast<std::uint32_t>(own));
    const double tolerance = wide ? 0x1p-44 : 0x1p-20, least = wide ? 0x1p-1000 : 0x1p-120;
    return (std::isnan(a) && std::isnan(b)) || a == b || std::fabs(a - b) <= tolerance * std::max(std::fabs(b), least);
}
} // namespace

// Takes values exchanged between lanes, timer values, whose difference is not reported, or values of a library's
// functions, which may differ in the last bits.
void BlockRun::take_exchanged(const Instruction& i, LogKind kind, bool wide, ValueType type) {
    if (logs()) {
        log_exchanged(kind, wide, i.dst);
    }
    if (!follows()) {
        return;
    }
    each_active(mask_.bits, [&](unsigned l) {
        const LoggedEvent* const event = take_logged(i, l, kind);
        const std::uint64_t own = value_of(i.dst, l, wide);
        if (event == nullptr || event->value == own) {
            return;
        }
        if (kind == LogKind::exchange || (kind == LogKind::computed && !nearly(type, event->value, own))) {
            report_difference(i, l, difference(type, event->value, own));
        }
        set_value(i.dst, l, wide, event->value);
    });
}

// The lane of `rest` to execute next: the one for which the GPU found what is now in memory. kLanes: none yet.
unsigned BlockRun::next_to_change(const LaneOffsets& at, unsigned bytes, std::uint32_t rest) {
    for (std::uint32_t lanes = rest; lanes != 0; lanes &= lanes - 1) {
        const unsigned l = lowest(lanes);
        const LoggedEvent* const event = logged(l, LogKind::atomic, 0);
        std::uint64_t there = 0;
        std::memcpy(&there, at.data + at.offset[l], bytes);
        if (event == nullptr || event->value == there) {
            return l;
        }
    }
    return kLanes;
}

void BlockRun::set_value(std::uint32_t row, unsigned lane, bool wide, std::uint64_t bits) {
    if (wide) {
        values<std::uint64_t>(rows_ + row)[lane] = bits;
    } else {
        values<std::uint32_t>(rows_ + row)[lane] = static_cast<std::uint32_t>(bits);
    }
}

std::string BlockRun::difference(ValueType type, std::uint64_t gpu, std::uint64_t own) {
    const auto text = [type](std::uint64_t bits) {
        switch (type) {
        case ValueType::f16: return fmt::format("{}", half_value(static_cast<std::uint32_t>(bits)));
        case ValueType::bf16: return fmt::format("{}", bfloat16_value(static_cast<std::uint32_t>(bits)));
        case ValueType::f32: return fmt::format("{}", f32(static_cast<std::uint32_t>(bits)));
        case ValueType::f64: return fmt::format("{}", f64(bits));
        case ValueType::i32: return fmt::format("{}", static_cast<std::int32_t>(bits));
        case ValueType::i64: return fmt::format("{}", static_cast<std::int64_t>(bits));
        default: return fmt::format("{}", bits);
        }
    };
    return fmt::format("{} on the GPU, {} in the interpreter", text(gpu), text(own));
}

} // namespace warptree::simt
