#include "app/simt/device_print.hpp"

#include "app/base/printable.hpp"
#include "app/compile/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <vector>

namespace warptree::simt {

namespace {
enum class Type : char {
    word = compile::kPrintWord,
    wide = compile::kPrintWide,
    floating = compile::kPrintDouble,
    pointer = compile::kPrintPointer
};

struct PrintArgument {
    Type type = Type::word;
    std::uint64_t bits = 0;
};

// Takes the arguments one after another.
class ArgumentReader {
  public:
    explicit ArgumentReader(const PrintArguments& arguments) : arguments_(arguments) {}

    // `expected`: its type if that is not known. nullopt: there is none left.
    std::optional<PrintArgument> next(Type expected) {
        PrintArgument argument{expected, 0};
        if (arguments_.types) {
            if (taken_ == arguments_.types->size()) {
                return std::nullopt;
            }
            argument.type = static_cast<Type>((*arguments_.types)[taken_]);
        }
        const std::size_t size = argument.type == Type::word ? 4 : 8;
        const std::size_t at = (offset_ + size - 1) / size * size;
        if (taken_ == kMostPrintArguments || at + size > arguments_.packed.size()) {
            return std::nullopt;
        }
        std::memcpy(&argument.bits, &arguments_.packed[at], size);
        offset_ = at + size;
        ++taken_;
        return argument;
    }
    std::size_t taken() const { return taken_; }

  private:
    const PrintArguments& arguments_;
    std::size_t offset_ = 0, taken_ = 0;
};

// %[flags][width][.precision][size]conversion
struct Directive {
    std::string flags; // each at most once
    std::optional<int> width, precision;
    bool width_argument = false; // its width is an argument: *
    enum class Size : std::uint8_t { usual, half, wide } size = Size::usual;
    char conversion = 0;
    bool clamped = false;

    bool flag(char f) const { return flags.find(f) != std::string::npos; }
    bool integer() const { return std::strchr("diouxX", conversion) != nullptr; }
    Type type() const {
        return conversion == 's' || conversion == 'p'           ? Type::pointer
               : std::strchr("fFeEgGaA", conversion) != nullptr ? Type::floating
               : size == Size::wide && conversion != 'c'        ? Type::wide
                                                                : Type::word;
    }
};

class DirectiveParser {
  public:
    explicit DirectiveParser(std::string_view text) : text_(text) {} // after the %

    // nullopt: CUDA documents nothing of the kind.
    std::optional<Directive> parse() {
        for (; at('-') || at('+') || at(' ') || at('#') || at('0'); ++position_) {
            if (!directive_.flag(text_[position_])) {
                directive_.flags += text_[position_];
            }
        }
        if (at('*')) {
            directive_.width_argument = true;
            ++position_;
        } else if (digit()) {
            directive_.width = number();
        }
        if (at('.')) {
            ++position_;
            directive_.precision = number();
        }
        if (at('h')) {
            directive_.size = Directive::Size::half;
            ++position_;
        } else if (at('l')) {
            directive_.size = Directive::Size::wide;
            position_ += position_ + 1 < text_.size() && text_[position_ + 1] == 'l' ? 2 : 1;
        }
        if (position_ == text_.size() || std::strchr("diouxXcsfFeEgGaAp", text_[position_]) == nullptr ||
            text_[position_] == '\0') {
            return std::nullopt;
        }
        directive_.conversion = text_[position_++];
        if (directive_.size == Directive::Size::wide && directive_.conversion == 's') { // wide characters: only in C
            --position_;
            return std::nullopt;
        }
        return directive_;
    }
    // Characters of the directive; of one that is not understood, up to and with the character that is not.
    std::size_t length() const { return std::min(position_, text_.size()); }

  private:
    bool at(char c) const { return position_ < text_.size() && text_[position_] == c; }
    bool digit() const { return position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9'; }
    int number() {
        int value = 0;
        for (; digit(); ++position_) {
            value = std::min(10 * value + (text_[position_] - '0'), kMostPrintWidth + 1);
        }
        directive_.clamped |= value > kMostPrintWidth;
        return std::min(value, kMostPrintWidth);
    }

    std::string_view text_;
    std::size_t position_ = 0;
    Directive directive_;
};

std::string_view name(Type type) {
    switch (type) {
    case Type::word: return "32-bit integer";
    case Type::wide: return "64-bit integer";
    case Type::floating: return "double";
    case Type::pointer: return "pointer";
    }
    return "";
}

class DevicePrinter {
  public:
    DevicePrinter(std::string_view format, const PrintArguments& arguments, const ReadDeviceText& read)
        : format_(format), arguments_(arguments), read_(read) {}

    DevicePrinted run() {
        std::size_t position = 0;
        while (position < format_.size()) {
            const std::size_t percent = std::min(format_.find('%', position), format_.size());
            out_.text += format_.substr(position, percent - position);
            position = percent;
            if (position == format_.size()) {
                break;
            }
            if (position + 1 < format_.size() && format_[position + 1] == '%') {
                out_.text += '%';
                position += 2;
                continue;
            }
            DirectiveParser parser(format_.substr(position + 1));
            const std::optional<Directive> directive = parser.parse();
            const std::string_view as_it_stands = format_.substr(position, 1 + parser.length());
            if (directive) {
                convert(*directive, as_it_stands);
            } else {
                doubt(fmt::format("'{}' is no conversion of CUDA's printf", shown(position, parser.length())));
                out_.text += as_it_stands;
            }
            position += as_it_stands.size();
        }
        return std::move(out_);
    }

