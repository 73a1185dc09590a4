// Graphs: work for later, captured from streams or added node by node; done in an order that their edges allow.
#include "app/host/api.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

using namespace warptree::host;

namespace {

struct Node {
    std::function<cudaError_t()> work; // empty: nothing is done
    std::vector<const Node*> after;
};
struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;
};

Graph* graph_of(cudaGraph_t handle) { return reinterpret_cast<Graph*>(handle); }
const Graph* graph_of(cudaGraphExec_t handle) { return reinterpret_cast<const Graph*>(handle); }

// At most one capture at a time: of one stream, and of those that join it by an event.
struct Capture {
    std::mutex one;
    std::unique_ptr<Graph> graph;
    cudaStream_t origin = nullptr;
    std::set<cudaStream_t> streams;
    std::set<cudaEvent_t> events;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::uint64_t thread = 0;
    bool blocking = false; // one of the streams waits for the legacy default stream
    bool lost = false;     // by what is forbidden
};
Capture& capture() {
    static Capture only;
    return only;
}

cudaError_t add(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                std::function<cudaError_t()> work) {
    auto node = std::make_unique<Node>();
    node->work = std::move(work);
    for (std::size_t i = 0; i < count; ++i) node->after.push_back(reinterpret_cast<const Node*>(after[i]));
    if (to != nullptr) *to = reinterpret_cast<cudaGraphNode_t>(node.get());
    graph_of(graph)->nodes.push_back(std::move(node));
    return cudaSuccess;
}

// Copies the nodes in an order in which each follows those that it depends on: as they were added, where that is one. False:
// there is none.
bool copy_in_order(const Graph& from, Graph& to) {
    std::set<const Node*> done;
    std::vector<const Node*> rest;
    for (const auto& node : from.nodes) rest.push_back(node.get());
    while (!rest.empty()) {
        const auto ready = std::find_if(rest.begin(), rest.end(), [&](const Node* n) {
            return std::all_of(n->after.begin(), n->after.end(), [&](const Node* b) { return done.count(b) != 0; });
        });
        if (ready == rest.end()) return false;
        to.nodes.push_back(std::make_unique<Node>(Node{(*ready)->work, {}}));
        done.insert(*ready);
        rest.erase(ready);
    }
    return true;
}

thread_local std::optional<std::uint64_t> graph_stream; // of the graph that runs

std::uint64_t this_thread() {
    thread_local char place = 0;
    return bits(&place);
}

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

// Whether the stream waits for the legacy default one.
bool is_blocking(cudaStream_t stream, const void* from) {
    return (ask(Call::stream_facts, {number(stream)}, from).word(0) & cudaStreamNonBlocking) == 0;
}

// Of a call that a capture of that mode forbids.
bool forbids(const Capture& c) {
    return c.graph != nullptr && !runs_a_graph() &&
           (c.mode == cudaStreamCaptureModeGlobal ||
            (c.mode == cudaStreamCaptureModeThreadLocal && c.thread == this_thread()));
}

cudaError_t run(const Graph& graph) {
    for (const auto& node : graph.nodes)
        if (node->work)
            if (const cudaError_t error = node->work(); error != cudaSuccess) return error;
    return cudaSuccess;
}

} // namespace

