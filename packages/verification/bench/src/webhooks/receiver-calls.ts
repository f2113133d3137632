/** The process that stands for the merchants' receivers, and what it is asked. */
export type ReceiverCalls = {
  /** Opens so many receivers, and one that never answers; answers their URLs. */
  readonly listen: {
    readonly job: { readonly receivers: number };
    readonly reply: { readonly urls: readonly string[]; readonly deadUrl: string };
  };
  /** What has come of a run so far. */
  readonly receipts: { readonly job: { readonly run: string }; readonly reply: Receipts };
};

/** How many different events of each run have come; told many times a second. */
export type ReceiverNews = Readonly<Record<string, number>>;

/** What has come of a run. */
export type Receipts = {
  /** By the event's number: when its first byte came first, by the monotonic clock. */
  readonly firstAtMs: ReadonlyMap<number, number>;
  /** Arrivals beyond each event's first. */
  readonly duplicates: number;
  /** Arrivals at another endpoint than the event's. */
  readonly astray: number;
};
