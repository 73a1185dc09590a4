// The Explore page: the panels around one trace.
#include "app/features/explore/explore.hpp"
#include "app/features/screen.hpp"
#include "app/trace/explain/report.hpp"

#include <utility>

namespace warptree::pages {

namespace {
class Explore : public Page {
  public:
    explicit Explore(std::function<void(panels::Context&)> draw_panels) : draw_panels_(std::move(draw_panels)) {}
    const char* id() const override { return "explore"; }
    const char* title() const override { return "Explore"; }
    int digit() const override { return 1; }
    void draw(panels::Context& context, scene::Rect /*area*/) override {
        explore_ = &context.explore;
        draw_panels_(context);
    }
    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        return explore_ == nullptr || !explore_->trace() ? std::string()
               : end == ".md"                            ? steps_text(*explore_->trace(), TableFormat::markdown)
               : end == ".csv"                           ? steps_text(*explore_->trace(), TableFormat::csv)
                                                         : std::string();
    }

  private:
    std::function<void(panels::Context&)> draw_panels_;
    const session::Explore* explore_ = nullptr; // the window's; null until drawn
};
} // namespace

std::unique_ptr<Page> make_explore(const Tools& tools) { return std::make_unique<Explore>(tools.draw_panels); }

} // namespace warptree::pages
