// The playground of strides and shuffles: at the left an index expression or a shuffle; at the right its bank conflicts
// or what each lane gets.
#include "app/features/screen.hpp"
#include "app/features/strides/playground.hpp"
#include "app/features/strides/shuffles.hpp"
#include "app/features/widgets/form.hpp"
#include "app/features/widgets/frame.hpp"
#include "app/views/banks/request_trace.hpp"
#include "app/views/parts.hpp"

#include <GLFW/glfw3.h>

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

namespace warptree::pages {

namespace {
using session::Playground;
using session::ShufflePlayground;
constexpr const char* kShown = "playground"; // banks or shuffles

class StridePlayground : public Page {
  public:
    explicit StridePlayground(const Tools& tools) : tools_(tools) {}
    const char* id() const override { return "stride-playground"; }
    const char* title() const override { return "Strides"; }
    int digit() const override { return 6; }

    void draw(panels::Context& c, scene::Rect area) override {
        c.keyboard.set_ring({"request"});
        const SideAndFigure parts = side_and_figure(c, area, {300, 0.36F, 220, 0.4F});
        draw_in_side(c, "playground-side", parts.side, [&](float width) { draw_side(c, width); });
        draw_figure(c, parts.figure);
    }

    std::vector<window::Action> actions() override {
        std::vector<window::Action> all{
            {"playground-fields", "Change the request", "I", GLFW_KEY_I, 0, [this] { tools_.give_keyboard("request"); },
             ""},
            {"playground-shuffles", "Strides or shuffles", "S", GLFW_KEY_S, 0, [this] { shuffles_ = !shuffles_; }, ""},
            {"playground-more", "Stride or delta: one more", "]", GLFW_KEY_RIGHT_BRACKET, 0, [this] { turn(1); }, ""},
            {"playground-less", "Stride or delta: one less", "[", GLFW_KEY_LEFT_BRACKET, 0, [this] { turn(-1); }, ""},
            {"playground-next", "Next index expression, or shuffle", "Down", GLFW_KEY_DOWN, 0, [this] { choose(1); },
             ""},
            {"playground-previous", "Previous index expression, or shuffle", "Up", GLFW_KEY_UP, 0,
             [this] { choose(-1); }, ""},
            {"playground-mend", "Find a padding without conflicts", "F", GLFW_KEY_F, 0,
             [this] {
                 shuffles_ = false;
                 tools_.notify(playground_.mend());
             },
             ""},
        };
        return all;
    }

    std::map<std::string, std::string> values() const override {
        auto all = playground_.values();
        all.merge(shuffle_.values());
        all[kShown] = shuffles_ ? "shuffles" : "banks";
        return all;
    }
    void restore(const std::map<std::string, std::string>& values) override {
        playground_.restore(values);
        shuffle_.restore(values);
        if (const auto shown = values.find(kShown); shown != values.end()) {
            shuffles_ = shown->second == "shuffles";
        }
    }
    std::map<std::string, std::string> shown() const override {
        return {{"call", shuffle_.call()}, {"sentence", shuffle_.sentence()}};
    }

    std::string picture_name() const override { return shuffles_ ? "shuffle.png" : "stride-playground.png"; }
    scene::Drawing picture(const PictureLook& look, const scene::TextMeasure& measure) const override {
        if (shuffles_) {
            return scene::compose_shuffle(shuffle_, scene::theme(look.theme), measure, look.scale,
                                          static_cast<float>(look.width), static_cast<float>(look.height));
        }
        return scene::compose_request(playground_.trace(), scene::theme(look.theme), measure, look.scale,
                                      static_cast<float>(look.width), static_cast<float>(look.height));
    }
    bool has_table() const override { return true; }
    std::string table(const std::string& end) const override {
        const Table table = shuffles_ ? shuffle_.table() : banks::bank_table(playground_.report());
        return end == ".md"    ? table_text(table, TableFormat::markdown)
               : end == ".csv" ? table_text(table, TableFormat::csv)
                               : std::string();
    }

