// The Explore page: the panels around one trace.
#include "app/pages/page.hpp"

#include <utility>

namespace warptree::pages {

namespace {
class Explore : public Page {
  public:
    explicit Explore(std::function<void(panels::Context&)> draw_panels) : draw_panels_(std::move(draw_panels)) {}
    const char* id() const override { return "explore"; }
    const char* title() const override { return "Explore"; }
    int digit() const override { return 1; }
    void draw(panels::Context& context, scene::Rect /*area*/) override { draw_panels_(context); }

  private:
    std::function<void(panels::Context&)> draw_panels_;
};
} // namespace

std::unique_ptr<Page> make_explore(const Tools& tools) { return std::make_unique<Explore>(tools.draw_panels); }

} // namespace warptree::pages
