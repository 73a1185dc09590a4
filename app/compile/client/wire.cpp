#include "app/compile/client/wire.hpp"

#include <algorithm>

namespace warptree::compile {
namespace {

void put_number(std::string& to, std::uint64_t number) {
    for (int i = 0; i < 8; ++i) to.push_back(static_cast<char>(number >> (8 * i)));
}

void put_text(std::string& to, std::string_view text) {
    put_number(to, text.size());
    to += text;
}

std::string framed(std::string_view bytes) {
    std::string frame;
    frame.reserve(kLengthBytes + bytes.size());
    put_text(frame, bytes);
    return frame;
}

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}
    std::uint64_t number() {
        const std::uint64_t value = frame_length(take(8));
        return value;
    }
    std::string text() { return std::string(take(number())); }
    std::string_view take(std::uint64_t count) {
        if (count > rest_.size()) throw CompileError("incomplete message from the compiler");
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
};

} // namespace

std::uint64_t frame_length(std::string_view beginning) {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        length |= static_cast<std::uint64_t>(static_cast<unsigned char>(beginning[i])) << (8 * i);
    return length;
}

std::string frame_of(const Request& request) {
    std::string bytes;
    for (const std::string* text :
         {&request.name, &request.text, &request.folder, &request.shipped, &request.architecture})
        put_text(bytes, *text);
    put_number(bytes, static_cast<std::uint64_t>(request.code));
    put_number(bytes, request.defines.size());
    for (const Define& define : request.defines) {
        put_text(bytes, define.name);
        put_text(bytes, define.value);
    }
    put_number(bytes, request.instances.size());
    for (const std::string& instance : request.instances) put_text(bytes, instance);
    put_number(bytes, request.lines.size());
    for (const std::uint32_t line : request.lines) put_number(bytes, line);
    put_number(bytes, request.host ? 1 : 0);
    put_number(bytes, request.folders.size());
    for (const std::string& folder : request.folders) put_text(bytes, folder);
    return framed(bytes);
}

Request request_from(std::string_view bytes) {
    Reader reader(bytes);
    Request request;
    for (std::string* text : {&request.name, &request.text, &request.folder, &request.shipped, &request.architecture})
        *text = reader.text();
    const std::uint64_t code = reader.number();
    if (code > static_cast<std::uint64_t>(Code::listed))
        throw CompileError("unknown kind of code requested from the compiler");
    request.code = static_cast<Code>(code);
    for (std::uint64_t count = reader.number(); count > 0; --count) {
        Define& define = request.defines.emplace_back();
        define.name = reader.text();
        define.value = reader.text();
    }
    for (std::uint64_t count = reader.number(); count > 0; --count) request.instances.push_back(reader.text());
    for (std::uint64_t count = reader.number(); count > 0; --count)
        request.lines.push_back(static_cast<std::uint32_t>(reader.number()));
    request.host = reader.number() != 0;
    for (std::uint64_t count = reader.number(); count > 0; --count) request.folders.push_back(reader.text());
    return request;
}

std::string frame_of(const Answer& answer) {
    std::string bytes;
    bytes.push_back(static_cast<char>(answer.kind));
    bytes.push_back(answer.leaves ? 1 : 0);
    bytes += answer.bytes;
    return framed(bytes);
}

Answer answer_from(std::string_view bytes) {
    Reader reader(bytes);
    const std::string_view head = reader.take(2);
    if (static_cast<unsigned char>(head[0]) > static_cast<unsigned char>(Answer::Kind::asks))
        throw CompileError("unknown kind of answer from the compiler");
    Answer answer;
    answer.kind = static_cast<Answer::Kind>(head[0]);
    answer.leaves = head[1] != 0;
    answer.bytes = reader.rest();
    return answer;
}

std::string frame_of(const FoundFile& found) {
    std::string bytes;
    bytes.push_back(static_cast<char>(found.kind));
    put_text(bytes, found.refusal);
    bytes += found.text;
    return framed(bytes);
}

FoundFile found_from(std::string_view bytes) {
    Reader reader(bytes);
    const auto kind = static_cast<unsigned char>(reader.take(1)[0]);
    if (kind > static_cast<unsigned char>(FoundFile::Kind::folder)) throw CompileError("unknown kind of file");
    FoundFile found;
    found.kind = static_cast<FoundFile::Kind>(kind);
    found.refusal = reader.text();
    found.text = reader.rest();
    return found;
}

std::string bytes_of(const Question& question) {
    return std::string(1, static_cast<char>(question.tree)) + question.path;
}

Question question_from(std::string_view bytes) {
    Reader reader(bytes);
    const auto tree = static_cast<unsigned char>(reader.take(1)[0]);
    if (tree > static_cast<unsigned char>(Tree::folders))
        throw CompileError("unknown folder asked for by the compiler");
    return {static_cast<Tree>(tree), std::string(reader.rest())};
}

} // namespace warptree::compile
