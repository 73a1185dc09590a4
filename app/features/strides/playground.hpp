// A shared-memory request to experiment with: the typed input, and its bank conflicts.
#pragma once

#include "app/theory/banks/request_text.hpp"
#include "app/trace/model/trace.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warptree::session {

class Playground {
  public:
    enum class Field { index, stride, warp, mask, bytes, access, banks };
    static constexpr std::array kFields{Field::index, Field::stride, Field::warp, Field::mask,
                                        Field::bytes, Field::access, Field::banks};

    Playground();
    std::string value(Field field) const;
    static std::vector<std::string> choices(Field field); // empty: typed
    // Sets the field if the request is then valid; else the request stays and error() says why.
    void set(Field field, const std::string& text);
    // The previous or next value: a listed one, or one less or more.
    void turn(Field field, int direction);

    const std::string& error() const { return error_; }
    const banks::BankReport& report() const { return report_; }
    const Trace& trace() const { return trace_; } // for the bank view: request 0
    std::string command() const;                  // "warptree banks --index 2*s*t --stride 4"

    // The request as it is, padded and swizzled, with the cost of each.
    struct Remedy {
        std::string name, index, cost; // "padded", "(2*s*t) + (2*s*t) / 32", "one more element for every 32"
        unsigned wavefronts = 0, ideal = 0;
    };
    std::vector<Remedy> remedies() const; // the first is the request itself
    // Applies the first without conflicts; returns what was done, or why nothing was.
    std::string mend();

    std::map<std::string, std::string> values() const;
    void restore(const std::map<std::string, std::string>& values); // unusable values are ignored

  private:
    static std::string& member(banks::RequestText& text, Field field);
    bool take(const banks::RequestText& text);

    banks::RequestText text_;
    banks::BankReport report_;
    Trace trace_;
    std::string error_;
};

std::string_view id(Playground::Field field);    // "index"; stable
std::string_view label(Playground::Field field); // "active lanes"

} // namespace warptree::session
