#include "app/run/kernel_launch.hpp"

#include "app/base/error.hpp"
#include "app/base/identifier.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/launch_expression.hpp"
#include "app/run/array_fill.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>

namespace warptree::runs {

using catalogue::add_definitions;
using catalogue::add_parameters;
using catalogue::asked_block;
using catalogue::evaluate;
using catalogue::extent_of;
using catalogue::n_of;
using catalogue::name_of;
using catalogue::Names;

using catalogue::KernelHeader;
using compile::kNone;
using compile::Parameter;
using compile::Program;

simt::Extent tile_of(const std::vector<std::uint32_t>& extents) {
    // One column more than rows is padding against bank conflicts.
    const std::uint32_t rows = extents[0], columns = extents[1] == rows + 1 ? rows : extents[1];
    return rows == 0 || columns == 0 ? simt::Extent{1024, 1024, 1} : simt::Extent{columns, rows, 1};
}

namespace {

bool mentions(std::string_view text, std::string_view name) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !in_identifier(text[at - 1])) && (end == text.size() || !in_identifier(text[end]))) {
            return true;
        }
    }
    return false;
}

// Whether the header's expression for the block depends on B, directly or through its definitions.
bool block_is_of_b(const KernelHeader& header) {
    const std::string text = header.launch ? header.launch->block : "";
    return mentions(text, "B") || std::any_of(header.definitions.begin(), header.definitions.end(), [&](const auto& d) {
               return mentions(text, d.name) && mentions(d.value, "B");
           });
}

// How many dimensions of threadIdx the kernel and its callees read.
unsigned extents_used(const Program& program, const compile::Kernel& kernel) {
    // Only uses in the file itself count: cooperative groups read all three to compute a rank.
    const auto named = [&](std::string_view what) {
        return std::any_of(program.files.begin(), program.files.end(), [&](const compile::SourceText& file) {
            return !file.ours && file.text.find(what) != std::string::npos;
        });
    };
    const unsigned in_text = named("threadIdx.z") ? 3 : named("threadIdx.y") ? 2 : 1;
    std::vector<bool> seen(program.functions.size());
    std::vector<std::uint32_t> todo{kernel.function};
    unsigned most = 1;
    while (!todo.empty()) {
        const std::uint32_t f = todo.back();
        todo.pop_back();
        if (f >= seen.size() || seen[f]) {
            continue;
        }
        seen[f] = true;
        for (const compile::Instruction& in : program.functions[f].code) {
            if (in.op == compile::Opcode::call) {
                todo.push_back(program.calls[in.c].function);
            } else if (in.op == compile::Opcode::special) {
                const auto what = static_cast<compile::Special>(in.c);
                most = std::max(most, what == compile::Special::thread_z   ? 3U
                                      : what == compile::Special::thread_y ? 2U
                                                                           : 1U);
            }
        }
    }
    return std::min(most, in_text);
}

class Chooser {
  public:
    Chooser(const Program& program, std::uint32_t kernel, const KernelHeader& header, const RunOptions& options,
            const Adjusted& adjusted)
        : program_(program), kernel_(program.kernels[kernel]), header_(header), options_(options),
          asked_(options.kernel), adjusted_(adjusted), extents_(extents_used(program, kernel_)) {
        launch_.kernel = kernel;
    }

    KernelLaunch choose() {
        launch_.expect = !asked_.expect.empty() ? asked_.expect : header_.expect;
        find_roles();
        if (!adjusted_.why.empty()) {
            say(fmt::format("launched differently than at first, because {}", adjusted_.why));
        }
        choose_n();
        choose_block();
        choose_grid();
        check_needs();
        choose_shared();
        choose_arguments();
        if (!header_.outputs.empty()) {
            launch_.outputs = positive(header_.outputs, "outputs");
        }
        constexpr std::string_view kProduct = "matrix-product(";
        if (launch_.expect.starts_with(kProduct) && launch_.expect.ends_with(")")) {
            for (const std::string& side :
                 catalogue::listed(std::string_view(launch_.expect)
                                       .substr(kProduct.size(), launch_.expect.size() - kProduct.size() - 1))) {
                launch_.shape.push_back(positive(side, "expect"));
            }
            launch_.expect = "matrix-product";
        }
        if (!header_.tile.empty()) {
            launch_.tile = positive(header_.tile, "tile");
        }
        return std::move(launch_);
    }