namespace warptree::host {

std::uint64_t stream_number(cudaStream_t stream) { return graph_stream.value_or(number(stream)); }
bool runs_a_graph() { return graph_stream.has_value(); }

cudaError_t in_order(cudaStream_t stream, std::function<cudaError_t()> work, const void* from) {
    Capture& c = capture();
    {
        const std::lock_guard lock(c.one);
        if (c.graph != nullptr && c.streams.count(stream) != 0) {
            if (c.lost) return refused(cudaErrorStreamCaptureInvalidated, from);
            c.graph->nodes.push_back(std::make_unique<Node>(Node{std::move(work), {}}));
            return cudaSuccess;
        }
        if (c.graph != nullptr && c.blocking && is_legacy(stream) && !runs_a_graph()) {
            c.lost = true;
            return refused(cudaErrorStreamCaptureImplicit, Misuse::uses_default_stream, from);
        }
    }
    return work();
}
cudaError_t forbidden_allocation(const void* from) {
    Capture& c = capture();
    const std::lock_guard lock(c.one);
    if (!forbids(c)) return cudaSuccess;
    c.lost = true;
    return refused(cudaErrorStreamCaptureUnsupported, Misuse::allocates, from);
}
cudaError_t forbidden_wait(const void* from) {
    Capture& c = capture();
    const std::lock_guard lock(c.one);
    if (c.graph == nullptr || runs_a_graph()) return cudaSuccess;
    c.lost = true;
    return refused(cudaErrorStreamCaptureUnsupported, Misuse::waits, from);
}
cudaError_t forbidden_wait(cudaStream_t stream, const void* from) {
    {
        Capture& c = capture();
        const std::lock_guard lock(c.one);
        if (c.graph == nullptr || (c.streams.count(stream) == 0 && !(c.blocking && is_legacy(stream))))
            return cudaSuccess;
    }
    return is_legacy(stream) ? in_order(stream, {}, from) : forbidden_wait(from);
}
void note_event(cudaStream_t stream, cudaEvent_t event) {
    Capture& c = capture();
    const std::lock_guard lock(c.one);
    if (c.graph != nullptr && c.streams.count(stream) != 0) c.events.insert(event);
}
bool joins_capture(cudaStream_t stream, cudaEvent_t event, const void* from) {
    Capture& c = capture();
    const std::lock_guard lock(c.one);
    if (c.graph == nullptr || c.events.count(event) == 0) return false;
    c.streams.insert(stream);
    c.blocking = c.blocking || is_blocking(stream, from);
    return true;
}

} // namespace warptree::host

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    Capture& c = capture();
    if (is_legacy(stream) || c.graph != nullptr) return refused(cudaErrorStreamCaptureUnsupported, WARPTREE_CALLER);
    const std::lock_guard lock(c.one);
    c.graph = std::make_unique<Graph>();
    c.origin = stream;
    c.streams = {stream};
    c.events.clear();
    c.mode = mode;
    c.thread = this_thread();
    c.blocking = is_blocking(stream, WARPTREE_CALLER);
    c.lost = false;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* to) {
    Capture& c = capture();
    if (c.graph == nullptr || stream != c.origin) return refused(cudaErrorStreamCaptureUnmatched, WARPTREE_CALLER);
    const std::lock_guard lock(c.one);
    c.streams.clear();
    std::unique_ptr<Graph> made = std::move(c.graph);
    *to = reinterpret_cast<cudaGraph_t>(c.lost ? nullptr : made.release());
    return c.lost ? refused(cudaErrorStreamCaptureInvalidated, WARPTREE_CALLER) : cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* to) {
    Capture& c = capture();
    const std::lock_guard lock(c.one);
    *to = c.graph == nullptr || c.streams.count(stream) == 0 ? cudaStreamCaptureStatusNone
          : c.lost                                           ? cudaStreamCaptureStatusInvalidated
                                                             : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaGraphCreate(cudaGraph_t* to, unsigned) {
    *to = reinterpret_cast<cudaGraph_t>(new Graph);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph_of(graph);
    return cudaSuccess;
}
cudaError_t __warptree_graph_instantiate(cudaGraphExec_t* to, cudaGraph_t graph) {
    auto made = std::make_unique<Graph>();
    if (graph == nullptr || !copy_in_order(*graph_of(graph), *made))
        return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    *to = reinterpret_cast<cudaGraphExec_t>(made.release());
    return cudaSuccess;
}
cudaError_t cudaGraphClone(cudaGraph_t* to, cudaGraph_t graph) {
    auto made = std::make_unique<Graph>();
    if (graph == nullptr || !copy_in_order(*graph_of(graph), *made))
        return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    for (std::size_t i = 1; i < made->nodes.size(); ++i) made->nodes[i]->after = {made->nodes[i - 1].get()};
    *to = reinterpret_cast<cudaGraph_t>(made.release());
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
    delete graph_of(graph);
    return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    if (graph == nullptr) return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    const auto work = [made = graph_of(graph), stream] {
        const auto outer = std::exchange(graph_stream, stream_number(stream));
        const cudaError_t error = run(*made);
        graph_stream = outer;
        return error;
    };
    return in_order(stream, work, WARPTREE_CALLER);
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* to, std::size_t* count) {
    const auto& nodes = graph_of(graph)->nodes;
    for (std::size_t i = 0; to != nullptr && i < std::min(*count, nodes.size()); ++i)
        to[i] = reinterpret_cast<cudaGraphNode_t>(nodes[i].get());
    *count = to == nullptr ? nodes.size() : std::min(*count, nodes.size());
    return cudaSuccess;
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        reinterpret_cast<Node*>(to[i])->after.push_back(reinterpret_cast<const Node*>(from[i]));
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
    return add(to, graph, after, count, {});
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* p) {
    std::function<cudaError_t()> work;
    if (const cudaError_t error = prepare_launch(*p, WARPTREE_CALLER, work); error != cudaSuccess) return error;
    return add(to, graph, after, count, std::move(work));
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* p) {
    return add(to, graph, after, count, [copy = *p] { return cudaMemcpy3D(&copy); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* target, const void* source, std::size_t bytes,
                                     enum cudaMemcpyKind kind) {
    return add(to, graph, after, count, [=] { return cudaMemcpy(target, source, bytes, kind); });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* p) {
    const std::uint64_t element = p->elementSize, repeated = p->value & 0xFFU;
    // Elements of several bytes are set where these are equal.
    if (element == 0 || element > 4 || (element == 2 && p->value != repeated * 0x101) ||
        (element == 4 && p->value != repeated * 0x1010101))
        return refused(cudaErrorNotSupported, WARPTREE_CALLER);
    const cudaMemsetParams set = *p;
    return add(to, graph, after, count, [=] {
        return set.height <= 1
                   ? cudaMemset(set.dst, static_cast<int>(repeated), set.width * element)
                   : cudaMemset2D(set.dst, set.pitch, static_cast<int>(repeated), set.width * element, set.height);
    });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* p) {
    return add(to, graph, after, count, [call = *p] {
        call.fn(call.userData);
        return cudaSuccess;
    });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* to, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
    auto made = std::make_shared<Graph>();
    if (child == nullptr || !copy_in_order(*graph_of(child), *made))
        return refused(cudaErrorInvalidValue, WARPTREE_CALLER);
    return add(to, graph, after, count, [made] { return run(*made); });
}
}
