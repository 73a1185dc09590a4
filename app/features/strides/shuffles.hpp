// A warp shuffle to experiment with: the value of each lane before and after it.
#pragma once

#include "app/base/table.hpp"
#include "app/trace/model/trace.hpp"
#include "app/views/banks/exchange.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

class ShufflePlayground {
  public:
    enum class Field { kind, delta, width, mask, value };
    static constexpr std::array kFields{Field::kind, Field::delta, Field::width, Field::mask, Field::value};

    ShufflePlayground();
    std::string value(Field field) const;
    static std::vector<std::string> choices(Field field); // empty: typed
    // Sets the field if the shuffle is then valid; else nothing changes and error() says why.
    void set(Field field, const std::string& text);
    void turn(Field field, int direction); // the previous or next value

    const std::string& error() const { return error_; }
    const Shuffle& shuffle() const { return shuffle_; }
    const std::array<std::int64_t, kWarpSize>& before() const { return before_; }
    const std::array<scene::LaneSource, kWarpSize>& sources() const { return sources_; }
    std::string call() const;               // "__shfl_down_sync(0xffffffff, x, 16, 32)"
    std::string after(unsigned lane) const; // "35"; "undefined", or "" for a lane that does not take part
    std::string sentence() const;
    Table table() const;

    std::map<std::string, std::string> values() const;
    void restore(const std::map<std::string, std::string>& values); // unusable values are ignored

  private:
    using Texts = std::array<std::string, kFields.size()>;
    bool take(const Texts& texts);

    Texts texts_{"down", "16", "32", "ffffffff", "lane"};
    Shuffle shuffle_;
    std::array<std::int64_t, kWarpSize> before_{};
    std::array<scene::LaneSource, kWarpSize> sources_{};
    std::string error_;
};

std::string_view id(ShufflePlayground::Field field); // stable: "shuffle", "delta", …
std::string_view label(ShufflePlayground::Field field, const ShufflePlayground& of);

} // namespace warptree::session

namespace warptree::scene {

// Lanes with their values above, what each gets below, and lines from source to lane.
Drawing draw_shuffle(const session::ShufflePlayground& shuffle, const Theme& theme, const TextMeasure& measure,
                     float scale, Rect area);
// The same as a whole picture.
Drawing compose_shuffle(const session::ShufflePlayground& shuffle, const Theme& theme, const TextMeasure& measure,
                        float scale, float width, float height);

} // namespace warptree::scene
