// The controls of a comparison: a bar above the columns, and a form for one column's options.
#pragma once

#include "app/features/compare/comparison.hpp"
#include "app/features/screen.hpp"
#include "app/features/widgets/form.hpp"

#include <optional>
#include <string>

namespace warptree::pages {

class CompareControls {
  public:
    CompareControls(session::Comparison& comparison, const Tools& tools) : comparison_(comparison), tools_(tools) {}

    bool editing = false; // the form is shown
    // The table shows only its sentences, to make room for the columns; nullopt: only if the window is low.
    std::optional<bool> folds;
    bool folded = false; // as last drawn
    void bar(panels::Context& context, const scene::Rect& area);
    void side(panels::Context& context, const scene::Rect& area);
    void take_preset(int index);
    void turn_preset(int direction);
    void turn_alignment(int direction);
    const std::string& error() const { return error_; }

  private:
    int preset() const; // the one shown; -1: none
    void attempt(const std::function<void()>& change);

    session::Comparison& comparison_;
    const Tools& tools_;
    Form form_{"columns"};
    std::string error_; // why a value was rejected
};

} // namespace warptree::pages
