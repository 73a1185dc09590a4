#include "app/run/choice/argument_choice.hpp"

#include "app/base/error.hpp"
#include "app/base/printable.hpp"
#include "app/run/array_fill.hpp"
#include "app/run/choice/array_beginning.hpp"
#include "app/run/choice/each_instruction.hpp"
#include "app/run/choice/integer_role.hpp"
#include "app/run/choice/tested_contents.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

namespace warptree::runs {

using catalogue::evaluate;
using compile::Parameter;

namespace {

class ArgumentChooser {
  public:
    ArgumentChooser(const ArgumentSources& from, KernelLaunch& launch)
        : from_(from), asked_(from.options.kernel), launch_(launch) {}

    void choose() {
        const std::vector<std::string> call =
            from_.header.launch ? from_.header.launch->arguments : std::vector<std::string>{};
        if (!call.empty() && call.size() != from_.kernel.parameters.size()) {
            throw OptionError(fmt::format("the launch in the file's header has {} arguments where {} takes {}",
                                          call.size(), from_.kernel.name, from_.kernel.parameters.size()));
        }
        for (const auto& asked : asked_.arguments) {
            const auto is = [&](const Parameter& p) { return p.name == asked.first; };
            if (std::none_of(launch_.parameters.begin(), launch_.parameters.end(), is)) {
                std::vector<std::string_view> names;
                for (const Parameter& p : launch_.parameters) {
                    names.push_back(p.name);
                }
                throw OptionError(fmt::format("{} has no parameter '{}'; it has {}", from_.kernel.name,
                                              printable(asked.first), fmt::join(names, ", ")));
            }
        }
        for (std::uint32_t p = 0; p < launch_.parameters.size(); ++p) {
            const Parameter& parameter = launch_.parameters[p];
            std::string text;
            bool of_header = false;
            if (const auto found = asked_.arguments.find(parameter.name); found != asked_.arguments.end()) {
                text = found->second;
            } else {
                for (const catalogue::ArgumentText& a : from_.header.arguments) {
                    text = a.name == parameter.name ? a.value : text;
                }
                // A struct in the call leaves its members to the program.
                if (const std::size_t at = position(p);
                    text.empty() && !call.empty() && parameter.record == compile::kNone && call[at] != parameter.name) {
                    text = call[at];
                }
                of_header = true;
            }
            launch_.arguments.push_back(parameter.kind == Parameter::Kind::array ? array(p, text, of_header)
                                                                                 : scalar(p, text));
        }
    }

  private:
    // Of the parameter p in the kernel's own list, in which a struct is one.
    std::size_t position(std::uint32_t p) const {
        std::size_t at = 0;
        for (std::uint32_t i = 1; i <= p; ++i) {
            const std::uint32_t record = launch_.parameters[i].record;
            at += record == compile::kNone || record != launch_.parameters[i - 1].record ? 1 : 0;
        }
        return at;
    }

    bool expects() const { return !launch_.expect.empty() && launch_.expect != "none"; }

    ArgumentValue array(std::uint32_t p, const std::string& text, bool of_header) {
        const Parameter& parameter = launch_.parameters[p];
        ArgumentValue value;
        value.text = text;
        const bool writes = parameter.stores || parameter.updates;
        const bool reads = parameter.loads && (!writes || p == launch_.input ||
                                               std::find(from_.adjusted.inputs.begin(), from_.adjusted.inputs.end(),
                                                         p) != from_.adjusted.inputs.end());
        const std::string_view begins = reads ? ""
                                              : beginning_of(from_.program, from_.kernel, parameter,
                                                             from_.adjusted.contents == Adjusted::Contents::negative);
        value.fill = !begins.empty()                             ? std::string(begins)
                     : !reads && (writes || !parameter.constant) ? "zeros"
                     : asked_.input_given                        ? stated_fill()
                                                                 : guessed_fill(parameter);
        const auto& counters = from_.adjusted.counters;
        value.zeroed = value.fill == "zeros" && std::find(counters.begin(), counters.end(), p) != counters.end();
        value.file = is_data(value.fill) && asked_.input_given && from_.options.input == InputKind::file;
        value.guessed = is_data(value.fill) && !asked_.input_given;
        value.count = launch_.n * parameter.components;
        // Of large structures only as many as fit into a megabyte: the array grows to what the kernel accesses.
        constexpr std::uint64_t kLarge = 1U << 16, kRoom = 1U << 20; // bytes
        if (parameter.element_bytes >= kLarge && parameter.kind == Parameter::Kind::array) {
            const std::uint64_t structures = std::max<std::uint64_t>(1, kRoom / parameter.element_bytes);
            value.count = std::min(launch_.n, structures) * std::max(1U, parameter.components);
        }
        std::string_view rest = text;
        if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos && !rest.ends_with(".npy")) {
            value.count = static_cast<std::uint64_t>(count_of(rest.substr(colon + 1), parameter.name));
            value.stated = true;
            rest = rest.substr(0, colon);
        }
        if (rest.ends_with(".npy") && of_header) {
            value.fill = path_beside(asked_.file, rest);
            value.file = value.guessed = false;
        } else if (rest.ends_with(".npy") ||
                   std::find(std::begin(kFills), std::end(kFills), rest) != std::end(kFills)) {
            if (of_header && asked_.input_given && !value.stated && is_data(value.fill) && !rest.ends_with(".npy")) {
                value.text = value.fill; // what is asked for overrides the file
                return placed(value, p);
            }
            value.fill = rest;
            value.file = value.guessed = false;
        } else if (!rest.empty()) { // only a count
            value.count = static_cast<std::uint64_t>(count_of(rest, parameter.name));
            value.stated = true;
        } else {
            value.chosen = true;
            value.text = value.fill;
            say(fmt::format("{} = {}", parameter.name, value.fill));
        }
        return placed(value, p);
    }

