// Changes of a text that may mend a finding.
#include "app/base/identifier.hpp"
#include "app/run/remedy/atomics.hpp"
#include "app/run/remedy/branches.hpp"
#include "app/run/remedy/guards.hpp"
#include "app/run/remedy/host.hpp"
#include "app/run/remedy/index.hpp"
#include "app/run/remedy/numbers.hpp"
#include "app/run/remedy/remedy.hpp"
#include "app/run/remedy/statements.hpp"
#include "app/run/remedy/text_edit.hpp"
#include "app/run/remedy/tokens.hpp"
#include "app/trace/explain/findings.hpp"
#include "app/trace/explain/repeated_work.hpp"
#include "app/trace/explain/vector_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace warptree::runs {

namespace {
constexpr std::string_view kFullMask = "0xFFFFFFFF";

class Changes {
  public:
    Changes(const Trace& trace, const Launch& launch, const Finding& f)
        : trace_(trace), launch_(launch), arguments_(trace.program.entry.empty() ? trace.arguments : launch.arguments),
          f_(f), code_(trace.sources.front().text), array_(f.array), two_dimensions_(launch.block_shape[1] > 1),
          blocks_(launch.grid), loses_updates_(std::ranges::any_of(launch.findings,
                                                                   [](const Finding& other) {
                                                                       return is_race(other.kind) && other.updates &&
                                                                              other.severity == Severity::fault;
                                                                   })),
          by_warp_(orders_by_warp(launch, f)),
          few_at_work_(launch.block <= kWarpSize &&
                       find_word(code_.bare(), "blockIdx", 0, code_.bare().size()) == std::string::npos) {
        // A program's arrays are told by the host's names, which its kernels do not know.
        if (!trace.program.entry.empty() && f.line.known() && f.line.file() == 0) {
            const std::size_t begin = code_.line_begin(f.line.line()), end = code_.line_begin(f.line.line() + 1);
            for (const KernelArgument& a : arguments_) {
                if ((a.value == f.array || a.value.starts_with(f.array + " + ")) &&
                    find_word(code_.bare(), a.name, begin, end) != std::string::npos) {
                    array_ = a.name;
                }
            }
        }
    }

    std::vector<Remedy> all() {
        if (f_.line.file() != 0 || !f_.line.known()) {
            return {};
        }
        switch (f_.kind) {
        case FindingKind::race_shared:
        case FindingKind::race_global: race(); break;
        case FindingKind::uninitialised:
            if (f_.array.empty()) {
                add_all(first_values(code_, f_));
            } else if (f_.other_thread != kNobody && f_.other_block == f_.block) {
                barriers(by_warp_);
            }
            break;
        case FindingKind::out_of_bounds:
            for (Change& change :
                 guard_changes({code_, arguments_, array_, f_.elements / parts_of_array(trace_, launch_, f_.array),
                                access_in(f_.line), f_.writes, two_dimensions_})) {
                add(change.words, std::move(change.edits));
                found_.back().guards = true;
            }
            add_all(wider_tile(code_, array_));
            add_all(wrapped_indices(code_, f_.line.line()));
            break;
        case FindingKind::own_value: add_all(lanes_with_a_source(code_, f_.line.line())); break;
        case FindingKind::overflow: add_all(wider_integers(code_, f_.line.line())); break;
        case FindingKind::bad_mask:
        case FindingKind::inactive_lane:
            masks();
            add_all(conditions_of_statements(code_, f_.line.line()));
            break;
        case FindingKind::legacy_shuffle: with_sync(); break;
        case FindingKind::doubtful_code: doubts(); break;
        case FindingKind::repeated_elements: one_adds(); break;
        case FindingKind::lost_elements:
            if (f_.elements != 0) { // that no thread comes to
                add_all(index_changes(code_));
            }
            break;
        case FindingKind::barrier_divergence:
        case FindingKind::deadlock:
            barrier_out_of_branch();
            for (const SourceLine line : {f_.line, f_.other_line}) {
                if (line.known() && line.file() == 0) {
                    add_all(conditions_of_statements(code_, line.line()));
                }
            }
            break;
        default: break;
        }
        return std::move(found_);
    }

