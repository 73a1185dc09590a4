#include "app/simt/stored_elements.hpp"

#include "app/base/error.hpp"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

namespace warptree::simt {

StoredElements::~StoredElements() {
    forget();
    if (data_ != nullptr) {
        munmap(data_, most_ * sizeof(Stored));
    }
}

void StoredElements::touch(std::uint64_t chunk, std::uint64_t most, const std::string& name) {
    if (most > most_) { // the first time, or since then the elements have become smaller; nothing is noted
        if (data_ != nullptr) {
            munmap(data_, most_ * sizeof(Stored));
            data_ = nullptr;
            most_ = 0;
        }
        void* const room = mmap(nullptr, most * sizeof(Stored), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) {
            throw OptionError("who stored what in array " + name + " needs " + std::to_string(most * sizeof(Stored)) +
                              " bytes, which this machine does not have; take a smaller n");
        }
        data_ = static_cast<Stored*>(room);
        most_ = most;
        touched_.assign((most + kChunk - 1) / kChunk, 0);
    }
    budget_.take(kChunk * sizeof(Stored), "who stored what in array " + name);
    touched_[chunk] = 1;
    ++chunks_;
    any_ = true;
}

void StoredElements::forget() {
    if (!any_) {
        return;
    }
    budget_.give(chunks_ * kChunk * sizeof(Stored));
    if (chunks_ > 64) { // a megabyte: given back to the system
        madvise(data_, most_ * sizeof(Stored), MADV_DONTNEED);
    } else {
        for (std::uint64_t chunk = 0; chunk < touched_.size(); ++chunk) {
            if (touched_[chunk] != 0) {
                std::memset(static_cast<void*>(data_ + chunk * kChunk), 0,
                            (std::min((chunk + 1) * kChunk, most_) - chunk * kChunk) * sizeof(Stored));
            }
        }
    }
    std::ranges::fill(touched_, std::uint8_t{0});
    chunks_ = 0;
    any_ = false;
}

} // namespace warptree::simt
