#include <exception>

#include "record/main_thread.h"
#include "record/step_recorder.h"

namespace lectern::probe {

void Frame::enter() {
  StepRecorder* const recorder = StepRecorder::live();
  if (recorder == nullptr) return;
  if (on_main_thread) {
    if (source_->first_function < 0) add_source(*source_);  // called for a global of another file
    recorder->enter(*this);
  } else {
    recorder->note_other_thread(*this);
  }
}

void Frame::leave() {
  if (StepRecorder* const recorder = StepRecorder::live()) recorder->leave(*this);
}

void Frame::step(int site) {
  if (StepRecorder* const recorder = StepRecorder::live()) recorder->step(*this, site);
}

void Frame::begin_loop(int site) {
  if (StepRecorder* const recorder = StepRecorder::live()) recorder->begin_loop(*this, site);
}

void Frame::begin_pass(int site) {
  if (StepRecorder* const recorder = StepRecorder::live()) recorder->begin_pass(*this, site);
}

// Not where a return or an exception leaves the loop: what is called then, destructors, is theirs.
void Frame::end_pass(int site) {
  const bool returns = site_ >= 0 && source_->sites[site_].kind == SiteKind::return_;
  if (!returns && std::uncaught_exceptions() <= uncaught_) coming(site);
}

}  // namespace lectern::probe
