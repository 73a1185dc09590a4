// Traces launches on this machine's GPU.
#pragma once

namespace warptree::runs {

// From here on runs are traced on this machine's GPU where they ask for it. The driver is opened when the first one does.
void trace_on_this_gpu();

} // namespace warptree::runs
