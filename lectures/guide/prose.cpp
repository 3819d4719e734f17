// Texts, links, figures, and what stands in boxes.

#include "parts.h"

void prose() {
  text("## Prose");
  text(R"(
    A statement that calls a **hook** stands on the page as what it renders.
    The most frequent one takes Markdown, with mathematics, in a raw string
    that is indented with the code:)");
  text(listing());
  text(R"(
    The **mean** of $n$ numbers is $\bar{x} = \frac{1}{n} \sum_i x_i$. It is
    that number from which the *squared* distances,
    $$\sum_i (x_i - a)^2,$$
    are smallest.)");

  text(R"(
    With arguments, the text is a format. What the program computes need not
    be typed a second time:)");
  text(listing());
  const std::vector<double> heights = {1.62, 1.75, 1.81};
  text("{} people, the tallest {:.2f} m: {}.", heights.size(),
       heights.back(), heights);

  text(R"(
    Several hooks in one statement are one paragraph. A link has an address,
    or leads to a function of the program:)");
  text(listing());
  text("The notation is"),
      lectern::link("https://spec.commonmark.org", "CommonMark"),
      text("; the examples below begin in"), link(values_of_variables),
      text(".");

  text("A reference can be a constant, which several lectures share:");
  text(listing());
  static constexpr Reference tufte = {
      .title = "The Visual Display of Quantitative Information",
      .authors = {"Edward R. Tufte"},
      .date = "1983"};
  text("On graphics there is no better start than"), link(tufte),
      text(".");

  text(R"(
    Works are cited by the keys of a BibTeX file, `references.bib`, beside
    the lectures. A term is defined once, in any lecture, and then used in
    all of them:)");
  text(listing());
  text("A program as an essay is an old idea"), cite("knuth1984"),
      text(". What is new here is that each"),
      term("step",
           "one execution of a statement, with the call stack and "
           "the values at that moment"),
      text("of the program's run can be seen. Point at"), term("Step"),
      text("for its definition.");

  text(R"(
    What a program prints, or what should not be formatted, is verbatim; a
    command of the shell is shown with its output:)");
  text(listing());
  verbatim("0101\n1010");
  system_text("printf 'three\\nlines\\nlong\\n' | wc -l");

  text(R"(
    The same can be said in several languages, of which a reader chooses at
    the head of the page:)");
  text(listing());
  text({{"en", "The mean is {:.3f}."},
        {"fr", "La moyenne vaut {:.3f}."},
        {"de", "Der Mittelwert ist {:.3f}."}},
       (heights[0] + heights[1] + heights[2]) / 3);
  text("Ce paragraphe est en français.", {.language = "fr"});

  text(
      "And a note is for the speaker alone; press `N` to read this one:");
  text(listing());
  note("Ask who has written a lecture as slides, and how they knew that "
       "its "
       "numbers were right.");
}

void figures() {
  text("## Figures");
  text(R"(
    An image is a file beside the lecture, and says what it shows to those
    who cannot see it:)");
  text(listing());
  image("figures/guide/mean.png",
        {.alt = "Six dots at 1, 2, 3, 4, 6 and 8, and a wedge below them "
                "at 4.",
         .caption = "The mean is where the numbers are in balance.",
         .width = 480});

  text(R"(
    A figure made of the program's own data needs no file:)");
  text(listing());
  std::string bars;
  for (int i = 0; i < 8; ++i) {  // @stepover
    bars += fmt::format(
        R"(<rect x="{}" y="{}" width="30" height="{}" fill="#4a7fb5"/>)",
        40 * i, 90 - 10 * i, 10 * i + 10);
  }
  image(
      Drawing{
          "stairs.svg",
          R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 310 100">)" +
              bars + "</svg>"},
      {.alt = "Eight bars, each higher than the one before.",
       .width = 310});

  text(R"(
    A video has captions, which are also the text below it, and a picture to
    begin with:)");
  text(listing());
  video("figures/guide/mean.webm",
        {.alt = "Numbers fall onto a line; a wedge follows their mean.",
         .caption = "Each number draws the mean towards itself, the "
                    "later ones less.",
         .width = 480,
         .captions = {{"figures/guide/mean.vtt", "en"}},
         .silent = true,
         .poster = "figures/guide/mean.png"});
}

void boxes() {
  text("## Boxes");
  text(R"(
    A callout is set apart from the text. There are six kinds: `note`,
    `info`, `warning`, `question`, `example` and `definition`.)");
  text(listing());
  callout(
      Callout::warning,
      "The mean of a bank's customers is not the wealth of any of them.",
      "One large number");
  callout(Callout::definition,
          "The **median** is the number in the middle.");

  text(R"(
    A card points elsewhere; tabs hold alternatives, of which a reader sees
    one at a time:)");
  text(listing());
  card("CommonMark in ten minutes", "The few signs that most texts need.",
       "https://commonmark.org/help/");
  tabs({{"C++", "`std::accumulate(v.begin(), v.end(), 0.0) / v.size()`"},
        {"Python", "`sum(v) / len(v)`"}});
}
