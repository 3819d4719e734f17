// Plots, tables and graphs.

#include "parts.h"

void plots_and_tables() {
  text("## Plots, tables, graphs");
  text(R"(
    Numbers become a plot in a line; the page draws it in its own colours,
    light and dark:)");
  text(listing());
  std::vector<double> means;
  double sum = 0;
  for (int n = 1; n <= 200; ++n) {  // @stepover
    sum += n * 7919 % 101;  // numbers without an order, from 0 to 100
    means.push_back(sum / n);
  }
  line_plot(means, {.x = "numbers so far",
                    .y = "their mean",
                    .alt = "The mean settles near 50."});

  text(R"(
    So do points and bars. All of them take vectors, lists in braces, maps
    and tensors.)");
  text(listing());
  scatter_plot(
      {1, 2, 4, 8, 16},
      {{"a list", {1, 2, 4, 8, 16}}, {"a tree", {1, 2, 3, 4, 5}}},
      {.x = "elements", .y = "comparisons", .log_x = true});
  bar_plot({{"Mon", 3}, {"Tue", 5}, {"Wed", 2}}, {.y = "cups"});

  text(R"(
    What else Vega-Lite can do, it does by a specification of your own. Its
    data are part of it:)");
  text(listing());
  plot(R"({"data": {"values": [{"row": 0, "column": 0, "v": 3},
                               {"row": 0, "column": 1, "v": 1},
                               {"row": 1, "column": 0, "v": 0},
                               {"row": 1, "column": 1, "v": 4}]},
           "mark": "rect", "height": 120,
           "encoding": {"x": {"field": "column", "type": "ordinal"},
                        "y": {"field": "row", "type": "ordinal"},
                        "color": {"field": "v", "type": "quantitative"}}})",
       {.alt = "A matrix of two rows and columns; the largest element is "
               "4."});

  text(R"(
    A table takes rows, or columns with their heads. Cells are Markdown,
    numbers, or any other value:)");
  text(listing());
  table({"Name", "Formula", "of 1, 2, 6"},
        {{"mean", "$\\frac{1}{n}\\sum x_i$", 3},
         {"median", "the middle one", 2}});
  table({{"n", {1, 10, 100}},
         {"mean of the first n", {means[0], means[9], means[99]}}});

  text(R"(
    A graph has nodes and edges; that of a tensor is what autograd recorded,
    drawn with the gradients:)");
  text(listing());
  graph({{"t", "text"}, {"i", "integers"}, {"m", "model"}},
        {{"t", "i", "tokenizer"}, {"i", "m"}});
  const Tensor x = tensor({1.0, 2.0}),
               w = tensor({0.5, -1.0}).requires_grad_();
  const Tensor loss = (x * w).sum().square();
  loss.backward();
  graph(loss, {{"x", x}, {"w", w}, {"loss", loss}});
}