  private:
    bool expects() const { return !launch_.expect.empty() && launch_.expect != "none"; }

    // The first read-only array is the input, the first written one the output; in place, one array is both.
    void find_roles() {
        for (std::uint32_t p = 0; p < kernel_.parameters.size(); ++p) {
            const Parameter& parameter = kernel_.parameters[p];
            if (parameter.kind != Parameter::Kind::array) {
                continue;
            }
            const bool writes = parameter.stores || parameter.updates;
            if (launch_.input == kNone && !writes && (parameter.loads || parameter.constant)) {
                launch_.input = p;
            }
            if (launch_.output == kNone && writes) {
                launch_.output = p;
            }
        }
        if (launch_.input == kNone && launch_.output != kNone && kernel_.parameters[launch_.output].loads) {
            launch_.input = launch_.output;
        }
        const std::uint32_t of = launch_.input != kNone ? launch_.input : launch_.output;
        element_ = of == kNone ? "int" : std::string(name(kernel_.parameters[of].element));
    }

    void choose_n() {
        // Several integer parameters are assumed to be sizes in several dimensions, and kept small.
        const auto sizes = std::count_if(kernel_.parameters.begin(), kernel_.parameters.end(), [](const Parameter& p) {
            return p.kind == Parameter::Kind::value && !is_floating(p.element) && p.element != ValueType::boolean;
        });
        launch_.n_chosen = !asked_.n_given && header_.n.empty();
        const bool several = (sizes > 1 || extents_ != 1U) && !header_.launch;
        launch_.n = launch_.n_chosen && adjusted_.n != 0 ? adjusted_.n : n_of(header_, options_, several ? 32 : 1024);
        if (launch_.n_chosen) {
            say(fmt::format("n = {}", launch_.n));
        }
        names_["n"] = static_cast<std::int64_t>(launch_.n);
        add_parameters(names_, header_, options_.parameters, launch_.n);
    }

    void choose_block() {
        const std::optional<std::uint32_t> asked = asked_block(options_);
        names_["B"] = asked ? *asked : header_.block.value_or(256);
        add_definitions(names_, header_, element_);
        const std::string of_header = header_.launch ? header_.launch->block : "";
        const std::string text = asked || asked_.block.empty() ? of_header : asked_.block;
        if (asked && !block_is_of_b(header_)) {
            launch_.block = {*asked, 1, 1};
        } else if (!text.empty() && text != "B") {
            launch_.block = extent_of(text, names_, element_, "the block");
        } else if (asked) {
            launch_.block = {*asked, 1, 1};
        } else if (kernel_.launched_block[0] != 0 && text.empty()) {
            std::copy_n(kernel_.launched_block, 3, launch_.block.begin());
            say(fmt::format("block {} as in the file's own launch", shape(launch_.block)));
        } else if (header_.block) {
            launch_.block = {*header_.block, 1, 1};
        } else {
            launch_.block_chosen = true;
            launch_.block = adjusted_.block.value_or(usual_block());
            say(fmt::format("block {}", shape(launch_.block)));
        }
        const auto [least, most] = std::minmax_element(launch_.block.begin(), launch_.block.end());
        if (*least == 0) {
            throw OptionError(
                fmt::format("a block of {} threads; every dimension must be at least 1", shape(launch_.block)));
        }
        if (*most > 1024 || simt::volume(launch_.block) > 1024) { // most first: the product of three may overflow
            throw OptionError(fmt::format("a block of {} threads; the limit is 1024", shape(launch_.block)));
        }
        names_["B"] = static_cast<std::int64_t>(simt::volume(launch_.block));
        add_definitions(names_, header_, element_);
        if (header_.blocks) {
            const auto threads = static_cast<std::uint32_t>(simt::volume(launch_.block));
            if (!catalogue::takes(*header_.blocks, threads)) {
                throw OptionError(fmt::format("the kernel cannot run with a block of {} threads; its block must be {}",
                                              threads, catalogue::in_words(*header_.blocks)));
            }
        }
    }

