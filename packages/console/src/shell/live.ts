import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** Which lists an event of a kind makes stale; the pages on the screen then read again. */
const staleBy: Readonly<Record<string, readonly string[]>> = {
  payout: ["/api/v1/transfer/payouts", "/api/v1/webhooks/deliveries"],
  account: ["/api/v1/transfer/accounts"],
  beneficiary: ["/api/v1/transfer/beneficiaries"],
};

/** Several events of one payout come together: they are one reading. */
const settleMs = 300;

/**
 * Follows the events of a merchant: they carry ids alone, and what they are about is read again.
 * Answers whether the connection is open; without it pages read again when they are returned to.
 */
export function useLiveUpdates(client: QueryClient, isServed: boolean): boolean {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (!isServed) return;
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = () => {
      clearTimeout(timer);
      timer = undefined;
      void client.invalidateQueries({
        predicate: ({ queryKey }) => [...stale].some((key) => String(queryKey[0]).startsWith(key)),
      });
      stale.clear();
    };
    const source = new EventSource("/console/events");
    source.onopen = () => {
      setIsOpen(true);
      // What happened while there was no connection came as no event.
      for (const key of Object.values(staleBy).flat()) stale.add(key);
      readAgain();
    };
    source.onerror = () => setIsOpen(false);
    for (const [kind, keys] of Object.entries(staleBy)) {
      source.addEventListener(kind, () => {
        for (const key of keys) stale.add(key);
        timer ??= setTimeout(readAgain, settleMs);
      });
    }
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [client, isServed]);
  return isOpen;
}

/** How often an operator's page is read again: no service has a feed across merchants. */
const everyMs = 15_000;
/** Who has gone away is not kept signed in by a page that goes on reading. */
const awayMs = 5 * 60_000;
const signs = ["pointerdown", "pointermove", "keydown", "wheel"] as const;

/** Lists and states; an alert is not among them, for who reads one is in the audit trail. */
const readAgain: readonly string[] = [
  ...["accounts", "approvals", "exceptions", "health", "payouts", "rails"],
  ...["compliance alerts", "compliance totals", "compliance lists", "compliance monitoring"],
];

/** Reads again what an operator sees, while the page is visible and the person is there. */
export function useReadingAgain(client: QueryClient, isServed: boolean): void {
  useEffect(() => {
    if (!isServed) return;
    let seenAt = performance.now();
    const seen = () => {
      seenAt = performance.now();
    };
    for (const sign of signs) document.addEventListener(sign, seen, { passive: true });
    const timer = setInterval(() => {
      const isThere = performance.now() - seenAt < awayMs;
      if (!isThere || document.visibilityState !== "visible") return;
      void client.invalidateQueries({
        predicate: ({ queryKey: [first, second] }) =>
          [first, `${first} ${second}`].some((each) => readAgain.includes(String(each))),
      });
    }, everyMs);
    return () => {
      clearInterval(timer);
      for (const sign of signs) document.removeEventListener(sign, seen);
    };
  }, [client, isServed]);
}
