// The inputs of a page: named values in a column, changed by mouse or keyboard.
#pragma once

#include "app/features/widgets/context.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace warptree::pages {

struct FormField {
    std::string id, label, value;
    std::vector<std::string> choices; // empty: typed
};

// Up and down go from field to field, left and right change the value; Enter accepts the typed text and leaves.
class Form {
  public:
    // `panel`: its name for the keyboard.
    explicit Form(const char* panel) : panel_(panel) {}
    // Draws the fields from the cursor down, `width` wide. `set` gets a new text; `turn` goes to the previous or
    // next value; `placed` gets the rectangle of each field.
    void draw(panels::Context& context, float width, const std::vector<FormField>& fields,
              const std::function<void(std::size_t field, const std::string& text)>& set,
              const std::function<void(std::size_t field, int direction)>& turn,
              const std::function<void(const std::string& id, scene::Rect rect)>& placed);

  private:
    void keys(panels::Keyboard& keyboard, int fields);
    bool typed(panels::Context& context, const FormField& field, int index, std::string& text);

    const char* panel_;
    int cursor_ = -1;     // the field with the keyboard
    bool settled_ = true; // it is in view
    std::string edited_;  // id of the field being typed into
    std::array<char, 32> shown_{}, edit_{};
};

} // namespace warptree::pages
