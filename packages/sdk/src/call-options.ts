/** What a single call may be told beside what it is about. */
export type CallOptions = {
  /**
   * Key of what a POST or PATCH does, 1 to 255 printable ASCII characters: the same key and body
   * within 30 days do it once. One is made where none is given; give your own where the call may be
   * repeated by another process, or after a crash. A GET or DELETE takes none.
   */
  readonly idempotencyKey?: string | undefined;
  /** `X-Request-Id` of all tries: 1 to 128 of letters, digits and `._-`; one is made else. */
  readonly requestId?: string | undefined;
  /** Ends the call: it then rejects with the signal's reason. What was sent may still happen. */
  readonly signal?: AbortSignal | undefined;
  /** Bounds this call, retries and waits included, in milliseconds; the client's own else. */
  readonly timeoutMs?: number | undefined;
};
