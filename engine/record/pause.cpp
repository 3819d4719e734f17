#include "record/pause.h"

#include "record/recorder.h"
#include "record/step_recorder.h"

namespace lectern::record {

Pause::Pause() : active_(recording()) {
  if (active_) probe::StepRecorder::live()->suspend();
}

Pause::~Pause() {
  if (active_) probe::StepRecorder::live()->resume();
}

}  // namespace lectern::record