    // 256 threads in as many dimensions as the kernel reads; the shape of its tile in shared memory, if it has one.
    simt::Extent usual_block() const {
        const std::uint32_t most = kernel_.most_threads != 0 ? std::min(kernel_.most_threads, 256U) : 256U;
        if (extents_ == 1) {
            return {most, 1, 1};
        }
        for (const std::uint32_t s : kernel_.shared) {
            const std::vector<std::uint32_t>& e = program_.shared[s].extents;
            if (extents_ == 2 && e.size() == 2) {
                if (const simt::Extent tile = tile_of(e); simt::volume(tile) <= std::max(most, kernel_.most_threads)) {
                    return tile;
                }
            }
        }
        simt::Extent block = extents_ == 2 ? simt::Extent{16, 16, 1} : simt::Extent{8, 8, 4};
        for (unsigned d = extents_; simt::volume(block) > most;) {
            d = d == 0 ? extents_ - 1 : d - 1;
            block[d] = std::max(1U, block[d] / 2);
        }
        return block;
    }

    void choose_grid() {
        const std::string& text = !asked_.grid.empty() ? asked_.grid : header_.launch ? header_.launch->grid : "";
        if (!text.empty()) {
            launch_.grid = extent_of(text, names_, element_, "the grid");
        } else {
            // One element per thread, in each dimension that the block has.
            for (unsigned d = 0; d < 3; ++d) {
                const std::uint64_t side = d == 0 || launch_.block[d] > 1 ? launch_.n : 1;
                launch_.grid[d] = static_cast<std::uint32_t>(
                    std::max<std::uint64_t>(1, (side + launch_.block[d] - 1) / launch_.block[d]));
            }
            say(fmt::format("grid {}", shape(launch_.grid)));
        }
        names_["G"] = static_cast<std::int64_t>(simt::volume(launch_.grid));
    }

    void check_needs() const {
        for (const catalogue::NeedText& need : header_.needs) {
            if (evaluate(need.condition, names_, element_) == 0) {
                throw OptionError(need.otherwise);
            }
        }
    }

    std::uint64_t positive(const std::string& text, const char* what) const {
        const std::int64_t value = evaluate(text, names_, element_);
        if (value < 1 || value > static_cast<std::int64_t>(kMaxElements)) {
            throw OptionError(fmt::format("{} '{}' is {}; it must be 1 to 2^31", what, printable(text), value));
        }
        return static_cast<std::uint64_t>(value);
    }

    void choose_shared() {
        const std::string& text = !asked_.shared.empty() ? asked_.shared : header_.launch ? header_.launch->shared : "";
        if (!text.empty()) {
            const std::int64_t bytes = evaluate(text, names_, element_);
            if (bytes < 0 || bytes > 1 << 20) {
                throw OptionError(fmt::format("shared memory '{}' is {} bytes", printable(text), bytes));
            }
            launch_.shared = static_cast<std::uint32_t>(bytes);
            return;
        }
        launch_.shared_chosen = true;
        for (const std::uint32_t s : kernel_.shared) {
            const compile::SharedArray& a = program_.shared[s];
            if (a.bytes == 0) {
                launch_.shared = std::max(launch_.shared, static_cast<std::uint32_t>(names_["B"]) * a.element_bytes);
            }
        }
        if (launch_.shared < adjusted_.shared) {
            launch_.shared = adjusted_.shared;
            say(fmt::format("{} bytes of shared memory", launch_.shared));
        } else if (launch_.shared != 0) {
            say(fmt::format("{} bytes of shared memory, an element per thread", launch_.shared));
        }
    }

