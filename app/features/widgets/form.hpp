// The inputs of a page: named values in a column, changed by mouse or keyboard.
#pragma once

#include "app/features/explore/panels/panel.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace warptree::pages {

struct FormField {
    std::string id, label, value;
    std::vector<std::string> choices; // empty: typed
};

// Arrows go from field to field and change what is chosen from a list; Enter takes what was typed and leaves.
class Form {
  public:
    // `panel` is what the keyboard calls it.
    explicit Form(const char* panel) : panel_(panel) {}
    // Draws the fields from the cursor down, `width` wide. `set` takes a new text, `turn` the value before or after.
    // `placed` hears where each field lies.
    void draw(panels::Context& context, float width, const std::vector<FormField>& fields,
              const std::function<void(std::size_t field, const std::string& text)>& set,
              const std::function<void(std::size_t field, int direction)>& turn,
              const std::function<void(const std::string& id, scene::Rect rect)>& placed);

  private:
    void keys(panels::Keyboard& keyboard, int fields);
    bool typed(panels::Context& context, const FormField& field, int index, std::string& text);

    const char* panel_;
    int cursor_ = -1;     // the field with the keyboard
    bool settled_ = true; // it is in sight
    std::string edited_;  // id of the field being typed into
    std::array<char, 32> shown_{}, edit_{};
};

} // namespace warptree::pages