  private:
    void turn(int by) {
        shuffles_ ? shuffle_.turn(ShufflePlayground::Field::delta, by)
                  : playground_.turn(Playground::Field::stride, by);
    }
    void choose(int by) {
        shuffles_ ? shuffle_.turn(ShufflePlayground::Field::kind, by) : playground_.turn(Playground::Field::index, by);
    }

    scene::Drawing banks(const scene::Theme& theme, const scene::TextMeasure& measure, float scale,
                         const scene::Target& hover, scene::Rect area) const {
        const scene::ViewContext context{&playground_.trace(), {0, 0, 1}, hover, {}, &theme, &measure, scale};
        return scene::draw_banks(context, area, 0);
    }

    // Chooses between the two playgrounds.
    void draw_tabs(float width) {
        for (const auto& [words, id, shuffles] :
             {std::tuple{"Strides", "tab-strides", false}, {"Shuffles", "tab-shuffles", true}}) {
            const float w = ImGui::CalcTextSize(words).x + 2 * ImGui::GetStyle().FramePadding.x;
            if (shuffles && ImGui::GetItemRectSize().x + w + ImGui::GetStyle().ItemSpacing.x < width) {
                ImGui::SameLine();
            }
            ImGui::PushStyleColor(ImGuiCol_Button,
                                  ImGui::GetStyleColorVec4(shuffles == shuffles_ ? ImGuiCol_Header : ImGuiCol_Button));
            if (ImGui::Button((std::string(words) + "##" + id).c_str())) {
                shuffles_ = shuffles;
            }
            ImGui::PopStyleColor();
            tools_.placed(id, last_item());
        }
    }

    void draw_shuffle_side(panels::Context& c, float width) {
        std::vector<FormField> fields;
        for (const auto field : ShufflePlayground::kFields) {
            fields.push_back({std::string(session::id(field)), std::string(session::label(field, shuffle_)),
                              shuffle_.value(field), ShufflePlayground::choices(field)});
        }
        form_.draw(
            c, width, fields,
            [&](std::size_t i, const std::string& text) { shuffle_.set(ShufflePlayground::kFields[i], text); },
            [&](std::size_t i, int by) { shuffle_.turn(ShufflePlayground::kFields[i], by); }, tools_.placed);
        ImGui::PushTextWrapPos(0);
        if (!shuffle_.error().empty()) {
            ImGui::TextUnformatted(("! " + shuffle_.error()).c_str());
        }
        ImGui::Dummy({0, c.px(6)});
        ImGui::TextDisabled(
            "A shuffle takes a value from another lane's register, within segments of width lanes. Up and "
            "down do not leave a segment; a lane whose source lies outside keeps its own value. What a "
            "lane holds is an expression in lane, as in C.");
        ImGui::PopTextWrapPos();
    }

    // What padding and a swizzle would do to the request; a click applies one.
    void draw_remedies(panels::Context& c) {
        const auto all = playground_.remedies();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto& r = all[i];
            const std::string line = fmt::format("{}: {}{}", r.name, scene::plural(r.wavefronts, "wavefront"),
                                                 r.wavefronts <= r.ideal ? ", no conflict" : "");
            if (i == 0) {
                continue;
            }
            const std::string id = "remedy-" + r.name;
            if (ImGui::Selectable((line + "##" + id).c_str())) {
                playground_.set(Playground::Field::index, r.index);
            }
            tools_.placed(id, last_item());
            if (ImGui::IsItemHovered()) {
                tooltip(c, r.index + "\n" + r.cost);
            }
        }
    }

