// What a lecture's page and its speaker's window tell each other by postMessage: the one way that works from file:// too.

/** The page: what the speaker's window shows. */
export interface SpeakerState {
  lectern: "state";
  lecture: string;
  slide: { number: number; count: number; title: string };
  next: { title: string; html: string } | null;
  /** HTML of the notes of this slide. */
  notes: string[];
  /** Why there are none. */
  none: string;
  step: { number: number; count: number };
}

/** The window: it is there and wants to know, or a key was pressed. */
export type SpeakerRequest = { lectern: "hello" } | { lectern: "act"; action: SpeakerAction };

export const speakerActions = ["step", "back", "section", "section-back"] as const;
export type SpeakerAction = (typeof speakerActions)[number];

/** Only windows of the same site are told and heard; pages of files have no origin. */
const files = location.protocol === "file:";

export function isOfThisSite(event: MessageEvent): boolean {
  return event.origin === (files ? "null" : location.origin);
}

export function tell(other: Window, message: SpeakerState | SpeakerRequest): void {
  other.postMessage(message, files ? "*" : location.origin);
}
