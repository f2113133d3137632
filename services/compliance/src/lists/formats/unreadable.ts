/**
 * What makes a list unreadable, in words for whoever imports it, with the line or the entry.
 * Thrown inside this folder only, to leave a nested check; `readList` and `parseListLine` turn it
 * into an answer.
 */
export class Unreadable extends Error {}

/** The same problem with the place where it stands, for a problem that does not know its place. */
export function placedAt<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable)
      throw new Unreadable(`${place}: ${error.message}`, { cause: error });
    throw error;
  }
}