    void choose_arguments() {
        const std::vector<std::string> call = header_.launch ? header_.launch->arguments : std::vector<std::string>{};
        if (!call.empty() && call.size() != kernel_.parameters.size()) {
            throw OptionError(fmt::format("the launch in the file's header has {} arguments where {} takes {}",
                                          call.size(), kernel_.name, kernel_.parameters.size()));
        }
        for (const auto& asked : asked_.arguments) {
            const auto is = [&](const Parameter& p) { return p.name == asked.first; };
            if (std::none_of(kernel_.parameters.begin(), kernel_.parameters.end(), is)) {
                std::vector<std::string_view> names;
                for (const Parameter& p : kernel_.parameters) {
                    names.push_back(p.name);
                }
                throw OptionError(fmt::format("{} has no parameter '{}'; it has {}", kernel_.name,
                                              printable(asked.first), fmt::join(names, ", ")));
            }
        }
        for (std::uint32_t p = 0; p < kernel_.parameters.size(); ++p) {
            const Parameter& parameter = kernel_.parameters[p];
            std::string text;
            bool of_header = false;
            if (const auto found = asked_.arguments.find(parameter.name); found != asked_.arguments.end()) {
                text = found->second;
            } else {
                for (const catalogue::ArgumentText& a : header_.arguments) {
                    text = a.name == parameter.name ? a.value : text;
                }
                if (text.empty() && !call.empty() && call[p] != parameter.name) {
                    text = call[p];
                }
                of_header = true;
            }
            launch_.arguments.push_back(parameter.kind == Parameter::Kind::array ? array(p, text, of_header)
                                                                                 : scalar(p, text));
        }
    }

