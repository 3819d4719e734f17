#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include <gtest/gtest.h>
#include <httplib.h>

#include "cli/process.h"
#include "cli/tool.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

/// `lectern serve --port 0` in a folder with a site, as an installed tool serves it.
class Served {
 public:
  explicit Served(const std::string& options = "", const std::string& site = "site") {
    fs::create_directories(home_.path() / "share/lectern");
    write_file(here_.path() / site / "index.html", "<html><head></head><body>home</body></html>");
    write_file(here_.path() / site / "assets/style.css", "body{}");
    write_file(here_.path() / site / "assets/a.woff2", "font");
    write_file(here_.path() / "secret.txt", "secret");
    const std::string command = "cd '" + here_.path().string() + "' && LECTERN_HOME='" +
                                home_.path().string() + "' exec '" + LECTERN_TOOL + "' serve --port 0 " +
                                options + " & echo $!; wait";
    process_ = popen(command.c_str(), "r");
    char line[256] = "";
    if (std::fgets(line, sizeof line, process_) != nullptr) id_ = std::atoi(line);
    if (std::fgets(line, sizeof line, process_) != nullptr) address_ = line;
    while (!address_.empty() && (address_.back() == '\n' || address_.back() == '/')) address_.pop_back();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() {
    if (id_ > 0) kill(id_, SIGTERM);
    pclose(process_);
  }

  const std::string& address() const { return address_; }
  const fs::path& folder() const { return here_.path(); }

 private:
  test::TemporaryFolder here_, home_;
  FILE* process_;
  pid_t id_ = 0;
  std::string address_;
};

TEST(Serve, PrintsALoopbackAddressAndServesThePages) {
  const Served served;
  ASSERT_TRUE(served.address().starts_with("http://127.0.0.1:")) << served.address();
  httplib::Client client(served.address());
  const auto home = client.Get("/");
  ASSERT_TRUE(home);
  EXPECT_EQ(home->status, 200);
  EXPECT_EQ(home->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(home->body, "<html><head></head><body>home</body></html>")
      << "without --watch the pages are as they are";
  EXPECT_EQ(client.Get("/assets/style.css")->get_header_value("Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(client.Get("/assets/a.woff2")->get_header_value("Content-Type"), "font/woff2");
  EXPECT_EQ(client.Get("/none.html")->status, 404);
}

TEST(Serve, HasPagesForStudentsOfTheirOwn) {
  const test::TemporaryFolder course;
  const Said none = call("serve --audience students", course.path());
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("build/students has no pages yet; run `lectern build --audience students` first"),
            std::string::npos)
      << none.err;
  EXPECT_EQ(call("serve --audience pupils", course.path()).status, 2);
  EXPECT_EQ(call("serve --audience students --date 2026-02-30", course.path()).status, 2);

  const Served served("--audience students --date 2026-11-30", "build/students");
  const auto home = httplib::Client(served.address()).Get("/");
  ASSERT_TRUE(home);
  EXPECT_EQ(home->body, "<html><head></head><body>home</body></html>");
}

TEST(Serve, CompressesNothing) {
  const Served served;
  const auto home = httplib::Client(served.address()).Get("/", {{"Accept-Encoding", "gzip, deflate, br"}});
  ASSERT_TRUE(home);
  EXPECT_EQ(home->get_header_value("Content-Encoding"), "");
}

TEST(Serve, StaysWithinTheSite) {
  const Served served;
  httplib::Client client(served.address());
  client.set_url_encode(false);
  for (const char* path : {"/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt",
                           "/..%2fsecret.txt", "/assets/%2e%2e%2f%2e%2e%2fsecret.txt"}) {
    const auto answer = client.Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_EQ(answer->body.find("secret"), std::string::npos) << path;
  }
}

TEST(Serve, WatchingAddsTheReloadScriptAndTellsOfBuilds) {
  const Served served("--watch 2>/dev/null");
  httplib::Client client(served.address());
  EXPECT_NE(client.Get("/")->body.find("<script defer src=\"/lectern-reload.js\">"), std::string::npos);
  EXPECT_NE(client.Get("/lectern-reload.js")->body.find("/lectern-events"), std::string::npos);
  EXPECT_NE(client.Get("/lectern-events.js")->body.find("/lectern-events"), std::string::npos);
  std::thread author([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    write_file(served.folder() / "site/index.html", "made anew");
    write_file(served.folder() / "notes.txt", "a change");
  });
  std::string events;
  client.set_read_timeout(20);
  client.Get("/lectern-events", [&](const char* data, std::size_t size) {
    events.append(data, size);
    return events.find("\"pages\":1") == std::string::npos;
  });
  author.join();
  EXPECT_TRUE(events.starts_with("data: {\"pages\":0,")) << events;
  EXPECT_NE(events.find("data: {\"pages\":1,\"building\":false,\"problems\":\"\"}\n\n"), std::string::npos)
      << events;
}

TEST(Serve, WatchingFollowsReferencesThatTheSettingsNameLater) {
  const test::TemporaryFolder elsewhere;
  const fs::path references = elsewhere.path() / "course.bib";
  const Served served("--watch 2>/dev/null");
  httplib::Client client(served.address());
  client.set_read_timeout(10);
  const std::string end = "\"building\":false";
  std::string events;
  int builds = 0;
  client.Get("/lectern-events", [&](const char* data, std::size_t size) {
    events.append(data, size);
    for (std::size_t at = events.find(end); at != std::string::npos; at = events.find(end)) {
      events.erase(0, at + end.size());
      ++builds;
      if (builds == 1)
        write_file(served.folder() / "site.toml", "references = \"" + references.string() + "\"\n");
      if (builds == 2) write_file(references, "@misc{a, title={A}}\n");
    }
    return builds < 3;
  });
  EXPECT_EQ(builds, 3) << "the file of references is not watched";
}

TEST(Serve, WatchingTellsWhatWentWrongAndServesBeforeThereAreAnyPages) {
  const test::TemporaryFolder course;
  const fs::path lecture = course.path() / "talk.cpp";
  write_file(lecture, "int main() {}\n");
  const Served served("--watch '" + lecture.string() + "' 2>/dev/null");  // the home has no package: it fails
  EXPECT_TRUE(served.address().ends_with("/talk")) << "the address of its page: " << served.address();
  httplib::Client client(served.address().substr(0, served.address().rfind('/')));
  client.set_read_timeout(20);
  const auto page = client.Get("/talk/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 404);
  EXPECT_NE(page->body.find("<script defer src=\"/lectern-reload.js\">"), std::string::npos) << page->body;
  std::string events;
  client.Get("/lectern-events", [&](const char* data, std::size_t size) {
    events.append(data, size);
    return events.find("\"building\":false,\"problems\":\"lectern: ") == std::string::npos;
  });
  EXPECT_NE(events.find(lecture.string() + ": its project cannot be configured"), std::string::npos)
      << events;
}

TEST(Serve, AnswersToNamesOfThisMachineOnly) {
  const Served served("--watch 2>/dev/null");
  const std::string port = served.address().substr(served.address().rfind(':'));
  httplib::Client client(served.address());
  for (const std::string& host :
       {"localhost" + port, "127.0.0.1" + port, "[::1]" + port, std::string("localhost"),
        std::string("[::1]"), std::string("localhost:9000")}) {
    EXPECT_EQ(client.Get("/", {{"Host", host}})->status, 200) << host;
  }
  for (const std::string& host :
       {"rebound.example" + port, "localhost.example" + port, std::string("192.168.0.1"),
        std::string("[::2]"), std::string("localhost:x"), std::string("127.0.0.1.example")}) {
    const auto answer = client.Get("/", {{"Host", host}});
    ASSERT_TRUE(answer) << host;
    EXPECT_EQ(answer->status, 403) << host;
    EXPECT_EQ(client.Get("/lectern-events", {{"Host", host}})->status, 403) << host;
  }
}

TEST(Serve, SendsAFolderToItsPage) {
  const Served served;
  write_file(served.folder() / "site/first/index.html", "<html><head></head><body>first</body></html>");
  httplib::Client client(served.address());
  const auto answer = client.Get("/first?step=3");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->get_header_value("Location"), "first/?step=3");
  EXPECT_EQ(client.Get("/first/")->status, 200);
}

TEST(Serve, SaysThatThereIsNoSuchPage) {
  const Served served;
  const auto answer = httplib::Client(served.address()).Get("/none/");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 404);
  EXPECT_NE(answer->body.find("no such page"), std::string::npos);
}

TEST(Serve, FollowsNoLinkOutOfTheSite) {
  const Served served;
  const fs::path site = served.folder() / "site";
  fs::create_symlink("../secret.txt", site / "secret.txt");
  fs::create_directory_symlink("..", site / "up");
  fs::create_directories(site / "page");
  write_file(served.folder() / "elsewhere.html", "secret");
  fs::create_symlink("../../elsewhere.html", site / "page/index.html");
  fs::create_symlink("assets/style.css", site / "inside.css");
  httplib::Client client(served.address());
  for (const char* path : {"/secret.txt", "/up/secret.txt", "/up", "/page/"}) {
    const auto answer = client.Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_EQ(answer->body.find("secret"), std::string::npos) << path;
  }
  EXPECT_EQ(client.Get("/inside.css")->body, "body{}");
}

TEST(Serve, RefusesAPortThatAnotherServes) {
  const Served served;
  const std::string port = served.address().substr(served.address().rfind(':') + 1);
  const test::TemporaryFolder home;
  fs::create_directories(home.path() / "share/lectern");
  const Said said =
      call("serve --port " + port, served.folder(), "LECTERN_HOME='" + home.path().string() + "' timeout 10");
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(said.err.starts_with("lectern: port " + port + " cannot be bound: ")) << said.err;
}

TEST(Serve, SaysThatThereAreNoPagesYet) {
  const test::TemporaryFolder here, home;
  fs::create_directories(home.path() / "share/lectern");
  const Said said = call("serve --port 0", here.path(), "LECTERN_HOME='" + home.path().string() + "'");
  EXPECT_EQ(said.status, 1);
  EXPECT_EQ(said.err, "lectern: site has no pages yet; run `lectern build` first\n");
}

}  // namespace
}  // namespace lectern::cli
