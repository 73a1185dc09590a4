// Measuring on this GPU from the Timings page: what is shown, or a named plan.
#pragma once

#include "app/features/timings/state/measure_job.hpp"
#include "app/features/timings/state/timings.hpp"
#include "app/features/widgets/context.hpp"
#include "app/features/widgets/form.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace warptree::pages {

class MeasurePart {
  public:
    explicit MeasurePart(std::function<void()> wake) : job_(std::move(wake)) {}

    // The choice of what to measure, for a form.
    FormField field() const;
    void choose(const std::string& text);
    void turn(int by);

    // Starts measuring what `shown` shows now, or the chosen plan; in the first case also `file`, a kernel file (empty:
    // none). Without a GPU, said() tells why not.
    void start(const session::Timings& shown, const std::string& file);
    bool busy() const { return job_.busy(); }
    void cancel() { job_.cancel(); }
    std::optional<timing::Series> take() { return job_.take(); } // see MeasureJob
    bool poll();                                                 // true: said() has changed
    const std::string& said() const { return said_; }            // how it ended, or why it did not begin

    // The button that starts, or the progress and a button that cancels.
    void draw(panels::Context& context, float width, const session::Timings& shown, const std::string& file,
              const std::function<void(const std::string& id, scene::Rect rect)>& placed);

  private:
    void say(std::string text);

    std::size_t choice_ = 0; // 0: what is shown; else a preset
    std::string said_;
    bool bring_into_view_ = false; // what was said since the last frame
    session::MeasureJob job_;
};

} // namespace warptree::pages
