#include "app/run/launch_run.hpp"

#include "app/base/operators.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/choice/inert_elements.hpp"
#include "app/run/compiler_warnings.hpp"
#include "app/run/tracing_device.hpp"
#include "app/trace/explain/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace warptree::runs {

using compile::kNone;
using compile::Parameter;
using compile::Program;

namespace {
Numbers numbers(const simt::Allocation& a, std::uint64_t count, const std::atomic<bool>* cancel = nullptr) {
    Numbers out;
    out.type = a.shape().element;
    const std::uint32_t size = a.shape().element_bytes;
    count = std::min(count, a.bytes() / size);
    out.bits.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i % (1U << 20U) == 0 && cancel != nullptr && *cancel) {
            throw Cancelled();
        }
        std::memcpy(&out.bits.emplace_back(), a.data() + i * size, std::min(8U, size));
    }
    return out;
}

simt::Allocation::Fill bits_fill(std::vector<std::uint64_t> bits, unsigned size) {
    return [bits = std::move(bits), size](std::uint64_t first, std::uint64_t many, std::byte* to) {
        for (std::uint64_t i = 0; i < many; ++i) {
            const std::uint64_t value = first + i < bits.size() ? bits[first + i] : 0;
            std::memcpy(to + i * size, &value, size);
        }
    };
}

std::uint64_t identity_of(ValueType type, Operator op) {
    const auto element = element_of(type);
    return element ? visit_element(*element, [&](auto t) { return Scalar::of(identity<decltype(t)>(op)).bits; }) : 0;
}
} // namespace

LaunchRun::LaunchRun(std::shared_ptr<const Program> program, KernelLaunch launch, const RunOptions& options,
                     const LaunchPart& part, const RunControl& control)
    : program_(std::move(program)), launch_(std::move(launch)), op_(part.op), one_result_(part.one_result),
      time_(part.time), memory_(std::make_unique<simt::Memory>(*program_, options.limits.memory)) {
    for (const Parameter& parameter : kernel().parameters) {
        arguments_.emplace_back().record.resize(parameter.kind == Parameter::Kind::record ? parameter.bytes : 0);
    }
    std::uint32_t next = 0; // of the kernel's own parameters
    for (std::uint32_t p = 0; p < launch_.parameters.size(); ++p) {
        const Parameter& parameter = launch_.parameters[p];
        const ArgumentValue& value = launch_.arguments[p];
        std::uint64_t bits = 0;
        KernelArgument shown{parameter.name, parameter.type, value.text, 0, value.chosen};
        allocations_.push_back(kNone);
        fills_.emplace_back();
        const bool number = // a record of one, as half is, is given like a number
            parameter.kind == Parameter::Kind::value ||
            (parameter.kind == Parameter::Kind::record && parameter.element != ValueType::none);
        if (number) {
            bits = scalar_bits(parameter.element, value.number);
            shown.value = value.text == "n" ? fmt::format("{}", static_cast<std::uint64_t>(value.number)) : value.text;
        } else if (parameter.kind == Parameter::Kind::array) {
            allocations_.back() = add_array(p, value, options, part.partials, shown, control);
            bits = compile::allocation_address(allocations_.back());
        }
        if (parameter.record == compile::kNone) {
            std::vector<std::byte>& record = arguments_[next].record;
            if (!record.empty()) {
                std::memcpy(record.data(), &bits, std::min(record.size(), sizeof bits));
            }
            arguments_[next++].bits = bits;
        } else {
            const unsigned size = parameter.kind == Parameter::Kind::array ? 8 : bytes(parameter.element);
            std::memcpy(arguments_[parameter.record].record.data() + parameter.local_offset, &bits, size);
            next = parameter.record + 1;
        }
        shown_.push_back(std::move(shown));
    }
    if (part.depths != nullptr && launch_.input != kNone) {
        (*memory_)[allocations_[launch_.input]].depths = *part.depths;
    }
    keep_inputs(control);
}

