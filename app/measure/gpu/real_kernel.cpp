#include "app/measure/gpu/real_kernel.hpp"

#include "app/base/operators.hpp"
#include "app/measure/timing/data.hpp"
#include "app/measure/timing/in_parts.hpp"
#include "app/run/array_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace warptree::runs {

using compile::kNone;
using compile::Parameter;

namespace {
constexpr std::uint8_t kGuard = 0xA5; // fills the guard bytes after each array

std::uint64_t identity_bits(ValueType type, Operator op) {
    const auto element = element_of(type);
    return element ? visit_element(*element, [&](auto t) { return Scalar::of(identity<decltype(t)>(op)).bits; }) : 0;
}

std::vector<std::byte> filled(const simt::Allocation::Fill& fill, std::uint64_t count, unsigned size) {
    std::vector<std::byte> data(count * size);
    if (fill) {
        timing::in_parts(count, [&](std::uint64_t first, std::uint64_t end) {
            fill(first, end - first, data.data() + first * size);
            return 0;
        });
    }
    return data;
}

simt::Allocation::Fill whole_fill(ElementType type, std::uint64_t seed) {
    return [type, seed](std::uint64_t first, std::uint64_t many, std::byte* to) {
        visit_element(type, [&](auto t) {
            using T = decltype(t);
            for (std::uint64_t i = 0; i < many; ++i) {
                const T value = timing::element<T>(timing::Data::whole, seed, first + i);
                std::memcpy(to + i * sizeof value, &value, sizeof value);
            }
        });
    };
}
} // namespace

RealRun::RealRun(const RunOptions& options, const GpuOptions& gpu_options, RealCode& code,
                 const std::map<std::string, double>& reached, SharedArrays* shared)
    : options_(options), gpu_options_(gpu_options), codes_(code), reached_(reached), source_(options), shared_(shared) {
    add_stage(options_, nullptr, 0);
    if (source_.finish() == Finish::relaunch) {
        RunOptions later = options_;
        later.kernel.n_given = true;
        later.block = relaunch_block(source_.header(), stages_.front().launch, options_);
        later.kernel.block.clear();
        later.kernel.grid.clear();
        for (;;) {
            const Stage& last = stages_.back();
            const std::uint64_t left = last.outputs, each = left / simt::volume(last.launch.grid);
            if (left <= left_for_host(options_, each)) {
                break;
            }
            // A requested grid may leave more partials than there were elements; the next launch has its own grid.
            if (left >= last.launch.n && (stages_.size() > 1 || options_.kernel.grid.empty())) {
                throw OptionError("relaunching never reduces its partial results to one; use --finish host");
            }
            later.n = left;
            const Array partials = last.arrays[last.launch.output];
            add_stage(later, &partials, left);
        }
    }
    if (stages_.back().launch.output == kNone && expected_.kind != Expected::Kind::none) {
        throw OptionError("the kernel writes no output, so its result cannot be checked");
    }
}