  private:
    void doubt(std::string what) {
        if (out_.doubt.empty()) {
            out_.doubt = std::move(what);
        }
    }
    // A directive that is not understood, with the character after it: "%zu".
    std::string shown(std::size_t percent, std::size_t length) const {
        std::size_t end = percent + 1 + length;
        while (end < format_.size() && end < percent + 16 && std::strchr("hlLqjzt", format_[end]) != nullptr) {
            ++end;
        }
        return printable(format_.substr(percent, end + 1 - percent));
    }

    void convert(Directive d, std::string_view as_it_stands) {
        if (d.width_argument) {
            const auto width = arguments_.next(Type::word);
            if (!width) {
                return missing(as_it_stands);
            }
            ++out_.parsed;
            if (width->type != Type::word && width->type != Type::wide) {
                doubt(fmt::format("the width of '{}' is a {}", printable(as_it_stands), name(width->type)));
            }
            const auto asked = static_cast<std::int32_t>(width->bits);
            d.clamped |= asked > kMostPrintWidth || asked < -kMostPrintWidth;
            d.width = std::clamp(asked, -kMostPrintWidth, kMostPrintWidth);
            if (*d.width < 0) { // as in C
                d.flags += d.flag('-') ? "" : "-";
                d.width = -*d.width;
            }
        }
        if (d.clamped) {
            doubt(
                fmt::format("a width or precision of '{}' is more than {}", printable(as_it_stands), kMostPrintWidth));
        }
        const auto argument = arguments_.next(d.type());
        if (!argument) {
            return missing(as_it_stands);
        }
        ++out_.parsed;
        // Pointers and 64-bit integers are the same bits.
        const auto family = [](Type type) { return type == Type::pointer ? Type::wide : type; };
        if (family(argument->type) != family(d.type())) {
            doubt(fmt::format("'{}' is for a {}, and its argument is a {}", printable(as_it_stands), name(d.type()),
                              name(argument->type)));
            by_its_own_type(d, argument->type);
        }
        append(d, *argument);
    }

    void missing(std::string_view as_it_stands) {
        doubt(arguments_.taken() == kMostPrintArguments
                  ? fmt::format("printf takes at most {} arguments", kMostPrintArguments)
                  : fmt::format("'{}' has no argument", printable(as_it_stands)));
        out_.text += as_it_stands;
    }

    static void by_its_own_type(Directive& d, Type type) {
        d.size = type == Type::wide ? Directive::Size::wide : Directive::Size::usual;
        if (type == Type::floating) {
            d.conversion = 'f';
        } else if (type == Type::pointer) {
            d.conversion = 'p';
        } else if (!d.integer()) {
            d.conversion = 'd';
            d.precision.reset();
        }
    }

    void append(const Directive& d, const PrintArgument& argument) {
        switch (d.conversion) {
        case 's': return append_text(d, argument.bits);
        case 'c': return pad(d, std::string(1, static_cast<char>(argument.bits)));
        case 'p': return pad(d, argument.bits == 0 ? std::string("(nil)") : fmt::format("{:#x}", argument.bits));
        default: break;
        }
        // A format of our own: flags that were recognised, numbers of at most four digits, one conversion.
        std::string format = "%" + d.flags;
        format += d.width ? std::to_string(*d.width) : "";
        if (d.precision) {
            format += '.';
            format += std::to_string(*d.precision);
        }
        if (d.integer()) {
            append_formatted(format + "ll" + d.conversion, integer(d, argument));
        } else {
            append_formatted(format + d.conversion, std::bit_cast<double>(argument.bits));
        }
    }

    // As its size and signedness have it.
    static long long integer(const Directive& d, const PrintArgument& argument) {
        const bool is_signed = d.conversion == 'd' || d.conversion == 'i';
        if (argument.type != Type::word) {
            return static_cast<long long>(argument.bits);
        }
        const auto word = static_cast<std::uint32_t>(argument.bits);
        if (d.size == Directive::Size::half) {
            const auto half = static_cast<std::uint16_t>(word);
            return is_signed ? static_cast<std::int16_t>(half) : static_cast<long long>(half);
        }
        return is_signed ? static_cast<std::int32_t>(word) : static_cast<long long>(word);
    }

    template <class Value> void append_formatted(const std::string& format, Value value) {
        std::array<char, 2048> buffer; // the longest: 1000 digits after the point, 309 before it
        const int length = std::snprintf(buffer.data(), buffer.size(), format.c_str(), value);
        out_.text.append(buffer.data(),
                         static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(buffer.size()) - 1)));
    }

    void append_text(const Directive& d, std::uint64_t address) {
        if (address == 0) {
            return pad(d, "(null)");
        }
        const std::size_t most = d.precision ? static_cast<std::size_t>(*d.precision) : kMostPrintText;
        DeviceText text = read_(address, most);
        if (!text.whole && text.text.size() < most) {
            doubt(fmt::format("the text at {:#x} does not end within its memory", address));
        } else if (!text.whole && !d.precision) {
            doubt(fmt::format("a text has more than {} characters", kMostPrintText));
        }
        pad(d, std::move(text.text));
    }

    void pad(const Directive& d, std::string text) {
        const std::size_t width = static_cast<std::size_t>(d.width.value_or(0));
        const std::size_t room = width > text.size() ? width - text.size() : 0;
        out_.text += d.flag('-') ? text + std::string(room, ' ') : std::string(room, ' ') + text;
    }

    std::string_view format_;
    ArgumentReader arguments_;
    const ReadDeviceText& read_;
    DevicePrinted out_;
};
} // namespace

DevicePrinted device_print(std::string_view format, const PrintArguments& arguments, const ReadDeviceText& read) {
    return DevicePrinter(format, arguments, read).run();
}

} // namespace warptree::simt