  private:
    void add(const std::string& words, std::vector<TextEdit> edits, bool orders = false) {
        std::string text = edited(code_.text(), std::move(edits));
        if (std::none_of(found_.begin(), found_.end(), [&](const Remedy& r) { return r.text == text; })) {
            found_.push_back({words, std::move(text), orders});
        }
    }

    void add_all(std::vector<Change> changes) {
        for (Change& change : changes) {
            add(change.words, std::move(change.edits));
        }
    }

    // Where the array of the finding stands in a line, or where its code begins.
    std::size_t access_in(SourceLine line) const {
        const std::size_t begin = code_.line_begin(line.line()), end = code_.line_begin(line.line() + 1);
        std::size_t name = array_.empty() ? std::string::npos : find_word(code_.bare(), array_, begin, end);
        while (name != std::string::npos &&
               code_.innermost(name) == nullptr) { // as a parameter, of a kernel in one line
            name = find_word(code_.bare(), array_, name + 1, end);
        }
        if (name != std::string::npos) {
            return name;
        }
        const std::size_t first = code_.bare().find_first_not_of(" \t", begin);
        return first < end ? first : begin;
    }

    // Of a program that launches one block of a kernel that is written for several.
    bool is_of_one_block_by_chance() const {
        return f_.kind == FindingKind::race_global && blocks_ == 1 && !trace_.program.entry.empty() &&
               find_word(code_.bare(), "blockIdx", 0, code_.bare().size()) != std::string::npos;
    }

    // Of a line that stores: where it does so by a test of the array, which may stand in the same line.
    std::optional<std::size_t> store_after_a_test() const {
        const SourceLine line = f_.writes ? f_.line : f_.other_line;
        if (!line.known() || line.file() != 0 || array_.empty()) {
            return std::nullopt;
        }
        const std::size_t end = code_.line_begin(line.line() + 1);
        for (std::size_t at = find_word(code_.bare(), array_, code_.line_begin(line.line()), end);
             at != std::string::npos; at = find_word(code_.bare(), array_, at + 1, end)) {
            if (is_tested_first(code_, array_, at)) {
                return at;
            }
        }
        return std::nullopt;
    }

    void race() {
        if (f_.fence_missing) {
            fences_in_lock();
        }
        for (const SourceLine line : {f_.line, f_.other_line}) {
            if (line.known() && line.file() == 0) {
                add_all(atomic_slots(code_, line.line()));
            }
        }
        if (f_.block != f_.other_block && is_of_block_scope(code_.text(), f_.line.line())) {
            of_all_blocks();
        } else if (const auto store = store_after_a_test()) {
            add_all(atomic_tests(code_, array_, *store));
            if (f_.kind ==
                FindingKind::race_shared) { // an exchange of two elements, as of a sort, from one round to the next
                barriers(by_warp_);
            }
        } else if (f_.updates && f_.line.file() == 0 && adds_the_same(code_.text(), f_.line.line())) {
            add_all(index_changes(code_));
        } else if (f_.updates) {
            add_all(atomic_updates(code_, access_in(f_.line)));
        } else if (f_.writes && f_.other_writes && f_.line == f_.other_line) {
            if (!loses_updates_) { // which may be why they meet
                one_thread();
            }
        } else if (is_of_one_block_by_chance()) { // no barrier of a block orders what others do
            return;
        } else if (f_.block == f_.other_block && f_.other_line.file() == 0) {
            // Global memory has no warp of its own: with more elements others come to it.
            barriers(by_warp_ && (f_.kind == FindingKind::race_shared || few_at_work_));
            if (f_.line == f_.other_line) {
                read_first();
            }
        } else if (f_.block != f_.other_block && f_.other_line.file() == 0 && f_.line != f_.other_line) {
            fences();
        }
    }

