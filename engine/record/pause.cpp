#include "record/pause.h"

#include "record/recorder.h"
#include "record/recording.h"

namespace lectern::record {

Pause::Pause() : active_(recording()) {
  if (active_) probe::Recorder::live()->begin_inspection();
}

Pause::~Pause() {
  if (active_) probe::Recorder::live()->end_inspection();
}

}  // namespace lectern::record
