// The Theory page: topics with their inputs at the left, the figure of one at the right.
#include "app/base/error.hpp"
#include "app/features/explore/explore.hpp"
#include "app/features/screen.hpp"
#include "app/features/theory/rounding_job.hpp"
#include "app/features/theory/topic.hpp"
#include "app/features/widgets/form.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/features/widgets/list_box.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace warptree::pages {

namespace {
class Theory : public Page {
  public:
    explicit Theory(const Tools& tools) : tools_(tools), job_(tools.wake) {}
    const char* id() const override { return "theory"; }
    const char* title() const override { return "Theory"; }
    int digit() const override { return 4; }

    // Takes block and shared bytes of a kernel of one's own, once: they may then be changed. One that still runs is waited for.
    void entered(session::Explore& explore) override {
        const auto& trace = explore.trace();
        awaits_ = explore.on_kernel() && (!trace || explore.stale());
        if (awaits_ || !trace || !trace->options.kernel.given() || trace->launches.empty()) {
            return;
        }
        const Launch& l =
            trace->launches[std::min<std::size_t>(explore.playback.moment().launch, trace->launches.size() - 1)];
        topics::Subject::OfKernel kernel{trace->options.kernel.file.empty()
                                             ? trace->kernel
                                             : std::filesystem::path(trace->options.kernel.file).filename().string(),
                                         {l.block_shape[0], l.block_shape[1]},
                                         l.shared_bytes};
        if (kernel.block.threads() != l.block) {
            kernel.block = {l.block, 1};
        }
        if (!(kernel == choices_.kernel)) {
            choices_.block = kernel.block;
            choices_.shared = kernel.shared;
            choices_.kernel = std::move(kernel);
        }
    }

    void draw(panels::Context& c, scene::Rect area) override {
        if (awaits_) {
            entered(c.explore);
        }
        const auto runs = topic().runs(choices_);
        if (runs) {
            job_.want(*runs);
        }
        choices_.rounding = runs ? job_.table(*runs) : nullptr;
        c.keyboard.set_ring({"fields"});
        const float wanted = topic().fields().empty() ? 56 : 150; // one line, or several
        const SideAndFigure parts = side_and_figure(c, area, {.height = wanted, .height_share = 0.36F});
        draw_in_side(c, "theory-side", parts.side, [&](float width) { draw_side(c, width, parts.narrow); });
        draw_figure(c, parts.figure);
    }

    bool busy() const override { return job_.busy(); }
    bool poll() override { return job_.poll(); }
    bool dismiss() override {
        const bool busy = job_.busy();
        job_.cancel();
        return busy;
    }

    std::vector<window::Action> actions() override {
        std::vector<window::Action> all{
            {"next-topic", "Next topic", "]", GLFW_KEY_RIGHT_BRACKET, 0, [this] { move(1); }, ""},
            {"previous-topic", "Previous topic", "[", GLFW_KEY_LEFT_BRACKET, 0, [this] { move(-1); }, ""},
            {"topic-down", "Next topic", "Down", GLFW_KEY_DOWN, 0, [this] { move(1); }, ""},
            {"topic-up", "Previous topic", "Up", GLFW_KEY_UP, 0, [this] { move(-1); }, ""},
            {"theory-fields", "Change the inputs of the figure", "I", GLFW_KEY_I, 0,
             [this] { tools_.give_keyboard("fields"); }, ""},
            {"theory-twice", "Double the elements of the figure", "Page Up", GLFW_KEY_PAGE_UP, 0,
             [this] { topics::turn(choices_, topics::Field::elements, 1); }, ""},
            {"theory-half", "Halve the elements of the figure", "Page Down", GLFW_KEY_PAGE_DOWN, 0,
             [this] { topics::turn(choices_, topics::Field::elements, -1); }, ""},
        };
        for (std::size_t i = 0; i < topics::topics().size(); ++i) {
            const topics::Topic& topic = *topics::topics()[i];
            all.push_back({fmt::format("topic-{}", topic.id()), fmt::format("Topic: {}", topic.title()), "", 0, 0,
                           [this, i] { topic_ = i; }, ""});
            all.back().words = topic.words();
        }
        return all;
    }

    std::map<std::string, std::string> values() const override {
        auto all = topics::to_values(choices_);
        all["topic"] = topic().id();
        return all;
    }
    void restore(const std::map<std::string, std::string>& values) override {
        awaits_ = false;
        topics::from_values(choices_, values);
        const auto wanted = values.find("topic");
        for (std::size_t i = 0; wanted != values.end() && i < topics::topics().size(); ++i) {
            topic_ = topics::topics()[i]->id() == wanted->second ? i : topic_;
        }
    }

    std::map<std::string, std::string> shown() const override { return {{"busy", job_.busy() ? "yes" : "no"}}; }

