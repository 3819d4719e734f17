// What the parts of lecture 5 include, and the parts in their order; each has a file of its own.

#pragma once

#include <lectern/lecture.h>

#include "../shared/references.h"
#include "works.h"

using namespace lectern;

void the_model();
void norms();
void positions();
void heads();
void latent_attention();
void feed_forward();
void experts();
void embeddings();
void all_choices();
void takeaways();
