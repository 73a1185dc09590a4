#include "app/serve/http.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <microhttpd.h>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace warptree::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint16_t kUsualPort = 8080;

struct Address {
    sockaddr_storage bytes = {};
    bool v6 = false;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
    socklen_t size() const { return v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }
};

[[noreturn]] void refuse_address(const std::string& text) {
    throw OptionError(
        "--listen '" + text +
        "' is no address: take one as 127.0.0.1:8080, [::1]:8080, or :8080 for every address of this computer");
}

std::uint16_t port_of(const std::string& text, const std::string& whole) {
    unsigned port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size() || port > 65535) refuse_address(whole);
    return static_cast<std::uint16_t>(port);
}

Address address_from(const std::string& text) {
    std::string host = text;
    std::uint16_t port = kUsualPort;
    const std::size_t colon = text.rfind(':');
    const bool bracketed = text.starts_with('[');
    if (bracketed ? colon != std::string::npos && colon > text.find(']')
                  : colon != std::string::npos && text.find(':') == colon) {
        port = port_of(text.substr(colon + 1), text);
        host = text.substr(0, colon);
    }
    if (bracketed) {
        if (!host.ends_with(']')) refuse_address(text);
        host = host.substr(1, host.size() - 2);
    }
    if (host == "localhost") host = "127.0.0.1";
    Address address;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&address.bytes);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.bytes);
    if (host.empty() || inet_pton(AF_INET, host.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
    } else if (inet_pton(AF_INET6, host.c_str(), &v6->sin6_addr) == 1) {
        address.v6 = true;
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
    } else {
        refuse_address(text);
    }
    return address;
}

std::string text_of(const sockaddr* address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address == nullptr) return "";
    if (address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text, sizeof text);
    else
        inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
    return text;
}

std::uint16_t port_of(const sockaddr_storage& address) {
    return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                               : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// As many connections as are wanted, each a file of the process.
void allow_files(rlim_t count) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
    limit.rlim_cur = std::min(count, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
}

HttpResponse said(unsigned status, const std::string& words) {
    return {status, "text/plain; charset=utf-8", std::make_shared<const std::string>(words + "\n"), {}};
}

} // namespace

struct HttpServer::Daemon {
    HttpLimits limits;
    Handler handler;
    std::function<void(const HttpRecord&)> over;
    std::string url;
    MHD_Daemon* mhd = nullptr;
    std::atomic<std::uint64_t> bodies{0};
    std::atomic<std::size_t> open{0};

    // The answer of one request, which may come before, while or after its connection is set aside.
    struct Waiting {
        std::mutex mutex;
        std::optional<HttpResponse> response;
        MHD_Connection* aside = nullptr;

        void answer(HttpResponse with) {
            const std::lock_guard lock(mutex);
            if (response) return;
            response = std::move(with);
            if (aside != nullptr) MHD_resume_connection(aside);
            aside = nullptr;
        }
    };

    struct Exchange {
        HttpRequest request;
        HttpRecord record;
        Clock::time_point began = Clock::now();
        std::uint64_t counted = 0; // of Daemon::bodies
        bool handled = false;
        std::shared_ptr<Waiting> waiting = std::make_shared<Waiting>();
    };

    MHD_Result send(MHD_Connection* connection, Exchange& exchange, const HttpResponse& response) const {
        auto* body = new std::shared_ptr<const std::string>(
            response.body != nullptr ? response.body : std::make_shared<const std::string>());
        MHD_Response* out = MHD_create_response_from_buffer_with_free_callback_cls(
            (*body)->size(), const_cast<char*>((*body)->data()),
            [](void* kept) { delete static_cast<std::shared_ptr<const std::string>*>(kept); }, body);
        if (out == nullptr) {
            delete body;
            return MHD_NO;
        }
        exchange.record.status = response.status;
        exchange.record.bytes = (*body)->size();
        MHD_add_response_header(out, MHD_HTTP_HEADER_CONTENT_TYPE, response.type.c_str());
        for (const auto& [name, value] : response.headers) MHD_add_response_header(out, name.c_str(), value.c_str());
        const MHD_Result result = MHD_queue_response(connection, response.status, out);
        MHD_destroy_response(out);
        return result;
    }