void RealRun::add_stage(RunOptions options, const Array* partials, std::uint64_t count) {
    options.finish = source_.finish();
    const KernelSource::Compiled compiled = source_.compile(options, partials == nullptr);
    Stage stage;
    stage.program = compiled.program;
    stage.kernel = &stage.program->kernels[compiled.kernel];
    stage.launch = choose_launch(*stage.program, compiled.kernel, source_.header(), options);
    KernelLaunch& launch = stage.launch;
    if (source_.finish() == Finish::last_block && source_.has_operator()) { // as in the interpreter
        launch.shared =
            std::max(launch.shared, static_cast<std::uint32_t>(simt::volume(launch.block)) * bytes(options.type));
    }
    if (partials == nullptr) {
        expected_ = expected_from(launch.expect, source_.has_operator() ? std::optional(options_.op) : std::nullopt);
        expected_.tile = launch.tile;
        expected_.shape = launch.shape;
        const auto exclusive = options_.parameters.find("exclusive");
        expected_.exclusive |= exclusive != options_.parameters.end() && exclusive->second != 0;
    }
    const RealCode::Loaded& loaded = codes_.load(compiled);
    stage.function = stage.own = loaded.function;
    keep_globals(*stage.program, *loaded.module);
    code_ = &loaded.code;
    const bool partial = expected_.kind == Expected::Kind::total || expected_.kind == Expected::Kind::dot;
    const std::uint64_t grid = simt::volume(launch.grid);
    stage.outputs = source_.finish() == Finish::atomic ? 1
                    : launch.outputs                   ? *launch.outputs
                    : partial                          ? grid
                                                       : 0; // as many as the array has
    for (const Parameter& parameter : stage.kernel->parameters) {
        stage.values.emplace_back(std::max<std::size_t>(8, parameter.bytes));
    }
    std::size_t next = 0; // of the kernel's own parameters
    for (std::uint32_t p = 0; p < launch.parameters.size(); ++p) {
        const Parameter& parameter = launch.parameters[p];
        std::uint64_t bits = 0;
        Array a;
        if (parameter.kind == Parameter::Kind::array) {
            a = array(stage, p, partials, count);
            bits = a.buffer->address();
        } else if (parameter.kind == Parameter::Kind::value) {
            bits = scalar_bits(parameter.element, launch.arguments[p].number);
        }
        const bool member = parameter.record != kNone;
        std::memcpy(stage.values[member ? parameter.record : next].data() + (member ? parameter.local_offset : 0),
                    &bits, !member || parameter.kind == Parameter::Kind::array ? 8 : bytes(parameter.element));
        next = member ? parameter.record + 1 : next + 1;
        stage.arrays.push_back(std::move(a));
    }
    if (stage.outputs == 0 && launch.output != kNone) {
        const Array& out = stage.arrays[launch.output];
        stage.outputs = out.bytes / out.element_bytes;
    }
    stages_.push_back(std::move(stage));
}

// The file's variables are reset before each run, so that it starts as in the interpreter.
void RealRun::keep_globals(const compile::Program& program, const gpu::Module& module) {
    for (const compile::Global& global : program.globals) {
        if (global.space != compile::Space::global || global.name.empty() || !global.addresses.empty()) {
            continue;
        }
        std::uint64_t bytes = 0;
        const auto address = module.find_variable(global.name, &bytes);
        if (!address || bytes != global.bytes || globals_.count(*address) != 0) {
            continue; // unused in the optimised code, or in a namespace
        }
        std::vector<std::uint8_t> initial = global.initial;
        initial.resize(bytes);
        auto kept = std::make_shared<gpu::Buffer>(bytes);
        kept->upload(initial.data(), bytes);
        globals_[*address] = std::move(kept);
    }
}

