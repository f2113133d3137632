import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { forgetDrafts } from "../session/draft.ts";
import { sessionQuery, signedIn } from "../session/session.ts";

/** Lists to invalidate for each kind of event. */
const staleBy: Readonly<Record<string, readonly string[]>> = {
  payout: ["/api/v1/transfer/payouts", "/api/v1/webhooks/deliveries"],
  account: ["/api/v1/transfer/accounts"],
  beneficiary: ["/api/v1/transfer/beneficiaries"],
};

/**
 * Collects events for this many milliseconds before reloading, because a payout's events arrive
 * together.
 */
const settleMs = 300;
const reopenMs = 10_000;

/**
 * Follows a merchant's events and reloads the affected lists. Events contain only ids. Returns true
 * while connected. Otherwise, pages reload when they get the focus. `token` is the session's: each
 * session has its own stream, and an empty one has none.
 */
export function useLiveUpdates(client: QueryClient, token: string): boolean {
  const [isOpen, setIsOpen] = useState(false);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round opens a new stream.
  useEffect(() => {
    if (token === "") return;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    let settling: ReturnType<typeof setTimeout> | undefined;
    const stale = new Set<string>();
    const readAgain = () => {
      settling = undefined;
      const paths = [...stale];
      stale.clear();
      void client.invalidateQueries({
        predicate: ({ queryKey }) => paths.some((path) => String(queryKey[0]).startsWith(path)),
      });
    };
    const becomesStale = (paths: readonly string[]) => {
      for (const path of paths) stale.add(path);
      settling ??= setTimeout(readAgain, settleMs);
    };
    const source = new EventSource("/console/events");
    source.onopen = () => {
      setIsOpen(true);
      // Events sent while the connection was lost are missed, so all lists must be reloaded.
      becomesStale(Object.values(staleBy).flat());
    };
    source.onerror = () => {
      setIsOpen(false);
      // The browser opens a lost stream again, but not a refused one.
      if (source.readyState !== EventSource.CLOSED) return;
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      reopening = setTimeout(() => setRound((each) => each + 1), reopenMs);
    };
    for (const [kind, paths] of Object.entries(staleBy)) {
      source.addEventListener(kind, () => becomesStale(paths));
    }
    return () => {
      clearTimeout(settling);
      clearTimeout(reopening);
      source.close();
    };
  }, [client, token, round]);
  return isOpen;
}

/** After a sign-in in another window, adopts the new session and reloads what had failed. */
export function useSignIns(client: QueryClient): void {
  useEffect(() => {
    const listening = new AbortController();
    const listen = async ({ data }: MessageEvent) => {
      if (data === "out") return forgetDrafts();
      await client.refetchQueries({ queryKey: sessionQuery.queryKey });
      await client.invalidateQueries();
    };
    signedIn.addEventListener("message", (event) => void listen(event), listening);
    return () => listening.abort();
  }, [client]);
}

/**
 * Reload interval of operators' pages. They poll because there is no event feed across merchants.
 */
const everyMs = 15_000;
/** Stops reloading after this time of inactivity, so that the session can expire. */
const awayMs = 5 * 60_000;
const signs = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

/**
 * Queries to reload. The page of an alert is excluded, because the audit trail records each read.
 */
const readAgain: readonly string[] = [
  ...["accounts", "approvals", "exceptions", "health", "payouts", "rails", "compliance count"],
  ...["compliance alerts", "compliance totals", "compliance lists", "compliance monitoring"],
  ...["compliance sources", "compliance retained"],
];

/** Reloads an operator's page while it is visible and the person is active. */
export function useReadingAgain(client: QueryClient, isServed: boolean): void {
  useEffect(() => {
    if (!isServed) return;
    const listening = new AbortController();
    let seenAt = performance.now();
    const seen = () => {
      seenAt = performance.now();
    };
    const options = { passive: true, signal: listening.signal };
    for (const sign of signs) document.addEventListener(sign, seen, options);
    const timer = setInterval(() => {
      const isAway = performance.now() - seenAt > awayMs;
      if (isAway || document.visibilityState !== "visible") return;
      void client.invalidateQueries({
        predicate: ({ queryKey: [first, second] }) =>
          [first, `${first} ${second}`].some((each) => readAgain.includes(String(each))),
      });
    }, everyMs);
    return () => {
      clearInterval(timer);
      listening.abort();
    };
  }, [client, isServed]);
}