    // Whether these contents stand for input, and are not what a result begins with.
    static bool is_data(std::string_view fill) {
        constexpr std::array<std::string_view, 6> kBegin{"zeros", "empty", "spaced", "largest", "smallest", "identity"};
        return std::ranges::find(kBegin, fill) == kBegin.end();
    }

    // How many arrays have the same contents, and what the expected result is over.
    ArgumentValue placed(ArgumentValue value, std::uint32_t p) const {
        // The expected result is over n elements, or over matrices whose sides are stated.
        const std::vector<std::uint64_t>& sides = launch_.shape;
        const bool matrices = launch_.expect == "matrix-product" && sides.size() == 3;
        value.stated |= p == launch_.input && expects() && sides.empty();
        if (matrices && is_data(value.fill) && value.count == launch_.n) {
            value.count = p == launch_.input ? sides[0] * sides[1] : sides[1] * sides[2];
        }
        const auto same = [&](const ArgumentValue& a) { return a.fill == value.fill; };
        value.place = static_cast<unsigned>(std::count_if(launch_.arguments.begin(), launch_.arguments.end(), same));
        if (is_data(value.fill)) {
            value.telling = from_.adjusted.telling;
        }
        return value;
    }

    ArgumentValue scalar(std::uint32_t p, const std::string& text) {
        const Parameter& parameter = launch_.parameters[p];
        ArgumentValue value;
        value.text = text;
        if (parameter.kind == Parameter::Kind::record && parameter.element == ValueType::none) {
            value.chosen = true;
            value.text = "zeros";
            say(fmt::format("{} = zeros", parameter.name));
            return value;
        }
        if (const auto known = from_.names.find(parameter.name);
            text.empty() && known != from_.names.end() && in_header(known->first)) {
            value.number = static_cast<double>(known->second);
            value.text = std::to_string(known->second);
            return value;
        }
        if (const std::string_view type = parameter.type;
            text.empty() && (type.find("cudaTextureObject_t") != std::string_view::npos ||
                             type.find("cudaSurfaceObject_t") != std::string_view::npos)) {
            throw OptionError(fmt::format("{} is a {}, which only a program can create; run {} in a program that does",
                                          parameter.name, type, from_.kernel.name));
        }
        if (text.empty()) {
            value.chosen = true;
            value.number = chosen_number(p);
            value.text = value.number == static_cast<double>(launch_.n) && !is_floating(parameter.element) &&
                                 role(parameter) == IntegerRole::elements
                             ? "n"
                             : fmt::format("{}", value.number);
            say(value.text == parameter.name ? fmt::format("{} = {}", parameter.name, value.number) // no "n = n"
                                             : fmt::format("{} = {}", parameter.name, value.text));
            if (from_.adjusted.telling && is_floating(parameter.element)) { // a factor of 1 would hide it
                value.number = from_.adjusted.telling->mixed ? 0.75 : 1.25;
            }
            return value;
        }
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(number)) {
            value.number = number;
        } else if (text == "true" || text == "false") {
            value.number = text == "true" ? 1 : 0;
        } else {
            value.number = static_cast<double>(evaluate(text, from_.names, from_.element));
        }
        check_holds(parameter, value.number, text);
        return value;
    }

