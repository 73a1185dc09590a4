#include "app/simt/processor_time.hpp"

#include <ctime>

namespace warptree::simt {

std::chrono::nanoseconds thread_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::chrono::nanoseconds ProcessorTime::used() const {
    return std::this_thread::get_id() == owner_ ? thread_time() - begin_ + waited_ : thread_time();
}

bool ProcessorTime::up() const { return most_.count() != 0 && used() > most_; }

} // namespace warptree::simt
