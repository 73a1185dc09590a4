#include "app/features/deck/panels/deck_pages.hpp"

#include "app/base/error.hpp"
#include "app/features/deck/panels/page_state.hpp"
#include "app/features/explore/explore_state.hpp"
#include "app/render/cairo/cairo_picture.hpp"
#include "app/render/cairo/cairo_text.hpp"
#include "app/run/kernel_path.hpp"
#include "app/views/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace warptree::pages {

namespace {
using scene::Align;
using scene::Face;
using scene::Rect;

void pause(const RunControl* control) {
    if (control != nullptr && control->cancel) {
        throw Cancelled();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

// For pages without a window: their requests to it do nothing.
Tools no_window() {
    return {[](panels::Context&) {},
            [](const std::string&, Rect) {},
            [](const char*) {},
            [] {},
            [](const std::string&) {},
            [](const std::string&) {},
            [] {}};
}

class DeckPage {
  public:
    DeckPage(const session::Deck& deck, std::size_t at, const DeckFile& file, const scene::TextMeasure& measure)
        : now_(deck.states[at]), number_(fmt::format("{} / {}", at + 1, deck.states.size())), file_(file),
          measure_(measure), state_(session::parse_state(now_.state)), looks_(session::take_looks(state_)),
          theme_(scene::theme(looks_.theme.value_or(file.look.theme))), s_(file.look.scale) {}

    scene::Drawing draw() {
        whole_.clip = {0, 0, static_cast<float>(file_.look.width), static_cast<float>(file_.look.height)};
        whole_.layers.resize(1);
        frame().boxes.push_back({.rect = whole_.clip, .fill = theme_.background});
        const float margin = 20 * s_;
        room_ = {margin, margin, whole_.clip.w - 2 * margin, whole_.clip.h - 2 * margin};
        heading();
        footer();
        try {
            state_.screen == "explore" ? explore() : page();
        } catch (const Cancelled&) {
            throw;
        } catch (const Error& e) {
            say(e.what());
        }
        return std::move(whole_);
    }

  private:
    scene::Layer& frame() { return whole_.layers.front(); }
    float line(float size) const { return size * 1.4F; }

    void text(float x, float y, Align align, Face face, float size, scene::Color ink, std::string words) {
        frame().texts.push_back({{x, y}, align, face, size, ink, std::move(words)});
    }

    void heading() {
        const float size = 22 * s_, note = 15 * s_;
        const float number = measure_.width(number_, Face::sans, note);
        text(room_.x, room_.y + size * 0.6F, Align::left, Face::sans_bold, size, theme_.text,
             scene::fitted(measure_, shown_title(now_), Face::sans_bold, size, room_.w - number - 16 * s_));
        text(room_.right(), room_.y + size * 0.6F, Align::right, Face::sans, note, theme_.muted, number_);
        take_top(size * 1.5F);
        std::string_view rest = now_.note;
        for (bool more = !rest.empty(); more;) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            for (const std::string& l :
                 scene::wrapped(measure_, std::string(rest.substr(0, end)), Face::sans, note, room_.w)) {
                if (room_.h < whole_.clip.h * 0.6F) {
                    return; // the picture keeps most of the page
                }
                text(room_.x, room_.y + line(note) / 2, Align::left, Face::sans, note, theme_.text,
                     scene::fitted(measure_, l, Face::sans, note, room_.w));
                take_top(line(note));
            }
            more = end < rest.size();
            rest.remove_prefix(std::min(rest.size(), end + 1));
        }
        take_top(8 * s_);
    }
    // The state string, to be typed from the page.
    void footer() {
        const float size = 11 * s_;
        const std::string state = session::to_string(state_);
        text(room_.x, room_.bottom() - size / 2, Align::left, Face::mono, size, theme_.muted,
             scene::fitted(measure_, state, Face::mono, size, room_.w));
        room_.h -= line(size) + 4 * s_;
    }
    void take_top(float height) {
        room_.y += height;
        room_.h -= height;
    }

    void say(const std::string& words) {
        const float size = 15 * s_;
        float y = room_.y + room_.h / 2;
        for (const std::string& l : scene::wrapped(measure_, words, Face::sans, size, room_.w)) {
            text(room_.x + room_.w / 2, y, Align::center, Face::sans, size, theme_.muted,
                 scene::fitted(measure_, l, Face::sans, size, room_.w));
            y += line(size);
        }
    }

    // The picture that a screen other than Explore would export, in the rest of the page.
    void page() {
        const auto page = make_page(state_.screen, no_window());
        if (page == nullptr) {
            return;
        }
        show_state(*page, page->values(), state_);
        page->prepare();
        while (page->busy()) {
            pause(file_.control);
            page->poll();
            page->prepare();
        }
        PictureLook look = file_.look;
        look.theme = looks_.theme.value_or(look.theme);
        look.width = static_cast<int>(room_.w);
        look.height = static_cast<int>(room_.h);
        add(page->picture(look, measure_), room_.x, room_.y);
    }

    void explore() {
        session::Explore explore([] {});
        const session::ExploreState wanted = session::explore_state(state_);
        if (wanted.file.empty()) {
            explore.options = wanted.options;
            explore.run();
        } else if (runs::is_kernel_path(wanted.file)) {
            if (wanted.carried) {
                explore.open_text(std::filesystem::path(wanted.file).stem().string(), *wanted.options.kernel.text);
            } else {
                explore.open_kernel(wanted.file);
            }
            explore.call_kernel_with(wanted.options);
        } else {
            explore.open(wanted.file);
        }
        while (explore.runner().busy()) {
            pause(file_.control);
            explore.poll();
        }
        if (!explore.trace()) {
            throw FileError(explore.error.empty() ? "the kernel file does not compile" : explore.error);
        }
        session::go_to(wanted, explore);
        views(explore);
    }

    void views(const session::Explore& explore) {
        scene::ViewContext context;
        context.trace = explore.trace().get();
        context.moment = explore.playback.moment();
        context.selected = explore.selected;
        context.theme = &theme_;
        context.measure = &measure_;
        context.scale = s_;
        const scene::StepSummary summary = scene::summarize(*context.trace, context.moment);
        const float size = 15 * s_;
        const auto lines = scene::wrapped(measure_, summary.title + ": " + summary.sentence, Face::sans, size, room_.w);
        const std::size_t shown = std::min<std::size_t>(lines.size(), 3);
        float y = room_.bottom() - line(size) * (static_cast<float>(shown) - 0.5F);
        for (std::size_t i = 0; i < shown; ++i, y += line(size)) {
            text(room_.x, y, Align::left, Face::sans, size, theme_.text,
                 scene::fitted(measure_, lines[i], Face::sans, size, room_.w));
        }
        room_.h -= line(size) * static_cast<float>(shown) + 8 * s_;
        const float gap = 8 * s_, upper = (room_.h - gap) * 0.56F, left = (room_.w - gap) * 0.6F;
        const Rect tree{room_.x, room_.y, room_.w, upper};
        const Rect warps{room_.x, room_.y + upper + gap, left, room_.h - upper - gap};
        const Rect banks{warps.right() + gap, warps.y, room_.w - left - gap, warps.h};
        const Rect in = panel(tree);
        add(scene::draw_tree(context, in, explore.camera_in(context, in)), 0, 0);
        add(scene::draw_warps(context, panel(warps), explore.block), 0, 0);
        add(scene::draw_banks(context, panel(banks), explore.shown_request()), 0, 0);
    }
    Rect panel(const Rect& r) {
        frame().boxes.push_back(
            {.rect = r, .radius = 4 * s_, .fill = theme_.panel, .stroke = theme_.line, .stroke_width = s_});
        return scene::inset(r, 10 * s_);
    }

    // Adds the drawing, moved by (dx, dy).
    void add(scene::Drawing drawing, float dx, float dy) {
        const auto move = [&](scene::Point& p) {
            p.x += dx;
            p.y += dy;
        };
        for (scene::Layer& layer : drawing.layers) {
            for (scene::Curve& c : layer.curves) {
                for (scene::Point* p : {&c.from, &c.control1, &c.control2, &c.to}) {
                    move(*p);
                }
            }
            for (scene::Box& b : layer.boxes) {
                b.rect.x += dx;
                b.rect.y += dy;
            }
            for (scene::Text& t : layer.texts) {
                move(t.anchor);
            }
            whole_.layers.push_back(std::move(layer));
        }
    }

    const session::DeckState& now_;
    std::string number_;
    const DeckFile& file_;
    const scene::TextMeasure& measure_;
    session::StateString state_;
    session::StateLooks looks_;
    const scene::Theme& theme_;
    float s_;
    Rect room_;
    scene::Drawing whole_;
};
} // namespace

scene::Drawing deck_page(const session::Deck& deck, std::size_t at, const DeckFile& file,
                         const scene::TextMeasure& measure) {
    return DeckPage(deck, at, file, measure).draw();
}

void write_deck(const session::Deck& deck, const DeckFile& file) {
    const render::CairoMeasure measure;
    std::vector<scene::Drawing> drawn;
    for (std::size_t at = 0; at < deck.states.size(); ++at) {
        if (file.control != nullptr && file.control->cancel) {
            throw Cancelled();
        }
        drawn.push_back(deck_page(deck, at, file, measure));
        if (file.control != nullptr && file.control->progress) {
            file.control->progress(static_cast<double>(at + 1) / static_cast<double>(deck.states.size()));
        }
    }
    render::write_pages(drawn, {file.look.width, file.look.height, file.path, deck.title, file.control});
}

} // namespace warptree::pages