    // A stated number is never changed: its type holds it, or it is refused.
    static void check_holds(const Parameter& parameter, double number, const std::string& text) {
        const ValueType type = parameter.element;
        const bool floating = is_floating(type);
        if (type == ValueType::none || type == ValueType::boolean || type == ValueType::pointer) {
            return;
        }
        const double held = as_number(type, scalar_bits(type, number));
        if (floating ? std::isfinite(held) : held == number) {
            return;
        }
        if (!floating && number != std::trunc(number)) {
            throw OptionError(fmt::format("{} is of type {}, which takes whole numbers, not \"{}\"", parameter.name,
                                          parameter.type, printable(text)));
        }
        throw OptionError(fmt::format("{} is of type {}, which does not hold \"{}\"", parameter.name, parameter.type,
                                      printable(text)));
    }

    double chosen_number(std::uint32_t p) const {
        constexpr double kWidth = 3, kRadius = 1, kTimes = 3, kFew = 3;
        const Parameter& parameter = launch_.parameters[p];
        if (from_.adjusted.few == p) {
            return kFew;
        }
        if (from_.adjusted.nought == p) {
            return 0;
        }
        if (is_floating(parameter.element)) {
            return chosen_fraction(parameter.name);
        }
        if (parameter.element == ValueType::boolean || from_.adjusted.contents == Adjusted::Contents::ones_everywhere) {
            return 1;
        }
        switch (role(parameter)) {
        case IntegerRole::distance: return static_cast<double>(distance(parameter));
        case IntegerRole::window: return kWidth;
        case IntegerRole::radius: return kRadius;
        case IntegerRole::times: return kTimes;
        case IntegerRole::turn:
        case IntegerRole::shift: return 0;
        case IntegerRole::place: return static_cast<double>(rows_before(p));
        case IntegerRole::digits: return static_cast<double>(std::bit_width(launch_.n) - 1);
        case IntegerRole::pitch: return static_cast<double>(launch_.n * row_element_bytes());
        case IntegerRole::elements: break;
        }
        return static_cast<double>(launch_.n);
    }

    // Of a probability a half: with 1 all or nothing is kept. An upper bound lies above a lower one.
    static double chosen_fraction(std::string_view name) {
        constexpr std::array<std::string_view, 8> kProbabilities{"p",         "prob",     "probability", "rate",
                                                                 "drop_prob", "dropRate", "dropProb",    "keep_prob"};
        constexpr std::array<std::string_view, 9> kUpper{"hi",      "high",   "upper", "vmax",    "maxVal",
                                                         "max_val", "maxval", "max",   "maxValue"};
        constexpr double kAbove = 100;
        return std::ranges::find(kProbabilities, name) != kProbabilities.end() ? 0.5
               : std::ranges::find(kUpper, name) != kUpper.end()               ? kAbove
                                                                               : 1;
    }

    IntegerRole role(const Parameter& parameter) const { return role_of(from_.program, from_.kernel, parameter); }

    // Of the elements whose rows a pitch counts.
    std::uint64_t row_element_bytes() const {
        const std::uint32_t of = launch_.input != compile::kNone ? launch_.input : launch_.output;
        return of == compile::kNone ? 1 : std::max(1U, launch_.parameters[of].element_bytes);
    }

    // Of the number of a row: how many such numbers are told before it. Two are of two rows, as of p and q.
    std::uint64_t rows_before(std::uint32_t p) const {
        const auto is_row = [&](std::uint32_t k) {
            const Parameter& parameter = launch_.parameters[k];
            return parameter.kind == Parameter::Kind::value && !is_floating(parameter.element) &&
                   role(parameter) == IntegerRole::place && says_a_row(from_.program, from_.kernel, parameter);
        };
        std::uint64_t rows = 0;
        for (std::uint32_t k = 0; k < p && is_row(p); ++k) {
            rows += is_row(k) ? 1 : 0;
        }
        return rows;
    }

