/** The number of calls that an endpoint has not answered yet. */
type Loaded = { readonly calls: { readonly size: number } };

/**
 * Power of two choices: of two endpoints drawn at random the one with fewer outstanding calls. This
 * is close to the best of all, and not all clients choose the same one (M. Mitzenmacher, 2001).
 * `random` answers a number from 0 to under 1.
 */
export function chosen<E extends Loaded>(endpoints: readonly E[], random: () => number): E {
  const first = Math.floor(random() * endpoints.length);
  const others = endpoints.length - 1;
  const second = (first + 1 + Math.floor(random() * others)) % endpoints.length;
  const [one, other] = [endpoints[first], endpoints[second]];
  if (one === undefined || other === undefined) throw new Error("there is no endpoint to choose");
  return other.calls.size < one.calls.size ? other : one;
}
