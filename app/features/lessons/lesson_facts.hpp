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

// A trace, and the place in it that a fact without arguments refers to.
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

const std::vector<LessonFact>& lesson_facts(); // in the order in which they are listed
const LessonFact* find_lesson_fact(std::string_view name);

// The traces of a lesson, and its current place.
class LessonFacts {
  public:
    std::map<std::string, const Trace*> traces;
    std::string shown; // name of the one on the screen
    std::uint32_t launch = 0, step = 0;
    std::map<std::string, std::int64_t> bound; // names that stand for what is clicked

    // In a trace that is not shown: the step of the first launch with the same kind and stride; kNone if there is none.
    // Throws OptionError if there is no such trace.
    FactPlace at(const std::string& trace) const;
};

} // namespace warptree::session
