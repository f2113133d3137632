import type { Databases } from "../database-check.ts";
import type { Flaw } from "./flaw.ts";

/** How far a service's database says that its heads were shipped. */
export type Tail = {
  /** Of the newest statement that the sink has. */
  readonly number: number;
  /** Its hash; "" before the first. */
  readonly previous: string;
  /** One that may be in the sink already. */
  readonly pending?: { readonly number: number };
  readonly shipped_at: Date;
};

/** The tails of services, by their names; a service that has shipped nothing has none. */
export type Tails = ReadonlyMap<string, Tail>;

/** Reads how far each service's heads were shipped. */
export async function readTails(
  { client, prefix }: Databases,
  services: readonly string[],
): Promise<Tails> {
  const tails = new Map<string, Tail>();
  for (const service of services) {
    const shipping = client
      .db(`${prefix}${service}`)
      .collection<Tail & { _id: string }>("audit_shipping");
    const tail = await shipping.findOne({ _id: "heads" });
    if (tail !== null) tails.set(service, tail);
  }
  return tails;
}

/** A sink's statements, as far as tails are compared with them. */
export type SinkStatements = {
  /** Services with statements that are not older than `from`. */
  readonly services: () => readonly string[];
  /** The newest of those. */
  readonly newest: (
    service: string,
  ) => { readonly number: number; readonly at: string } | undefined;
  /** Of any age. */
  readonly has: (service: string, hash: string) => boolean;
};

/**
 * Compares the end of each service's statements with its database. Statements are shipped all the
 * time: `before` was read before the sink, so the sink has what it names; `after` was read after
 * it, so nothing in the sink is newer.
 */
export function checkTails(
  sink: SinkStatements,
  { before, after }: { readonly before: Tails; readonly after: Tails },
  from = new Date(0),
): Flaw[] {
  const flaws: Flaw[] = [];
  const cut = (service: string, number: number, detail: string) =>
    flaws.push({ kind: "cut", service, subject: `statement ${number}`, detail });
  for (const [service, { number, previous, shipped_at }] of before) {
    if (number === 0 || shipped_at < from || sink.has(service, previous)) continue;
    const at = shipped_at.toISOString();
    cut(service, number, `is not there; the database says that it was shipped at ${at}`);
  }
  for (const service of sink.services()) {
    const newest = sink.newest(service);
    const tail = after.get(service);
    const last = Math.max(tail?.number ?? 0, tail?.pending?.number ?? 0);
    if (newest === undefined || newest.number <= last) continue;
    const detail = `was shipped at ${newest.at}; the database says that ${last} was the last one`;
    cut(service, newest.number, detail);
  }
  return flaws;
}
