#include "app/run/kernel_launch.hpp"

#include "app/base/error.hpp"
#include "app/base/identifier.hpp"
#include "app/base/printable.hpp"
#include "app/catalogue/launch_expression.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/choice/argument_choice.hpp"
#include "app/run/choice/block_elements.hpp"
#include "app/run/choice/block_shape.hpp"
#include "app/run/choice/integer_role.hpp"
#include "app/trace/explain/report_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>

namespace warptree::runs {

using catalogue::add_definitions;
using catalogue::add_parameters;
using catalogue::asked_block;
using catalogue::evaluate;
using catalogue::extent_of;
using catalogue::n_of;
using catalogue::Names;

using catalogue::KernelHeader;
using compile::kNone;
using compile::Parameter;
using compile::Program;

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

class Chooser {
  public:
    Chooser(const Program& program, std::uint32_t kernel, const KernelHeader& header, const RunOptions& options,
            const Adjusted& adjusted)
        : program_(program), kernel_(program.kernels[kernel]), header_(header), options_(options),
          asked_(options.kernel), adjusted_(adjusted), dimensions_(thread_dimensions(program, kernel_)),
          block_elements_(elements_of_blocks(program, kernel_)), rows_(dimensions_ == 1 && block_elements_.rows) {
        launch_.kernel = kernel;
        launch_.parameters = called_with(kernel_);
    }

    KernelLaunch choose() {
        launch_.expect = expectation_name(!asked_.expect.empty() ? asked_.expect : header_.expect);
        if (asked_.expect.empty() &&
            !is_expectation(launch_.expect)) { // a comment may mean something else by "expect:"
            launch_.chosen.push_back(fmt::format("no result is expected, as its comment \"expect: {}\" is none of: {}",
                                                 printable(launch_.expect), expectation_list()));
            launch_.expect = "none";
        }
        if (constexpr std::string_view kFile = "file "; asked_.expect.empty() && launch_.expect.starts_with(kFile)) {
            launch_.expect = std::string(kFile) + path_beside(asked_.file, launch_.expect.substr(kFile.size()));
        }
        find_roles();
        choose_n();
        name_numbers();
        choose_block();
        choose_grid();
        check_needs();
        choose_shared();
        for (const std::string_view shaped : {"matrix-product", "softmax", "layer-norm"}) {
            const std::string begin = std::string(shaped) + "(";
            if (!launch_.expect.starts_with(begin) || !launch_.expect.ends_with(")")) {
                continue;
            }
            for (const std::string& side : catalogue::listed(
                     std::string_view(launch_.expect).substr(begin.size(), launch_.expect.size() - begin.size() - 1))) {
                launch_.shape.push_back(positive(side, "expect"));
            }
            launch_.expect = shaped;
            break;
        }
        choose_arguments({program_, kernel_, header_, options_, adjusted_, names_, element_}, launch_);
        if (!header_.outputs.empty()) {
            launch_.outputs = positive(header_.outputs, "outputs");
        }
        if (!header_.tile.empty()) {
            launch_.tile = positive(header_.tile, "tile");
        }
        return std::move(launch_);
    }

  private:
    // The first array that satisfies the condition.
    template <class Condition> std::uint32_t first_array(Condition&& condition) const {
        for (std::uint32_t p = 0; p < launch_.parameters.size(); ++p) {
            if (launch_.parameters[p].kind == Parameter::Kind::array && condition(launch_.parameters[p])) {
                return p;
            }
        }
        return kNone;
    }

    // The input: the first array that is only read, else the first that is read at all. The output: the first that is
    // written for others and not read again, as a kernel that combines in place may scratch its input; else the first
    // that is written.
    void find_roles() {
        const auto writes = [](const Parameter& p) { return p.stores || p.updates; };
        launch_.input = first_array([&](const Parameter& p) { return !writes(p) && (p.loads || p.constant); });
        launch_.output = first_array([&](const Parameter& p) { return writes(p) && !p.loads && !p.signals; });
        if (launch_.output == kNone) {
            launch_.output = first_array(writes);
        }
        if (launch_.input == kNone) {
            launch_.input = first_array([](const Parameter& p) { return p.loads && !p.signals; });
        }
        if (launch_.input == kNone) {
            launch_.input = first_array([](const Parameter& p) { return p.loads; });
        }
        const std::uint32_t of = launch_.input != kNone ? launch_.input : launch_.output;
        element_ = of == kNone ? "int" : std::string(name(launch_.parameters[of].element));
    }

