// Lecture 3, the tokens to train on.

#pragma once

#include "parts.h"
#include "tokenizer.h"

constexpr int kVocabulary = 512;

// The King James Bible without the labels of its verses.
struct Book {
  std::string training;  // the Old Testament
  std::string held_out;  // the New Testament
};
const Book& book();

const Tokenizer& tokenizer();  // trained on the training text

// The tokens of both texts, in files that are mapped into memory.
const Tokens& training_tokens();
const Tokens& held_out_tokens();
