// The protocol between client and worker: frames of a length (8 bytes, little-endian) and that many bytes.
#pragma once

#include "app/compile/client/compiler.hpp"
#include "app/compile/client/files.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace warptree::compile {

inline constexpr std::uint64_t kLargestText = 16ULL << 20;   // of a kernel file, bytes
inline constexpr std::uint64_t kLargestFrame = 512ULL << 20; // a longer one is the sender's error

struct Answer {
    enum class Kind : std::uint8_t {
        ready,   // the worker has started; the first frame that it sends
        program, // `bytes`: of a Program
        refused, // `bytes`: one line with the reason
        asks,    // `bytes`: of a Question; the worker goes on when it has the FoundFile
    };
    Kind kind = Kind::ready;
    bool leaves = false; // the worker has grown and had better be restarted
    std::string bytes;
};

// For a file, while a request is being answered.
struct Question {
    Tree tree = Tree::source;
    std::string path; // relative
};

// Frames with their length.
std::string frame_of(const Request& request);
std::string frame_of(const Answer& answer);
std::string frame_of(const FoundFile& found);
std::string bytes_of(const Question& question);

// Decode a frame's bytes, without the length. Throw CompileError if they are malformed.
Request request_from(std::string_view bytes);
Answer answer_from(std::string_view bytes);
FoundFile found_from(std::string_view bytes);
Question question_from(std::string_view bytes);

// The length at the beginning of a frame.
inline constexpr std::size_t kLengthBytes = 8;
std::uint64_t frame_length(std::string_view beginning);

} // namespace warptree::compile
