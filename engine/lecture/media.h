#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// Puts an image beside the lecture into the trace's assets; returns the name that it has there. Refuses what
/// `image` refuses, and warns of an image without alt text. `hook` begins the messages.
std::string add_image(const std::string& hook, std::string_view path, const std::string& alt);

/// Puts a starter file, starters/NAME.cpp beside the lecture, into the trace's assets; returns the name that
/// it has there. Refuses one that is not there, or that does not include <lectern/exercise.h>.
std::string add_starter(const std::string& hook, const std::string& name);

}  // namespace lectern
