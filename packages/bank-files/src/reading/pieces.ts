/** A part of a value: elements of the array that a path of keys leads to. */
export type Piece = {
  readonly path: readonly (string | number)[];
  readonly items: readonly unknown[];
};

/** A value in pieces: itself with empty arrays, then what is in them, in order. */
export type InPieces = { readonly value: unknown; readonly pieces: Iterable<Piece> };

/**
 * Splits plain values, so that no piece has many more than `objectsMax` objects: receiving a large
 * value at once blocks a thread for as long as it takes to make all of them.
 */
export function inPieces(value: unknown, objectsMax: number): InPieces {
  return { value: hollow(value), pieces: piecesOf(value, [], objectsMax) };
}

/** Puts a piece where it belongs in a value that was split. */
export function addPiece(value: unknown, { path, items }: Piece): void {
  let target = value;
  for (const key of path) target = isObject(target) ? target[key] : undefined;
  if (!Array.isArray(target)) throw new Error("a piece belongs to no array");
  for (const item of items) target.push(item);
}

function* piecesOf(
  value: unknown,
  path: readonly (string | number)[],
  objectsMax: number,
): Generator<Piece> {
  if (!isObject(value)) return;
  if (!Array.isArray(value)) {
    for (const [key, field] of Object.entries(value)) {
      yield* piecesOf(field, [...path, key], objectsMax);
    }
    return;
  }
  let items: unknown[] = [];
  let objects = 0;
  for (const [index, item] of value.entries()) {
    const count = objectsIn(item, objectsMax);
    if (items.length > 0 && objects + count > objectsMax) {
      yield { path, items };
      items = [];
      objects = 0;
    }
    if (count > objectsMax) {
      yield { path, items: [hollow(item)] };
      yield* piecesOf(item, [...path, index], objectsMax);
    } else {
      items.push(item);
      objects += count;
    }
  }
  if (items.length > 0) yield { path, items };
}

/** The objects in a value, itself too, counted up to one more than `objectsMax`. */
function objectsIn(value: unknown, objectsMax: number): number {
  let count = 1;
  if (!isObject(value)) return count;
  for (const field of Object.values(value)) {
    if (count > objectsMax) break;
    if (isObject(field)) count += objectsIn(field, objectsMax - count);
  }
  return count;
}

/** A value without what is in its arrays. */
function hollow(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return [];
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, hollow(field)]));
}

function isObject(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}