    std::string subject() const override { return "topic"; }
    std::string picture_name() const override { return std::string(topic().id()) + ".png"; }
    scene::Drawing picture(const PictureLook& look, const scene::TextMeasure& measure) const override {
        const topics::FigureContext context{&scene::theme(look.theme), &measure, look.scale};
        return topics::compose(topic(), context, static_cast<float>(look.width), static_cast<float>(look.height),
                               choices_);
    }
    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        return end == ".md"    ? topics::written(topic(), choices_, TableFormat::markdown)
               : end == ".csv" ? topics::written(topic(), choices_, TableFormat::csv)
                               : std::string();
    }

  private:
    const topics::Topic& topic() const { return *topics::topics()[topic_]; }
    void move(int by) {
        const auto count = topics::topics().size();
        topic_ = (topic_ + count + static_cast<std::size_t>(by)) % count;
        error_.clear();
    }

    void draw_side(panels::Context& c, float width, bool narrow) {
        if (narrow) {
            std::vector<std::string> titles;
            for (const auto& topic : topics::topics()) {
                titles.emplace_back(topic->title());
            }
            if (const auto taken = panels::list_box(c, {.id = "##topic",
                                                        .shown = topic().title(),
                                                        .items = std::move(titles),
                                                        .now = topic_,
                                                        .width = width})) {
                topic_ = *taken;
                error_.clear();
            }
        } else {
            draw_topics();
            ImGui::Dummy({0, c.px(8)});
        }
        draw_fields(c, width);
    }

    void draw_topics() {
        for (std::size_t i = 0; i < topics::topics().size(); ++i) {
            const topics::Topic& topic = *topics::topics()[i];
            if (ImGui::Selectable(topic.title(), i == topic_)) {
                topic_ = i;
                error_.clear();
            }
            const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
            tools_.placed(std::string("topic-") + topic.id(), {from.x, from.y, to.x - from.x, to.y - from.y});
        }
    }

    void draw_fields(panels::Context& c, float width) {
        const std::vector<topics::Field> fields = topic().fields();
        std::vector<FormField> shown;
        for (const topics::Field f : fields) {
            shown.push_back({std::string(topics::id(f)), std::string(topics::label(f)), topics::value(choices_, f),
                             topics::values(f)});
        }
        form_.draw(
            c, width, shown,
            [&](std::size_t i, const std::string& text) {
                error_.clear();
                try {
                    topics::set(choices_, fields[i], text);
                } catch (const OptionError& refused) {
                    error_ = refused.what();
                }
            },
            [&](std::size_t i, int by) {
                error_.clear();
                topics::turn(choices_, fields[i], by);
            },
            tools_.placed);
        if (!error_.empty()) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(("! " + error_).c_str());
            ImGui::PopTextWrapPos();
        }
    }

    void draw_figure(panels::Context& c, const scene::Rect& r) {
        begin_fixed("theory-figure", r, ImGuiWindowFlags_NoScrollWithMouse);
        tools_.placed("theory-figure", r);
        const float pad = c.px(16);
        const float left = std::ceil(r.x + pad); // a whole pixel, as text begins at one and would else stick out
        const scene::Rect area{left, r.y + c.px(10), r.right() - pad - left, r.h - c.px(22)};
        if (area.w > 8 && area.h > 8) {
            // If large text leaves no room for the figure, the text shrinks so that all of it is visible.
            const float scale = std::clamp(area.h / 260, c.fonts.scale() * 0.45F, c.fonts.scale());
            const topics::FigureContext context{&c.theme, &c.fonts, scale};
            c.painter.add(topics::framed_figure(topic(), context, area, choices_), ImGui::GetWindowDrawList());
        }
        if (topic().runs(choices_) && !choices_.rounding) {
            draw_progress(c, r);
        }
        end_fixed();
    }

    void draw_progress(panels::Context& c, const scene::Rect& r) {
        ImGui::SetCursorScreenPos({r.x + c.px(16), r.y + r.h / 2});
        if (!job_.busy()) {
            ImGui::TextDisabled("%s", job_.error().empty() ? "" : ("not computed: " + job_.error()).c_str());
            return;
        }
        ImGui::ProgressBar(static_cast<float>(job_.progress()), {std::min(c.px(260), r.w * 0.5F), 0});
        ImGui::SameLine();
        if (ImGui::Button("Cancel")) {
            job_.cancel();
        }
    }

    Tools tools_;
    session::RoundingJob job_;
    topics::Subject choices_;
    bool awaits_ = false; // the run of the kernel to take them from
    std::size_t topic_ = 0;
    std::string error_; // why a value was rejected
    Form form_{"fields"};
};
} // namespace

std::unique_ptr<Page> make_theory(const Tools& tools) { return std::make_unique<Theory>(tools); }

} // namespace warptree::pages
