#include <array>
#include <map>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/tensor_error.h"
#include "distributed/socket.h"
#include "distributed/store.h"

namespace lectern::distributed {
namespace {

// A connection begins with the server's greeting. A request is a letter and a key and, to add, a line break
// and a value; its answer is a letter, y or n, and the value found.
constexpr std::string_view kGreeting = "lectern rendezvous 1";

using Values = std::map<std::string, std::string>;

std::string answer(Values& values, const std::string& request) {
  const std::size_t end = request.find('\n');
  const std::string key = request.substr(1, end == std::string::npos ? end : end - 1);
  if (request.front() == 'a') {
    const bool is_new = end != std::string::npos && values.emplace(key, request.substr(end + 1)).second;
    return is_new ? "y" : "n";
  }
  const auto found = values.find(key);
  return found == values.end() ? "n" : "y" + found->second;
}

/// Rank 0's server thread; close() ends it.
class Server {
 public:
  Server(const std::string& host, int port) : listener_(Socket::listening(host, port)) {
    if (::pipe2(wake_.data(), O_CLOEXEC) != 0)
      throw TensorError("init_process_group", "there are no descriptors left");
    thread_ = std::thread([this] { run(); });
  }
  ~Server() {
    ::close(wake_[1]);
    thread_.join();
    ::close(wake_[0]);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  void run() {
    std::vector<Socket> clients;
    Values values;
    while (true) {
      std::vector<pollfd> waited{{wake_[0], POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}};
      for (const Socket& client : clients) waited.push_back({client.descriptor(), POLLIN, 0});
      if (::poll(waited.data(), waited.size(), -1) < 0) continue;
      if (waited[0].revents != 0) return;
      for (std::size_t i = waited.size(); i-- > 2;) {
        if (waited[i].revents == 0) continue;
        const auto request = clients[i - 2].receive();
        if (!request || request->empty() || !clients[i - 2].send(answer(values, *request)))
          clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(i - 2));
      }
      if (waited[1].revents == 0) continue;
      Socket client = listener_.accept();
      if (client.descriptor() >= 0 && client.send(std::string(kGreeting)))
        clients.push_back(std::move(client));
    }
  }

  Socket listener_;
  std::array<int, 2> wake_{};
  std::thread thread_;
};

class TcpStore final : public Store {
 public:
  TcpStore(const std::string& host, int port, int rank, Milliseconds timeout) {
    if (rank == 0) server_ = std::make_unique<Server>(host, port);
    server_socket_ = Socket::connected(host, port, Clock::now() + timeout);
    if (server_socket_.receive() != kGreeting)
      throw TensorError("init_process_group", "what listens at " + host + ":" + std::to_string(port) +
                                                  " is not rank 0 of a run; choose another port");
  }

  bool add(const std::string& key, const std::string& value) override {
    return ask("a" + key + "\n" + value) == "y";
  }
  std::optional<std::string> find(const std::string& key) override {
    const std::string answered = ask("f" + key);
    if (answered.front() == 'n') return {};
    return answered.substr(1);
  }
  void close() override {
    server_socket_ = Socket();
    server_.reset();
  }

 private:
  std::string ask(const std::string& request) {
    const auto answered = server_socket_.send(request) ? server_socket_.receive() : std::nullopt;
    if (!answered || answered->empty())
      throw TensorError("init_process_group", "rank 0 is gone: it ended before all ranks had met");
    return *answered;
  }

  std::unique_ptr<Server> server_;
  Socket server_socket_;
};

}  // namespace

std::unique_ptr<Store> tcp_store(const std::string& host, int port, int rank, Milliseconds timeout) {
  return std::make_unique<TcpStore>(host, port, rank, timeout);
}

}  // namespace lectern::distributed