RealRun::Array RealRun::array(const Stage& stage, std::uint32_t p, const Array* partials, std::uint64_t count) {
    const Parameter& parameter = stage.launch.parameters[p];
    const ArgumentValue& value = stage.launch.arguments[p];
    const bool input = p == stage.launch.input;
    const auto type = element_of(parameter.element);
    if (input && partials != nullptr) {
        Array a = *partials;
        a.bytes = count * a.element_bytes;
        a.changes = false;
        return a;
    }
    Array a;
    a.type = parameter.element;
    a.element_bytes = std::max(1U, parameter.element_bytes / std::max(1U, parameter.components));
    const bool one = source_.finish() == Finish::atomic && p == stage.launch.output && !input;
    const bool writes = parameter.stores || parameter.updates;
    std::uint64_t elements = one ? 1 : value.count;
    std::uint64_t used = 0; // elements that the kernel uses; 0: unknown
    if (p == stage.launch.output && !input && !value.stated && !one) {
        used = stage.outputs;
    }
    if (const auto more = reached_.find(parameter.name); more != reached_.end() && !value.stated && !one) {
        used = std::max(used, static_cast<std::uint64_t>(more->second * static_cast<double>(stage.launch.n)) + 64);
    }
    elements = std::max(elements, used);
    std::vector<std::byte> data;
    if (value.fill.ends_with(".npy")) {
        data = read_npy(value.fill, parameter.element, elements, options_.limits.memory);
    } else if (value.fill == "identity" || one) {
        const std::uint64_t bits =
            identity_bits(parameter.element, source_.has_operator() ? options_.op : expected_.op);
        data.resize(elements * a.element_bytes);
        for (std::uint64_t i = 0; i < elements; ++i) {
            std::memcpy(data.data() + i * a.element_bytes, &bits, std::min(8U, a.element_bytes));
        }
    } else if (value.fill != "zeros") {
        const bool random = value.fill == "random";
        random_input_ |= input && random;
        input_seed_ = input ? options_.seed + p : input_seed_;
        if (shared_ != nullptr && input && random && type && !writes) {
            a.bytes = elements * a.element_bytes;
            a.buffer = shared_->random(*type, elements, input_seed_);
            a.shared = true;
            return a;
        }
        data = filled(random && whole_ && type && is_floating(*type)
                          ? whole_fill(*type, options_.seed + p)
                          : fill_of(parameter, value.fill, options_.seed + p, value.place),
                      elements, a.element_bytes);
    }
    a.bytes = elements * a.element_bytes;
    // The array for partial results is as long as the input: resetting all of it would evict the input from the cache.
    a.reset_bytes = used != 0 ? used * a.element_bytes : a.bytes;
    a.zeros = data.empty();
    // Arrays that the kernel reads and writes must be reset before each run; so must a result that all blocks update.
    a.changes = writes && (parameter.loads || parameter.updates);
    if (shared_ != nullptr && !input && (a.zeros || one)) {
        a.buffer = shared_->scratch({stages_.size(), p}, a.bytes + kGuardBytes);
        a.shared = true;
        return a;
    }
    a.buffer = take(a.bytes + kGuardBytes, parameter.name.c_str());
    if (!a.zeros) {
        a.buffer->upload(data.data(), data.size());
    } else {
        gpu::set_bytes(a.buffer->address(), 0, a.bytes);
    }
    if (a.changes && !a.zeros) {
        a.pristine = std::make_shared<gpu::Buffer>(a.bytes);
        a.pristine->upload(data.data(), data.size());
    }
    return a;
}

std::vector<Numbers> RealRun::inputs() const {
    std::vector<Numbers> list;
    const Stage& stage = stages_.front();
    for (std::uint32_t p = 0; p < stage.arrays.size() && list.size() < 2; ++p) {
        const Parameter& parameter = stage.launch.parameters[p];
        const Array& a = stage.arrays[p];
        const bool read = !parameter.stores && !parameter.updates && (parameter.loads || parameter.constant);
        if (!a.buffer || (p != stage.launch.input && (!read || list.empty())) ||
            a.bytes / a.element_bytes > kMostKept) {
            continue;
        }
        if (a.changes && !a.pristine) {
            list.push_back({a.type, std::vector<std::uint64_t>(a.bytes / a.element_bytes)});
        } else {
            Array first = a;
            first.buffer = a.pristine ? a.pristine : a.buffer;
            list.push_back(numbers(first, ~std::uint64_t{0}));
        }
    }
    return list;
}

void RealRun::fill(bool whole) {
    if (whole == whole_ || !random_input_) {
        return;
    }
    whole_ = whole;
    if (shared_ != nullptr) {
        shared_->hold_whole(whole);
    }
    Stage& stage = stages_.front();
    for (std::uint32_t p = 0; p < stage.arrays.size(); ++p) {
        if (!stage.arrays[p].buffer || stage.arrays[p].shared || stage.launch.arguments[p].fill != "random") {
            continue;
        }
        Array fresh = array(stage, p, nullptr, 0);
        Array& old = stage.arrays[p]; // keeps the address that kernels and later launches use
        if (!fresh.zeros && !old.zeros) {
            gpu::copy(old.buffer->address(), fresh.buffer->address(), fresh.bytes);
        }
        old.pristine = fresh.pristine;
        gpu::wait(gpu_options_.limit);
    }
}