    // Between blocks that an atomic counts: behind what one stores, before what the other loads, or both.
    void fences() {
        const bool reads = !f_.writes;
        const auto load = code_.around(access_in(reads ? f_.line : f_.other_line)),
                   store = code_.around(access_in(reads ? f_.other_line : f_.line));
        const auto places = [](const std::vector<const Statement*>& around) { // in a block, from the inside
            std::vector<const Statement*> found;
            for (std::size_t k = around.size(); k-- > 1;) {
                if (around[k - 1]->kind == Statement::Kind::block) {
                    found.push_back(around[k]);
                }
            }
            return found;
        };
        const std::string call = "__threadfence();";
        for (const Statement* l : places(load)) {
            add("a fence before what another block has stored is read", {line_before(code_, l->begin, call)}, true);
        }
        for (const Statement* s : places(store)) {
            add("a fence behind what another block reads", {line_after(code_, *s, call)}, true);
        }
        for (const Statement* l : places(load)) {
            for (const Statement* s : places(store)) {
                add("a fence on either side", {line_after(code_, *s, call), line_before(code_, l->begin, call)}, true);
            }
        }
    }

    // Around what a lock protects, from the inside.
    void fences_in_lock() {
        const auto around = code_.around(access_in(f_.line));
        const std::string call = "__threadfence();";
        for (std::size_t k = around.size(); k-- > 1;) {
            if (around[k - 1]->kind == Statement::Kind::block) {
                const TextEdit before = line_before(code_, around[k]->begin, call),
                               after = line_after(code_, *around[k], call);
                add("a fence after taking the lock", {before}, true);
                add("a fence before giving the lock back", {after}, true);
                add("a fence after taking the lock and one before giving it back", {before, after}, true);
            }
        }
    }

    void barriers(bool warp) {
        const std::string call = warp ? "__syncwarp();" : "__syncthreads();";
        const auto one = code_.around(access_in(f_.line)), other = code_.around(access_in(f_.other_line));
        std::size_t common = 0; // statements around both
        while (common < one.size() && common < other.size() && one[common] == other[common]) {
            ++common;
        }
        // Both in one block, one after the other; none is common to two functions.
        if (common > 0 && common < one.size() && common < other.size() &&
            one[common - 1]->kind == Statement::Kind::block) {
            const Statement& later = *(one[common]->begin < other[common]->begin ? other[common] : one[common]);
            add("a barrier between the two accesses", {line_before(code_, later.begin, call)}, true);
        }
        // From one iteration to the next: at the end of the loop's body, or at its beginning; the innermost loop first.
        for (std::size_t k = common; k-- > 0;) {
            if (one[k]->kind == Statement::Kind::loop && !one[k]->parts.empty()) {
                at_ends_of(*one[k], call);
            }
        }
        // Around whatever each stands in, from the inside.
        for (const auto* around : {&one, &other}) {
            for (std::size_t k = around->size(); k-- > 1;) {
                if ((*around)[k - 1]->kind == Statement::Kind::block) {
                    add("a barrier before it", {line_before(code_, (*around)[k]->begin, call)}, true);
                    add("a barrier after it", {line_after(code_, *(*around)[k], call)}, true);
                }
            }
        }
    }

    void at_ends_of(const Statement& loop, const std::string& call) {
        const Statement& body = loop.parts.front();
        if (body.kind == Statement::Kind::block && !body.parts.empty()) {
            add("a barrier at the end of each iteration", {line_after(code_, body.parts.back(), call)}, true);
            add("a barrier at the beginning of each iteration", {line_before(code_, body.parts.front().begin, call)},
                true);
        } else if (body.kind != Statement::Kind::block && loop.condition_end != 0) {
            const std::string outer = code_.indent_at(loop.begin), inner = outer + "    ";
            add("a barrier at the end of each iteration",
                {{loop.condition_end + 1, loop.condition_end + 1, " {"},
                 {body.end, body.end, "\n" + inner + call + "\n" + outer + "}"}},
                true);
        }
    }

