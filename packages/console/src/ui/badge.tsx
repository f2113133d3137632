import type { ReactNode } from "react";

/** The meaning of a state. Colour is never its only indication. */
export type Tone = "plain" | "good" | "warn" | "bad" | "info";

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
  awaiting_balance: "warn",
  awaiting_approval: "warn",
  unverified: "warn",
  paused: "warn",
  failed: "bad",
  rejected: "bad",
  returned: "bad",
  blocked: "bad",
  exhausted: "bad",
};

/** Shows an API state with its label. An unknown state is shown unchanged. */
export function StateBadge(props: { state: string; words: Readonly<Record<string, string>> }) {
  const { state, words } = props;
  return <Badge tone={tones[state] ?? "plain"}>{words[state] ?? state}</Badge>;
}
