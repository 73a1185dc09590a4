// The inputs of the Theory figures: one set, shared by all topics.
#pragma once

#include "app/base/options.hpp"
#include "app/theory/block_warps.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::topics {

struct Choices {
    std::uint64_t n = 1ULL << 20;     // elements, 2 … 2^31
    theory::BlockShape block;         // threads per block, 1 … 1024 in total
    std::uint64_t processors = 16896; // P, 1 … 2^20; 132 multiprocessors of 128 cores
    std::string device = "hopper";    // id of one of theory::device_limits()
    std::uint32_t registers = 16;     // per thread, 1 … 255
    std::uint64_t shared = 0;         // bytes per block, 0 … 227 KB
    std::uint32_t tile = 16;          // width of a tile of a matrix product, 1 (none) … 32
    ElementType type = ElementType::f32;
    InputKind input = InputKind::random;
    std::uint64_t seed = 1;
    std::string recorded = "sequential"; // a strategy with recorded clock readings
    std::string summed = "block-atomic"; // a strategy that sums
    friend bool operator==(const Choices&, const Choices&) = default;
};

// What the user can change. A topic lists those it uses.
enum class Field : std::uint8_t {
    elements,
    block_x,
    block_y,
    processors,
    device,
    registers,
    shared,
    tile,
    float_type,
    any_type,
    input,
    seed,
    recorded,
    summed
};
inline constexpr std::array kFields{Field::elements,   Field::block_x,   Field::block_y, Field::processors,
                                    Field::device,     Field::registers, Field::shared,  Field::tile,
                                    Field::float_type, Field::any_type,  Field::input,   Field::seed,
                                    Field::recorded,   Field::summed};

std::string_view id(Field field);    // stable: "n", "block-x" …
std::string_view label(Field field); // "elements n"
std::string value(const Choices& choices, Field field);
std::vector<std::string> values(Field field); // possible values; empty: any whole number
// Sets a value from text; throws OptionError that says what would work.
void set(Choices& choices, Field field, const std::string& text);
// Goes to the previous (−1) or next (1) value; most numbers are halved or doubled. False when there is none.
bool turn(Choices& choices, Field field, int direction);

// For saving and restoring; unusable values are ignored.
std::map<std::string, std::string> to_values(const Choices& choices);
void from_values(Choices& choices, const std::map<std::string, std::string>& values);

} // namespace warptree::topics
