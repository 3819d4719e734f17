#pragma once

#include <string>

namespace lectern {

/// The rows of lines, and blocks of them, that only the source as it was written shows: a third of a page of
/// prose, which is painted sooner without them. Takes them out of a page's body and returns source.js, one
/// call, `lecternSource([…]);`, with what stood in the place of each `<template>`; empty if
/// there are none (site_templates/src/source_rows.ts).
std::string take_source_rows(std::string& body);

}  // namespace lectern
