#include "tests/app/x_client.hpp"
#include "tests/app/process.hpp"

#include <X11/Xatom.h>
#include <X11/Xlib.h>

#include <poll.h>

#include <chrono>
#include <memory>
#include <vector>

namespace warptree::testing {

namespace {
struct CloseDisplay {
    void operator()(Display* display) const { XCloseDisplay(display); }
};

// As the window's own program wrote it, in UTF-8.
std::string title_of(Display* display, Window window) {
    constexpr long kMostWords = 256;
    Atom type = 0;
    int format = 0;
    unsigned long count = 0, left = 0;
    unsigned char* text = nullptr;
    XGetWindowProperty(display, window, XInternAtom(display, "_NET_WM_NAME", False), 0, kMostWords, False,
                       AnyPropertyType, &type, &format, &count, &left, &text);
    std::string title(text == nullptr ? "" : reinterpret_cast<const char*>(text));
    if (text != nullptr) {
        XFree(text);
    }
    return title;
}

// A window whose title ends with the name: "FILE – warptree".
Window find_window(Display* display, const std::string& name) {
    Window root = 0, parent = 0, *children = nullptr, found = 0;
    unsigned count = 0;
    XQueryTree(display, DefaultRootWindow(display), &root, &parent, &children, &count);
    for (unsigned i = 0; i < count; ++i) {
        found = title_of(display, children[i]).ends_with(name) ? children[i] : found;
    }
    if (children != nullptr) {
        XFree(children);
    }
    return found;
}

class Drag {
  public:
    Drag(Display* display, Window target, std::string path)
        : display_(display), target_(target), text_("file://" + path + "\r\n"),
          source_(XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)) {}

    // False if the target never reports completion.
    bool drop() {
        XSetSelectionOwner(display_, atom("XdndSelection"), source_, CurrentTime);
        send("XdndEnter", 5L << 24, static_cast<long>(atom("text/uri-list")), 0, 0);
        send("XdndPosition", 0, 300L << 16 | 300, CurrentTime, static_cast<long>(atom("XdndActionCopy")));
        if (!serve_until("XdndStatus")) {
            return false;
        }
        send("XdndDrop", 0, CurrentTime, 0, 0);
        return serve_until("XdndFinished");
    }

  private:
    Atom atom(const char* name) const { return XInternAtom(display_, name, False); }

    void send(const char* type, long a, long b, long c, long d) const {
        XEvent event{};
        event.xclient.type = ClientMessage;
        event.xclient.window = target_;
        event.xclient.message_type = atom(type);
        event.xclient.format = 32;
        event.xclient.data.l[0] = static_cast<long>(source_);
        event.xclient.data.l[1] = a;
        event.xclient.data.l[2] = b;
        event.xclient.data.l[3] = c;
        event.xclient.data.l[4] = d;
        XSendEvent(display_, target_, False, NoEventMask, &event);
        XFlush(display_);
    }

    // Meanwhile answers the target's request for the path.
    bool serve_until(const char* type) const {
        const auto end = std::chrono::steady_clock::now() + kLongestWait;
        while (std::chrono::steady_clock::now() < end) {
            if (XPending(display_) == 0) {
                pollfd waiting{ConnectionNumber(display_), POLLIN, 0};
                poll(&waiting, 1, 100);
                continue;
            }
            XEvent event;
            XNextEvent(display_, &event);
            if (event.type == SelectionRequest) {
                answer(event.xselectionrequest);
            } else if (event.type == ClientMessage && event.xclient.message_type == atom(type)) {
                return true;
            }
        }
        return false;
    }

    void answer(const XSelectionRequestEvent& request) const {
        XChangeProperty(display_, request.requestor, request.property, request.target, 8, PropModeReplace,
                        reinterpret_cast<const unsigned char*>(text_.data()), static_cast<int>(text_.size()));
        XEvent reply{};
        reply.xselection.type = SelectionNotify;
        reply.xselection.requestor = request.requestor;
        reply.xselection.selection = request.selection;
        reply.xselection.target = request.target;
        reply.xselection.property = request.property;
        reply.xselection.time = request.time;
        XSendEvent(display_, request.requestor, False, NoEventMask, &reply);
        XFlush(display_);
    }

    Display* display_;
    Window target_;
    std::string text_;
    Window source_;
};
} // namespace

bool drop_file(const std::string& display_name, const std::string& window_name, const std::string& path,
               std::string& why) {
    const std::unique_ptr<Display, CloseDisplay> display(XOpenDisplay(display_name.c_str()));
    if (!display) {
        why = "no display";
        return false;
    }
    const Window window = find_window(display.get(), window_name);
    if (window == 0) {
        why = "no window of that name";
        return false;
    }
    if (!Drag(display.get(), window, path).drop()) {
        why = "the window never finished the drop";
        return false;
    }
    return true;
}

bool ask_to_close(const std::string& display_name, const std::string& window_name) {
    const std::unique_ptr<Display, CloseDisplay> display(XOpenDisplay(display_name.c_str()));
    const Window window = display ? find_window(display.get(), window_name) : 0;
    if (window == 0) {
        return false;
    }
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = window;
    event.xclient.message_type = XInternAtom(display.get(), "WM_PROTOCOLS", False);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(XInternAtom(display.get(), "WM_DELETE_WINDOW", False));
    XSendEvent(display.get(), window, False, NoEventMask, &event);
    XFlush(display.get());
    return true;
}

} // namespace warptree::testing
