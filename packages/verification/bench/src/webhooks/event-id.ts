/** What an event's id says: the run it belongs to, its number in it, and to whom it goes. */
export type EventName = { readonly run: string; readonly number: number; readonly hook: number };

/** A run's name is letters and digits. */
export function eventIdOf({ run, number, hook }: EventName): string {
  return `evt_${run}_${number}_${hook}`;
}

/** Reads an id that `eventIdOf` made; `undefined` for any other. */
export function readEventId(id: string): EventName | undefined {
  const [, run, number, hook] = /^evt_([a-z0-9]+)_(\d+)_(\d+)$/.exec(id) ?? [];
  if (run === undefined) return undefined;
  return { run, number: Number(number), hook: Number(hook) };
}
