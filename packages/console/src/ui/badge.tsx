import type { ReactNode } from "react";

/** What a state means for whom looks: the colour is never all that tells it. */
export type Tone = "plain" | "good" | "warn" | "bad" | "info";

/** A state in a word. */
export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  );
}

const tones: Readonly<Record<string, Tone>> = {
  succeeded: "good",
  settled: "good",
  cleared: "good",
  whitelisted: "good",
  delivered: "good",
  active: "good",
  initiated: "info",
  processing: "info",
  queued: "info",
  pending: "info",
  running: "info",
  unknown: "warn",
  review: "warn",
  awaiting_funds: "warn",
  awaiting_approval: "warn",
  unverified: "warn",
  paused: "warn",
  failed: "bad",
  rejected: "bad",
  returned: "bad",
  blocked: "bad",
  exhausted: "bad",
};

/** A state of the interface with its word; one that is not known is shown as it is. */
export function StateBadge(props: { state: string; words: Readonly<Record<string, string>> }) {
  const { state, words } = props;
  return <Badge tone={tones[state] ?? "plain"}>{words[state] ?? state}</Badge>;
}