    // What one statement reads and stores, others read and store as well: all read, a barrier, then they store.
    void read_first() {
        const std::size_t at = access_in(f_.line);
        const auto around = code_.around(at);
        const Statement* s = code_.innermost(at);
        const std::size_t equals = s == nullptr ? std::string::npos : assignment(code_.bare(), s->begin, s->end);
        if (equals == std::string::npos || s->kind != Statement::Kind::plain || declares(code_, *s)) {
            return;
        }
        const auto part = [&](std::size_t begin, std::size_t end) { return trimmed_part(code_.text(), begin, end); };
        const bool changes = std::string_view("+-*/%&|^").find(code_.bare()[equals - 1]) != std::string_view::npos;
        const std::string target = part(s->begin, equals - (changes ? 1 : 0)), right = part(equals + 1, s->end - 1);
        const std::string value =
            !changes ? right
                     : target + ' ' + code_.bare()[equals - 1] + ' ' + (is_one_term(right) ? right : '(' + right + ')');
        // The branch that holds nothing else.
        std::size_t outer = around.size() - 1; // the last is *s
        while (outer > 1 && around[outer - 1]->parts.size() == 1 && around[outer - 1]->kind == Statement::Kind::block &&
               around[outer - 2]->kind == Statement::Kind::branch) {
            --outer;
        }
        std::string condition;
        if (outer > 0 && around[outer - 1]->kind == Statement::Kind::branch && around[outer - 1]->parts.size() == 1) {
            --outer;
            condition = part(around[outer]->condition_begin, around[outer]->condition_end);
        }
        // What is written twice would be done twice.
        const auto does = [](const std::string& text) {
            return text.find("++") != std::string::npos || text.find("--") != std::string::npos;
        };
        if (outer == 0 || does(target) || does(condition) ||
            assignment(code_.bare(), around[outer]->condition_begin, around[outer]->condition_end) !=
                std::string::npos) {
            return;
        }
        std::string name = "next";
        for (int k = 2; find_word(code_.bare(), name, 0, code_.bare().size()) != std::string::npos; ++k) {
            name = fmt::format("next_{}", k);
        }
        const bool alone = around[outer - 1]->kind != Statement::Kind::block; // a body without braces
        const std::string indent = code_.indent_at(around[outer]->begin);
        for (const bool again : {false, true}) {
            for (const std::string_view call : {"__syncthreads();", "__syncwarp();"}) {
                std::vector<std::string> lines = {
                    "const auto " + name + " = " + (condition.empty() ? value : condition + " ? " + value + " : 0") +
                        ';',
                    std::string(call),
                    (condition.empty() ? "" : "if (" + condition + ") ") + target + " = " + name + ';'};
                if (again) {
                    lines.emplace_back(call);
                }
                std::string text = alone ? "{ " : "";
                for (const std::string& line : lines) {
                    text += (&line == lines.data() ? "" : "\n" + indent) + line;
                }
                add(again ? "all read, a barrier, then they write, and a barrier"
                          : "all read, a barrier, then they write",
                    {{around[outer]->begin, around[outer]->end, text + (alone ? " }" : "")}}, true);
            }
        }
    }

    // All threads of a block store to one element: the first of them does.
    void one_thread() {
        const Statement* s = code_.innermost(access_in(f_.line));
        if (s == nullptr || s->kind != Statement::Kind::plain) {
            return;
        }
        const std::size_t open = code_.bare().find('[', s->begin);
        if (open < s->end && code_.bare().find('%', open) < past_bracket(code_.bare(), open)) { // a slot of many
            return;
        }
        const bool blocks = f_.block != f_.other_block;
        if (f_.times > (blocks ? 1 : blocks_) || !one_element_of_all()) { // several: not one that all threads store to
            return;
        }
        if (!blocks) {
            add("only one thread stores", {{s->begin, s->begin, "if (threadIdx.x == 0) "}});
            add("only one lane of each warp stores", {{s->begin, s->begin, "if (threadIdx.x % 32 == 0) "}});
        }
        add("only one thread of one block stores", {{s->begin, s->begin, "if (threadIdx.x == 0 && blockIdx.x == 0) "}});
    }

    // atomicAdd_block: the atomic operation of all blocks.
    void of_all_blocks() {
        constexpr std::string_view kScope = "_block(";
        const std::size_t begin = code_.line_begin(f_.line.line()), end = code_.line_begin(f_.line.line() + 1);
        if (const std::size_t at = code_.bare().find(kScope, begin); at < end) {
            add("an atomic operation among all blocks", {{at, at + kScope.size() - 1, ""}});
        }
    }

