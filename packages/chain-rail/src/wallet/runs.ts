/** The runs of a wallet's dispatcher, one at a time. */
export type WalletRuns<State> = {
  /** The state that the last run found. `undefined` before the first run. */
  state(): State | undefined;
  /**
   * Runs once. If too few nodes respond, it rejects and changes nothing. If `works` is false, it
   * only reads the wallet's state and changes no transfer.
   */
  run(works: boolean): Promise<void>;
};

/** `check` checks the nodes' configuration once, before the first run. */
export function createRuns<State>(
  check: () => Promise<void>,
  once: (works: boolean) => Promise<State>,
): WalletRuns<State> {
  let state: State | undefined;
  let isChecked = false;
  return {
    state: () => state,
    run: async (works) => {
      if (!isChecked) await check();
      isChecked = true;
      state = await once(works);
    },
  };
}

/** Returns the time since the oldest of the first signatures; 0 if there is none. */
export function oldestMs(signedAt: readonly (Date | undefined)[], now: Date): number {
  return Math.max(0, ...signedAt.map((at) => now.getTime() - (at ?? now).getTime()));
}
