// The fields of the Parameters panel: a label, then a list or a text; one of them has the keyboard.
#pragma once

#include "app/features/explore/panels/panel.hpp"
#include "app/features/widgets/list_box.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace warptree::panels {

class Fields {
  public:
    explicit Fields(const char* panel) : panel_(panel) {}

    // Before the first field of a frame: moves the cursor by the keys pressed; Tab past the ends leaves the panel.
    void begin(Context& context, float label);
    void set_width(float width) { width_ = width; } // of the widget beside the label
    void end();                                     // after the last one

    // The label of the next field, shown up to "##". True when the cursor is on it: then call mark() after drawing it.
    bool field(const char* label);
    void mark();
    int turn(); // left: -1; right: 1
    bool at(int field) const { return cursor_ == field; }
    void count(int fields) { fields_ = fields; } // if they are not drawn by field()

    // True: the value has changed.
    template <class T, class Text>
    bool choice(const char* label, T& value, std::span<const std::type_identity_t<T>> all, Text text) {
        std::vector<std::string> items;
        for (const T& item : all) {
            items.push_back(text(item));
        }
        const auto now = static_cast<std::size_t>(std::find(all.begin(), all.end(), value) - all.begin());
        const auto taken = list(label, text(value), items, now);
        if (!taken || all[*taken] == value) {
            return false;
        }
        value = all[*taken];
        return true;
    }
    bool whole(const char* label, std::uint64_t& value, std::uint64_t least); // a count as text
    // The requested value; if there is none, `chosen` is shown.
    bool text(const char* label, std::string& asked, const std::string& chosen);
    // With a list of values that are usual beside it.
    bool text(const char* label, std::string& asked, const std::string& chosen, const std::vector<std::string>& usual);
    bool elements(std::uint64_t& n);          // with buttons that halve and double it
    bool emptied() const { return emptied_; } // the text of the last field was deleted
    Context& context() const { return *context_; }
    float width() const { return width_; }

  private:
    std::optional<std::size_t> list(const char* label, const std::string& shown, const std::vector<std::string>& items,
                                    std::size_t now);
    // True on Enter or when the field is left after a change; edit_ is then the text typed.
    bool typed(const char* label, const std::string& value);

    const char* panel_;
    Context* context_ = nullptr; // of this frame
    float label_ = 0, width_ = 0;
    int at_ = 0, fields_ = 1; // the next field, and how many the last frame had
    int cursor_ = -1;         // the field with the keyboard
    bool settled_ = true;     // it is in view
    bool emptied_ = false;
    std::string edited_;           // label of the field being typed into
    std::array<char, 256> text_{}; // of a field that is not being typed into
    std::array<char, 256> edit_{}; // what is being typed
};

// The launch options of a kernel file: as requested, else as in its run; `trace` is that run, if any. An emptied field
// returns to the file's or the program's choice.
void kernel_fields(Fields& fields, RunOptions& options, const Trace* trace);

} // namespace warptree::panels