    // All threads add a value that one of them should: the first of the block does, or of each warp.
    void one_adds() {
        const Statement* s = code_.innermost(access_in(f_.line));
        if (s == nullptr || s->kind != Statement::Kind::plain || code_.bare().compare(s->begin, 6, "atomic") != 0) {
            return;
        }
        add("only one thread of each block adds it",
            {{s->begin, s->begin,
              two_dimensions_ ? "if (threadIdx.x == 0 && threadIdx.y == 0) " : "if (threadIdx.x == 0) "}});
        add("only one lane of each warp adds it", {{s->begin, s->begin, "if (threadIdx.x % 32 == 0) "}});
    }

    // Whether the line of the finding stores to one element in each launch, and the first thread of each block that stores there at all
    // does: else what it stores would be lost.
    bool one_element_of_all() const {
        for (const Launch& launch : trace_.launches) {
            std::set<std::uint64_t> elements;
            std::set<std::uint32_t> blocks, of_first;
            for (const Request& r : launch.requests) {
                if (r.line != f_.line || (r.kind != AccessKind::global_store && r.kind != AccessKind::shared_store)) {
                    continue;
                }
                for (std::uint32_t rest = r.mask; rest != 0; rest &= rest - 1) {
                    elements.insert(launch.index_of(r, static_cast<unsigned>(std::countr_zero(rest))));
                }
                blocks.insert(r.block);
                if (r.warp == 0 && (r.mask & 1U) != 0) {
                    of_first.insert(r.block);
                }
            }
            if (elements.size() > 1 || blocks != of_first) {
                return false;
            }
        }
        return true;
    }

    void masks() {
        const std::size_t begin = code_.line_begin(f_.line.line()), end = code_.line_begin(f_.line.line() + 1);
        const std::size_t sync = code_.bare().find("_sync", begin);
        const std::size_t open = sync < end ? code_.bare().find('(', sync) : std::string::npos;
        if (open >= end) {
            return;
        }
        std::size_t comma = open + 1;
        for (int depth = 0;
             comma < code_.bare().size() && (depth > 0 || (code_.bare()[comma] != ',' && code_.bare()[comma] != ')'));
             ++comma) {
            depth += code_.bare()[comma] == '(';
            depth -= code_.bare()[comma] == ')';
        }
        // Not __activemask(): the lanes that happen to be together need not be those that take part.
        for (const std::string& mask :
             {std::string(kFullMask), fmt::format("0x{:X}", f_.mask), fmt::format("0x{:X}", ~f_.mask)}) {
            add("the mask of the lanes that take part", {{open + 1, comma, mask}});
        }
    }

    // if (i = 0), if (i < n); and 1 / 9: what is told of them names the sign.
    void doubts() {
        const std::size_t begin = code_.line_begin(f_.line.line()), end = code_.line_begin(f_.line.line() + 1);
        const std::string& bare = code_.bare();
        const auto says = [&](const char* words) { return f_.text.find(words) != std::string::npos; };
        const std::size_t open = bare.find('(', begin);
        if (says("'==' compares") && open < end) {
            if (const std::size_t equals = assignment(bare, open + 1, std::min(past_bracket(bare, open), end));
                equals != std::string::npos) {
                add("a comparison", {{equals, equals + 1, "=="}});
            }
        } else if (says("'a < x < b'")) {
            chained(begin, end);
        } else if (says("the ';' ends") && open < end) {
            if (const std::size_t past = past_bracket(bare, open); bare[past] == ';') {
                add("without the ';'", {{past, past + 1, ""}});
            }
        } else if (says("the quotient of two integers")) {
            add_all(quotients_with_fraction(code_, f_.line.line()));
        } else if (says("the quotient of the integers")) {
            for (std::size_t at = bare.find('/', begin); at < end; at = bare.find('/', at + 1)) {
                std::size_t last = at;
                while (last > begin && bare[last - 1] == ' ') {
                    --last;
                }
                if (last > begin && std::isdigit(static_cast<unsigned char>(bare[last - 1])) != 0) {
                    add("a floating-point number", {{last, last, ".0"}});
                }
            }
        }
    }