    void begin(MHD_Connection* connection, Exchange& exchange, const char* url_text, const char* method) {
        exchange.request.method = exchange.record.method = method;
        exchange.request.path = exchange.record.path = url_text;
        const MHD_ConnectionInfo* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        exchange.request.address = exchange.record.address = text_of(info != nullptr ? info->client_addr : nullptr);
        MHD_get_connection_values(
            connection, MHD_HEADER_KIND,
            [](void* to, MHD_ValueKind, const char* key, const char* value) {
                std::string name = key;
                std::transform(name.begin(), name.end(), name.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
                static_cast<HttpRequest*>(to)->headers.emplace_back(std::move(name), value != nullptr ? value : "");
                return MHD_YES;
            },
            &exchange.request);
    }

    // Before a byte of the body is read.
    std::optional<HttpResponse> refusal(const Exchange& exchange) const {
        const std::string length = exchange.request.header("content-length");
        std::uint64_t bytes = 0;
        std::from_chars(length.data(), length.data() + length.size(), bytes);
        if (bytes > limits.body) return too_large();
        return std::nullopt;
    }
    HttpResponse too_large() const {
        return said(413, fmt::format("the request is larger than {} bytes", limits.body));
    }

    MHD_Result take(Exchange& exchange, const char* data, std::size_t* size) {
        std::string& body = exchange.request.body;
        if (exchange.waiting->response) { // it is refused already, and what still comes is dropped
        } else if (body.size() + *size > limits.body) {
            exchange.waiting->response = too_large();
        } else if (bodies + *size > limits.bodies) {
            exchange.waiting->response = said(503, "too many requests at a time; ask again");
        } else {
            body.append(data, *size);
            bodies += *size;
            exchange.counted += *size;
        }
        *size = 0;
        return MHD_YES;
    }

    MHD_Result respond(MHD_Connection* connection, Exchange& exchange) {
        if (!exchange.handled && !exchange.waiting->response) {
            exchange.handled = true;
            handler(std::move(exchange.request),
                    [waiting = exchange.waiting](HttpResponse response) { waiting->answer(std::move(response)); });
        }
        std::unique_lock lock(exchange.waiting->mutex);
        if (!exchange.waiting->response) {
            MHD_suspend_connection(connection);
            exchange.waiting->aside = connection;
            return MHD_YES;
        }
        const HttpResponse response = *exchange.waiting->response;
        lock.unlock();
        return send(connection, exchange, response);
    }

    static MHD_Result on_request(void* self, MHD_Connection* connection, const char* url, const char* method,
                                 const char*, const char* data, std::size_t* size, void** kept) {
        auto& daemon = *static_cast<Daemon*>(self);
        auto* exchange = static_cast<Exchange*>(*kept);
        try {
            if (exchange == nullptr) {
                *kept = exchange = new Exchange;
                ++daemon.open;
                daemon.begin(connection, *exchange, url, method);
                if (const auto refused = daemon.refusal(*exchange)) return daemon.send(connection, *exchange, *refused);
                return MHD_YES;
            }
            if (*size > 0) return daemon.take(*exchange, data, size);
            return daemon.respond(connection, *exchange);
        } catch (const std::exception&) { // out of memory: this connection is closed
            return MHD_NO;
        }
    }

    static void on_end(void* self, MHD_Connection*, void** kept, MHD_RequestTerminationCode why) {
        auto* exchange = static_cast<Exchange*>(*kept);
        if (exchange == nullptr) return;
        auto& daemon = *static_cast<Daemon*>(self);
        {
            const std::lock_guard lock(exchange->waiting->mutex);
            exchange->waiting->aside = nullptr;
        }
        if (why != MHD_REQUEST_TERMINATED_COMPLETED_OK) exchange->record.status = 0;
        exchange->record.seconds = std::chrono::duration<double>(Clock::now() - exchange->began).count();
        daemon.bodies -= exchange->counted;
        daemon.over(exchange->record);
        delete exchange;
        *kept = nullptr;
        --daemon.open;
    }

    ~Daemon() {
        if (mhd != nullptr) MHD_stop_daemon(mhd);
    }
};

std::string HttpRequest::header(std::string_view name) const {
    const auto last = std::find_if(headers.rbegin(), headers.rend(), [&](const auto& h) { return h.first == name; });
    return last == headers.rend() ? "" : last->second;
}

HttpServer::HttpServer(const std::string& listen, const HttpLimits& limits, Handler handler,
                       std::function<void(const HttpRecord&)> over)
    : daemon_(std::make_unique<Daemon>()) {
    constexpr rlim_t kOtherFiles = 200;
    Address address = address_from(listen);
    allow_files(limits.connections + kOtherFiles);
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    const auto most = static_cast<unsigned>(
        std::clamp<rlim_t>(files.rlim_cur > kOtherFiles ? files.rlim_cur - kOtherFiles : 1, 1, limits.connections));
    daemon_->limits = limits;
    daemon_->handler = std::move(handler);
    daemon_->over = std::move(over);
    daemon_->mhd = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | (address.v6 ? unsigned{MHD_USE_IPv6} : 0U), 0,
        nullptr, nullptr, &Daemon::on_request, daemon_.get(), MHD_OPTION_SOCK_ADDR, address.get(),
        MHD_OPTION_NOTIFY_COMPLETED, &Daemon::on_end, daemon_.get(), MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits.of_address, MHD_OPTION_CONNECTION_TIMEOUT, limits.idle,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, std::size_t{32} << 10, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024U, MHD_OPTION_END);
    if (daemon_->mhd == nullptr)
        throw OptionError(fmt::format("cannot listen on {}: {}; choose another with --listen 127.0.0.1:PORT", listen,
                                      std::strerror(errno)));
    const MHD_DaemonInfo* info = MHD_get_daemon_info(daemon_->mhd, MHD_DAEMON_INFO_LISTEN_FD);
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (info != nullptr) getsockname(info->listen_fd, reinterpret_cast<sockaddr*>(&bound), &size);
    const std::string host = text_of(reinterpret_cast<const sockaddr*>(&bound));
    daemon_->url = fmt::format(fmt::runtime(address.v6 ? "http://[{}]:{}/" : "http://{}:{}/"), host, port_of(bound));
}

HttpServer::~HttpServer() = default;

std::string HttpServer::url() const { return daemon_->url; }

void HttpServer::stop_listening() {
    const MHD_socket socket = MHD_quiesce_daemon(daemon_->mhd); // of which the caller disposes; none the second time
    if (socket != MHD_INVALID_SOCKET) close(socket);
}

std::size_t HttpServer::open_requests() const { return daemon_->open; }

} // namespace warptree::serve
