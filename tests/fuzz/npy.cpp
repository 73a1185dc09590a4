// Arrays of NumPy, by header and as the files that kernels are called with.
#include "app/base/npy.hpp"
#include "app/run/array_fill.hpp"
#include "tests/fuzz/input_file.hpp"

using namespace warptree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::text_of(data, size);
    if (const auto array = npy::decode(text)) {
        const std::string again = npy::encode(array->dtype, array->count, array->data);
        const auto same = npy::decode(again);
        fuzz::require(same && same->count == array->count && same->data == array->data);
    }
    const std::string& file = fuzz::file_of(data, size);
    for (const ValueType type : {ValueType::f32, ValueType::i16, ValueType::boolean, ValueType::u64}) {
        fuzz::refusable([&] {
            std::uint64_t count = 0;
            const auto bytes_read = runs::read_npy(file, type, count, 1U << 20);
            fuzz::require(bytes_read.size() == count * bytes(type) && bytes_read.size() < size);
        });
        fuzz::refusable([&] { fuzz::require(runs::read_input(file, type, 3, 1U << 20).size() == 3 * bytes(type)); });
    }
    return 0;
}
