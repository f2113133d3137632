import { type Finding, findingOf, type ScreeningRequest } from "./domain/screening.ts";
import type { PackedList } from "./index-build.ts";
import { type IndexPart, partsFor, placesOf } from "./index-part.ts";
import { type IndexThread, startIndexThread, unavailable } from "./index-thread.ts";

/** An index in threads of its own, which live and end as one. */
export type IndexThreads = {
  /** See `ScreeningIndex`. */
  screen(request: ScreeningRequest): Promise<Finding>;
  isAlive(): boolean;
  /** Ends each thread once nobody waits for it any more. */
  retire(): void;
  /** Ends them now; who waits hears that it is unavailable. */
  stop(): Promise<void>;
};

/**
 * Builds an index in new threads, which take the bytes of the chunks over. Rejects when a part
 * cannot be built. `ended` is told once, when a thread of an index that answers ends without having
 * been asked to; the others are ended then.
 */
export async function startIndexThreads(
  packed: readonly PackedList[],
  ended: (error: unknown) => void,
  parts: readonly IndexPart[] = partsFor(packed),
): Promise<IndexThreads> {
  const deaths: unknown[] = [];
  let whole: IndexThreads | undefined;
  const died = (error: unknown): void => {
    deaths.push(error);
    if (whole === undefined || deaths.length > 1) return;
    void whole.stop();
    ended(error);
  };
  const starting = parts.map((part, at) => {
    const own = at === parts.length - 1 ? packed : packed.map(copied);
    return startIndexThread(own, part, died);
  });
  const started = await Promise.allSettled(starting);
  const threads = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = started.find((each) => each.status === "rejected");
  if (failed !== undefined || deaths.length > 0) {
    await stopAll(threads);
    throw failed?.reason ?? deaths[0];
  }
  whole = indexThreads(threads);
  return whole;
}

function indexThreads(threads: readonly IndexThread[]): IndexThreads {
  const isAlive = (): boolean => threads.every((thread) => thread.isAlive());
  return {
    isAlive,
    retire: () => {
      for (const thread of threads) thread.retire();
    },
    stop: () => stopAll(threads),
    screen: async (request) => {
      // A request about nobody is asked of no thread, and is not answered without any.
      if (!isAlive()) throw unavailable();
      const found = threads.flatMap((thread) => {
        const places = placesOf(request, thread.part);
        return places.length === 0 ? [] : [thread.compare({ request, places })];
      });
      return findingOf(request, (await Promise.all(found)).flat());
    },
  };
}

async function stopAll(threads: readonly IndexThread[]): Promise<void> {
  await Promise.all(threads.map((thread) => thread.stop()));
}

/** The same list in bytes of its own, since a thread takes over what it is given. */
function copied({ version, chunks }: PackedList): PackedList {
  return {
    version,
    chunks: chunks.map(({ id, bytes }) => ({ id, bytes: Uint8Array.from(bytes) })),
  };
}