std::uint32_t LaunchRun::add_array(std::uint32_t p, const ArgumentValue& value, const RunOptions& options,
                                   const Numbers* partials, KernelArgument& shown, const RunControl& control) {
    const Parameter& parameter = launch_.parameters[p];
    const bool result = p == launch_.output && one_result_ && p != launch_.input;
    simt::Allocation::Shape shape;
    shape.name = parameter.name;
    shape.element = parameter.element;
    shape.element_bytes = parameter.components == 0
                              ? std::max(1U, parameter.element_bytes)
                              : std::max(1U, parameter.element_bytes / std::max(1U, parameter.components));
    shape.elements = result ? 1 : value.count;
    shape.grows = !value.stated && !result;
    shape.defined = value.fill != "zeros" || result || !parameter.stores || parameter.updates || parameter.signals ||
                    !value.chosen || value.zeroed || p == launch_.input;
    simt::Allocation::Fill fill;
    if (p == launch_.input && partials != nullptr) {
        shape.elements = partials->size();
        shape.grows = false;
        fill = bits_fill(partials->bits, shape.element_bytes);
        shown.value = "output of the launch before";
    } else if (value.fill == "identity" || result) {
        fill = bits_fill(std::vector<std::uint64_t>(shape.elements, identity_of(parameter.element, op_)),
                         shape.element_bytes);
    } else if (value.telling) {
        fill = fill_of(parameter, [&](ValueType type, unsigned k) {
            return telling_fill(type, value.telling->seed + p + kSeedsApart * k, value.telling->mixed, scalars());
        });
    } else if (value.file || value.fill.ends_with(".npy")) {
        std::uint64_t count = value.count;
        const std::uint64_t most = memory_->budget().left() / 2; // as the array is a copy
        auto data =
            std::make_shared<std::vector<std::byte>>(value.file ? read_input(value.fill, parameter.element, count, most)
                                                                : read_npy(value.fill, parameter.element, count, most));
        memory_->budget().take(data->size(), value.fill);
        shape.elements = count;
        shape.grows = false;
        fill = [data, size = bytes(parameter.element)](std::uint64_t first, std::uint64_t many, std::byte* to) {
            std::memcpy(to, data->data() + first * size, many * size);
        };
    } else {
        fill = fill_of(parameter, value.fill, options.seed + p, value.place);
    }
    shown.count = shape.elements;
    fills_[p] = fill;
    return memory_->add(std::move(shape), std::move(fill), &control.cancel);
}

std::vector<double> LaunchRun::scalars() const {
    std::vector<double> list;
    for (std::size_t p = 0; p < launch_.arguments.size(); ++p) {
        if (launch_.parameters[p].kind == Parameter::Kind::value) {
            list.push_back(launch_.arguments[p].number);
        }
    }
    return list;
}

Observed LaunchRun::observed(Numbers output) const {
    Observed seen;
    const std::uint64_t scalars_each = components(launch_.input);
    seen.n = launch_.n * scalars_each;
    seen.block = simt::volume(launch_.block) * scalars_each;
    seen.blocks = simt::volume(launch_.grid);
    seen.output = std::move(output);
    for (std::uint32_t p = 0; p < allocations_.size(); ++p) {
        const Parameter& parameter = launch_.parameters[p];
        if (parameter.kind == Parameter::Kind::value) {
            seen.scalars.push_back({parameter.name, launch_.arguments[p].number, !is_floating(parameter.element)});
        }
        if (!is_array(p) || !fills_[p]) {
            continue;
        }
        const simt::Allocation& a = (*memory_)[allocations_[p]];
        Observed::Input in{parameter.name, {a.shape().element, {}}, 0};
        in.used = a.shape().grows ? a.reached() : a.shape().elements;
        const std::uint64_t count = a.shape().grows ? std::max(seen.n, in.used) : in.used;
        const std::uint32_t size = a.shape().element_bytes;
        constexpr std::uint64_t kMost = 1U << 24; // elements; a result of more has no name
        if (count > kMost) {
            continue;
        }
        std::vector<std::byte> data(count * size);
        fills_[p](0, count, data.data());
        in.values.bits.resize(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            std::memcpy(&in.values.bits[i], data.data() + i * size, std::min(8U, size));
        }
        seen.inputs.push_back(std::move(in));
    }
    return seen;
}

std::uint64_t LaunchRun::components(std::uint32_t parameter) const {
    return parameter == kNone ? 1 : std::max(1U, launch_.parameters[parameter].components);
}

