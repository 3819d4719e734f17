// What a lecture's page and its speaker's window tell each other.

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
