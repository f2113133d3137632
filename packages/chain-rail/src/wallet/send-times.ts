/** The interval at which transactions that are in no block are sent again. */
const resendMs = 5_000;
/** The maximum number of transaction hashes whose last send time is remembered. */
const sentMax = 10_000;

/**
 * Returns a function that checks whether a transaction is due to be sent. If so, it records the
 * current time as the send time.
 */
export function createSendTimes(now: () => number, everyMs = resendMs): (id: string) => boolean {
  const sentAt = new Map<string, number>();
  return (id) => {
    const last = sentAt.get(id);
    if (last !== undefined && now() - last < everyMs) return false;
    sentAt.delete(id);
    sentAt.set(id, now());
    const [oldest] = sentAt.keys();
    if (sentAt.size > sentMax && oldest !== undefined) sentAt.delete(oldest);
    return true;
  };
}
