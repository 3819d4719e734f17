// From a folder, browsers load no captions: there they are taken from the transcript below the video.

const failed = 3;

function fill(element: HTMLTrackElement): void {
  const video = element.closest("video");
  const number = [...(video?.querySelectorAll("track") ?? [])].indexOf(element);
  const transcript = video?.parentElement?.querySelectorAll(":scope > .transcript")[number];
  const { track } = element;
  if (!transcript || (track.cues?.length ?? 0) > 0) return;
  const { mode } = track;
  track.mode = "hidden"; // one that is disabled takes none
  for (const line of transcript.querySelectorAll<HTMLElement>("li")) {
    track.addCue(new VTTCue(Number(line.dataset.begin), Number(line.dataset.end), line.lastElementChild?.textContent ?? ""));
  }
  track.mode = mode;
}

export function initCaptions(): void {
  for (const track of document.querySelectorAll("track")) if (track.readyState === failed) fill(track);
  document.addEventListener("error", ({ target }) => target instanceof HTMLTrackElement && fill(target), true);
}