    // Where a loop goes on by it, all threads; where an index is compared with it, half of the elements, as in a tree's first
    // step, unless it leads back; else to the neighbour.
    std::uint64_t distance(const Parameter& parameter) const {
        using compile::Opcode;
        HeldRows rows({parameter.row});
        bool compared = false, goes_on = false, leads_back = false;
        for (const compile::Instruction& in : from_.program.functions[from_.kernel.function].code) {
            const bool a = rows.has(in.a), b = rows.has(in.b);
            if ((a || b) && (in.op == Opcode::add32 || in.op == Opcode::add64)) {
                goes_on |=
                    std::any_of(from_.program.moves.begin(), from_.program.moves.end(),
                                [&](const compile::Move& m) { return m.dst == (a ? in.b : in.a) && m.src == in.dst; });
            }
            compared |= (a || b) && is_order(in.op);
            leads_back |= b && (in.op == Opcode::sub32 || in.op == Opcode::sub64);
            rows.after(in, a && (in.op == Opcode::sext64 || in.op == Opcode::zext64));
        }
        if (goes_on) {
            return simt::volume(launch_.grid) * simt::volume(launch_.block);
        }
        return compared && !leads_back ? std::max<std::uint64_t>(1, launch_.n / 2) : 1;
    }

    bool in_header(std::string_view name) const {
        return std::any_of(from_.header.parameters.begin(), from_.header.parameters.end(),
                           [&](const catalogue::ParameterText& p) { return name_of(p) == name; });
    }

    std::string stated_fill() const {
        return from_.options.input == InputKind::file ? from_.options.input_file
                                                      : std::string(warptree::name(from_.options.input));
    }

    // What an array that is read gets if nobody said so.
    std::string guessed_fill(const Parameter& parameter) const {
        const bool changes = parameter.stores || parameter.updates;
        switch (from_.adjusted.contents) {
        case Adjusted::Contents::usual: break;
        case Adjusted::Contents::own_number:
        case Adjusted::Contents::unseen:
        case Adjusted::Contents::far:
            if (!changes) {
                break;
            }
            return from_.adjusted.contents == Adjusted::Contents::own_number ? "iota"
                   : from_.adjusted.contents == Adjusted::Contents::unseen   ? "unseen"
                                                                             : "far";
        case Adjusted::Contents::letters: return bytes(parameter.element) == 1 ? "letters" : "primes";
        case Adjusted::Contents::iota: return "iota";
        case Adjusted::Contents::falling: return "falling";
        case Adjusted::Contents::random: return "random";
        case Adjusted::Contents::pairs: return "pairs";
        case Adjusted::Contents::negative: return is_signed(parameter.element) ? "negative" : "primes";
        case Adjusted::Contents::minus_one: return is_floating(parameter.element) ? "empty" : "primes";
        case Adjusted::Contents::zeros: return "zeros";
        case Adjusted::Contents::ones:
        case Adjusted::Contents::ones_everywhere: return "ones";
        }
        if (launch_.expect == "histogram") {
            return "pairs";
        }
        if (launch_.expect.starts_with("sorted")) {
            return "random"; // primes are in order
        }
        if (launch_.expect == "product" && is_floating(parameter.element)) {
            return "random"; // the product of primes overflows
        }
        if (is_text(parameter)) {
            return "letters";
        }
        if (!asked_.fill.empty()) {
            return asked_.fill;
        }
        const std::string_view tested = tested_contents(from_.program, from_.kernel, parameter);
        return tested.empty() ? "primes" : std::string(tested);
    }

    // "const char*", but not "signed char*" or "int8_t*".
    static bool is_text(const Parameter& parameter) {
        std::string_view type = parameter.type;
        for (const std::string_view word : {"const ", "volatile "}) {
            type.remove_prefix(type.starts_with(word) ? word.size() : 0);
        }
        return type.starts_with("char") && bytes(parameter.element) == 1;
    }

    std::int64_t count_of(std::string_view text, const std::string& name) const {
        const auto plain_count = parse_count(text);
        const std::int64_t value =
            plain_count ? static_cast<std::int64_t>(*plain_count) : evaluate(text, from_.names, from_.element);
        if (value < 1 || value > static_cast<std::int64_t>(kMaxElements)) {
            throw OptionError(fmt::format("{} = '{}': an array has 1 to 2^31 elements", name, printable(text)));
        }
        return value;
    }
    void say(std::string text) { launch_.chosen.push_back(std::move(text)); }

    const ArgumentSources& from_;
    const KernelOptions& asked_;
    KernelLaunch& launch_;
};
} // namespace

void choose_arguments(const ArgumentSources& sources, KernelLaunch& launch) {
    ArgumentChooser(sources, launch).choose();
}

} // namespace warptree::runs