void RealRun::reset() {
    for (const auto& [address, initial] : globals_) {
        gpu::copy(address, initial->address(), initial->size());
    }
    for (const Stage& stage : stages_) {
        for (std::size_t p = 0; p < stage.arrays.size(); ++p) {
            const Array& a = stage.arrays[p];
            if (!is_reset(stage, p)) {
                continue;
            }
            if (a.pristine) {
                gpu::copy(a.buffer->address(), a.pristine->address(), a.reset_bytes);
            } else {
                gpu::set_bytes(a.buffer->address(), 0, a.reset_bytes);
            }
        }
    }
}

// A result that all blocks update atomically is set by enqueue() instead.
bool RealRun::is_reset(const Stage& stage, std::size_t p) const {
    return stage.arrays[p].changes && (source_.finish() != Finish::atomic || p != stage.launch.output);
}

std::uint64_t RealRun::reset_bytes() const {
    std::uint64_t sum = 0;
    for (const Stage& stage : stages_) {
        for (std::size_t p = 0; p < stage.arrays.size(); ++p) {
            sum += is_reset(stage, p) ? stage.arrays[p].reset_bytes : 0;
        }
    }
    return sum;
}

void RealRun::add_code(const compile::Program& program, const gpu::Module& module, gpu::api::Function function) {
    keep_globals(program, module);
    stages_.front().added = function;
}

void RealRun::use_added_code(bool added) {
    Stage& stage = stages_.front();
    stage.function = added ? stage.added : stage.own;
}

void RealRun::enqueue() {
    for (Stage& stage : stages_) {
        enqueue(stage);
    }
}

void RealRun::enqueue(Stage& stage) {
    if (source_.finish() == Finish::atomic && stage.launch.output != kNone) {
        const Array& total = stage.arrays[stage.launch.output];
        const std::uint64_t bits = identity_bits(total.type, source_.has_operator() ? options_.op : expected_.op);
        const auto low = static_cast<std::uint32_t>(bits), high = static_cast<std::uint32_t>(bits >> 32);
        const bool wide = total.element_bytes == 8;
        gpu::set_words(total.buffer->address(), low, wide && low == high ? 2 : 1);
        if (wide && low != high) {
            gpu::set_words(total.buffer->address() + 4, high, 1);
        }
    }
    gpu::Launch launch;
    launch.function = stage.function;
    std::copy(stage.launch.grid.begin(), stage.launch.grid.end(), launch.grid);
    std::copy(stage.launch.block.begin(), stage.launch.block.end(), launch.block);
    launch.shared = stage.launch.shared;
    for (std::vector<std::byte>& value : stage.values) {
        launch.arguments.push_back(value.data());
    }
    gpu::launch(launch);
}

// Prevents a result of an earlier run from being taken for one of this run.
void RealRun::prepare(const Stage& stage) {
    constexpr std::uint8_t kPoison = 0x5A;
    for (std::uint32_t p = 0; p < stage.arrays.size(); ++p) {
        const Parameter& parameter = stage.launch.parameters[p];
        const Array& a = stage.arrays[p];
        if (!a.buffer) {
            continue;
        }
        gpu::set_bytes(a.buffer->address() + a.bytes, kGuard, kGuardBytes);
        const bool chosen = stage.launch.arguments[p].chosen;
        const bool output = p == stage.launch.output && p != stage.launch.input;
        if (output && parameter.stores && !parameter.loads && !parameter.updates && (chosen || a.shared)) {
            gpu::set_bytes(a.buffer->address(), kPoison, a.bytes);
        } else if (a.zeros && (a.shared || a.changes)) { // all of it: how much the kernel uses is only an estimate
            gpu::set_bytes(a.buffer->address(), 0, a.bytes);
        } else if (a.pristine) {
            gpu::copy(a.buffer->address(), a.pristine->address(), a.bytes);
        }
    }
}

