// A program as bytes: a magic number, then every field in the order of program_fields.hpp, little-endian, each sequence
// after its length. It is only exchanged between processes of the same version.
#include "app/compile/client/compiler.hpp"
#include "app/compile/program/fields.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warptree::compile {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kMark = 0x31505457; // "WTP1"

template <class T>
concept scalar = std::integral<T> || std::is_enum_v<T>;

struct Writer {
    std::vector<std::uint8_t>& out;

    template <class... T> void operator()(const T&... values) { (put(values), ...); }

  private:
    void raw(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        out.insert(out.end(), bytes, bytes + size);
    }
    template <scalar T> void put(T value) { raw(&value, sizeof value); }
    template <class T, std::size_t n> void put(const T (&values)[n]) {
        for (const T& value : values) put(value);
    }
    void put(const std::string& text) {
        put(static_cast<std::uint32_t>(text.size()));
        raw(text.data(), text.size());
    }
    template <class T> void put(const std::vector<T>& values) {
        put(static_cast<std::uint32_t>(values.size()));
        if constexpr (scalar<T>) {
            raw(values.data(), values.size() * sizeof(T));
        } else {
            for (const T& value : values) put(value);
        }
    }
    template <class T>
        requires std::is_class_v<T>
    void put(const T& value) { fields(value, *this); }
};

// The size of an element with empty sequences, which is the least possible and bounds the lengths that are accepted.
template <class T> std::size_t least_size() {
    static const std::size_t size = [] {
        std::vector<std::uint8_t> bytes;
        Writer{bytes}(T{});
        return bytes.size();
    }();
    return size;
}

struct Reader {
    const std::uint8_t* at;
    const std::uint8_t* end;

    template <class... T> void operator()(T&... values) { (get(values), ...); }

  private:
    [[noreturn]] static void fail() { throw CompileError("not a compiled program: it ends early or is damaged"); }

    std::size_t left() const { return static_cast<std::size_t>(end - at); }
    void raw(void* data, std::size_t size) {
        if (size > left()) fail();
        if (size != 0) std::memcpy(data, at, size);
        at += size;
    }
    void get(bool& value) {
        std::uint8_t byte = 0;
        raw(&byte, 1);
        if (byte > 1) fail();
        value = byte == 1;
    }
    template <scalar T> void get(T& value) { raw(&value, sizeof value); }
    template <class T, std::size_t n> void get(T (&values)[n]) {
        for (T& value : values) get(value);
    }
    std::size_t length(std::size_t each) {
        std::uint32_t count = 0;
        get(count);
        if (count > left() / each) fail();
        return count;
    }
    void get(std::string& text) {
        text.resize(length(1));
        raw(text.data(), text.size());
    }
    template <class T> void get(std::vector<T>& values) {
        values.resize(length(least_size<T>()));
        if constexpr (scalar<T>) {
            raw(values.data(), values.size() * sizeof(T));
        } else {
            for (T& value : values) get(value);
        }
    }
    template <class T>
        requires std::is_class_v<T>
    void get(T& value) { fields(value, *this); }
};

} // namespace

bool Program::compiled() const {
    return std::none_of(diagnostics.begin(), diagnostics.end(),
                        [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; });
}

std::vector<std::uint8_t> to_bytes(const Program& program) {
    std::vector<std::uint8_t> bytes;
    Writer{bytes}(kMark, program);
    return bytes;
}

Program program_from_bytes(const std::vector<std::uint8_t>& bytes) {
    Program program;
    Reader reader{bytes.data(), bytes.data() + bytes.size()};
    std::uint32_t mark = 0;
    if (bytes.size() < sizeof mark) throw CompileError("not a compiled program: it is empty");
    reader(mark);
    if (mark != kMark) throw CompileError("not a compiled program, or one of another version");
    reader(program);
    if (reader.at != reader.end) throw CompileError("not a compiled program: bytes follow its end");
    check(program);
    return program;
}

} // namespace warptree::compile