void LaunchRun::keep_inputs(const RunControl& control) {
    for (std::size_t p = 0; p < allocations_.size(); ++p) {
        const Parameter& parameter = launch_.parameters[p];
        const bool input = p == launch_.input || (allocations_[p] != kNone && !parameter.stores && !parameter.updates &&
                                                  (parameter.loads || parameter.constant));
        if (input && inputs_.size() < 2 && (inputs_.empty() ? p == launch_.input : true)) {
            const simt::Allocation& array = (*memory_)[allocations_[p]];
            const std::uint64_t count =
                std::min(std::max(launch_.n * components(static_cast<std::uint32_t>(p)), launch_.arguments[p].count),
                         array.bytes() / array.shape().element_bytes);
            memory_->budget().take(count * sizeof(std::uint64_t), "a copy of array " + parameter.name);
            inputs_.push_back(numbers(array, count, &control.cancel));
        }
    }
}

void LaunchRun::execute_on_gpu(const LaunchRun& before, const RunOptions& options, RunControl& control,
                               const std::function<void(double)>& progress, Launch& trace) {
    constexpr std::chrono::milliseconds kLimit(10000);
    simt::LaunchSetup setup = setup_of(options, control, {});
    for (std::uint32_t a = 0; a < memory_->count(); ++a) { // arrays cannot grow on a GPU
        simt::Allocation& array = (*memory_)[a];
        if (array.shape().grows) {
            array.grow((*before.memory_)[a].bytes());
        }
    }
    log_ = tracing_device().log(setup, kLimit);
    execute(options, control, progress, trace);
}

void LaunchRun::execute(const RunOptions& options, RunControl& control, const std::function<void(double)>& progress,
                        Launch& trace) {
    simt::LaunchSetup setup = setup_of(options, control, progress);
    summary_ = simt::run(setup, trace);
    tell_warnings(program(), kernel(), trace);
    tell_inert_elements(trace);
    settle_output();
    trace.elements = launch_.n;
    for (std::size_t p = 0; p < allocations_.size(); ++p) {
        if (allocations_[p] != kNone) {
            const Parameter& parameter = launch_.parameters[p];
            trace.allocations[allocations_[p]].input = parameter.loads || parameter.constant;
            trace.allocations[allocations_[p]].output = parameter.stores || parameter.updates;
        }
    }
}

// Of a struct's arrays it is only known together which are written: the output is the first that was.
void LaunchRun::settle_output() {
    const auto stored = [&](std::uint32_t p) { return is_array(p) && (*memory_)[allocations_[p]].has_stores(); };
    if (launch_.output == kNone || launch_.parameters[launch_.output].record == kNone || stored(launch_.output)) {
        return;
    }
    for (std::uint32_t p = 0; p < launch_.parameters.size(); ++p) {
        if (launch_.parameters[p].record != kNone && stored(p)) {
            launch_.output = p;
            return;
        }
    }
}

simt::LaunchSetup LaunchRun::setup_of(const RunOptions& options, RunControl& control,
                                      const std::function<void(double)>& progress) {
    simt::LaunchSetup setup;
    setup.program = program_.get();
    setup.kernel = launch_.kernel;
    setup.grid = launch_.grid;
    setup.block = launch_.block;
    setup.dynamic_shared = launch_.shared;
    setup.arguments = arguments_;
    setup.memory = memory_.get();
    setup.order = options.order == WarpOrder::reverse  ? simt::Order::reverse
                  : options.order == WarpOrder::random ? simt::Order::random
                                                       : simt::Order::in_order;
    setup.lanes_apart = lanes_apart_ && log_ == nullptr;
    setup.seed = options.order_seed.value_or(options.seed);
    setup.last_block = options.last_block.value_or(kNone);
    setup.banks = options.banks;
    setup.window_first = options.window.first;
    setup.window_count = options.window.count;
    setup.workers = options.workers;
    if (options.kernel.most_instructions != 0) {
        setup.most_instructions = options.kernel.most_instructions;
    }
    if (launch_.output != kNone && (options.finish == Finish::relaunch || launch_.outputs)) {
        setup.output = allocations_[launch_.output];
        setup.output_depths = &depths_;
    }
    setup.most_printed = options.limits.printed;
    setup.time = time_;
    setup.cancel = &control.cancel;
    setup.progress = progress;
    setup.log = log_.get();
    setup.own_log = own_log_;
    return setup;
}