void RealRun::run(bool only_first) {
    for (const Stage& stage : stages_) {
        prepare(stage);
    }
    reset();
    if (only_first) {
        enqueue(stages_.front());
    } else {
        enqueue();
    }
    gpu::wait(gpu_options_.limit);
    const Stage& stage = stages_.front();
    for (std::size_t p = 0; p < stage.arrays.size(); ++p) {
        const Array& a = stage.arrays[p];
        if (!a.buffer) {
            continue;
        }
        std::vector<std::uint8_t> guard(kGuardBytes);
        a.buffer->download(guard.data(), kGuardBytes, a.bytes);
        const auto written = std::find_if(guard.begin(), guard.end(), [](std::uint8_t b) { return b != kGuard; });
        if (written != guard.end()) {
            throw WritesBehindEnd(fmt::format(
                "the kernel writes past the end of {}: byte {} of {} elements", stage.launch.parameters[p].name,
                a.bytes + static_cast<std::uint64_t>(written - guard.begin()), a.bytes / a.element_bytes));
        }
    }
}

const RealRun::Array& RealRun::result() const { return stages_.back().arrays[stages_.back().launch.output]; }

Numbers RealRun::numbers(const Array& a, std::uint64_t count) const {
    Numbers out;
    out.type = a.type;
    out.bits.resize(std::min(count, a.bytes / a.element_bytes));
    std::vector<std::byte> data(out.bits.size() * a.element_bytes);
    a.buffer->download(data.data(), data.size());
    for (std::size_t i = 0; i < out.bits.size(); ++i) {
        std::memcpy(&out.bits[i], data.data() + i * a.element_bytes, std::min(8U, a.element_bytes));
    }
    return out;
}

std::uint64_t RealRun::results() const {
    const Stage& last = stages_.back();
    return last.launch.output == kNone ? 0
           : finishes_in_one()         ? 1
                                       : std::min(last.outputs, result().bytes / result().element_bytes);
}

Numbers RealRun::output() const { return results() == 0 ? Numbers{} : numbers(result(), results()); }

Numbers RealRun::first_output() const {
    const Stage& first = stages_.front();
    return first.launch.output == kNone ? Numbers{} : numbers(first.arrays[first.launch.output], first.outputs);
}

std::vector<KernelOutput> RealRun::outputs() const {
    std::vector<KernelOutput> list;
    const Stage& stage = stages_.back();
    for (std::size_t p = 0; p < stage.arrays.size(); ++p) {
        const Parameter& parameter = stage.launch.parameters[p];
        if (stage.arrays[p].buffer && (parameter.stores || parameter.updates)) {
            const Array& a = stage.arrays[p];
            list.push_back(
                {parameter.name, parameter.element, a.bytes / a.element_bytes, numbers(a, kMaxPartialsKept).bits, {}});
        }
    }
    return list;
}

std::uint64_t RealRun::n() const {
    const std::uint32_t p = first().input;
    return first().n * (p == kNone ? 1 : std::max(1U, first().parameters[p].components));
}

std::uint64_t RealRun::block() const {
    const std::uint32_t p = first().input;
    return simt::volume(stages_.back().launch.block) *
           (p == kNone ? 1 : std::max(1U, first().parameters[p].components));
}

std::optional<ElementType> RealRun::element() const {
    const std::uint32_t of = first().input != kNone ? first().input : first().output;
    return of == kNone ? std::nullopt : element_of(first().parameters[of].element);
}

} // namespace warptree::runs