    void choose_n() {
        // Several integer parameters are assumed to be sizes in several dimensions, and kept small; but for that of a window.
        const auto sizes = std::count_if(launch_.parameters.begin(), launch_.parameters.end(), [&](const Parameter& p) {
            return p.kind == Parameter::Kind::value && !is_floating(p.element) && p.element != ValueType::boolean &&
                   role_of(program_, kernel_, p) == IntegerRole::elements;
        });
        launch_.n_chosen = !asked_.n_given && header_.n.empty();
        const auto is_side = [&](const Parameter& p) { // of which the stated grid is made
            return p.name != "n" && mentions(header_.launch->grid, p.name);
        };
        const bool several = (sizes > 1 || dimensions_ != 1U || rows_) &&
                             (!header_.launch || std::ranges::any_of(launch_.parameters, is_side));
        // What a block takes of a side, as 128 of four tiles of 32, is the least.
        constexpr std::uint32_t kMostOfASide = 256;
        const auto [x, y] = block_elements_.strides;
        const std::uint32_t taken = dimensions_ == 2 && std::max(x, y) <= kMostOfASide ? std::max(x, y) : 0;
        for (const Parameter& p : launch_.parameters) {
            if (p.kind == Parameter::Kind::value && !is_floating(p.element) &&
                role_of(program_, kernel_, p) == IntegerRole::elements) {
                for (unsigned d = 0; d < elements_each_.size(); ++d) {
                    elements_each_[d] = std::max(elements_each_[d], elements_each(program_, kernel_, p, d));
                }
            }
        }
        constexpr std::uint64_t kMostEach = 8; // of more the grid would be one that nobody waits for
        const std::uint64_t few =
            1024 * kMostEach / std::max(kMostEach, std::bit_ceil(elements_each_[0])); // still a power of two
        // Of rows of n, n of which each thread may go through: more than one block, and no million elements.
        constexpr std::uint64_t kOfRows = 512;
        const bool square = sizes == 1 && std::ranges::any_of(launch_.parameters, [&](const Parameter& p) {
                                return p.kind == Parameter::Kind::value && !is_floating(p.element) &&
                                       role_of(program_, kernel_, p) == IntegerRole::elements &&
                                       spaces_rows(program_, kernel_, p);
                            });
        // More than one warp of a block in one dimension, or what races between warps would not show.
        const std::uint32_t side = dimensions_ == 1U && sizes == 2 && !rows_ ? 64 : 32;
        const std::uint64_t usual = several                            ? std::max(side, taken)
                                    : block_elements_.threads_each > 1 ? std::min<std::uint64_t>(256, few)
                                    : square                           ? std::min(kOfRows, few)
                                                                       : few;
        launch_.n = launch_.n_chosen && adjusted_.n != 0 ? adjusted_.n : n_of(header_, options_, usual);
        if (launch_.n_chosen) {
            say(fmt::format("n = {}", launch_.n));
        }
        names_["n"] = static_cast<std::int64_t>(launch_.n);
        add_parameters(names_, header_, options_.parameters, launch_.n);
    }

    // A stated launch may use the integers that the kernel is told: as requested or stated, else as they would be chosen. What the
    // header gives a name keeps it.
    void name_numbers() {
        const std::array<std::string_view, 3> asked{asked_.grid, asked_.block, asked_.shared};
        const auto uses = [](std::string_view text) { return !text.empty(); };
        if (!header_.launch && std::ranges::none_of(asked, uses)) {
            return;
        }
        const auto is_integer = [](const Parameter& p) {
            return p.kind == Parameter::Kind::value && !is_floating(p.element) && p.element != ValueType::none;
        };
        KernelHeader header = header_;
        RunOptions options = options_;
        for (std::size_t p = 0; p < launch_.parameters.size(); ++p) { // arrays may be as long as the grid is large
            const Parameter& parameter = launch_.parameters[p];
            if (!is_integer(parameter)) {
                options.kernel.arguments.erase(parameter.name);
                std::erase_if(header.arguments, [&](const auto& a) { return a.name == parameter.name; });
                if (header.launch && parameter.record == kNone &&
                    launch_.parameters.size() == kernel_.parameters.size() &&
                    header.launch->arguments.size() == launch_.parameters.size()) {
                    header.launch->arguments[p] = parameter.name;
                }
            }
        }
        KernelLaunch scratch = launch_;
        try {
            choose_arguments({program_, kernel_, header, options, adjusted_, names_, element_}, scratch);
        } catch (const OptionError&) { // it is told when they are chosen
            return;
        }
        for (std::size_t p = 0; p < launch_.parameters.size(); ++p) {
            if (is_integer(launch_.parameters[p])) {
                constexpr double kMost = 0x1p62; // no size is larger
                names_.try_emplace(launch_.parameters[p].name,
                                   static_cast<std::int64_t>(std::clamp(scratch.arguments[p].number, -kMost, kMost)));
            }
        }
    }

