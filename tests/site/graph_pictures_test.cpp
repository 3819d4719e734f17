#include "site/graph_pictures.h"

#include <gtest/gtest.h>

#include "has.h"
#include "site/inert_html.h"
#include "site/no_programs.h"
#include "site/trace_builder.h"
#include "trace/decode.h"

namespace lectern {
namespace {

using test::count;
using test::has;
using test::TraceBuilder;

constexpr const char* kGraph =
    R"({"kind":"graph","nodes":[{"id":"x","label":"input <x>\nfloat32"},{"id":"loss"}],
    "edges":[{"from":"x","to":"loss","label":"mean & sum"},{"from":"loss","to":"new"}],"caption":"A *graph*"})";

class GraphPicturesTest : public ::testing::Test {
 protected:
  GraphPicturesTest() : builder_("graph();\nf();\n") {}

  /// What the last statement shows, as a page is made.
  std::string html(const std::string& show) {
    builder_.hook("graph();", "[" + show + "]");
    Renderings renderings(builder_.trace, assets_, math_);
    renderings.draw_graphs();
    const ShownRenderings shown = renderings.render({rendering_from_json(Json::parse(show))}, 0);
    warnings_ = renderings.take_warnings();
    EXPECT_TRUE(test::active_parts(shown.html).empty()) << shown.html;
    return shown.html;
  }

  TraceBuilder builder_;
  const Assets assets_{{}};
  MathTypesetter math_;
  std::vector<std::string> warnings_;
};

TEST_F(GraphPicturesTest, NodesAreBoxesAndEdgesArrows) {
  const std::string shown = html(kGraph);
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(count(shown, "<rect"), 3) << "a node for each end of an edge";
  EXPECT_EQ(count(shown, "class=\"arrow\""), 2);
  EXPECT_EQ(count(shown, "class=\"head\""), 2);
  EXPECT_TRUE(has(shown, ">input &lt;x&gt;</text>")) << shown;
  EXPECT_TRUE(has(shown, ">float32</text>")) << "a line of its own";
  EXPECT_TRUE(has(shown, ">mean &amp; sum</text>"));
  EXPECT_TRUE(has(shown, "aria-label=\"A *graph*\""));
  EXPECT_TRUE(has(shown, "loss \u2192 new")) << "as text, too";
}

TEST_F(GraphPicturesTest, OneRunLaysOutAll) {
  builder_.hook("f();", R"([{"kind":"graph","nodes":[{"id":"other"}]},)" + std::string(kGraph) + "]");
  EXPECT_EQ(count(html(kGraph), "<svg"), 1);
  Renderings renderings(builder_.trace, assets_, math_);
  renderings.draw_graphs();
  const auto other = rendering_from_json(Json::parse(R"({"kind":"graph","nodes":[{"id":"other"}]})"));
  EXPECT_EQ(count(renderings.render({other}, 0).html, "<svg"), 1);
}

TEST_F(GraphPicturesTest, WithoutGraphvizEdgesAreListed) {
  const test::NoPrograms none;
  const std::string shown = html(kGraph);
  EXPECT_FALSE(has(shown, "<svg"));
  EXPECT_TRUE(has(shown, "loss \u2192 new"));
  ASSERT_EQ(warnings_.size(), 1);
  EXPECT_TRUE(has(warnings_[0], "install graphviz")) << warnings_[0];
}

TEST_F(GraphPicturesTest, LargeGraphsAreListed) {
  Json graph{{"kind", "graph"}, {"nodes", Json::array()}};
  for (int i = 0; i < 400; ++i) graph["nodes"].push_back({{"id", std::to_string(i)}});
  EXPECT_FALSE(has(html(graph.dump()), "<svg"));
  ASSERT_EQ(warnings_.size(), 1);
  EXPECT_TRUE(has(warnings_[0], "too many")) << warnings_[0];
}

}  // namespace
}  // namespace lectern