    // lo < x < hi: what is between two signs and within the same brackets.
    void chained(std::size_t begin, std::size_t end) {
        const std::string& bare = code_.bare();
        for (std::size_t first = bare.find('<', begin); first < end; first = bare.find('<', first + 1)) {
            const std::size_t past = first + (bare[first + 1] == '=' ? 2 : 1);
            const std::size_t second =
                past + std::min(outside_brackets(bare.substr(past, end - past), '<'), end - past);
            const std::string between = trimmed_part(code_.text(), past, second);
            if (second < end && between.find_first_of("&|;?") == std::string::npos) {
                add("each is compared by itself", {{second, second, "&& " + between + ' '}});
            }
        }
    }

    void with_sync() {
        const std::size_t begin = code_.line_begin(f_.line.line()), end = code_.line_begin(f_.line.line() + 1);
        for (const std::string_view name :
             {"__shfl_down", "__shfl_up", "__shfl_xor", "__shfl", "__ballot", "__any", "__all"}) {
            const std::size_t at = find_word(code_.bare(), name, begin, end);
            const std::size_t open = at == std::string::npos ? at : code_.bare().find('(', at);
            if (open < end) {
                add("the form with _sync",
                    {{at, open + 1, std::string(name) + "_sync(" + std::string(kFullMask) + ", "}});
            }
        }
    }

    // A barrier that only some threads reach, after what it stands in.
    void barrier_out_of_branch() {
        for (const SourceLine line : {f_.line, f_.other_line}) {
            if (!line.known() || line.file() != 0) {
                continue;
            }
            const std::size_t begin = code_.line_begin(line.line()), end = code_.line_begin(line.line() + 1);
            const std::size_t at = find_word(code_.bare(), "__syncthreads", begin, end);
            if (at == std::string::npos) {
                continue;
            }
            const auto around = code_.around(at);
            for (std::size_t k = around.size(); k-- > 1;) {
                if (around[k]->kind == Statement::Kind::branch && around[k - 1]->kind == Statement::Kind::block) {
                    std::size_t past = code_.bare().find(';', at) + 1;
                    std::size_t from = at;
                    if (trimmed_part(code_.bare(), begin, end) == "__syncthreads();") { // the line goes
                        from = begin;
                        past = end;
                    }
                    add("the barrier outside of the branch",
                        {{from, past, ""}, line_after(code_, *around[k], "__syncthreads();")}, true);
                }
            }
        }
    }

    const Trace& trace_;
    const Launch& launch_;
    const std::vector<KernelArgument>& arguments_;
    const Finding& f_;
    Statements code_;
    std::string array_; // of the finding, as the kernel calls it
    bool two_dimensions_;
    std::uint64_t blocks_; // of the launch
    bool loses_updates_, by_warp_;
    bool few_at_work_; // one warp at most, whatever n
    std::vector<Remedy> found_;
};
} // namespace

const Finding& finding_at(const Trace& trace, FindingPlace place) {
    return place.launch == FindingPlace::kHost ? trace.program.findings[place.finding]
                                               : trace.launches[place.launch].findings[place.finding];
}

std::vector<FindingPlace> finding_places(const Trace& trace) {
    std::vector<FindingPlace> places;
    for (std::uint32_t f = 0; f < trace.program.findings.size(); ++f) {
        places.push_back({FindingPlace::kHost, f});
    }
    for (std::uint32_t l = 0; l < trace.launches.size(); ++l) {
        for (std::uint32_t f = 0; f < trace.launches[l].findings.size(); ++f) {
            places.push_back({l, f});
        }
    }
    return places;
}

std::vector<Remedy> possible_remedies(const Trace& trace, FindingPlace place) {
    if (trace.sources.empty()) {
        return {};
    }
    const Finding& finding = finding_at(trace, place);
    if (place.launch == FindingPlace::kHost) {
        return possible_host_remedies(trace, finding);
    }
    std::vector<Remedy> all = Changes(trace, trace.launches[place.launch], finding).all();
    if (!trace.program.entry.empty() && !is_race(finding.kind)) { // the kernel may be right, and its array too short
        std::vector<Remedy> host = possible_host_remedies(trace, finding);
        all.insert(all.begin(), std::make_move_iterator(host.begin()), std::make_move_iterator(host.end()));
    }
    return all;
}

} // namespace warptree::runs
