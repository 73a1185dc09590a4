// HTTP by GNU libmicrohttpd: requests come in whole, answers go out when they are there. TLS is a proxy's work.
#pragma once

#include "app/base/error.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warptree::serve {

struct HttpRequest {
    std::string method, path; // the path decoded, without what follows "?"
    std::string body;
    std::string address; // of the other end of the connection: "192.0.2.7", "2001:db8::1"
    std::vector<std::pair<std::string, std::string>> headers; // names in lower case
    // The last of that name (in lower case); empty: there is none.
    std::string header(std::string_view name) const;
};

struct HttpResponse {
    unsigned status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::shared_ptr<const std::string> body; // nullptr: empty
    std::vector<std::pair<std::string, std::string>> headers;
};

// What is told of a request when it is over.
struct HttpRecord {
    std::string method, path, address;
    unsigned status = 0; // 0: the client went away before the answer
    std::uint64_t bytes = 0;
    double seconds = 0; // from its first line to the last byte of the answer
};

struct HttpLimits {
    std::uint64_t body = 256 << 10;  // bytes of a request's body
    std::uint64_t bodies = 64 << 20; // of all that are being received or answered
    unsigned connections = 4000;     // at a time, as far as the process may open files
    unsigned of_address = 1000;      // 0: no limit, as where all come from a proxy
    unsigned idle = 20;              // seconds after which a silent connection is closed
};

class HttpServer {
  public:
    // Answers one request: called once, on any thread, at once or later.
    using Answer = std::function<void(HttpResponse)>;
    using Handler = std::function<void(HttpRequest, Answer)>; // on the server's thread: may not wait, nor throw

    // "127.0.0.1:8080", "[::1]:8080", ":8080" (every address); without a port 8080, with port 0 a free one. Throws
    // OptionError for anything else, and where it cannot listen there.
    HttpServer(const std::string& listen, const HttpLimits& limits, Handler handler,
               std::function<void(const HttpRecord&)> over);
    ~HttpServer(); // closes all connections; every Answer must have been called, or never be
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    std::string url() const; // "http://127.0.0.1:8080/"
    // Takes no more connections; those that are there are answered on.
    void stop_listening();
    std::size_t open_requests() const;

  private:
    struct Daemon;
    std::unique_ptr<Daemon> daemon_;
};

} // namespace warptree::serve