    void draw_side(panels::Context& c, float width) {
        draw_tabs(width);
        ImGui::Dummy({0, c.px(4)});
        if (shuffles_) {
            draw_shuffle_side(c, width);
            return;
        }
        std::vector<FormField> fields;
        for (const auto field : Playground::kFields) {
            fields.push_back({std::string(session::id(field)), std::string(session::label(field)),
                              playground_.value(field), Playground::choices(field)});
        }
        form_.draw(
            c, width, fields,
            [&](std::size_t i, const std::string& text) { playground_.set(Playground::kFields[i], text); },
            [&](std::size_t i, int by) { playground_.turn(Playground::kFields[i], by); }, tools_.placed);
        ImGui::PushTextWrapPos(0);
        if (!playground_.error().empty()) {
            ImGui::TextUnformatted(("! " + playground_.error()).c_str());
        }
        ImGui::Dummy({0, c.px(6)});
        const banks::BankReport& report = playground_.report();
        const auto bound = [](unsigned n) { return scene::plural(n, "wavefront"); };
        ImGui::TextUnformatted(
            report.requests == 0
                ? "No lane takes part."
                : fmt::format("{}; without conflicts {}.", bound(report.wavefronts), report.ideal).c_str());
        if (const std::string passes = banks::passes_text(report); !passes.empty() && report.requests != 0) {
            ImGui::TextUnformatted((passes + ".").c_str());
        }
        if (report.requests != 0 && report.wavefronts > report.ideal) {
            ImGui::Dummy({0, c.px(6)});
            ImGui::TextUnformatted("Fixed (F):");
            draw_remedies(c);
        }
        ImGui::Dummy({0, c.px(6)});
        ImGui::TextDisabled("The index of the element that each lane asks for, in t, lane, warp and s, as in C: t is "
                            "32 * warp + lane. The same in a terminal:");
        ImGui::TextDisabled("%s", playground_.command().c_str());
        ImGui::PopTextWrapPos();
    }

    void draw_figure(panels::Context& c, const scene::Rect& r) {
        begin_fixed("playground-figure", r, ImGuiWindowFlags_NoScrollWithMouse);
        tools_.placed("playground-figure", r);
        const float pad = c.px(16);
        const scene::Rect area{r.x + pad, r.y + c.px(10), r.w - 2 * pad, r.h - c.px(22)};
        if (area.w > 8 && area.h > 8) {
            const ImVec2 mouse = ImGui::GetMousePos();
            scene::Drawing d = shuffles_ ? scene::draw_shuffle(shuffle_, c.theme, c.fonts, c.fonts.scale(), area)
                                         : banks(c.theme, c.fonts, c.fonts.scale(), hover_, area);
            hover_ = ImGui::IsWindowHovered() ? d.at({mouse.x, mouse.y}) : scene::Target{};
            c.painter.add(std::move(d), ImGui::GetWindowDrawList());
            if (shuffles_ && hover_.kind == scene::Target::Kind::lane) {
                tooltip(c, lane_text(hover_.index));
            }
        }
        end_fixed();
    }

    std::string lane_text(unsigned lane) const {
        using Kind = scene::LaneSource::Kind;
        const scene::LaneSource& source = shuffle_.sources()[lane];
        const std::string holds = fmt::format("lane {} holds {}\n", lane, shuffle_.before()[lane]);
        switch (source.kind) {
        case Kind::absent: return holds + "and does not call the shuffle";
        case Kind::own: return holds + "and keeps it: its source is out of range";
        case Kind::not_there:
            return holds + fmt::format("and reads lane {}, which does not call: undefined", source.lane);
        default: return holds + fmt::format("and gets {} from lane {}", shuffle_.after(lane), source.lane);
        }
    }

    Tools tools_;
    Playground playground_;
    ShufflePlayground shuffle_;
    bool shuffles_ = false; // else strides
    scene::Target hover_;
    Form form_{"request"};
};
} // namespace

std::unique_ptr<Page> make_stride_playground(const Tools& tools) { return std::make_unique<StridePlayground>(tools); }

} // namespace warptree::pages
