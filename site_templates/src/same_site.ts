// Pages of a site in several windows or frames tell each other things by postMessage: the one way that works from file:// too.

/** Only pages of the same site are told and heard; pages of files have no origin. */
const files = location.protocol === "file:";

export function isOfThisSite(event: MessageEvent): boolean {
  return event.origin === (files ? "null" : location.origin);
}

export function tell<Message extends { lectern: string }>(other: Window, message: Message): void {
  other.postMessage(message, files ? "*" : location.origin);
}