    void choose_block() {
        const std::optional<std::uint32_t> asked = asked_block(options_);
        names_["B"] = asked ? *asked : header_.block.value_or(asked_.usual_block);
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
            say(fmt::format("block {} as in the file's own launch", shape_text(launch_.block)));
        } else if (header_.block) {
            launch_.block = {*header_.block, 1, 1};
        } else {
            launch_.block_chosen = true;
            launch_.block = adjusted_.block.value_or(usual_block(program_, kernel_, dimensions_, asked_.usual_block));
            say(fmt::format("block {}", shape_text(launch_.block)));
        }
        const auto [least, most] = std::minmax_element(launch_.block.begin(), launch_.block.end());
        if (*least == 0) {
            throw OptionError(
                fmt::format("a block of {} threads; every dimension must be at least 1", shape_text(launch_.block)));
        }
        if (*most > 1024 || simt::volume(launch_.block) > 1024) { // most first: the product of three may overflow
            throw OptionError(fmt::format("a block of {} threads; the limit is 1024", shape_text(launch_.block)));
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

    void choose_grid() {
        const std::string& text = !asked_.grid.empty() ? asked_.grid : header_.launch ? header_.launch->grid : "";
        if (!text.empty()) {
            launch_.grid = extent_of(text, names_, element_, "the grid");
        } else if (!knows_its_block(program_, kernel_)) {
            launch_.grid = {1, 1, 1};
            say("grid 1");
        } else {
            // One element per thread, or as many as the kernel's arithmetic says, or a row, in each dimension that the block
            // has and in which it tells blocks apart.
            const std::array<bool, 3> asks = asks_for_its_block(program_, kernel_);
            const std::array<std::uint32_t, 2>& strides = block_elements_.strides;
            for (unsigned d = 0; d < 3; ++d) {
                const std::uint64_t side = !asks[d] || (d != 0 && launch_.block[d] == 1)
                                               ? 1
                                               : launch_.n * (d < elements_each_.size() ? elements_each_[d] : 1);
                const std::uint64_t threads = d == 0 ? block_elements_.threads_each : 1;
                const std::uint64_t taken =
                    std::uint64_t{launch_.block[d]} * (d == 0 ? block_elements_.elements_each : 1);
                const std::uint64_t each = rows_                                  ? 1
                                           : d == 0 && block_elements_.x_counts_y ? launch_.block[1]
                                           : threads > 1 ? std::max<std::uint64_t>(launch_.block[d] / threads, 1)
                                           : d < strides.size() && strides[d] != 0
                                               ? strides[d] // fewer than its threads beside a halo
                                               : taken;
                launch_.grid[d] = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (side + each - 1) / each));
            }
            // A chosen n in several directions is soon more blocks than anybody waits for.
            constexpr std::uint64_t kMostBlocks = 1U << 12;
            while (launch_.n_chosen && simt::volume(launch_.grid) > kMostBlocks) {
                *std::max_element(launch_.grid.begin(), launch_.grid.end()) /= 2;
            }
            for (unsigned d = 0; d < 3; ++d) { // whole clusters
                const std::uint32_t size = std::max(1U, kernel_.cluster[d]);
                launch_.grid[d] += (size - launch_.grid[d] % size) % size;
            }
            say(fmt::format("grid {}", shape_text(launch_.grid)));
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

    void say(std::string text) { launch_.chosen.push_back(std::move(text)); }

    const Program& program_;
    const compile::Kernel& kernel_;
    const KernelHeader& header_;
    const RunOptions& options_;
    const KernelOptions& asked_;
    const Adjusted& adjusted_;
    const unsigned dimensions_; // dimensions of threadIdx that the kernel reads: 1 to 3
    const BlockElements block_elements_;
    const bool rows_;                                  // a block takes a row
    std::array<std::uint64_t, 2> elements_each_{1, 1}; // of n, in x and y, as guards say: elements_each()
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

std::vector<Parameter> called_with(const compile::Kernel& kernel) {
    std::vector<Parameter> list;
    for (std::uint32_t p = 0; p < kernel.parameters.size(); ++p) {
        const std::size_t before = list.size();
        std::copy_if(kernel.members.begin(), kernel.members.end(), std::back_inserter(list),
                     [p](const Parameter& member) { return member.record == p; });
        if (list.size() == before) {
            list.push_back(kernel.parameters[p]);
        }
    }
    return list;
}

KernelLaunch choose_launch(const Program& program, std::uint32_t kernel, const KernelHeader& header,
                           const RunOptions& options, const Adjusted& adjusted) {
    return Chooser(program, kernel, header, options, adjusted).choose();
}

} // namespace warptree::runs