    ArgumentValue array(std::uint32_t p, const std::string& text, bool of_header) {
        const Parameter& parameter = kernel_.parameters[p];
        ArgumentValue value;
        value.text = text;
        const bool writes = parameter.stores || parameter.updates;
        const bool reads = parameter.loads &&
                           (!writes || p == launch_.input ||
                            std::find(adjusted_.inputs.begin(), adjusted_.inputs.end(), p) != adjusted_.inputs.end());
        value.fill = reads || (!writes && parameter.constant) ? default_fill() : "zeros";
        value.file = value.fill != "zeros" && asked_.input_given && options_.input == InputKind::file;
        if (reads && adjusted_.contents != Adjusted::Contents::usual) {
            value.file = false;
            value.fill = adjusted_.contents == Adjusted::Contents::zeros ? "zeros" : "ones";
        }
        value.count = launch_.n * parameter.components;
        std::string_view rest = text;
        if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos && !rest.ends_with(".npy")) {
            value.count = static_cast<std::uint64_t>(count_of(rest.substr(colon + 1), parameter.name));
            value.stated = true;
            rest = rest.substr(0, colon);
        }
        constexpr std::string_view kFills[] = {"iota", "ones", "random", "zeros", "alternating", "identity"};
        if (rest.ends_with(".npy") && of_header) {
            value.fill = path_beside(asked_.file, rest);
            value.file = false;
        } else if (rest.ends_with(".npy") ||
                   std::find(std::begin(kFills), std::end(kFills), rest) != std::end(kFills)) {
            value.fill = rest;
            value.file = false;
        } else if (!rest.empty()) { // only a count
            value.count = static_cast<std::uint64_t>(count_of(rest, parameter.name));
            value.stated = true;
        } else {
            value.chosen = true;
            value.text = value.fill;
            say(fmt::format("{} = {}", parameter.name, value.fill));
        }
        value.stated |= p == launch_.input && expects(); // the expected result is over n elements
        return value;
    }

    ArgumentValue scalar(std::uint32_t p, const std::string& text) {
        const Parameter& parameter = kernel_.parameters[p];
        ArgumentValue value;
        value.text = text;
        if (parameter.kind == Parameter::Kind::record) {
            value.chosen = true;
            value.text = "zeros";
            say(fmt::format("{} = zeros", parameter.name));
            return value;
        }
        if (const auto known = names_.find(parameter.name);
            text.empty() && known != names_.end() && in_header(known->first)) {
            value.number = static_cast<double>(known->second);
            value.text = std::to_string(known->second);
            return value;
        }
        if (text.empty()) {
            value.chosen = true;
            value.number = parameter.element == ValueType::boolean || is_floating(parameter.element) ||
                                   adjusted_.contents == Adjusted::Contents::ones_everywhere
                               ? 1
                               : static_cast<double>(launch_.n);
            value.text = value.number == static_cast<double>(launch_.n) && !is_floating(parameter.element)
                             ? "n"
                             : fmt::format("{}", value.number);
            say(fmt::format("{} = {}", parameter.name, value.text));
            return value;
        }
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(number)) {
            value.number = number;
        } else if (text == "true" || text == "false") {
            value.number = text == "true" ? 1 : 0;
        } else {
            value.number = static_cast<double>(evaluate(text, names_, element_));
        }
        return value;
    }

    bool in_header(std::string_view name) const {
        return std::any_of(header_.parameters.begin(), header_.parameters.end(),
                           [&](const catalogue::ParameterText& p) { return name_of(p) == name; });
    }

    std::string default_fill() const {
        return !asked_.input_given                 ? "iota"
               : options_.input == InputKind::file ? options_.input_file
                                                   : std::string(warptree::name(options_.input));
    }
    std::int64_t count_of(std::string_view text, const std::string& name) const {
        const auto plain_count = parse_count(text);
        const std::int64_t value =
            plain_count ? static_cast<std::int64_t>(*plain_count) : evaluate(text, names_, element_);
        if (value < 1 || value > static_cast<std::int64_t>(kMaxElements)) {
            throw OptionError(fmt::format("{} = '{}': an array has 1 to 2^31 elements", name, printable(text)));
        }
        return value;
    }
    static std::string shape(const simt::Extent& e) {
        return e[2] != 1   ? fmt::format("{} × {} × {}", e[0], e[1], e[2])
               : e[1] != 1 ? fmt::format("{} × {}", e[0], e[1])
                           : fmt::format("{}", e[0]);
    }
    void say(std::string text) { launch_.chosen.push_back(std::move(text)); }

    const Program& program_;
    const compile::Kernel& kernel_;
    const KernelHeader& header_;
    const RunOptions& options_;
    const KernelOptions& asked_;
    const Adjusted& adjusted_;
    const unsigned extents_; // dimensions of threadIdx that the kernel reads: 1 to 3
    KernelLaunch launch_;
    Names names_;
    std::string element_;
};
} // namespace

std::uint32_t relaunch_block(const KernelHeader& header, const KernelLaunch& first, const RunOptions& options) {
    const auto threads = static_cast<std::int64_t>(simt::volume(first.block));
    if (!header.relaunch_block) {
        return static_cast<std::uint32_t>(threads);
    }
    Names names{{"B", threads}, {"n", static_cast<std::int64_t>(first.n)}};
    add_parameters(names, header, options.parameters, first.n);
    const std::int64_t value = evaluate(*header.relaunch_block, names, "int");
    if (value < 1 || value > 1024) {
        throw OptionError(fmt::format("relaunch '{}' gives a block of {} threads; take 1 to 1024",
                                      printable(*header.relaunch_block), value));
    }
    return static_cast<std::uint32_t>(value);
}

KernelLaunch choose_launch(const Program& program, std::uint32_t kernel, const KernelHeader& header,
                           const RunOptions& options, const Adjusted& adjusted) {
    return Chooser(program, kernel, header, options, adjusted).choose();
}

} // namespace warptree::runs
