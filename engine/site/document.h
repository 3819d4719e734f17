#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// A part of a lecture as others than our pages show it.
struct DocumentBlock {
  enum class Kind : std::uint8_t { prose, code };
  Kind kind = Kind::prose;
  std::string text;                       ///< Markdown that GitHub and Jupyter show, or source code
  std::string language = {};              ///< of code
  std::vector<std::string> results = {};  ///< of code, when the run ended: "x = 3", "✓ x == 3"
  std::string printed = {};               ///< by the code, in its last pass
  std::vector<std::string> files = {};    ///< names of those that prose shows
};

/// A lecture as a text, in the order of its page: prose and the code that it is about, without what only
/// holds the program together, and without speaker's notes. `title`, authors, date and description begin it.
struct Document {
  std::string title;
  std::vector<DocumentBlock> blocks;
  std::map<std::string, std::string>
      files;  ///< by name: the contents of images, videos and pictures of plots
};

struct DocumentOptions {
  /// Before the name of a file, where prose shows one.
  std::string folder = {};
  std::map<std::string, std::filesystem::path> files = {};  ///< that the lecture showed
  std::map<std::string, std::string> plots = {};            ///< plot_files.h
};

/// A plot without a picture is its specification, a video and a file that is missing their text.
Document lecture_document(const Trace& trace, const DocumentOptions& options);

/// Markdown of GitHub's flavour: code in fences, and what it gave in a fence below.
std::string markdown_text(const Document& document);

/// A Jupyter notebook, format 4.5 (https://nbformat.readthedocs.io): prose as cells of Markdown with their
/// images as attachments (`options.folder` must be "attachment:"), code as cells whose outputs are what it
/// printed and gave. It is to be read: the cells of a C++ program do not run one by one.
std::string notebook_text(const Document& document);

}  // namespace lectern
