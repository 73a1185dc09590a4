// Three steps that introduce the window to a new user, at the first start only.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace warptree::session {

class Coach {
  public:
    struct Step {
        const char *panel, *title, *text; // the panel it points at
    };
    static const std::array<Step, 3>& steps();

    void begin(); // with the first step
    void end() { at_ = kOver; }
    bool active() const { return at_ < steps().size(); }
    void next() { at_ = active() ? at_ + 1 : kOver; }
    std::size_t at() const { return at_; }
    const Step& step() const { return steps()[at_]; }
    std::string title() const { return active() ? step().title : ""; } // empty: finished

    // Tells the coach what the window shows: doing what a step asks for advances to the next one.
    struct Seen {
        std::uint32_t place = 0;
        bool selected = false;
        std::string strategy;
        friend bool operator==(const Seen&, const Seen&) = default;
    };
    void look(const Seen& seen);

  private:
    static constexpr std::size_t kOver = ~std::size_t{0};
    std::size_t at_ = kOver;
    bool looked_ = false;
    Seen before_;
};

} // namespace warptree::session
