// The facts that the expressions of a lesson can use.
#pragma once

#include "app/trace/model/trace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

// A trace and the place in it that a fact without arguments is about.
struct FactPlace {
    const Trace* trace = nullptr;
    std::uint32_t launch = 0, step = 0;
};

struct LessonFact {
    std::string name;
    std::size_t least = 0, most = 0; // arguments
    std::string arguments;           // "[STEP [, LAUNCH]]"
    std::string help;                // one phrase
    std::function<std::int64_t(const FactPlace& place, std::span<const std::int64_t> arguments)> value;
};

const std::vector<LessonFact>& lesson_facts(); // in the order of a list of them
const LessonFact* find_lesson_fact(std::string_view name);

// The traces of a lesson and where it stands.
class LessonFacts {
  public:
    std::map<std::string, const Trace*> traces;
    std::string shown; // name of the one on the screen
    std::uint32_t launch = 0, step = 0;
    std::map<std::string, std::int64_t> bound; // what is clicked

    // Of a trace that is not shown, the step of the same stride (or load, or store). Throws OptionError without one.
    FactPlace at(const std::string& trace) const;
};

} // namespace warptree::session
