#include "app/run/input.hpp"

#include "app/base/type_words.hpp"
#include "app/run/array_fill.hpp"

namespace warptree::runs {

Elements make_input(const RunOptions& o) {
    Elements elements{o.type, {}};
    if (o.input == InputKind::file) {
        elements.bytes = read_input(o.input_file, value_type_of(o.type), o.n, o.limits.memory);
        return elements;
    }
    elements.resize(o.n);
    array_fill(std::string(name(o.input)), value_type_of(o.type), o.seed)(0, o.n, elements.bytes.data());
    return elements;
}

} // namespace warptree::runs