// Allocations, which the globals are the first of. Only of numbers: what is in a structure is not known here.
std::vector<std::uint32_t> LaunchRun::stored_globals() const {
    std::vector<std::uint32_t> list;
    for (std::uint32_t g = 0; g < program().globals.size() && g < summary_.stores_data.size(); ++g) {
        const compile::Global& global = program().globals[g];
        const bool numbers = global.element != ValueType::none && global.element != ValueType::pointer;
        if (summary_.stores_data[g] && numbers && !global.name.empty()) {
            list.push_back(g);
        }
    }
    return list;
}

std::uint32_t LaunchRun::output_allocation() const {
    if (launch_.output != kNone) {
        return allocations_[launch_.output];
    }
    const std::vector<std::uint32_t> globals = stored_globals();
    return globals.empty() ? kNone : globals.front();
}

std::uint64_t LaunchRun::stored() const {
    const std::uint32_t output = output_allocation();
    if (output == kNone) {
        return 0;
    }
    const simt::Allocation& a = (*memory_)[output];
    return a.shape().grows ? a.reached() : a.shape().elements;
}

bool LaunchRun::output_grows() const {
    return launch_.output != kNone && (*memory_)[allocations_[launch_.output]].shape().grows;
}

Numbers LaunchRun::output(std::uint64_t most) const {
    const std::uint32_t output = output_allocation();
    if (output == kNone) {
        return {};
    }
    const simt::Allocation& a = (*memory_)[output];
    most = std::min(most, stored());
    memory_->budget().take(most * sizeof(std::uint64_t), "a copy of array " + a.shape().name);
    return numbers(a, most);
}

std::uint64_t LaunchRun::reached(std::uint32_t parameter) const {
    const std::uint32_t number = allocations_[parameter];
    return number == kNone || !(*memory_)[number].shape().grows ? 0 : (*memory_)[number].reached();
}

namespace {
// The first records of an array, as text.
std::vector<std::string> records_of(const Parameter& parameter, const simt::Allocation& a, std::uint64_t count) {
    constexpr std::uint64_t kMost = 8;
    constexpr std::size_t kMembers = 16;
    constexpr std::uint32_t kMostPadding = 8; // bytes
    const std::span<const Parameter::Field> members(parameter.fields.data(),
                                                    std::min(kMembers, parameter.fields.size()));
    // Members that are arrays are no fields.
    const Parameter::Field& last = members.back();
    const bool more = members.size() < parameter.fields.size() ||
                      parameter.element_bytes - last.offset - bytes(last.type) >= kMostPadding;
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < std::min(kMost, count) && (i + 1) * parameter.element_bytes <= a.bytes(); ++i) {
        std::string text;
        for (const Parameter::Field& field : members) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, a.data() + i * parameter.element_bytes + field.offset, bytes(field.type));
            text += (text.empty() ? "" : ", ") + value_text(field.type, bits);
        }
        all.push_back("{" + text + (more ? ", …}" : "}"));
    }
    return all;
}
} // namespace

std::vector<KernelOutput> LaunchRun::outputs() const {
    std::vector<KernelOutput> list;
    for (std::size_t p = 0; p < allocations_.size(); ++p) {
        const Parameter& parameter = launch_.parameters[p];
        if (allocations_[p] == kNone || !(parameter.stores || parameter.updates)) {
            continue;
        }
        const simt::Allocation& a = (*memory_)[allocations_[p]];
        KernelOutput out;
        out.name = parameter.name;
        out.type = parameter.element;
        out.count = a.shape().grows ? a.reached() : a.shape().elements;
        out.values = numbers(a, std::min<std::uint64_t>(out.count, kMaxPartialsKept)).bits;
        out.records = parameter.fields.empty() ? out.records : records_of(parameter, a, out.count);
        list.push_back(std::move(out));
    }
    for (const std::uint32_t g : stored_globals()) {
        const simt::Allocation& a = (*memory_)[g];
        KernelOutput out;
        out.name = a.shape().name;
        out.type = a.shape().element;
        out.count = a.shape().elements;
        out.values = numbers(a, std::min<std::uint64_t>(out.count, kMaxPartialsKept)).bits;
        list.push_back(std::move(out));
    }
    if (const std::uint32_t judged = output_allocation();
        judged != kNone) { // what is said of a result is said of the first
        const std::string& name = (*memory_)[judged].shape().name;
        std::stable_partition(list.begin(), list.end(), [&](const KernelOutput& o) { return o.name == name; });
    }
    return list;
}

} // namespace warptree::runs
